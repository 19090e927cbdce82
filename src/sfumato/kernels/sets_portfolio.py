"""The best of several ways to class sets, block by block: no single way keeps the most everywhere.

Large data are first cut into blocks by Mondrian. A block tries every recipe of the effort, improves
the most promising ones and keeps the best; blocks share nothing, so threads take them in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.row_order import taken
from sfumato.kernels.rows import Rows, members_of
from sfumato.kernels.sets_block import block_of
from sfumato.kernels.sets_improve import improve, kept_utility
from sfumato.kernels.sets_mondrian import BITS, EVEN, PENALTY, UTILITY, Cutting, mondrian_sets
from sfumato.kernels.sets_neighbours import classes_of_neighbours
from sfumato.kernels.sets_seeds import classes_of_seeds

Step = Callable[[int, int], None]
Group = NDArray[np.int32]

CUT, SEEDS, NEIGHBOURS = 0, 1, 2
MOST_ROWS, FEWEST_ROWS = 1 << 17, 1 << 12
MOST_BITS = 1 << 31  # of a block's bitmaps, over all items


class Recipe(NamedTuple):
    """A way to class the rows of a block: by cutting alone, or anew in pools that Mondrian cuts."""

    kind: int = CUT
    cutting: Cutting = Cutting()
    pool: int = 0  # rows of a pool, at least


class Effort(NamedTuple):
    """What a block tries: each recipe with one round of improvement, the best ones with more."""

    recipes: tuple[Recipe, ...]
    finalists: int
    rounds: int


def _penalties(*prices: float) -> tuple[Recipe, ...]:
    return tuple(Recipe(CUT, Cutting(PENALTY, price)) for price in prices)


# Equal utilities make EVEN, UTILITY and BITS one; utilities from 1 to 100 make BITS the best cut.
PLAIN = (
    Recipe(CUT, Cutting(EVEN)),
    Recipe(CUT, Cutting(BITS)),
    Recipe(CUT, Cutting(BITS, 0.0, True)),
)
EFFORTS = (
    Effort((Recipe(),), 0, 0),
    Effort((*PLAIN, *_penalties(0.3), Recipe(SEEDS, pool=2_000)), 1, 2),
    Effort(
        (
            *(*PLAIN, *_penalties(0.2, 0.3, 0.4)),
            *(Recipe(SEEDS, pool=10_000), Recipe(NEIGHBOURS, pool=1_000)),
        ),
        *(4, 4),
    ),
    Effort(
        (
            *(*PLAIN, Recipe(CUT, Cutting(UTILITY))),
            *_penalties(0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6),
            *(Recipe(SEEDS, pool=pool) for pool in (2_000, 10_000, MOST_ROWS)),
            *(Recipe(NEIGHBOURS, pool=pool) for pool in (500, 4_000)),
        ),
        *(3, 8),
    ),
)


def best_of_portfolio(
    rows: Rows,
    utility: NDArray[np.float64],
    k: int,
    effort: int = 2,
    workers: int = 1,
    step: Step | None = None,
) -> Group:
    """Groups of at least k rows, as `mondrian_sets`: effort 0 is that, 3 the most there is.

    Data of one block keep at least the utility of every recipe of the effort. The result does not
    depend on the number of workers. Memory: bitmaps of a block (at most 256 MB) for each worker.
    """
    total = len(rows.start) - 1
    if effort == 0 or total < 2 * k:
        return mondrian_sets(rows, utility, k, Cutting(), workers, step)
    blocks = _blocks(rows, utility, k, workers)
    group, groups, done = np.empty(total, np.int32), 0, 0
    with ThreadPoolExecutor(workers) as pool:

        def work(members: Group) -> Group:
            return best_of_block(taken(rows, members), utility, k, EFFORTS[effort])

        for members, found in zip(blocks, pool.map(work, blocks), strict=True):
            group[members] = found + np.int32(groups)
            groups, done = groups + int(found.max()) + 1, done + len(members)
            if step is not None:
                step(done, total)
    return group


def _blocks(rows: Rows, utility: NDArray[np.float64], k: int, workers: int) -> list[Group]:
    """Rows of each block; what Mondrian leaves too large is cut as it lies."""
    size = max(min(MOST_ROWS, MOST_BITS // max(len(utility), 1)), FEWEST_ROWS, 4 * k)
    if len(rows.start) - 1 <= 2 * size:
        return [np.arange(len(rows.start) - 1, dtype=np.int32)]
    pools = mondrian_sets(rows, utility, size // 2, Cutting(), workers)
    start, members = members_of(pools, int(pools.max()) + 1)
    blocks = []
    for first, end in pairwise(start.tolist()):
        blocks += np.array_split(members[first:end], max((end - first) // size, 1))
    return blocks


def best_of_block(rows: Rows, utility: NDArray[np.float64], k: int, effort: Effort) -> Group:
    """The best classes of a block that the recipes of an effort find."""
    block = block_of(rows, np.arange(len(rows.start) - 1, dtype=np.int32), utility, k)

    def ranked(groups: list[Group]) -> list[Group]:
        kept = [kept_utility(block.rows, block.worth, group) for group in groups]
        return [groups[at] for at in np.argsort(-np.array(kept), kind="stable")]

    tried = [improve(block, k, classes_by(rows, utility, k, one), 1) for one in effort.recipes]
    best = ranked(tried)[: effort.finalists]
    return ranked([improve(block, k, group, effort.rounds) for group in best])[0]


def classes_by(rows: Rows, utility: NDArray[np.float64], k: int, recipe: Recipe) -> Group:
    """The classes of one recipe: int32 (rows,), numbered from 0."""
    if recipe.kind == CUT:
        return mondrian_sets(rows, utility, k, recipe.cutting)
    pools = mondrian_sets(rows, utility, max(recipe.pool, k), recipe.cutting)
    start, members = members_of(pools, int(pools.max()) + 1)
    group, groups = np.empty(len(pools), np.int32), 0
    for first, end in pairwise(start.tolist()):
        own = members[first:end]
        if recipe.kind == SEEDS:
            found = classes_of_seeds(block_of(rows, own, utility, k), k)
        else:
            found = classes_of_neighbours(block_of(rows, own, utility, 2), k)
        group[own] = found + np.int32(groups)
        groups += int(found.max()) + 1
    return group
