"""Classes grown from the top down around seeds: an item set that enough rows of a pool hold.

The row of the largest utility that has no class yet is the seed. Its items are taken one by one,
each time the one of most utility for the information it takes: utility over the negative logarithm
of how frequent it is among those who hold all items taken so far; never one that would leave fewer
than k. Whoever holds all of them is the class. Bitmaps count 64 rows at once.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import ONE
from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.sets_block import (
    Block,
    Shape,
    count_within,
    keep_within,
    new_shape,
    rows_within,
    spread,
    utility_of,
)

Words = NDArray[np.uint64]


@compiled
def classes_of_seeds(block: Block, k: int) -> NDArray[np.int32]:
    """Classes of at least k rows of a block that has so many: int32 (rows,), numbered from 0.

    O(seeds * items of a row * items published * rows / 64), and less as classes narrow down.
    """
    rows = len(block.rows.start) - 1
    group = np.full(rows, -1, np.int32)
    free, count = _everybody(rows), block.held.copy()
    shape, taken, own = new_shape(rows), np.empty(rows, np.int32), np.empty(len(count), np.int64)
    left, classes = rows, 0
    for seed in np.argsort(-utility_of(block), kind="mergesort"):
        if left < 2 * k:
            break
        if group[seed] >= 0:
            continue
        items = _items_of(block, seed, own)
        size = rows_within(shape, _narrow(block, k, own[:items], (free, count, left), shape), taken)
        if left - size < k:
            short = k - (left - size)
            if size - short < k:
                break
            size = _without_last(taken, size, short, seed)
        for row in taken[:size]:
            group[row] = classes
            free[row >> 6] ^= ONE << np.uint64(row & 63)
            for place in range(block.rows.start[row], block.rows.start[row + 1]):
                count[block.rows.items[place]] -= 1
        left, classes = left - size, classes + 1
    group[group < 0] = classes
    return group


@compiled
def _everybody(rows: int) -> Words:
    """All rows as a bitmap."""
    words = np.full((rows + 63) >> 6, ~np.uint64(0))
    if rows & 63:
        words[-1] = (ONE << np.uint64(rows & 63)) - ONE
    return words


@compiled
def _items_of(block: Block, row: int, own: NDArray[np.int64]) -> int:
    """The items of a row; how many."""
    first, end = block.rows.start[row], block.rows.start[row + 1]
    for place in range(first, end):
        own[place - first] = block.rows.items[place]
    return int(end - first)


@compiled
def _without_last(taken: NDArray[np.int32], size: int, short: int, seed: int) -> int:
    """Leave out the last rows taken, but not the seed; how many remain."""
    for place in range(size - short, size):
        if taken[place] == seed:
            taken[0], taken[place] = taken[place], taken[0]
    return size - short


@lean
def _narrow(
    block: Block,
    k: int,
    own: NDArray[np.int64],
    start: tuple[Words, NDArray[np.int64], int],
    shape: Shape,
) -> Any:
    """Narrow a shape to those free rows who hold the best of some items; how many words it takes.

    start: the free rows, how many of them hold each item, and how many they are.
    """
    free, count, size = start
    words, live, first = -1, len(own), True
    while True:
        best, most, kept, next_size = -1, 0.0, 0, size
        for at in range(live):
            item = own[at]
            number = count[item] if first else count_within(shape, words, block.bits[item])
            if number < k or number == size:
                continue
            own[kept] = item
            score = block.worth[item] / log(size / number)
            if score > most:
                best, most, next_size = kept, score, number
            kept += 1
        if first:
            words, first = spread(free, shape), False
        if best < 0:
            return words
        words = keep_within(shape, words, block.bits[own[best]])
        size, live = next_size, kept - 1
        own[best] = own[live]
