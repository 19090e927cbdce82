"""A pool: the rows of a few groups, laid out for a search among them.

Columns in which the pool is constant are left out. The values of SET columns are renumbered
within the pool, so that nearly always all of them fit into one 64-bit word, whatever the size of
their domains; a pool that needs more words takes more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined
from sfumato.kernels.grid import RANGE, SET, TREE, Grid
from sfumato.kernels.regroup_cells import (
    FIELDS,
    ONE,
    RANGES,
    SPANS,
    WORDS,
    Cells,
    add_field,
    new_cells,
)
from sfumato.kernels.regroup_pairs import Groups
from sfumato.kernels.regroup_peaks import Peaks
from sfumato.kernels.regroup_tour import Tour

POOLED = 4  # most groups in a pool


class Pool(NamedTuple):
    """Rows of a few groups and work space for rearranging them. `most` rows fit in."""

    row: NDArray[np.int32]  # (most,) rows of the grid
    cells: Cells  # 3 * most + groups items
    bit: NDArray[np.int32]  # number of a value within the pool, plus one; zeros between pools
    base: NDArray[np.int64]  # (columns,) where a column begins in `bit`
    peak_start: NDArray[np.int64]  # (columns,) where a TREE column begins in `peak`
    tour: Tour
    groups: Groups


def new_pool(grid: Grid, peaks: Peaks, k: int) -> Pool:
    """Work space for pools of up to POOLED groups of up to 2k - 1 rows."""
    most = POOLED * (2 * k - 1)
    groups = most // k
    sets = int((grid.kind == SET).sum())
    words = -(-min(most * sets, int(grid.size[grid.kind == SET].sum())) // 64)
    base = np.zeros(len(grid.size), np.int64)
    np.cumsum(grid.size[:-1], out=base[1:])
    return Pool(
        np.zeros(most, np.int32),
        new_cells(peaks, 3 * most + groups, len(grid.kind) - sets, words, sets + words),
        np.zeros(int(grid.size.sum()), np.int32),
        base,
        peaks.start,
        Tour(np.zeros(most, np.int64), np.zeros(most + 1), np.zeros(most + 1, np.int64)),
        Groups(
            np.zeros((groups, 2 * k - 1), np.int64),
            np.zeros(groups, np.int64),
            np.zeros(groups, np.int64),
            np.zeros((groups, groups), np.int64),
            np.zeros(groups, np.bool_),
            np.zeros(groups),
        ),
    )


@inlined
def lay_out(grid: Grid, pool: Pool, rows: int) -> bool:
    """Turn the first `rows` of pool.row into items; false if all of them are alike."""
    cells = pool.cells
    cells.used[:] = 0
    bits = 0
    for kind in (RANGE, TREE, SET):
        for column in range(len(grid.kind)):
            if grid.kind[column] != kind or _constant(grid, pool.row, rows, column):
                continue
            if kind == SET:
                bits = _lay_set(grid, pool, rows, column, bits)
            else:
                _lay_span(grid, pool, rows, column)
    cells.used[WORDS] = (bits + 63) // 64
    return bits > 0 or cells.used[SPANS] > 0


@inlined
def _constant(grid: Grid, row: NDArray[np.int32], rows: int, column: int) -> bool:
    """Whether all rows have the same code in a column."""
    code = grid.codes[row[0], column]
    for i in range(1, rows):  # noqa: SIM110 (numba has no all())
        if grid.codes[row[i], column] != code:
            return False
    return True


@inlined
def _lay_span(grid: Grid, pool: Pool, rows: int, column: int) -> None:
    """Append a RANGE or TREE column."""
    cells = pool.cells
    span = cells.used[SPANS]
    cells.used[SPANS] += 1
    cells.limit[span] = grid.weight[column]
    cells.start[span] = pool.peak_start[column]
    cells.size[span] = grid.size[column]
    if grid.kind[column] == RANGE:
        cells.used[RANGES] += 1
    for i in range(rows):
        code = np.int64(grid.codes[pool.row[i], column])
        value = float(code)
        if grid.kind[column] == RANGE:
            value = grid.weight[column] * grid.position[grid.start[column] + code]
        cells.low[i, span] = value
        cells.high[i, span] = value
        cells.cost[i, span] = 0.0


@inlined
def _lay_set(grid: Grid, pool: Pool, rows: int, column: int, bits: int) -> int:
    """Append a SET column; returns the bits used so far."""
    cells = pool.cells
    base = pool.base[column]
    price = grid.weight[column] * grid.step[column]
    if bits % 64:
        add_field(cells, bits // 64, np.uint64(0), price)
    for i in range(rows):
        place = base + np.int64(grid.codes[pool.row[i], column])
        if pool.bit[place] == 0:
            if bits % 64 == 0:
                add_field(cells, bits // 64, np.uint64(0), price)
                for j in range(rows):
                    cells.mask[j, bits // 64] = 0
            cells.field[cells.used[FIELDS] - 1] |= ONE << np.uint64(bits % 64)
            bits += 1
            pool.bit[place] = bits
        number = pool.bit[place] - 1
        cells.mask[i, number // 64] |= ONE << np.uint64(number % 64)
    for i in range(rows):
        pool.bit[base + np.int64(grid.codes[pool.row[i], column])] = 0
    return bits
