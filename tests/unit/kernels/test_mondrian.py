"""The fast partition is the slow one, for every option; and nothing depends on the workers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.naive import mondrian as naive

from sfumato.kernels import rules as fast_rules
from sfumato.kernels.grid import RANGE, SET, TREE, Grid, span_loss
from sfumato.kernels.mondrian import Cutting, mondrian
from sfumato.kernels.mondrian_node import (
    BEST,
    GAIN,
    RELAXED,
    STRICT,
    WEIGHT,
    WIDTH,
    interval_loss,
    new_table,
)

CUTS = {"strict": STRICT, "relaxed": RELAXED, "best": BEST}
CHOICES = {"width": WIDTH, "gain": GAIN, "weight": WEIGHT}
OPTIONS = [(cut, choose) for cut in CUTS for choose in CHOICES if cut != "best"] + [
    ("best", "width")
]


def random_tree(rng: Any, leaves: int) -> tuple[Any, Any]:
    """A ladder (levels, leaves) and node losses: runs of leaves merged at random, up to a root."""
    ladder, losses = [np.arange(leaves)], [0.0] * leaves
    while len(np.unique(ladder[-1])) > 1:
        below = ladder[-1]
        borders = np.flatnonzero(np.diff(below)) + 1
        kept = borders[rng.random(len(borders)) < 0.4]
        level = np.empty(leaves, dtype=np.int64)
        for run in np.split(np.arange(leaves), kept):
            if len(np.unique(below[run])) == 1:
                level[run] = below[run]
                continue
            level[run] = len(losses)
            losses.append((len(run) - 1) / (leaves - 1))
        ladder.append(level)
    return np.array(ladder), np.array(losses)


def build_grid(rng: Any, codes: Any, kind: Sequence[int], size: Sequence[int]) -> Grid:
    """A grid over given codes, with random weights, positions and hierarchies."""
    columns, sizes = len(kind), np.array(size, dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    position = np.zeros(sizes.sum())
    step, levels, ladder = np.zeros(columns), np.zeros(columns, np.int64), np.zeros(columns, int)
    nodes, losses = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for column in range(columns):
        if kind[column] == RANGE and size[column] > 1:
            values = np.cumsum(rng.integers(1, 5, size[column])).astype(float)
            span = slice(start[column], start[column] + size[column])
            position[span] = values / (values[-1] - values[0])
        elif kind[column] == SET and size[column] > 1:
            step[column] = 1 / (size[column] - 1)
        elif kind[column] == TREE:
            tree, loss = random_tree(rng, size[column])
            levels[column], ladder[column] = len(tree), sum(map(len, nodes))
            nodes.append(tree.ravel() + sum(map(len, losses)))
            losses.append(loss)
    weight = rng.choice([0.1, 0.2, 0.3], columns)
    return Grid(
        np.ascontiguousarray(codes),
        np.array(kind, dtype=np.int8),
        sizes,
        weight / weight.sum(),
        start,
        position,
        step,
        levels,
        ladder,
        np.concatenate(nodes).astype(np.int32),
        np.concatenate(losses),
    )


def random_grid(seed: int, rows: int, kind: Sequence[int], dtype: Any = np.uint8) -> Grid:
    """Skewed codes in small domains, so that ties and constant columns occur."""
    rng = np.random.default_rng(seed)
    size = [int(rng.integers(2, 12)) for _ in kind]
    codes = np.stack([(rng.random(rows) ** 2 * m).astype(dtype) for m in size], axis=1)
    return build_grid(rng, codes, kind, size)


def as_lists(groups: Any) -> list[list[int]]:
    rows, bounds = groups
    assert rows.dtype == bounds.dtype == np.int32
    return [rows[a:b].tolist() for a, b in pairwise(bounds)]


def no_rules(rows: Sequence[int]) -> bool:
    return True


@pytest.mark.parametrize(("cut", "choose"), OPTIONS)
@pytest.mark.parametrize("seed", range(12))
def test_same_partition_as_the_slow_one(cut: str, choose: str, seed: int) -> None:
    kind = [[RANGE, SET, TREE], [TREE, TREE, RANGE, SET, SET], [SET], [TREE], [RANGE]][seed % 5]
    dtype = np.uint8 if seed % 3 else np.uint16
    grid = random_grid(seed, 40 + 7 * seed, kind, dtype)
    target = np.random.default_rng(seed).integers(0, 3, (len(grid.codes), 1)).astype(np.int32)
    rules = fast_rules.empty_rules(np.array([0, 3]))
    cutting = Cutting(CUTS[cut], CHOICES[choose])
    for k in (1, 2, 5):
        slow = naive.mondrian(grid, k, cut, choose, no_rules, target[:, 0].tolist())
        assert as_lists(mondrian(grid, k, cutting, rules, target)) == slow


@pytest.mark.parametrize(("cut", "choose"), OPTIONS)
@pytest.mark.parametrize("seed", range(6))
def test_rules_hold_and_partition_is_the_slow_one(cut: str, choose: str, seed: int) -> None:
    grid = random_grid(seed, 60, [RANGE, SET, TREE])
    rng = np.random.default_rng(seed)
    secret = np.stack([rng.integers(0, 4, 60), rng.integers(0, 3, 60)], axis=1).astype(np.int32)
    shares = np.bincount(secret[:, 0], minlength=4) / 60
    offset = np.array([0, 4, 7])
    rules = fast_rules.stack(
        [
            (fast_rules.DISTINCT, 0, 2.0 + seed % 2, 0.0, np.zeros(0)),
            (fast_rules.TCLOSE_EQUAL, 0, 0.4, 0.0, shares),
            (fast_rules.FREQUENCY, 1, 0.7, 0.0, np.ones(3)),
        ],
        offset,
    )

    def holds(rows: Sequence[int]) -> bool:
        counts = [np.bincount(secret[rows, c], minlength=m) for c, m in ((0, 4), (1, 3))]
        return bool(fast_rules.rules_hold(rules, np.concatenate(counts), len(rows)))

    fast = as_lists(mondrian(grid, 3, Cutting(CUTS[cut], CHOICES[choose], 1), rules, secret))
    assert fast == naive.mondrian(grid, 3, cut, choose, holds, secret[:, 1].tolist())
    assert len(fast) > 1
    assert all(len(rows) >= 3 and holds(rows) for rows in fast)


@pytest.mark.parametrize("cut", CUTS)
def test_wide_domains_of_a_few_rows(cut: str) -> None:
    rng = np.random.default_rng(5)
    size = [65_535, 4_000, 3_000, 200]
    codes = np.stack([rng.integers(0, m, 150) for m in size], axis=1).astype(np.uint16)
    codes[:40, 1] = 7
    codes[:50, 0] = 60_000
    grid = build_grid(rng, codes, [RANGE, SET, RANGE, SET], size)
    for k in (2, 10):
        fast = as_lists(mondrian(grid, k, Cutting(CUTS[cut])))
        assert fast == naive.mondrian(grid, k, cut, "width", no_rules)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_small_and_constant_tables(cut: str, dtype: Any) -> None:
    rng = np.random.default_rng(1)
    cutting = Cutting(CUTS[cut])
    for rows in (0, 1, 4, 5, 9):
        grid = build_grid(rng, np.arange(rows, dtype=dtype)[:, None] % 7, [RANGE], [7])
        got = mondrian(grid, 5, cutting)
        assert got[0].tolist() == list(range(rows))
        assert got[1].tolist() == ([0, rows] if rows else [0])
    same = build_grid(rng, np.full((50, 3), 1, dtype=dtype), [RANGE, SET, SET], [2, 2, 2])
    assert as_lists(mondrian(same, 5, cutting)) == [list(range(50))]
    one = build_grid(rng, np.array([[0]] * 5 + [[3]] * 5, dtype=dtype), [SET], [4])
    assert as_lists(mondrian(one, 5, cutting)) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


def test_a_table_that_breaks_a_rule_is_one_group() -> None:
    grid = random_grid(3, 40, [RANGE, SET])
    rules = fast_rules.stack([(fast_rules.DISTINCT, 0, 2.0, 0.0, np.zeros(0))], np.array([0, 2]))
    secret = np.zeros((40, 1), dtype=np.int32)
    for cut in CUTS.values():
        assert mondrian(grid, 2, Cutting(cut), rules, secret)[1].tolist() == [0, 40]


@pytest.mark.parametrize("cut", CUTS)
def test_any_number_of_workers_and_a_step(cut: str) -> None:
    rng = np.random.default_rng(2)
    size = [90, 7, 40, 16]
    codes = np.stack([(rng.random(120_000) ** 2 * m) for m in size], axis=1).astype(np.uint8)
    grid = build_grid(rng, codes, [RANGE, SET, SET, TREE], size)
    alone = mondrian(grid, 20, Cutting(CUTS[cut]))
    seen: list[tuple[int, int]] = []

    def note(done: int, total: int) -> None:
        seen.append((done, total))

    for workers in (1, 2, 3):
        both = mondrian(grid, 20, Cutting(CUTS[cut]), workers=workers, step=note)
        assert all(np.array_equal(a, b) for a, b in zip(alone, both))
        assert seen[-1] == (120_000, 120_000)
    assert np.array_equal(np.sort(alone[0]), np.arange(120_000))
    assert np.diff(alone[1]).min() >= 20


def test_uneven_cuts_need_no_deep_stack() -> None:
    """One value in half of the rows, then in a quarter, and so on: a chain, not a tree."""
    codes = np.minimum(np.arange(60_000) // 2, 29_000).astype(np.uint16)[:, None]
    grid = build_grid(np.random.default_rng(0), codes, [SET], [29_001])
    for cut in (STRICT, BEST):
        bounds = mondrian(grid, 2, Cutting(cut))[1]
        assert len(bounds) - 1 == 29_001


def test_interval_loss_is_the_grids_span_loss() -> None:
    grid = random_grid(9, 30, [RANGE, TREE, RANGE, TREE])
    table, slow = new_table(grid), getattr(span_loss, "py_func", span_loss)
    for column in range(4):
        for low in range(grid.size[column]):
            for high in range(low, grid.size[column]):
                fast = interval_loss(table, column, low, high)
                assert fast == slow(grid, column, low, high)
