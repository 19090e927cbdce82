"""Joining groups: against the obvious way, and the promises it is used for."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.naive.merge import join_until, partition

from sfumato.data.grid import grid_of
from sfumato.data.hierarchy import from_levels
from sfumato.data.table import table_from_arrow
from sfumato.kernels.merge import covers, join_until_ruled
from sfumato.kernels.rules import DISTINCT, empty_rules, stack

TREE = from_levels("t", [(f"{i:02}", f"{i // 4}", "*") for i in range(16)])


def scene(seed: int, rows: int = 60, wide: int = 90):
    """A grid of all kinds of columns, groups of three, and one sensitive column."""
    rng = np.random.default_rng(seed)
    table = table_from_arrow(
        pa.table(
            {
                "n": pa.array(rng.integers(0, 50, rows), mask=rng.random(rows) < 0.05),
                "s": [f"s{i}" for i in rng.integers(0, 5, rows)],
                "w": [f"w{i}" for i in rng.integers(0, wide, rows)],
                "t": [TREE.labels[i] for i in rng.integers(0, 16, rows)],
            }
        )
    )
    grid = grid_of(list(table.columns.values()), {"t": TREE})
    group = np.arange(rows, dtype=np.int32) // 3
    return grid, group, rng.integers(0, 3, (rows, 1)).astype(np.int32)


def rules(least: int):
    return stack([(DISTINCT, 0, float(least), 0.0, np.empty(0))], np.array([0, 3]))


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("least", [2, 3])
def test_joins_as_the_obvious_way_does(seed, least):
    grid, group, codes = scene(seed)
    made = covers(grid, group, int(group.max()) + 1)
    label, _, _ = join_until_ruled(grid, made, rules(least), codes, 2)
    wanted = join_until(
        grid,
        [sorted(rows) for rows in partition(group)],
        lambda rows: len(set(codes[rows, 0].tolist())) >= least,
        2,
    )
    assert partition(label) == wanted


def test_groups_that_hold_are_left_alone():
    grid, group, codes = scene(1)
    made = covers(grid, group, 20)
    nothing = empty_rules(np.array([0, 3]))
    label, broken, joins = join_until_ruled(grid, made, nothing, codes, 12)
    assert not broken.any()
    assert len(joins) == 0
    assert np.array_equal(label, group)


def test_breaking_finds_the_groups_that_break():
    grid, group, codes = scene(2)
    _, broken, joins = join_until_ruled(grid, covers(grid, group, 20), rules(2), codes, 12)
    plain = [len(set(codes[group == g, 0].tolist())) < 2 for g in range(20)]
    assert broken.tolist() == plain
    assert all(broken[taker] for taker, _ in joins)


def test_what_only_everybody_together_meets_ends_in_one_group():
    grid, group, codes = scene(3)
    codes[:] = 0
    codes[0], codes[-1] = 1, 2
    made = covers(grid, group, 20)
    assert join_until_ruled(grid, made, rules(3), codes, 12)[0].max() == 0


def test_large_sets_are_joined_too():
    grid, group, codes = scene(4, rows=300, wide=3000)
    label, _, _ = join_until_ruled(grid, covers(grid, group, 100), rules(3), codes, 12)
    for rows in partition(label):
        assert len(set(codes[sorted(rows), 0].tolist())) == 3
