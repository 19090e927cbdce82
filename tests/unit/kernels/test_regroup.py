"""The regroup kernels against the slow references, on grids of all kinds of columns."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive.loss import cell_loss, grouping_loss, smallest_group
from tests.naive.regroup import heads_to_groups, least_cut_loss

from sfumato.kernels import regroup as driver
from sfumato.kernels.grid import RANGE, SET, TREE, Grid
from sfumato.kernels.regroup_block import load, new_block, save
from sfumato.kernels.regroup_cut import cut
from sfumato.kernels.regroup_order import order
from sfumato.kernels.regroup_peaks import peaks


def tree_levels(rng: Any, size: int) -> list[Any]:
    """A random hierarchy over depth-first leaves: parent runs that merge upwards to one root."""
    levels = [np.arange(size)]
    while levels[-1][-1] > 0:
        starts = rng.random(levels[-1][-1] + 1) < 0.4
        starts[0] = True
        if starts.all():
            starts[1:] = False
        levels.append((np.cumsum(starts) - 1)[levels[-1]])
    return levels


def make_grid(kinds: list[int], sizes: list[int], codes: Any, seed: int) -> Grid:
    """A grid with random positions, hierarchies and weights."""
    rng = np.random.default_rng(seed)
    columns = len(kinds)
    size = np.array(sizes, np.int64)
    start = np.concatenate([[0], np.cumsum(size)[:-1]]).astype(np.int64)
    position = np.zeros(int(size.sum()))
    step, levels, ladder = np.zeros(columns), np.zeros(columns, np.int64), np.zeros(columns, int)
    node: list[Any] = []
    node_loss: list[float] = []
    for column, kind in enumerate(kinds):
        if kind == RANGE and sizes[column] > 1:
            place = np.cumsum(rng.random(sizes[column]) + 0.01)
            position[start[column] : start[column] + sizes[column]] = place / (place[-1] - place[0])
        if kind == SET and sizes[column] > 1:
            step[column] = 1 / (sizes[column] - 1)
        if kind == TREE:
            ladder[column] = sum(len(part) for part in node)
            runs = tree_levels(rng, sizes[column])
            levels[column] = len(runs)
            for run in runs:
                node.append(run + len(node_loss))
                leaves = np.bincount(run)
                node_loss.extend(((leaves - 1) / max(1, sizes[column] - 1)).tolist())
    weight = rng.random(columns) + 0.05
    return Grid(
        np.ascontiguousarray(codes),
        np.array(kinds, np.int8),
        size,
        weight / weight.sum(),
        start,
        position,
        step,
        levels,
        ladder.astype(np.int64),
        np.concatenate(node).astype(np.int32) if node else np.zeros(0, np.int32),
        np.array(node_loss, np.float64),
    )


def random_grid(seed: int, rows: int, kinds: list[int], sizes: list[int]) -> Grid:
    """Random rows, a third of them copies of others."""
    rng = np.random.default_rng(seed)
    dtype = np.uint8 if max(sizes) <= 256 else np.uint16
    codes = np.stack([rng.integers(0, size, rows) for size in sizes], axis=1).astype(dtype)
    copied = rng.random(rows) < 0.3
    codes[copied] = codes[rng.integers(0, rows, int(copied.sum()))]
    return make_grid(kinds, sizes, codes, seed)


@st.composite
def grids(draw: Any, largest: int = 60) -> Grid:
    """Grids of up to five columns of any kind; some columns constant, some beyond 64 values."""
    columns = draw(st.integers(1, 5))
    kinds = draw(st.lists(st.sampled_from([RANGE, SET, TREE]), min_size=columns, max_size=columns))
    size = st.sampled_from([1, 2, 3, 7, 40, 150, 300])
    sizes = draw(st.lists(size, min_size=columns, max_size=columns))
    return random_grid(draw(st.integers(0, 2**31)), draw(st.integers(1, largest)), kinds, sizes)


@given(grids())
@settings(max_examples=40, deadline=None)
def test_order_is_a_permutation_that_keeps_equal_rows_together(grid: Grid) -> None:
    line = order(grid)
    assert sorted(line.tolist()) == list(range(len(grid.codes)))
    rows = [tuple(row) for row in grid.codes[line].tolist()]
    runs = 1 + sum(a != b for a, b in itertools.pairwise(rows))
    assert runs == len(set(rows))


@given(grids(largest=13), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_cut_is_the_best_of_all_cuts(grid: Grid, k: int) -> None:
    line = order(grid)
    if len(line) < k:
        return
    group = heads_to_groups(line, cut(grid, line, k))
    assert smallest_group(group) >= k
    assert grouping_loss(grid, group) == pytest.approx(least_cut_loss(grid, line, k), abs=1e-12)


@given(grids(), st.integers(2, 6), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_rounds_keep_groups_of_k_and_never_lose_more(grid: Grid, k: int, rounds: int) -> None:
    first = driver.regroup(grid, k, 0, 1)
    group = driver.regroup(grid, k, rounds, 1)
    start = driver.labels(driver.first_line(grid, k))
    assert group.shape == (len(grid.codes),)
    assert sorted(set(group.tolist())) == list(range(group.max() + 1))
    assert smallest_group(group) >= min(k, len(group))
    assert grouping_loss(grid, group) <= grouping_loss(grid, first) + 1e-12
    assert grouping_loss(grid, first) <= grouping_loss(grid, start) + 1e-12


@given(grids(), st.integers(2, 5))
@settings(max_examples=40, deadline=None)
def test_a_block_knows_the_exact_loss_of_its_groups(grid: Grid, k: int) -> None:
    line = driver.first_line(grid, k)
    if len(line.rows) < 2 * k:
        return
    block = new_block(grid, peaks(grid), k, len(line.rows))
    load(grid, block, line.rows, line.head)
    group = heads_to_groups(line.rows, line.head)
    assert block.total.sum() / len(group) == pytest.approx(grouping_loss(grid, group), abs=1e-12)
    before = set(map(frozenset, _members(line)))
    save(block, line.rank, line.rows, line.head)
    assert set(map(frozenset, _members(line))) == before


def _members(line: Any) -> list[list[int]]:
    """Rows of every group of a line."""
    return [part.tolist() for part in np.split(line.rows, np.flatnonzero(line.head)[1:])]


@given(grids())
@settings(max_examples=30, deadline=None)
def test_peaks_price_every_run_of_leaves(grid: Grid) -> None:
    table = peaks(grid)
    for column in np.flatnonzero(grid.kind == TREE):
        size = int(grid.size[column])
        for low in range(0, size, 1 + size // 12):
            for high in range(low + 1, size, 1 + size // 12):
                power = int(table.power[high - low])
                base = int(table.start[column]) + power * size
                peak = max(table.loss[base + low], table.loss[base + high - 2**power])
                exact = grid.weight[column] * cell_loss(grid, int(column), {low, high})
                assert peak == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("kinds", [[RANGE, SET, TREE, SET], [SET], [TREE, TREE], [RANGE]])
def test_rounds_help_and_do_not_depend_on_workers(kinds: list[int]) -> None:
    grid = random_grid(5, 20_000, kinds, [30] * len(kinds))
    one = driver.regroup(grid, 5, 2, 9, workers=1)
    two = driver.regroup(grid, 5, 2, 9, workers=2)
    assert np.array_equal(one, two)
    if len(kinds) > 2:
        assert not np.array_equal(one, driver.regroup(grid, 5, 2, 10))


def test_rounds_lower_the_loss_of_a_mixed_table() -> None:
    grid = random_grid(3, 3_000, [RANGE, SET, SET, TREE], [60, 5, 3, 20])
    losses = [grouping_loss(grid, driver.regroup(grid, 5, rounds, 1)) for rounds in (0, 1, 4)]
    assert losses[0] > losses[1] > losses[2]


@pytest.mark.parametrize("rows", [1, 4, 5, 9])
def test_fewer_than_two_groups_make_one(rows: int) -> None:
    grid = random_grid(1, rows, [SET, RANGE], [4, 4])
    assert driver.regroup(grid, 5, 3, 1).tolist() == [0] * rows


def test_exactly_two_groups() -> None:
    grid = random_grid(1, 10, [SET, RANGE], [4, 9])
    assert np.bincount(driver.regroup(grid, 5, 3, 1)).tolist() == [5, 5]


def test_equal_rows_lose_nothing() -> None:
    grid = random_grid(1, 500, [SET, RANGE, TREE], [1, 1, 1])
    group = driver.regroup(grid, 7, 2, 1)
    assert grouping_loss(grid, group) == 0
    assert smallest_group(group) >= 7


def test_domains_of_65535_codes() -> None:
    grid = random_grid(1, 600, [RANGE, SET, SET], [65_535, 65_535, 500])
    group = driver.regroup(grid, 6, 2, 1)
    assert smallest_group(group) >= 6
    start = driver.labels(driver.first_line(grid, 6))
    assert grouping_loss(grid, group) < grouping_loss(grid, start)


def test_a_large_k() -> None:
    grid = random_grid(1, 3_000, [RANGE, SET, TREE], [90, 30, 12])
    for k in (100, 1_500, 1_501):
        group = driver.regroup(grid, k, 1, 1)
        assert smallest_group(group) >= k


def test_step_reports_every_round() -> None:
    grid = random_grid(1, 200, [SET, RANGE], [4, 9])
    calls: list[tuple[int, int]] = []
    driver.regroup(grid, 5, 3, 1, step=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_round_touches_only_its_line() -> None:
    grid = random_grid(2, 300, [SET, RANGE], [6, 30])
    before = grid.codes.copy()
    line = driver.first_line(grid, 5)
    with ThreadPoolExecutor(1) as threads:
        driver.one_round(grid, driver.plan(5, 1), line, (1, 1), threads)
    assert sorted(line.rows.tolist()) == list(range(300))
    assert np.array_equal(grid.codes, before)
