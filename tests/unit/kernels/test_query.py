"""Kernels of queries against plain loops over every choice."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.kernels.query_counts import list_rows, spread, tally
from sfumato.kernels.query_picks import extreme_picks, running_sums, split_runs

numbers = st.lists(st.integers(-4, 4), max_size=4).map(sorted)


@settings(deadline=None)
@given(st.lists(numbers, min_size=1, max_size=3), st.data(), st.integers(-5, 5), st.booleans())
def test_extreme_picks_are_the_best_choice(runs, data, level, up) -> None:
    limits = []
    for run in runs:
        least = data.draw(st.integers(0, len(run)))
        limits.append((least, data.draw(st.integers(least, len(run)))))
    values = np.array([v for run in runs for v in run], float)
    start = np.cumsum([0, *map(len, runs)])
    ends = np.column_stack([start[:-1], start[1:]])
    sums = running_sums(values, start)
    total, picks = extreme_picks(values, sums, ends, np.array(limits), float(level), up)
    best = 0
    for run, (least, most) in zip(runs, limits, strict=True):
        worths = [
            sum(choice) - level * size
            for size in range(least, most + 1)
            for choice in combinations(run, size)
        ]
        best += max(worths) if up else min(worths)
    assert total - level * picks == pytest.approx(best)


def test_tally_and_rows_of_groups() -> None:
    state = np.array([2, 1, 0, 1, 2, 2], np.uint8)
    start = np.array([0, 3, 3, 6])
    assert tally(state, start).tolist() == [[1, 1], [0, 0], [2, 1]]
    assert list_rows(start, np.array([2, 0]), 6).tolist() == [3, 4, 5, 0, 1, 2]


def test_split_runs_keeps_order_and_restarts_sums() -> None:
    values, rows = np.array([1.0, 2.0, 3.0, 7.0]), np.array([2, 0, 1, 3])
    state = np.array([2, 1, 2, 1], np.uint8)
    kept, sums, ends = split_runs(
        values,
        rows,
        np.array([[0, 3], [3, 4]]),
        np.zeros(2, np.int64),
        state,
        np.array([[2, 1], [0, 1]]),
    )
    assert kept.tolist() == [1, 2, 3, 7]
    assert sums.tolist() == [1, 3, 3, 7]
    assert ends.tolist() == [[0, 2], [2, 3], [3, 3], [3, 4]]


def test_spread_uses_what_members_are_known_to_have() -> None:
    which, sizes = np.array([0, 0, 1, 2]), np.array([10, 2, 5, 5])
    witnesses = np.array([[1, 1], [0, 2], [2, 0]])
    possible = np.array([[True, True], [False, True], [True, False]])
    least, most, expected = spread(which, sizes, witnesses, possible, np.array([0.5, 0.0, 1.0]))
    assert least.tolist() == [1, 1, 0, 5]
    assert most.tolist() == [9, 1, 0, 5]
    assert expected.tolist() == [5, 1, 0, 5]
