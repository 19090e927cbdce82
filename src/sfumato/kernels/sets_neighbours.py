"""Classes grown from the bottom up: a seed takes in, one by one, the row that costs it least.

Exact nearest neighbours within a pool: the row without a class that shares the most utility with
what the class still has in common. Rows listed by item give what all rows share at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.sets_block import Block, utility_of


class Held(NamedTuple):
    """Rows without a class by the items they hold; those that found one are swept out."""

    start: NDArray[np.int64]  # (items + 1,)
    end: NDArray[np.int64]  # (items,)
    row: NDArray[np.int32]


@compiled
def classes_of_neighbours(block: Block, k: int) -> NDArray[np.int32]:
    """Classes of k rows, the last of fewer than 2 k: int32 (rows,), numbered from 0.

    O(rows / k * (rows that hold an item, over all items of a seed)), less from the second on.
    """
    rows = len(block.rows.start) - 1
    group, held = np.full(rows, -1, np.int32), _held(block)
    shared, common = np.zeros(rows), np.zeros(len(block.worth), np.int64)
    left, classes, swept = rows, 0, rows
    for seed in np.argsort(-utility_of(block), kind="mergesort"):
        if left < 2 * k:
            break
        if group[seed] >= 0:
            continue
        group[seed], own = classes, block.rows.start[seed]
        size = block.rows.start[seed + 1] - own
        common[:size] = block.rows.items[own : own + size]
        for _ in range(k - 1):
            near = _nearest(block, held, common[:size], shared, group)
            group[near] = classes
            size = _in_common(block, near, common, size)
        left, classes = left - k, classes + 1
        if 4 * left < 3 * swept:
            swept = left
            _sweep(held, group)
    group[group < 0] = classes
    return group


@compiled
def _held(block: Block) -> Held:
    """List all rows by item."""
    start = np.zeros(len(block.held) + 1, np.int64)
    start[1:] = np.cumsum(block.held)
    row = np.empty(start[-1], np.int32)
    end = start[:-1].copy()
    for number in range(len(block.rows.start) - 1):
        for place in range(block.rows.start[number], block.rows.start[number + 1]):
            item = block.rows.items[place]
            row[end[item]] = number
            end[item] += 1
    return Held(start, end, row)


@lean
def _sweep(held: Held, group: NDArray[np.int32]) -> None:
    """Take rows out of the lists that have a class."""
    for item in range(len(held.end)):
        kept = held.start[item]
        for place in range(kept, held.end[item]):
            if group[held.row[place]] < 0:
                held.row[kept] = held.row[place]
                kept += 1
        held.end[item] = kept


@lean
def _nearest(
    block: Block,
    held: Held,
    common: NDArray[np.int64],
    shared: NDArray[np.float64],
    group: NDArray[np.int32],
) -> int:
    """The row without a class that shares most with `common`; the first one if none shares any."""
    best, most = -1, 0.0
    for item in common:
        for place in range(held.start[item], held.end[item]):
            row = held.row[place]
            shared[row] += block.worth[item]
            if group[row] < 0 and shared[row] > most:
                best, most = row, shared[row]
    for item in common:
        for place in range(held.start[item], held.end[item]):
            shared[held.row[place]] = 0.0
    if best < 0:
        best = 0
        while group[best] >= 0:
            best += 1
    return int(best)


@lean
def _in_common(block: Block, row: int, common: NDArray[np.int64], size: int) -> int:
    """Leave in `common` (ascending) what a row has too; how many those are."""
    place, end, kept = block.rows.start[row], block.rows.start[row + 1], 0
    for at in range(size):
        while place < end and block.rows.items[place] < common[at]:
            place += 1
        if place < end and block.rows.items[place] == common[at]:
            common[kept] = common[at]
            kept += 1
    return kept
