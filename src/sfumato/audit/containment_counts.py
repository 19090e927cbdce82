"""In how many records a published set lies, counted up to k.

Independent of how the sets were found. The originals are read in pieces; of each piece there are,
by item, the records with it as a list and as bits. For every set that still lacks records, those
with its rarest item are tried, until k are found.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

Starts = NDArray[np.int64]
Counts = NDArray[np.int32]
ONE = np.uint64(1)
PIECE = 1 << 14  # records; at 2,000 items their bits take 4 MB, which stays near a core


def containing(
    start: Starts,
    items: NDArray[Any],
    set_start: Starts,
    set_items: NDArray[Any],
    k: int,
    workers: int = 1,
) -> Counts:
    """(sets,) records that contain each set: exact below k, and k where there are k or more.

    O(sets * records with the rarest item, until k are found + items); memory: the sets again.
    """
    records, sets = len(start) - 1, len(set_start) - 1
    domain = int(max(items.max(initial=0), set_items.max(initial=0))) + 1
    rarity = np.bincount(items, minlength=domain)
    asked = _rarest_first(set_start, set_items, rarity)
    found = np.zeros(sets, np.int32)
    open_ = np.arange(sets)
    with ThreadPoolExecutor(workers) as pool:
        for first in range(0, records, PIECE):
            last = min(first + PIECE, records)
            piece = _piece(start, items, first, last, domain)
            parts = np.array_split(open_, workers)
            tries = [
                pool.submit(_count, piece, last - first, part, set_start, asked, k, found)
                for part in parts
            ]
            for one in tries:
                one.result()
            open_ = open_[found[open_] < k]
            if not len(open_):
                break
    return found


@numba.njit(nogil=True, cache=True)
def _rarest_first(set_start: Any, set_items: Any, rarity: Any) -> Any:
    """The items of every set by rising frequency."""
    asked = set_items.copy()
    for one in range(len(set_start) - 1):
        for at in range(set_start[one] + 1, set_start[one + 1]):
            item, to = asked[at], at
            while to > set_start[one] and rarity[asked[to - 1]] > rarity[item]:
                asked[to] = asked[to - 1]
                to -= 1
            asked[to] = item
    return asked


@numba.njit(nogil=True, cache=True)
def _piece(start: Any, items: Any, first: int, last: int, domain: int) -> Any:
    """Records first to last by item: (where a list starts, the lists, the bits)."""
    begin = np.zeros(domain + 1, np.int64)
    for at in range(start[first], start[last]):
        begin[items[at] + 1] += 1
    for item in range(domain):
        begin[item + 1] += begin[item]
    free = begin[:-1].copy()
    listed = np.empty(begin[-1], np.int32)
    bits = np.zeros((domain, (last - first + 63) // 64), np.uint64)
    for record in range(last - first):
        for at in range(start[first + record], start[first + record + 1]):
            item = items[at]
            listed[free[item]] = record
            free[item] += 1
            bits[item, record >> 6] |= ONE << np.uint64(record & 63)
    return begin, listed, bits


@numba.njit(nogil=True, cache=True)
def _count(
    piece: Any, records: int, sets: Any, set_start: Any, asked: Any, k: int, found: Any
) -> None:
    """Add the records of a piece that contain each of `sets`, up to k."""
    begin, listed, bits = piece
    for one in sets:
        low, high = set_start[one], set_start[one + 1]
        if low == high:
            found[one] = min(k, found[one] + records)
            continue
        number = found[one]
        rarest = asked[low]
        for place in range(begin[rarest], begin[rarest + 1]):
            record = listed[place]
            number += _holds(bits, record, asked[low + 1 : high])
            if number >= k:
                break
        found[one] = number


@numba.njit(nogil=True, cache=True)
def _holds(bits: Any, record: int, asked: Any) -> int:
    for item in asked:
        if not (bits[item, record >> 6] >> np.uint64(record & 63)) & ONE:
            return 0
    return 1
