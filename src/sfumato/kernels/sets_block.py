"""Some rows of sets, with a bitmap of the rows that hold each item: what pools are made of."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import ONE, ones
from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.rows import Rows

Words = NDArray[np.uint64]


class Block(NamedTuple):
    """Rows of local items: those that at least k of the rows hold, and not all."""

    rows: Rows
    worth: NDArray[np.float64]  # (local items,)
    held: NDArray[np.int64]  # (local items,) rows that hold each
    bits: Words  # (local items, words): bit i of word w is row 64 w + i


@compiled
def block_of(rows: Rows, members: NDArray[np.int32], utility: NDArray[np.float64], k: int) -> Block:
    """A block of some rows. O(their items + domain), and 1 bit for each local item and row."""
    count = np.zeros(len(utility), np.int64)
    for row in members:
        for place in range(rows.start[row], rows.start[row + 1]):
            count[rows.items[place]] += 1
    local = np.flatnonzero((count >= k) & (count < len(members)))
    to = np.full(len(utility), -1, np.int64)
    to[local] = np.arange(len(local))
    start = np.zeros(len(members) + 1, np.int64)
    items = np.empty(count[local].sum(), rows.items.dtype)
    bits = np.zeros((len(local), (len(members) + 63) >> 6), np.uint64)
    at = 0
    for row in range(len(members)):
        bit = ONE << np.uint64(row & 63)
        for place in range(rows.start[members[row]], rows.start[members[row] + 1]):
            item = to[rows.items[place]]
            if item >= 0:
                items[at] = item
                bits[item, row >> 6] |= bit
                at += 1
        start[row + 1] = at
    return Block(Rows(start, items), utility[local], count[local], bits)


class Shape(NamedTuple):
    """A set of rows of a block: the words that are not empty."""

    word: Words  # (words,) at the front
    at: NDArray[np.int64]  # (words,) which word of the block each is


@compiled
def new_shape(rows: int) -> Shape:
    """Room for a set of rows."""
    words = (rows + 63) >> 6
    return Shape(np.empty(words, np.uint64), np.empty(words, np.int64))


@inlined
def count_within(shape: Shape, words: int, bits: Words) -> int:
    """How many rows of a shape of so many words are in a bitmap."""
    number = np.uint64(0)
    for place in range(words):
        number += ones(shape.word[place] & bits[shape.at[place]])
    return int(number)


@inlined
def keep_within(shape: Shape, words: int, bits: Words) -> int:
    """Leave in a shape what is in a bitmap; how many words that takes."""
    kept = 0
    for place in range(words):
        word = shape.word[place] & bits[shape.at[place]]
        if word != 0:
            shape.word[kept], shape.at[kept] = word, shape.at[place]
            kept += 1
    return kept


@inlined
def spread(bits: Words, shape: Shape) -> int:
    """Make a shape of a bitmap; how many words it takes."""
    kept = 0
    for at in range(len(bits)):
        if bits[at] != 0:
            shape.word[kept], shape.at[kept] = bits[at], at
            kept += 1
    return kept


@compiled
def rows_within(shape: Shape, words: int, rows: NDArray[np.int32]) -> int:
    """List the rows of a shape in ascending order; how many they are."""
    size = 0
    for place in range(words):
        word, row = shape.word[place], shape.at[place] << 6
        while word != 0:
            low = word & (~word + ONE)
            rows[size] = row + np.int64(ones(low - ONE))
            size += 1
            word ^= low
    return size


@compiled
def utility_of(block: Block) -> NDArray[Any]:
    """The utility of each row's local items."""
    total = np.zeros(len(block.rows.start) - 1)
    for row in range(len(total)):
        for place in range(block.rows.start[row], block.rows.start[row + 1]):
            total[row] += block.worth[block.rows.items[place]]
    return total
