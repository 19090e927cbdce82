"""Put rows in a line on which neighbours cost little to publish together.

The line is a sort by one packed key. A column contributes one field, or one field per level of
its hierarchy, and the fields that save most when neighbours agree come first. Every other field
runs backwards after an odd prefix (a snake, or Gray, order), so that the line does not jump when
a leading field changes: on Adult that alone took the loss of sort and cut at k = 5 from 0.0267
to 0.0254.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import lean
from sfumato.kernels.grid import TREE, Grid

WORD = 64


class Field(NamedTuple):
    """One part of the sort key."""

    column: int
    saved: float  # loss saved, roughly, when neighbours agree on it
    rank: NDArray[np.int64]  # (codes,) value of the field for a code


def order(grid: Grid) -> NDArray[np.int32]:
    """The rows as a line, (rows,); n log n, 0.1 s for a million rows of eight columns."""
    words = _words(_fields(grid))
    bits = [sum(_width(field) for field in word) for word in words]
    rows = len(grid.codes)
    room = rows.bit_length()
    if len(words) == 1 and bits[0] + room <= WORD:
        # Sorting keys that carry their row number is several times faster than an argsort.
        key = _packed(grid.codes, words[0]) << np.uint64(room)
        key |= np.arange(rows, dtype=np.uint64)
        key.sort()
        return (key & np.uint64((1 << room) - 1)).astype(np.int32)
    keys = [_packed(grid.codes, word) for word in reversed(words)]
    return np.lexsort(keys).astype(np.int32)


def _fields(grid: Grid) -> list[Field]:
    """Fields of all columns, the most saving first, a level of a hierarchy after its parent."""
    waiting = [_column_fields(grid, column) for column in range(len(grid.kind))]
    waiting = [fields for fields in waiting if fields]
    chosen: list[Field] = []
    while waiting:
        heaviest = max(waiting, key=lambda fields: fields[0].saved)
        chosen.append(heaviest.pop(0))
        waiting = [fields for fields in waiting if fields]
    return chosen


def _column_fields(grid: Grid, column: int) -> list[Field]:
    """Fields of one column, from coarse to fine; a constant column has none."""
    size, weight = int(grid.size[column]), float(grid.weight[column])
    if size <= 1:
        return []
    if grid.kind[column] == TREE:
        return _tree_fields(grid, column)
    return [Field(column, weight / (size - 1), np.arange(size))]


def _tree_fields(grid: Grid, column: int) -> list[Field]:
    """One field per level below the root; agreeing on it saves the step to the level above."""
    size, base = int(grid.size[column]), int(grid.ladder[column])
    levels = [
        grid.node[base + level * size : base + (level + 1) * size]
        for level in range(int(grid.levels[column]))
    ]
    loss = [float(grid.node_loss[nodes].mean()) for nodes in levels]
    fields = []
    for level in range(len(levels) - 2, -1, -1):
        saved = float(grid.weight[column]) * (loss[level + 1] - loss[level])
        fields.append(Field(column, saved, np.unique(levels[level], return_inverse=True)[1]))
    return fields


def _width(field: Field) -> int:
    """Bits that hold every value of a field."""
    return int(field.rank.max()).bit_length()


def _words(fields: list[Field]) -> list[list[Field]]:
    """Fields dealt, in order, to as few 64-bit words as hold them."""
    words: list[list[Field]] = [[]]
    used = 0
    for field in fields:
        if used + _width(field) > WORD:
            words.append([])
            used = 0
        words[-1].append(field)
        used += _width(field)
    return words


def _packed(codes: NDArray[Any], fields: list[Field]) -> NDArray[np.uint64]:
    """Keys of all rows, (rows,)."""
    key = np.zeros(len(codes), np.uint64)
    for field in fields:
        _append(key, codes, field.column, field.rank.astype(np.uint64), _width(field))
    return key


@lean
def _append(
    key: NDArray[np.uint64],
    codes: NDArray[Any],
    column: int,
    rank: NDArray[np.uint64],
    width: int,
) -> None:
    """Append one field to every key, backwards where the key so far is odd."""
    shift = np.uint64(width)
    top = np.uint64((1 << width) - 1)
    for row in range(len(key)):
        value = rank[codes[row, column]]
        if key[row] & np.uint64(1):
            value ^= top
        key[row] = (key[row] << shift) | value
