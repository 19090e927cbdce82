"""Build groups anew from a pool of rows: walk from row to nearest row, then cut the walk."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined
from sfumato.kernels.regroup_cells import Cells, added_loss, join
from sfumato.kernels.regroup_cut import FINE
from sfumato.kernels.regroup_pairs import Groups


class Tour(NamedTuple):
    """A walk over the rows of a pool and its best cut."""

    row: NDArray[np.int64]  # (most,) rows of the pool in the order of the walk
    least: NDArray[np.float64]  # (most + 1,) loss of the best cut of the walk's beginning
    last: NDArray[np.int64]  # (most + 1,) where the last group of that cut starts


@inlined
def nearest_tour(cells: Cells, row: NDArray[np.int64], rows: int, first: int) -> None:
    """Order the pool's rows from row `first`, always on to the nearest one left; rows^2 / 2."""
    for i in range(rows):
        row[i] = i
    row[0], row[first] = first, 0
    for i in range(1, rows):
        here = row[i - 1]
        best, at = np.inf, i
        for j in range(i, rows):
            distance = added_loss(cells, here, row[j])
            if distance < best:
                best, at = distance, j
        nearest = row[at]
        row[at] = row[i]
        row[i] = nearest


@inlined
def cut_tour(cells: Cells, tour: Tour, rows: int, k: int) -> None:
    """Cut the walk into groups at the least loss, as `cut` does a line."""
    tour.least[: rows + 1] = np.inf
    tour.least[0] = 0.0
    stride = max(1, k // FINE)
    for begin in range(rows - k + 1):
        if tour.least[begin] < np.inf and begin % k % stride == 0:
            _extend(cells, tour, rows, k, begin)


@inlined
def _extend(cells: Cells, tour: Tour, rows: int, k: int, begin: int) -> None:
    """Try every group that begins at one place of the walk."""
    grown = 2 * len(tour.row)
    before = tour.row[begin]
    least = tour.least[begin]
    for size in range(1, min(rows - begin, 2 * k - 1) + 1):
        join(cells, grown, before, tour.row[begin + size - 1])
        before = grown
        if size >= k:
            total = least + size * cells.loss[grown]
            if total < tour.least[begin + size]:
                tour.least[begin + size] = total
                tour.last[begin + size] = begin


@inlined
def take_groups(tour: Tour, groups: Groups, rows: int) -> int:
    """Turn the best cut of the walk into groups; returns their number."""
    count = 0
    end = rows
    while end > 0:
        begin = tour.last[end]
        groups.size[count] = end - begin
        for i in range(begin, end):
            groups.member[count, i - begin] = tour.row[i]
        count += 1
        end = begin
    return count
