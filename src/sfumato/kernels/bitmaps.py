"""Sets of records as bits: bit i of word w stands for record 64 w + i."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined

Words = NDArray[np.uint64]
ONE = np.uint64(1)


@compiled
def prefix_bitmaps(codes: NDArray[Any], size: int) -> Words:
    """Row c, 0 <= c <= size, has the records whose code is below c. O(records (1 + size / 64))."""
    rows = np.zeros((size + 1, (len(codes) + 63) // 64), np.uint64)
    for record in range(len(codes)):
        rows[codes[record] + 1, record >> 6] |= ONE << np.uint64(record & 63)
    for code in range(1, size + 1):
        rows[code] |= rows[code - 1]
    return rows


@compiled
def pack(codes: NDArray[Any], inside: NDArray[np.bool_]) -> Words:
    """The records whose code is inside. O(records)."""
    words = np.zeros((len(codes) + 63) // 64, np.uint64)
    for record in range(len(codes)):
        words[record >> 6] |= np.uint64(inside[codes[record]]) << np.uint64(record & 63)
    return words


@inlined
def ones(word: np.uint64) -> np.uint64:
    """Bits set; the compiler knows this sum as one instruction."""
    word -= (word >> ONE) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@compiled
def count_bits(words: Words, start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Records of every run start[i] <= record < start[i + 1] in a set. O(words + runs)."""
    number = np.empty(len(start) - 1, np.int64)
    before = np.int64(0)  # records in the words before the one that is open
    at = np.int64(0)
    last = np.int64(0)
    for run in range(len(start)):
        while at < start[run] >> 6:
            before += np.int64(ones(words[at]))
            at += 1
        found = before
        rest = start[run] & 63
        if rest:
            found += np.int64(ones(words[at] & ((ONE << np.uint64(rest)) - ONE)))
        if run:
            number[run - 1] = found - last
        last = found
    return number


@compiled
def tally_codes(words: Words, codes: NDArray[Any], size: int) -> NDArray[np.int64]:
    """Records of a set by code. O(records)."""
    number = np.zeros(size, np.int64)
    for record in range(len(codes)):
        number[codes[record]] += (words[record >> 6] >> np.uint64(record & 63)) & ONE
    return number


@compiled
def chosen_runs(
    values: NDArray[np.float64], rows: NDArray[np.int64], start: NDArray[np.int64], words: Words
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """The values of the records in a set, run by run, their running sums, and the ends of runs.

    values[p] belongs to record rows[p]; run i owns start[i] <= p < start[i + 1]. O(values).
    """
    kept = np.empty(len(values), np.float64)
    sums = np.empty(len(values), np.float64)
    ends = np.empty((len(start) - 1, 2), np.int64)
    at = 0
    for run in range(len(start) - 1):
        ends[run, 0] = at
        total = 0.0
        for place in range(start[run], start[run + 1]):
            row = rows[place]
            if (words[row >> 6] >> np.uint64(row & 63)) & ONE:
                total += values[place]
                kept[at] = values[place]
                sums[at] = total
                at += 1
        ends[run, 1] = at
    return kept[:at].copy(), sums[:at].copy(), ends


@compiled
def run_moments(
    values: NDArray[np.float64], ends: NDArray[np.int64], origin: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums of (value - origin) and of its square, run by run. O(values)."""
    first = np.zeros(len(ends), np.float64)
    second = np.zeros(len(ends), np.float64)
    for run in range(len(ends)):
        for place in range(ends[run, 0], ends[run, 1]):
            off = values[place] - origin
            first[run] += off
            second[run] += off * off
    return first, second
