"""Rows of items as kernels see them, and what the members of groups have in common."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled


class Rows(NamedTuple):
    """Row r holds items[start[r] : start[r + 1]], ascending, each once."""

    start: NDArray[np.int64]  # (rows + 1,)
    items: NDArray[Any]  # unsigned, of 16 or 32 bits


@compiled
def members_of(group: NDArray[np.int32], groups: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Rows by group: (start, rows), those of group g in their order. O(rows + groups)."""
    start = np.zeros(groups + 1, np.int64)
    for row in range(len(group)):
        start[group[row] + 1] += 1
    for place in range(groups):
        start[place + 1] += start[place]
    free = start[:-1].copy()
    rows = np.empty(len(group), np.int32)
    for row in range(len(group)):
        rows[free[group[row]]] = row
        free[group[row]] += 1
    return start, rows


@compiled
def common_items(rows: Rows, start: NDArray[np.int64], members: NDArray[np.int32]) -> Rows:
    """The items that all members of each group have; nothing for a group without members.

    members[start[g] : start[g + 1]] are the rows of group g. O(items of all members).
    """
    groups = len(start) - 1
    ends = np.zeros(groups + 1, np.int64)
    kept = np.empty(1024, rows.items.dtype)
    size = 0
    for group in range(groups):
        if start[group + 1] > start[group]:
            first = members[start[group]]
            length = rows.start[first + 1] - rows.start[first]
            if size + length > len(kept):
                larger = np.empty(2 * (size + length), rows.items.dtype)
                larger[:size] = kept[:size]
                kept = larger
            kept[size : size + length] = rows.items[rows.start[first] : rows.start[first + 1]]
            for place in range(start[group] + 1, start[group + 1]):
                length = _narrowed(kept[size : size + length], rows, members[place])
            size += length
        ends[group + 1] = size
    return Rows(ends, kept[:size].copy())


@compiled
def _narrowed(common: NDArray[Any], rows: Rows, row: int) -> int:
    """Leave in `common` what the row has too, at its front; returns how many those are."""
    place, end, kept = rows.start[row], rows.start[row + 1], 0
    for at in range(len(common)):
        item = common[at]
        while place < end and rows.items[place] < item:
            place += 1
        if place < end and rows.items[place] == item:
            common[kept] = item
            kept += 1
    return kept


@compiled
def rows_of_pairs(
    row: NDArray[np.int32], item: NDArray[Any], into: NDArray[Any], number: int
) -> NDArray[np.int64]:
    """Put the items of pairs (row, item) by row into an array; returns where each row begins.

    O(pairs + rows).
    """
    start = np.zeros(number + 1, np.int64)
    for place in range(len(row)):
        start[row[place] + 1] += 1
    for place in range(number):
        start[place + 1] += start[place]
    free = start[:-1].copy()
    for place in range(len(row)):
        into[free[row[place]]] = item[place]
        free[row[place]] += 1
    return start


@compiled
def item_counts(items: NDArray[Any], domain: int) -> NDArray[np.int64]:
    """Rows that hold each item. O(items), without a copy of them."""
    counts = np.zeros(domain, np.int64)
    for item in items:
        counts[item] += 1
    return counts


@compiled
def row_sums(rows: Rows, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the items of each row weigh together. O(items), without a copy of them."""
    sums = np.zeros(len(rows.start) - 1, np.float64)
    for row in range(len(sums)):
        for place in range(rows.start[row], rows.start[row + 1]):
            sums[row] += weight[rows.items[place]]
    return sums
