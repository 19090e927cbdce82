"""Whether every record has what is published for it.

Plain functions on arrays, written without looking at how sets are found. Rows are given as in
compressed form: row r holds items[start[r] : start[r + 1]], ascending, each item once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Starts = NDArray[np.int64]
Items = NDArray[Any]

PIECE = 1 << 22  # items that are looked at together


def outside_own(
    start: Starts, items: Items, which: NDArray[np.int32], set_start: Starts, set_items: Items
) -> int:
    """Records that publish an item they do not have.

    Every item of a published set is looked up in the record by bisection. O(published items), a
    piece of the records at a time.
    """
    wrong = 0
    lengths = np.diff(set_start)[which]
    ends = np.concatenate(([0], np.cumsum(lengths)))
    first = 0
    while first < len(which):
        last = int(np.searchsorted(ends, ends[first] + PIECE, "right")) - 1
        last = min(max(last, first + 1), len(which))
        taken = slice(first, last)
        record = np.repeat(np.arange(first, last), lengths[taken])
        place = np.arange(len(record)) - np.repeat(ends[taken] - ends[first], lengths[taken])
        asked = set_items[np.repeat(set_start[which[taken]], lengths[taken]) + place]
        missing = ~_has(start, items, record, asked)
        wrong += len(np.unique(record[missing]))
        first = last
    return wrong


def _has(start: Starts, items: Items, record: NDArray[Any], asked: Items) -> NDArray[np.bool_]:
    """Whether record[i] holds asked[i], by bisection in all of them side by side."""
    if not len(items):
        return np.zeros(len(record), np.bool_)
    low, high = start[record], start[record + 1]
    end, last = high, len(items) - 1
    while (search := low < high).any():
        middle = (low + high) // 2
        below = search & (items[np.minimum(middle, last)] < asked)
        low = np.where(below, middle + 1, low)
        high = np.where(search & ~below, middle, high)
    return np.asarray((low < end) & (items[np.minimum(low, last)] == asked))
