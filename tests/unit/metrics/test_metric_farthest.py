"""The search for the farthest pair: exact against all pairs, honest when cut short."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato.metrics.farthest import Axis, diameters, different


def random_axes(seed: int, rows: int) -> list[Axis]:
    """Two lines and two kinds of symbols, one of them rare."""
    draw = np.random.default_rng(seed)
    lines = [Axis(draw.random(rows)), Axis(np.round(draw.random(rows) ** 3, 1) - 0.5)]
    rare = (draw.random(rows) < 0.2).astype(np.int64)
    return [*lines, Axis(draw.integers(0, 3, rows), 1.0), Axis(rare, 0.25)]


def all_pairs(axes: list[Axis], members: NDArray[Any]) -> float:
    """The largest distance, by trying every pair."""
    best = 0.0
    for i, j in combinations(members, 2):
        gap = 0.0
        for axis in axes:
            x, y = axis.place[i], axis.place[j]
            gap += axis.weight * (x != y) if axis.weight is not None else min(1.0, abs(x - y))
        best = max(best, gap)
    return best


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(1, 5))
def test_exact(seed: int, rows: int, groups: int) -> None:
    group = np.sort(np.random.default_rng(seed).integers(0, groups, rows))
    axes = random_axes(seed, rows)
    result = diameters(axes, group, groups)
    expected = [all_pairs(axes, np.flatnonzero(group == g)) for g in range(groups)]
    assert result.found.tolist() == pytest.approx(expected, abs=1e-14)
    assert result.at_most.tolist() == result.found.tolist()


@pytest.mark.parametrize("most", [1, 100, 300])
def test_cut_short_it_gives_bounds(most: int) -> None:
    axes, group = random_axes(3, 120), np.repeat([0, 1], 60)
    exact = diameters(axes, group, 2).found
    short = diameters(axes, group, 2, most)
    assert (short.found <= exact).all()
    assert (exact <= short.at_most).all()


def test_symbols_alone_settle_in_one_round() -> None:
    place = np.arange(200_000) % 7
    result = diameters([Axis(place, 1.0)], np.zeros(len(place), np.int64), 1, most=200_001)
    assert result.found.tolist() == result.at_most.tolist() == [1.0]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1, 1 << 20, 1 << 45]))
def test_different(seed: int, wide: int) -> None:
    """Codes so large that they must be renumbered on the way make no difference."""
    draw = np.random.default_rng(seed)
    group = draw.integers(0, 3, 40)
    codes = [draw.integers(0, 3, 40) * wide for _ in range(3)]
    rows = list(zip(group.tolist(), *(code.tolist() for code in codes), strict=True))
    kept = [rows[i] for i in different(group, codes)]
    assert sorted(kept) == sorted(set(rows))
    assert [row[0] for row in kept] == sorted(row[0] for row in kept)
