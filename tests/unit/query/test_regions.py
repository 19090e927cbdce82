"""Regions as sets: joined by AND and OR they hold what they should, for every kind of value."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core.errors import Refused
from sfumato.query.plan import Literal, Writing
from sfumato.query.readings import REAL, TEXT, WHOLE, cuts, keys_of, reading_of
from sfumato.query.regions import NOBODY, PRESENT, Region, outside, points

NUMBERS = list(range(8))
regions = st.builds(
    lambda first, cuts, missing: Region(first, tuple(sorted(cuts)), missing),
    st.booleans(),
    st.sets(st.integers(0, 7)),
    st.booleans(),
)


@given(regions, regions)
def test_joins_are_set_operations(one: Region, other: Region) -> None:
    a, b = one.holds(NUMBERS), other.holds(NUMBERS)
    assert ((one & other).holds(NUMBERS) == (a & b)).all()
    assert ((one | other).holds(NUMBERS) == (a | b)).all()
    assert (outside(one).holds(NUMBERS) == ~a).all()
    assert (one & other).missing == (one.missing and other.missing)


@given(regions)
def test_a_region_meets_itself_and_its_outside(one: Region) -> None:
    present = one & PRESENT
    assert present & outside(one) == NOBODY
    assert (present | outside(one)) == PRESENT


def number(text: str) -> Literal:
    return Literal(Writing.NUMBER, Fraction(text))


def test_cuts_lie_right_before_and_right_after_a_literal() -> None:
    assert cuts(WHOLE, number("5"), "age") == (5, 6)
    assert cuts(WHOLE, number("5.5"), "age") == (6, 6)
    assert cuts(WHOLE, number("9007199254740993"), "age")[0] == 9007199254740993
    before, after = cuts(REAL, number("0.5"), "age")
    assert before == 0.5 < after < 0.5 + 1e-15
    assert cuts(TEXT, Literal(Writing.TEXT, "a"), "sex") == ("a", "a\0")


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (pa.date32(), "1970-01-03", (2, 3)),
        (pa.date32(), "1970-01-03 12:00:00", (3, 3)),
        (pa.timestamp("s"), "1970-01-01 00:01:00", (60, 61)),
        (pa.timestamp("ms"), "1970-01-02", (86_400_000, 86_400_001)),
        (pa.timestamp("us", "UTC"), "1970-01-01 01:00:00+01:00", (0, 1)),
        (pa.time32("s"), "00:01:00", (60, 61)),
        (pa.time64("us"), "00:00:00.5", (500_000, 500_001)),
    ],
)
def test_moments_are_cut_in_the_unit_of_the_column(kind: pa.DataType, text: str, expected) -> None:
    assert cuts(reading_of(kind), Literal(Writing.TEXT, text), "day") == expected


def test_a_zone_needs_a_column_with_a_zone() -> None:
    with pytest.raises(Refused, match="cannot be read"):
        cuts(reading_of(pa.timestamp("s")), Literal(Writing.TEXT, "1970-01-01 00:00:00+01:00"), "d")


def test_moments_become_ticks() -> None:
    assert keys_of(pa.array([86_400_000], pa.date64())) == [1]
    assert keys_of(pa.array([3], pa.time64("ns"))) == [3]
    assert keys_of(pa.array([3], pa.timestamp("ns"))) == [3]


def test_neighbouring_points_join() -> None:
    assert points([(2, 3), (1, 2), (5, 6)], WHOLE).cuts == (1, 3, 5, 6)
