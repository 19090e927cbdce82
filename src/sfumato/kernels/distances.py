"""Distances between rows of items that are numbered in two ways."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.rows import Rows

Ints = NDArray[np.int64]


@compiled
def row_distances(one: Rows, other: Rows, which: Ints, place: Ints, domain: int) -> Ints:
    """Items by which row p of `one` differs from row which[p] of `other`.

    Item i of `other` is item place[i] of `one`, or none of its `domain` items if that is -1.
    O(items of the rows compared).
    """
    found = np.empty(len(which), np.int64)
    there = np.full(domain, -1, np.int64)
    for row in range(len(which)):
        for at in range(one.start[row], one.start[row + 1]):
            there[one.items[at]] = row
        both = 0
        first, end = other.start[which[row]], other.start[which[row] + 1]
        for at in range(first, end):
            item = place[other.items[at]]
            both += item >= 0 and there[item] == row
        found[row] = one.start[row + 1] - one.start[row] + end - first - 2 * both
    return found
