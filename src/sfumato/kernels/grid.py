"""A table of codes as kernels see it, and the loss of one published cell.

Every quasi-identifier column is a column of small integers (codes). What a group of rows
publishes for a column depends on the column's kind:

- RANGE: codes are in the order of their values; the cell is the interval from the smallest to
  the largest member; its loss is the length of the interval over the length of the domain.
- SET: codes have no order; the cell is the set of the members' values; its loss is
  (values in the set - 1) / (values in the domain - 1).
- TREE: codes are the leaves of a hierarchy in depth-first order, so that every node covers a
  run of codes; the cell is the lowest node above all members; its loss is
  (leaves under the node - 1) / (leaves - 1).

A missing value is a code like any other. In a RANGE column it is code 0 and lies one whole
domain below the smallest value, so a cell that mixes missing and present values loses everything
(loss 1, by the cap). In a TREE it is a leaf right under the root.

The loss of a row is the weighted mean over its columns; the loss of a grouping (the normalised
certainty penalty, NCP) is the mean over rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined

RANGE, SET, TREE = 0, 1, 2


class Grid(NamedTuple):
    """Codes and all that is needed to price a cell; a plain tuple of arrays, for compiled loops."""

    codes: NDArray[Any]  # (rows, columns), uint8 or uint16, row-major
    kind: NDArray[np.int8]  # (columns,) RANGE, SET or TREE
    size: NDArray[np.int64]  # (columns,) codes in the domain; a code is below its column's size
    weight: NDArray[np.float64]  # (columns,) sums to 1
    start: NDArray[np.int64]  # (columns,) where a column begins in `position`
    position: NDArray[np.float64]  # RANGE: value / domain length; other kinds: unused zeros
    step: NDArray[np.float64]  # (columns,) SET: 1 / (size - 1), or 0 for a constant column
    levels: NDArray[np.int64]  # (columns,) TREE: levels from the leaves (0) to the root, inclusive
    ladder: NDArray[np.int64]  # (columns,) TREE: where the column begins in `node`
    node: NDArray[np.int32]  # node[ladder + level * size + code]: the node above a code
    node_loss: NDArray[np.float64]  # (nodes,) loss of publishing a node


@inlined
def span_loss(grid: Grid, column: int, low: int, high: int) -> float:
    """Loss of a RANGE or TREE cell whose smallest and largest codes are low and high."""
    if low == high:
        return 0.0
    if grid.kind[column] == RANGE:
        base = grid.start[column]
        return float(min(1.0, grid.position[base + high] - grid.position[base + low]))
    size = grid.size[column]
    rung = grid.ladder[column]
    for _ in range(grid.levels[column]):
        if grid.node[rung + low] == grid.node[rung + high]:
            return float(grid.node_loss[grid.node[rung + low]])
        rung += size
    return 1.0
