"""Loss of the lowest node above a run of leaves, by two look-ups instead of a climb.

Leaves are in depth-first order, so the lowest node above leaves low..high is the highest of the
nodes above two neighbouring leaves in between. A table of the greatest loss over runs of 1, 2, 4,
... neighbouring pairs answers that for any run: size * log2(size) numbers per TREE column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.grid import TREE, Grid


class Peaks(NamedTuple):
    """Look-up tables of all TREE columns."""

    start: NDArray[np.int64]  # (columns,) where a column begins in `loss`
    loss: NDArray[np.float64]  # loss[start + power * size + low]: weighted, of low..low + 2^power
    power: NDArray[np.int64]  # power[gap]: largest power with 2^power <= gap; power[0] unused


def peaks(grid: Grid) -> Peaks:
    """Tables for a grid."""
    start = np.zeros(len(grid.kind), np.int64)
    parts: list[NDArray[np.float64]] = []
    for column in np.flatnonzero(grid.kind == TREE):
        start[column] = sum(len(part) for part in parts)
        parts.extend(_levels(grid, int(column)))
    gaps = np.arange(1, int(grid.size.max(initial=1)) + 1)
    power = np.concatenate([[0], np.frexp(gaps)[1] - 1]).astype(np.int64)
    return Peaks(start, np.concatenate(parts) if parts else np.zeros(0), power)


def _levels(grid: Grid, column: int) -> list[NDArray[np.float64]]:
    """Greatest loss from every code over 1, 2, 4, ... neighbouring pairs; each (size,)."""
    size = int(grid.size[column])
    level = np.zeros(size)
    base = int(grid.ladder[column])
    for rung in range(int(grid.levels[column]) - 1, -1, -1):
        nodes = grid.node[base + rung * size : base + (rung + 1) * size]
        together = np.flatnonzero(nodes[:-1] == nodes[1:])
        level[together] = grid.weight[column] * grid.node_loss[nodes[together]]
    levels = [level]
    reach = 1
    while 2 * reach < size:
        wider = levels[-1].copy()
        wider[:-reach] = np.maximum(wider[:-reach], wider[reach:])
        levels.append(wider)
        reach *= 2
    return levels
