"""Pair search: move a row to another group of the pool, or swap two rows, while that helps.

For every row the search keeps its group's cells without it, so that an exchange is priced by what
two items add to two others. Most exchanges are dismissed without that: an exchange can gain no
more than its rows save by leaving.

The items of a pool with room for `most` rows: the rows come first, `most` on are the groups
without one row (in the order of that row), 2 * most on is scratch, 3 * most on the whole groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined
from sfumato.kernels.regroup_cells import Cells, added_loss, join

GAIN = 1e-10  # a smaller gain may be rounding, and would let the search run in circles


class Groups(NamedTuple):
    """The groups of a pool."""

    member: NDArray[np.int64]  # (groups, largest) rows of the pool in each group
    size: NDArray[np.int64]  # (groups,)
    version: NDArray[np.int64]  # (groups,) changes of a group
    looked: NDArray[np.int64]  # (groups, groups) versions of a pair when last looked at, summed
    stale: NDArray[np.bool_]  # (groups,) cells to be worked out again
    spare: NDArray[np.float64]  # (groups,) most that the group saves when a row leaves a swap


@inlined
def settle(cells: Cells, groups: Groups, most: int, count: int, k: int) -> float:
    """Exchange rows until no pair of groups gains; returns the loss summed over rows.

    A pair is looked at again only after one of its two groups changed.
    """
    groups.looked[:] = 0
    groups.version[:count] = 1
    groups.stale[:count] = True
    busy = True
    while busy:
        busy = False
        for a in range(count):
            for b in range(a + 1, count):
                changes = groups.version[a] + groups.version[b]
                if groups.looked[a, b] == changes:
                    continue
                groups.looked[a, b] = changes
                for group in (a, b):
                    if groups.stale[group]:
                        _refresh(cells, groups, most, group)
                if _exchange(cells, groups, most, k, a, b):
                    busy = True
    total = 0.0
    for group in range(count):
        total += groups.size[group] * cells.loss[3 * most + group]
    return total


@inlined
def _refresh(cells: Cells, groups: Groups, most: int, group: int) -> None:
    """Work out the cells of a group, whole and without each of its rows.

    First the unions of its first rows, then, backwards, those of its last rows, and of both
    around each row. One call of `join` serves all three, since every copy of it that is
    compiled in costs a second of compilation.
    """
    size = groups.size[group]
    ahead = 2 * most
    whole = 3 * most + group
    least = np.inf
    for step in range(3 * size):
        i = step if step < size else size - 1 - (step - size) // 2
        row = groups.member[group, i]
        before = ahead + i - 1
        behind = whole if i < size - 1 else row
        if step < size:
            target, item, other = ahead + i, before if i > 0 else row, row
        elif (step - size) % 2 == 1:
            target, item, other = whole, behind, row
        elif i == 0:
            target, item, other = most + row, behind, behind
        else:
            target, item, other = most + row, before, behind if i < size - 1 else before
        join(cells, target, item, other)
        if target == most + row:
            least = min(least, cells.loss[target])
    groups.spare[group] = size * (cells.loss[whole] - least)
    groups.stale[group] = False


@inlined
def _exchange(cells: Cells, groups: Groups, most: int, k: int, a: int, b: int) -> bool:
    """Make the best move or swap between two groups, if any gains."""
    gain, i, j = _best_swap(cells, groups, most, a, b)
    source, target, row = a, b, -1
    for one, two in ((a, b), (b, a)):
        if groups.size[one] > k and groups.size[two] < 2 * k - 1:
            moving, at = _best_move(cells, groups, most, one, two, gain)
            if at >= 0:
                gain, source, target, row = moving, one, two, at
    if gain <= GAIN:
        return False
    if row >= 0:
        _move(groups, source, target, row)
    else:
        there = groups.member[a, i]
        groups.member[a, i] = groups.member[b, j]
        groups.member[b, j] = there
    for group in (a, b):
        groups.version[group] += 1
        groups.stale[group] = True
    return True


@inlined
def _best_swap(cells: Cells, groups: Groups, most: int, a: int, b: int) -> tuple[float, int, int]:
    """Largest gain of a swap, and which members of a and b to swap."""
    size_a = groups.size[a]
    size_b = groups.size[b]
    whole_a = cells.loss[3 * most + a]
    whole_b = cells.loss[3 * most + b]
    best, best_i, best_j = GAIN, 0, 0
    for i in range(size_a):
        row = groups.member[a, i]
        saved = size_a * (whole_a - cells.loss[most + row])
        if saved + groups.spare[b] <= best:
            continue
        for j in range(size_b):
            other = groups.member[b, j]
            gain = saved + size_b * (whole_b - cells.loss[most + other])
            for size, left, joins in ((size_a, row, other), (size_b, other, row)):
                if gain > best:
                    gain -= size * added_loss(cells, most + left, joins)
            if gain > best:
                best, best_i, best_j = gain, i, j
    return best, best_i, best_j


@inlined
def _best_move(
    cells: Cells, groups: Groups, most: int, source: int, target: int, least: float
) -> tuple[float, int]:
    """Largest gain above `least` of moving a row, and which member moves, or -1."""
    size = groups.size[source]
    grown = groups.size[target] + 1
    freed = size * cells.loss[3 * most + source] - cells.loss[3 * most + target]
    best, best_i = least, -1
    for i in range(size):
        row = groups.member[source, i]
        gain = freed - (size - 1) * cells.loss[most + row]
        if gain > best:
            gain -= grown * added_loss(cells, 3 * most + target, row)
            if gain > best:
                best, best_i = gain, i
    return best, best_i


@inlined
def _move(groups: Groups, source: int, target: int, i: int) -> None:
    """Move the i-th member of one group to another."""
    last = groups.size[source] - 1
    groups.member[target, groups.size[target]] = groups.member[source, i]
    groups.member[source, i] = groups.member[source, last]
    groups.size[source] = last
    groups.size[target] += 1
