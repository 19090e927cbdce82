"""The mean of Beta laws over groups, against halving an interval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.shares import all_have, mean_share

WEIGHT = 0.05


def naive_all(size: int, mean: float) -> float:
    """E[share ^ size] as a product."""
    return math.prod((mean * WEIGHT + n) / (WEIGHT + n) for n in range(size))


def naive_mean(sizes: list[int], groups: list[int], wanted: float) -> float:
    """By halving the logarithm."""
    low, high = -30.0, 0.0
    for _ in range(80):
        middle = (low + high) / 2
        pairs = zip(sizes, groups, strict=True)
        reached = sum(many * naive_all(size, math.exp(middle)) for size, many in pairs)
        low, high = (middle, high) if reached < wanted else (low, middle)
    return math.exp(high)


@given(st.integers(1, 60), st.floats(1e-9, 1.0))
def test_chance_of_all_members(size: int, mean: float) -> None:
    found = all_have(np.array([size]), mean, WEIGHT)[0]
    assert found == pytest.approx(naive_all(size, mean), rel=1e-9)


@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(1, 500)), min_size=1, max_size=5),
    st.floats(0.0, 1.0),
)
def test_mean_under_which_so_many_groups_show(laws: list[tuple[int, int]], part: float) -> None:
    sizes, groups = map(list, zip(*laws, strict=True))
    wanted = max(0.5, part * sum(groups))
    found = mean_share(np.array(sizes), np.array(groups), wanted, WEIGHT)
    assert found == pytest.approx(naive_mean(sizes, groups, wanted), rel=1e-6)
