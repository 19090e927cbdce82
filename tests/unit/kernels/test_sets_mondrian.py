"""Mondrian for sets: the very grouping of the naive one, on ordinary and on spiteful rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.naive import sets_mondrian as naive

from sfumato.core.run import Run
from sfumato.io.sample_sets import segments
from sfumato.kernels import sets_mondrian as fast
from sfumato.kernels.rows import Rows
from sfumato.kernels.sets_node import BLOCK

PRICE = 0.4
CUTS = [
    *(
        (choose, False)
        for choose in (fast.EVEN, fast.UTILITY, fast.BITS, fast.PENALTY, fast.ENTROPY)
    ),
    *((choose, True) for choose in (fast.UTILITY, fast.BITS)),
]


def rows_of(table: NDArray[np.bool_]) -> Rows:
    start = np.concatenate([[0], np.cumsum(table.sum(axis=1))]).astype(np.int64)
    return Rows(start, np.nonzero(table)[1].astype(np.uint16))


def both(table, utility, k, choose, partial):
    """(fast, naive) groups."""
    cutting = fast.Cutting(choose, PRICE, partial)
    found = fast.mondrian_sets(rows_of(table), utility, k, cutting)
    price = PRICE * float(utility.mean())
    return found, naive.mondrian_sets(table, utility, k, (choose, price, partial))


@st.composite
def tables(draw):
    """Few or many rows of few items: identical ones, empty ones, giant ones, and copies."""
    items = draw(st.integers(1, 7))
    kinds = draw(
        st.lists(st.lists(st.booleans(), min_size=items, max_size=items), min_size=1, max_size=9)
    )
    kinds += [[False] * items, [True] * items]
    picks = draw(st.lists(st.integers(0, len(kinds) - 1), min_size=1, max_size=40))
    return np.array([kinds[pick] for pick in picks], bool)


@settings(deadline=None, max_examples=150)
@given(tables(), st.integers(1, 6), st.sampled_from(CUTS), st.integers(0, 99))
@example(np.zeros((9, 1), bool), 2, CUTS[0], 0)
@example(np.ones((9, 3), bool), 2, CUTS[4], 0)
@example(np.tri(30, 7, -2, dtype=bool), 2, CUTS[2], 0)
def test_same_groups_as_the_naive_one(table, k, cut, seed):
    utility = np.random.default_rng(seed).integers(1, 6, table.shape[1]).astype(float)
    found, wanted = both(table, utility, k, *cut)
    assert found.tolist() == wanted.tolist()
    if len(table) >= k:
        assert np.bincount(found).min() >= k


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("k", [1, 3, 20])
@pytest.mark.parametrize("dense", [False, True])
def test_same_groups_on_drawn_sets(cut, k, dense):
    sets = segments(400, Run.seeded(5), domain=60)
    table = np.zeros((400, 60), bool)
    table[np.repeat(np.arange(400), sets.lengths), sets.items] = True
    table[:, ::2] |= np.arange(400)[:, None] % 7 < 2
    found, wanted = both(table ^ dense, sets.utility, k, *cut)
    assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("cut", [(fast.BITS, False), (fast.BITS, True)])
def test_threads_and_tasks_change_nothing(cut, monkeypatch):
    sets = segments(2 * BLOCK + 1000, Run.seeded(6), "long tail", 80)
    rows, cutting = Rows(sets.indptr, sets.items), fast.Cutting(cut[0], 0, cut[1])
    monkeypatch.setattr(fast, "LARGE", 1 << 30)
    whole = fast.mondrian_sets(rows, sets.utility, 10, cutting)
    monkeypatch.setattr(fast, "LARGE", 3000)
    monkeypatch.setattr(fast, "BATCH", 500)
    steps = []
    many = fast.mondrian_sets(rows, sets.utility, 10, cutting, 3, lambda *at: steps.append(at))
    assert np.array_equal(whole, many)
    assert steps[-1] == (sets.rows, sets.rows)
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)


def test_large_parts_that_cannot_be_cut(monkeypatch):
    monkeypatch.setattr(fast, "LARGE", 10)
    table = np.repeat(np.array([[1, 1, 0], [0, 0, 0], [0, 0, 1]], bool), 500, axis=0)
    found, wanted = both(table, np.ones(3), 20, fast.BITS, False)
    assert np.array_equal(found, wanted)


def test_blocks_of_rows_change_nothing():
    sets = segments(BLOCK + 3000, Run.seeded(7), "long tail", 25)
    table = np.zeros((sets.rows, 25), bool)
    table[np.repeat(np.arange(sets.rows), sets.lengths), sets.items] = True
    found, wanted = both(table, sets.utility, 1500, fast.BITS, False)
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_fewer_rows_than_two_groups_stay_together(rows):
    table = np.eye(3, dtype=bool)[:rows]
    assert fast.mondrian_sets(rows_of(table), np.ones(3), 2).tolist() == [0] * rows
