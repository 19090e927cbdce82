"""Bounds against every table a tiny bucketed release may stand for."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import query as naive
from tests.naive.bucketed_query import worlds
from tests.unit.query.bucketed_releases import tiny

from sfumato.query import prepare
from sfumato.releases.release import Release

ALL = (
    "COUNT(*), COUNT(pay), SUM(pay), AVG(pay), MIN(pay), MAX(pay), "
    "COUNT(age), SUM(age), AVG(age), MIN(age), MAX(age)"
)
Spans = list[tuple[float | None, float | None]]
ONE_REGION = [
    "age < 3",
    "sex = 'f' AND NOT age = 1",
    "sex = 'f' OR age >= 2",
    "pay < 2",
    "pay = 3",
    "pay <> 3",
    "pay >= 0 AND pay < 4",
    "NOT (pay > 0 AND pay <= 3)",
    "pay IN (-2, 4)",
    "pay NOT IN (1, NULL)",
    "pay IS NULL",
    "pay IS NOT NULL",
    "pay IS NULL OR pay > 2",
    "pay > 9",
    "pay = 2.5",
    "sex = 'f' AND pay > 0",
    "age > 1 AND sex = 'm' AND (pay < 0 OR pay > 3)",
    "(sex = 'f' AND pay > 0) AND (age < 3 OR sex = 'f')",
]
SEVERAL = [
    "age < 3 OR pay > 0",
    "(sex = 'f' AND pay > 0) OR (sex = 'm' AND pay <= 1)",
    "(age > 1 AND pay > 0) OR (age <= 1 AND pay IS NULL)",
    "NOT (age < 3 AND pay < 2)",
    "(sex = 'f' OR pay < 3) AND (age = 1 OR pay > 0)",
]


def extremes(release: Release, sql: str) -> Spans:
    """The least and largest answer over all worlds; a sum over nobody counts as 0."""
    plan = prepare(release).plan(sql)
    found = [naive.answers(plan, rows) for rows in worlds(release.bucketed)]
    spans: Spans = []
    for wanted, column in zip(plan.aggregates, zip(*found, strict=True), strict=True):
        some = any(value is not None for value in column)
        empty = [0.0] * (wanted.function == "SUM" and some and None in column)
        values = [value for value in column if value is not None] + empty
        spans.append((min(values), max(values)) if values else (None, None))
    return spans


def answers(release: Release, sql: str) -> list:
    """What the engine says."""
    [(_, found)] = prepare(release).answer(sql)
    return found


@settings(max_examples=300, deadline=None)
@given(tiny(), st.sampled_from([None, *ONE_REGION]))
def test_bounds_of_one_region_are_attained(release: Release, where: str | None) -> None:
    sql = f"SELECT {ALL} FROM release" + (f" WHERE {where}" if where else "")
    for one, (low, high) in zip(answers(release, sql), extremes(release, sql), strict=True):
        expected = (low, high) if low is None else pytest.approx((low, high), abs=1e-12)
        assert one.bounds == expected, one.name


@settings(max_examples=200, deadline=None)
@given(tiny(), st.sampled_from(SEVERAL))
def test_bounds_of_several_regions_contain_every_world(release: Release, where: str) -> None:
    sql = f"SELECT {ALL} FROM release WHERE {where}"
    for one, (least, most) in zip(answers(release, sql), extremes(release, sql), strict=True):
        low, high = one.bounds
        assert least is None or (low <= least + 1e-12 and most <= high + 1e-12), one.name


@settings(max_examples=200, deadline=None)
@given(tiny(), st.sampled_from([*ONE_REGION, *SEVERAL]))
def test_estimates_and_intervals_lie_within_bounds(release: Release, where: str) -> None:
    for one in answers(release, f"SELECT {ALL} FROM release WHERE {where}"):
        low, high = one.bounds
        if one.value is not None:
            assert low <= one.value <= high and math.isfinite(one.value)
        if one.interval is not None:
            assert low <= one.interval[0] <= one.value <= one.interval[1] <= high
            assert one.level == 0.95 and "exchangeable" in one.basis
