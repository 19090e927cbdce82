"""Chances of items that are not shown."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.kernels.shares import all_have, mean_share
from sfumato.query.likely_items import LikelyItems

SIZES, GROUPS, WEIGHT = np.array([2, 5, 40]), np.array([200, 150, 50]), 0.05


@pytest.mark.parametrize("mean", [1e-9, 0.01, 0.3, 0.999])
def test_the_chance_that_all_have_an_item(mean: float) -> None:
    """E[share ^ n] of a Beta law is a product of n fractions."""
    found = all_have(SIZES, mean, WEIGHT)
    for size, one in zip(SIZES.tolist(), found.tolist(), strict=True):
        parts = ((mean * WEIGHT + i) / (WEIGHT + i) for i in range(size))
        assert one == pytest.approx(math.prod(parts), rel=1e-9)


@pytest.mark.parametrize("shown", [1, 7, 250, 399])
def test_as_many_groups_show_an_item_as_are_expected_to(shown: int) -> None:
    mean = mean_share(SIZES, GROUPS, float(shown), WEIGHT)
    assert GROUPS @ all_have(SIZES, mean, WEIGHT) == pytest.approx(shown, rel=1e-6)


@pytest.mark.parametrize("shown", [0, 1, 7, 250, 399, 400])
def test_chances_are_chances_and_greater_where_groups_are_larger(shown: int) -> None:
    chance = LikelyItems(SIZES, GROUPS, True).of(shown)
    assert ((chance >= 0) & (chance <= 1)).all()
    assert (np.diff(chance) >= 0).all() or shown == 400


def test_nothing_is_likely_where_sets_are_not_tight() -> None:
    assert not LikelyItems(SIZES, GROUPS, False).of(250).any()
