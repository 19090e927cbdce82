"""Joining groups until rules hold, written the obvious way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sfumato.kernels.grid import Grid
from tests.naive.loss import cell_loss

TIE = 1e-9
Rule = Callable[[list[int]], bool]


def rows_loss(grid: Grid, rows: list[int]) -> float:
    """Loss of one group, over all its rows."""
    cells = range(grid.codes.shape[1])
    each = sum(
        grid.weight[j] * cell_loss(grid, j, set(grid.codes[rows, j].tolist())) for j in cells
    )
    return float(len(rows) * each)


def join_until(grid: Grid, groups: list[list[int]], holds: Rule, window: int) -> list[set[int]]:
    """In order, join a group that breaks the rule with the cheapest within the window."""
    living = [list(group) for group in groups]
    place = 0
    while place < len(living):
        while not holds(living[place]) and len(living) > 1:
            near = [i for i in range(place - window, place + window + 1) if 0 <= i < len(living)]
            near.sort(key=lambda i: (i >= place, abs(i - place)))  # the kernel looks back first
            prices = {i: price(grid, living[place], living[i]) for i in near if i != place}
            best = near[0] if near[0] != place else near[1]
            for i in prices:
                best = i if prices[i] < prices[best] - TIE else best
            joined = living.pop(best)
            place -= best < place
            living[place] += joined
        place += 1
    return [set(group) for group in living]


def price(grid: Grid, one: list[int], other: list[int]) -> float:
    """Loss that joining adds."""
    return rows_loss(grid, one + other) - rows_loss(grid, one) - rows_loss(grid, other)


def partition(labels: np.ndarray) -> list[set[int]]:
    """Rows by label."""
    return [set(np.flatnonzero(labels == label).tolist()) for label in range(labels.max() + 1)]
