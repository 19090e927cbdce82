"""How many members of each group satisfy a condition: bounds from cells, counts from records."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled


@compiled
def spread(
    which: NDArray[Any],
    sizes: NDArray[np.int64],
    witnesses: NDArray[np.int64],
    possible: NDArray[np.bool_],
    share: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """From distinct cells to groups: least, most and expected members inside a region.

    Group g has sizes[g] members and the cell which[g]. Of a cell, witnesses[cell] counts the
    members known to be (inside, outside), possible[cell] says whether anybody else may be (inside,
    outside), share[cell] is the part of the others expected inside. O(groups).
    """
    groups = len(which)
    least = np.empty(groups, np.int64)
    most = np.empty(groups, np.int64)
    expected = np.empty(groups, np.float64)
    for group in range(groups):
        cell = which[group]
        size = sizes[group]
        if not possible[cell, 0]:
            least[group] = most[group] = 0
            expected[group] = 0.0
        elif not possible[cell, 1]:
            least[group] = most[group] = size
            expected[group] = size
        else:
            inside = min(witnesses[cell, 0], size)
            others = max(size - inside - witnesses[cell, 1], 0)
            least[group] = inside
            most[group] = max(size - witnesses[cell, 1], inside)
            expected[group] = inside + others * share[cell]
    return least, most, expected


@compiled
def tally(state: NDArray[np.uint8], start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Records per group in state 2 (surely in) and 1 (possible), shape (groups, 2). O(records)."""
    number = np.empty((len(start) - 1, 2), np.int64)
    for group in range(len(start) - 1):
        full = 0
        open_ = 0
        for row in range(start[group], start[group + 1]):
            full += state[row] >> 1
            open_ += state[row] & 1
        number[group, 0] = full
        number[group, 1] = open_
    return number


@compiled
def list_rows(start: NDArray[np.int64], groups: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """The records of some groups, one group after another; `size` of them in all. O(size)."""
    rows = np.empty(size, np.int64)
    at = 0
    for group in groups:
        for row in range(start[group], start[group + 1]):
            rows[at] = row
            at += 1
    return rows
