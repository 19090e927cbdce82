"""Slow, obviously right counterparts of the regroup kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sfumato.kernels.grid import Grid
from tests.naive.loss import grouping_loss


def cuts(rows: int, k: int) -> Iterator[list[int]]:
    """Every way to cut a line into stretches of at least k rows, as lists of sizes."""
    if rows >= k:
        yield [rows]
    for size in range(k, rows - k + 1):
        for rest in cuts(rows - size, k):
            yield [size, *rest]


def least_cut_loss(grid: Grid, line: Any, k: int) -> float:
    """Loss of the best cut of a line, by trying them all."""
    best = np.inf
    for sizes in cuts(len(line), k):
        group = np.empty(len(line), np.int64)
        group[line] = np.repeat(np.arange(len(sizes)), sizes)
        best = min(best, grouping_loss(grid, group))
    return float(best)


def heads_to_groups(line: Any, head: Any) -> Any:
    """Group label of every row of a line with marked group beginnings."""
    group = np.empty(len(line), np.int64)
    label = -1
    for place, row in enumerate(line):
        label += int(head[place])
        group[row] = label
    return group
