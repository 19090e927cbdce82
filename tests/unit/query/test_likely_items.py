"""Chances of items that are not shown."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.query.likely_items import LikelyItems, log_gamma


def test_logarithms_of_gamma() -> None:
    x = np.concatenate([np.linspace(1, 40, 977), np.geomspace(40, 1e9, 99)])
    ours, theirs = log_gamma(x), np.array([math.lgamma(one) for one in x])
    assert np.abs(ours - theirs).max() / max(1, np.abs(theirs).max()) < 1e-12
    assert np.abs(ours[:977] - theirs[:977]).max() < 1e-9


@pytest.mark.parametrize("shown", [0, 1, 7, 250, 399, 400])
def test_as_many_groups_show_an_item_as_are_expected_to(shown: int) -> None:
    """The mean share is chosen so; what is left is a chance, smaller where groups are larger."""
    sizes, groups = np.array([2, 5, 40]), np.array([200, 150, 50])
    found = LikelyItems(sizes, groups, True)
    chance = found.of(shown)
    assert ((chance >= 0) & (chance <= 1)).all()
    assert (np.diff(chance) >= 0).all() or shown == 400
    every = (groups @ found._all(_mean(found, shown))) if 0 < shown < 400 else shown
    assert every == pytest.approx(shown, rel=1e-6, abs=1e-6)


def _mean(found: LikelyItems, shown: int) -> float:
    """By bisection over the share itself."""
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if found._groups @ found._all(middle) < shown else (low, middle)
    return high
