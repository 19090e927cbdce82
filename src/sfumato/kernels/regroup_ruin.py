"""One round of rearranging the groups of a block, a few near groups at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.grid import Grid
from sfumato.kernels.regroup_block import FILLED, USED, Block, load, save, summarise
from sfumato.kernels.regroup_cells import added_loss
from sfumato.kernels.regroup_pairs import GAIN, settle
from sfumato.kernels.regroup_pool import POOLED, Pool, lay_out
from sfumato.kernels.regroup_random import draw
from sfumato.kernels.regroup_tour import cut_tour, nearest_tour, take_groups

# Pools whose new groups lose this much more than the old ones before the pair search are given up;
# at k = 10 on Adult that saves a sixth of the time and costs nothing that can be seen.
HOPE = 1.25


class Search(NamedTuple):
    """How groups are picked and what is done to them."""

    k: int
    rebuild: bool  # tour and cut before the pair search
    reach: int  # near groups are sought among this many before and after
    tries: int  # groups looked at
    partners: int  # groups that join the first one in the pool


@compiled
def round_of_block(
    grid: Grid,
    search: Search,
    block: Block,
    pool: Pool,
    line: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]],
    state: NDArray[np.uint64],
) -> None:
    """Visit every group of the block that loses anything; (rank, rows, head) in, rearranged."""
    rank, rows, head = line
    load(grid, block, rows, head)
    near = np.zeros(POOLED, np.int64)
    score = np.zeros(POOLED)
    for slot in range(block.tally[FILLED]):
        if block.total[slot] > GAIN:
            groups = _pick(search, block, slot, near, score, state)
            if groups > 1:
                _rearrange(grid, search, block, pool, near[:groups], state)
    save(block, rank, rows, head)


@inlined
def _pick(
    search: Search,
    block: Block,
    slot: int,
    near: NDArray[np.int64],
    score: NDArray[np.float64],
    state: NDArray[np.uint64],
) -> int:
    """Put a group and the nearest of some drawn from around it into `near`; returns how many."""
    near[0] = slot
    groups = 1
    first = max(0, slot - search.reach)
    width = min(block.tally[FILLED], slot + search.reach + 1) - first
    for _ in range(search.tries):
        other = first + draw(state, width)
        if block.size[other] == 0 or _contains(near, groups, other):
            continue
        distance = block.size[other] * added_loss(block.summary, slot, other) - block.total[other]
        if groups <= search.partners:
            at = groups
            groups += 1
        elif distance < score[groups - 1]:
            at = groups - 1
        else:
            continue
        while at > 1 and score[at - 1] > distance:
            near[at], score[at] = near[at - 1], score[at - 1]
            at -= 1
        near[at], score[at] = other, distance
    return groups


@inlined
def _contains(near: NDArray[np.int64], groups: int, other: int) -> bool:
    found = False
    for i in range(groups):
        found |= near[i] == other
    return found


@inlined
def _rearrange(
    grid: Grid,
    search: Search,
    block: Block,
    pool: Pool,
    near: NDArray[np.int64],
    state: NDArray[np.uint64],
) -> None:
    """Pool some groups, arrange their rows anew, and keep the result if it loses less."""
    rows, before = _gather(block, pool, near)
    if not lay_out(grid, pool, rows):
        return
    count = len(near)
    if search.rebuild:
        nearest_tour(pool.cells, pool.tour.row, rows, draw(state, rows))
        cut_tour(pool.cells, pool.tour, rows, search.k)
        if pool.tour.least[rows] > HOPE * before:
            return
        count = take_groups(pool.tour, pool.groups, rows)
    after = settle(pool.cells, pool.groups, len(pool.row), count, search.k)
    if after < before - GAIN:
        _put_back(grid, block, pool, near, count)


@inlined
def _gather(block: Block, pool: Pool, near: NDArray[np.int64]) -> tuple[int, float]:
    """Copy the groups to the pool; returns rows and their loss."""
    rows, loss = 0, 0.0
    for group in range(len(near)):
        slot = near[group]
        loss += block.total[slot]
        pool.groups.size[group] = block.size[slot]
        for i in range(block.size[slot]):
            pool.row[rows] = block.member[slot, i]
            pool.groups.member[group, i] = rows
            rows += 1
    return rows, loss


@inlined
def _put_back(grid: Grid, block: Block, pool: Pool, near: NDArray[np.int64], groups: int) -> None:
    """Replace the groups of the block by those of the pool; there may be more or fewer."""
    for group in range(max(groups, len(near))):
        slot = near[group] if group < len(near) else _free_slot(block.size, block.tally)
        if group >= groups:
            block.size[slot] = 0
            block.total[slot] = 0.0
            continue
        size = pool.groups.size[group]
        block.size[slot] = size
        for i in range(size):
            block.member[slot, i] = pool.row[pool.groups.member[group, i]]
        summarise(grid, block, slot)


@inlined
def _free_slot(size: NDArray[np.int64], tally: NDArray[np.int64]) -> Any:
    """A slot without a group; there is one, as no group is smaller than k."""
    if tally[USED] < len(size):
        tally[USED] += 1
        return tally[USED] - 1
    return np.argmin(size)
