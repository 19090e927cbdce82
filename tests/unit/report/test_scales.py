"""Scales: finite places inside the paper, and round ticks."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.report.scales import linear, logarithmic, scale, snug_logarithmic

ANY = st.lists(st.none() | st.floats(), max_size=6)


@given(ANY, st.booleans(), st.booleans())
def test_places_are_finite_and_inside(values: list[float | None], log: bool, zero: bool) -> None:
    made = scale(values, 10, 110, log, zero)
    for value in values:
        if value is not None and not math.isnan(value):
            assert 10 <= made.place(value) <= 110
    assert all(10 <= place <= 110 for place, _ in made.marks())
    assert 2 <= len(made.ticks) <= 12


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=5))
def test_order_is_kept(values: list[float]) -> None:
    made = linear(values, 0, 100)
    places = [made.place(value) for value in sorted(values)]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0, 100], (0, 25, 50, 75, 100)),
        ([3, 7], (0, 1, 2, 3, 4, 5, 6, 7)),
        ([], (0, 0.25, 0.5, 0.75, 1)),
    ],
)
def test_ticks_are_round(values: list[float], ticks: tuple[float, ...]) -> None:
    assert linear(values, 0, 1).ticks == pytest.approx(ticks)


def test_snug_ticks_lie_inside() -> None:
    made = linear([2, 100], 0, 1, zero=False, snug=True)
    assert (made.low, made.high) == (2, 100)
    assert made.ticks == pytest.approx((20, 40, 60, 80, 100))


def test_the_least_value_shows_on_a_logarithmic_scale() -> None:
    made = logarithmic([1, 0, 5000], 0, 100)
    assert made.place(1) > 0 and made.place(0) == 0
    assert made.ticks == pytest.approx((1, 10, 100, 1000, 10_000))


def test_without_a_positive_value_the_scale_is_linear() -> None:
    assert not scale([0, -3], 0, 1, log=True).log


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([2, 128], (2, 5, 10, 20, 50, 100)),
        ([1e5, 1.6e6], (1e5, 2e5, 5e5, 1e6)),
        ([0.001, 1e6], tuple(10.0**power for power in range(-3, 7))),
        ([3, 4], (1, 10)),
        ([], (1, 2, 5, 10)),
    ],
)
def test_snug_logarithmic_axes_begin_and_end_with_their_values(values, ticks):
    found = snug_logarithmic(values, 0, 100)
    assert found.ticks == pytest.approx(ticks)
    if len(values) and len(ticks) > 2:
        assert (found.place(min(values)), found.place(max(values))) == (0, 100)
