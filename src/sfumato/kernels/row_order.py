"""Rows of items in order: tidied, ranked by their items, and turned into postings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.rows import Rows

Ints = NDArray[np.int64]
PACKED, BITS = 3, 21  # items of a row that one key holds, and bits of each
MOST_ITEMS = (1 << BITS) - 2  # 0 stands for the end of a row


@compiled
def tidy_rows(start: Ints, items: NDArray[Any], rank: NDArray[Any], first: int, end: int) -> Ints:
    """Replace the items of rows first .. end - 1 by their ranks, ascending, each once, in place.

    Returns how many are left of each; they stand at the front of the row's place.
    O(items log longest row).
    """
    left = np.empty(end - first, np.int64)
    for row in range(first, end):
        line = items[start[row] : start[row + 1]]
        for place in range(len(line)):
            line[place] = rank[line[place]]
        _sort(line)
        left[row - first] = _deduplicated(line)
    return left


@compiled
def _sort(line: NDArray[Any]) -> None:
    """Ascending; most lines are short, or in order already."""
    if len(line) > 48:
        for place in range(1, len(line)):
            if line[place] < line[place - 1]:
                line.sort()
                return
        return
    for place in range(1, len(line)):
        item, at = line[place], place
        while at > 0 and line[at - 1] > item:
            line[at] = line[at - 1]
            at -= 1
        line[at] = item


@compiled
def _deduplicated(line: NDArray[Any]) -> int:
    kept = 0
    for place in range(len(line)):
        if place == 0 or line[place] != line[place - 1]:
            line[kept] = line[place]
            kept += 1
    return kept


@compiled
def closed_up(start: Ints, items: NDArray[Any], left: Ints) -> Rows:
    """Rows of which only the first left[row] items count, without the gaps. In place."""
    ends = np.zeros(len(start), np.int64)
    size = 0
    for row in range(len(left)):
        for place in range(start[row], start[row] + left[row]):
            items[size] = items[place]
            size += 1
        ends[row + 1] = size
    return Rows(ends, items[:size].copy())


@compiled
def packed_keys(rows: Rows, which: Ints, skip: int) -> Ints:
    """Of some rows, the items after the first `skip` as one number: the next PACKED of them.

    Such numbers compare as the rows do.
    """
    keys = np.empty(len(which), np.int64)
    for place in range(len(which)):
        row = which[place]
        at, key = rows.start[row] + skip, np.int64(0)
        for _ in range(PACKED):
            key <<= BITS
            if at < rows.start[row + 1]:
                key |= np.int64(rows.items[at]) + 1
            at += 1
        keys[place] = key
    return keys


def row_ranks(rows: Rows) -> Ints:
    """Equal rows, equal number; ordered by the first item, then the second, and so on.

    A row comes before those that go on after it. O(rows log rows), and again for those whose
    first items are equal.
    """
    rank = np.zeros(len(rows.start) - 1, np.int64)
    lengths = np.diff(rows.start)
    tied, skip = np.arange(len(rank)), 0
    while len(tied):
        key = packed_keys(rows, tied, skip)
        order = np.lexsort([key, rank[tied]])
        tied, key = tied[order], key[order]
        before = rank[tied]
        same = np.flatnonzero(np.append(True, before[1:] != before[:-1]))
        equal = np.append(True, (before[1:] != before[:-1]) | (key[1:] != key[:-1]))
        first = np.flatnonzero(equal)
        many = np.diff(np.append(first, len(tied)))
        # a rank is the number of rows before it, so there is room for those that were equal
        rank[tied] = (
            before + np.repeat(first, many) - np.repeat(same, np.diff(np.append(same, len(tied))))
        )
        skip += PACKED
        longest = np.maximum.reduceat(lengths[tied], first)
        tied = tied[np.repeat((many > 1) & (longest > skip), many)]
    return np.unique(rank, return_inverse=True)[1].astype(np.int64)


@compiled
def postings(rows: Rows, domain: int) -> tuple[Ints, NDArray[np.int32]]:
    """The rows that hold each item, ascending: (start, rows). O(items)."""
    start = np.zeros(domain + 1, np.int64)
    for place in range(len(rows.items)):
        start[rows.items[place] + 1] += 1
    for item in range(domain):
        start[item + 1] += start[item]
    free = start[:-1].copy()
    found = np.empty(len(rows.items), np.int32)
    for row in range(len(rows.start) - 1):
        for place in range(rows.start[row], rows.start[row + 1]):
            found[free[rows.items[place]]] = row
            free[rows.items[place]] += 1
    return start, found


@compiled
def taken(rows: Rows, which: NDArray[Any]) -> Rows:
    """Some rows, in the order given."""
    start = np.zeros(len(which) + 1, np.int64)
    for place in range(len(which)):
        start[place + 1] = start[place] + rows.start[which[place] + 1] - rows.start[which[place]]
    items = np.empty(start[-1], rows.items.dtype)
    for place in range(len(which)):
        begin = rows.start[which[place]]
        for at in range(start[place + 1] - start[place]):
            items[start[place] + at] = rows.items[begin + at]
    return Rows(start, items)
