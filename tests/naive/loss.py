"""The loss of a grouping, written the obvious way: the oracle of every table kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.kernels.grid import RANGE, SET, Grid


def cell_loss(grid: Grid, column: int, codes: set[int]) -> float:
    """Loss of the cell published for members with these codes."""
    if len(codes) == 1:
        return 0.0
    low, high = min(codes), max(codes)
    if grid.kind[column] == SET:
        return float((len(codes) - 1) / (grid.size[column] - 1))
    if grid.kind[column] == RANGE:
        base = grid.start[column]
        return float(min(1.0, grid.position[base + high] - grid.position[base + low]))
    for level in range(grid.levels[column]):
        base = grid.ladder[column] + level * grid.size[column]
        nodes = {int(grid.node[base + code]) for code in codes}
        if len(nodes) == 1:
            return float(grid.node_loss[nodes.pop()])
    return 1.0


def grouping_loss(grid: Grid, group: Any) -> float:
    """Mean over rows of the weighted loss of their cells (NCP)."""
    total = 0.0
    group = np.asarray(group)
    for label in np.unique(group):
        rows = np.flatnonzero(group == label)
        for column in range(grid.codes.shape[1]):
            codes = {int(code) for code in grid.codes[rows, column]}
            total += len(rows) * grid.weight[column] * cell_loss(grid, column, codes)
    return float(total / len(group))


def smallest_group(group: Any) -> int:
    """Rows in the smallest group."""
    return int(np.unique(np.asarray(group), return_counts=True)[1].min())
