"""Rows of items as packed bits, their distances, and the order of the Gray code.

Item number p of an order of items is bit 63 - p % 64 of word p // 64, so that words compare as
characteristic vectors do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import Words, ones
from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.rows import Rows

Ints = NDArray[np.int64]
ONE = np.uint64(1)


@compiled
def packed_some(rows: Rows, which: Ints, place: Ints, words: int) -> Words:
    """Bits of some rows, (which, words); item i stands at place[i].

    Items whose place is beyond the words are left out. O(items + which words).
    """
    bits = np.zeros((len(which), words), np.uint64)
    for line in range(len(which)):
        for at in range(rows.start[which[line]], rows.start[which[line] + 1]):
            bit = place[rows.items[at]]
            if bit < 64 * words:
                bits[line, bit >> 6] |= ONE << np.uint64(63 - (bit & 63))
    return bits


@compiled
def packed_rows(rows: Rows, place: Ints, words: int) -> Words:
    """Bits of all rows."""
    return packed_some(rows, np.arange(len(rows.start) - 1), place, words)


@compiled
def gray_ranks(bits: Words) -> Words:
    """Where each row stands among all vectors in Gray order, as a number of as many words.

    Bit p of the number is the parity of bits 0 .. p of the row. O(rows words).
    """
    ranks = np.empty_like(bits)
    for row in range(len(bits)):
        odd = np.uint64(0)  # all ones after an odd number of bits
        for word in range(bits.shape[1]):
            value = bits[row, word]
            for shift in (1, 2, 4, 8, 16, 32):
                value ^= value >> np.uint64(shift)
            value ^= odd
            ranks[row, word] = value
            odd = np.uint64(0) - (value & ONE)
    return ranks


@inlined
def _before(keys: Words, one: int, other: int) -> bool:
    """Whether row `one` has the smaller key."""
    for word in range(keys.shape[1]):
        if keys[one, word] != keys[other, word]:
            return bool(keys[one, word] < keys[other, word])
    return False


@compiled
def sorted_by_words(keys: Words) -> Ints:
    """Rows by ascending keys; equal ones stay in their order. O(rows log rows) comparisons."""
    rows = len(keys)
    order = np.arange(rows)
    spare = np.empty(rows, np.int64)
    width = 1
    while width < rows:
        for begin in range(0, rows, 2 * width):
            middle, end = min(begin + width, rows), min(begin + 2 * width, rows)
            left, right = begin, middle
            for place in range(begin, end):
                later = left == middle
                if not later and right < end:
                    later = _before(keys, order[right], order[left])
                if later:
                    spare[place] = order[right]
                    right += 1
                else:
                    spare[place] = order[left]
                    left += 1
        order, spare = spare, order
        width *= 2
    return order


@inlined
def apart(bits: Words, one: int, other: int) -> np.int64:
    """The Hamming distance of two rows."""
    total = np.uint64(0)
    for word in range(bits.shape[1]):
        total += ones(bits[one, word] ^ bits[other, word])
    return np.int64(total)


@compiled
def steps(bits: Words, order: Ints) -> Ints:
    """The distance of every row to the next in an order; the last to the first. O(rows words)."""
    found = np.empty(len(order), np.int64)
    for place in range(len(order)):
        found[place] = apart(bits, order[place], order[(place + 1) % len(order)])
    return found
