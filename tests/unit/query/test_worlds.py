"""Bounds against every table a tiny release may stand for."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import query as naive

from sfumato.data.hierarchy import from_levels
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.query import prepare
from sfumato.releases.cells import cells_of
from sfumato.releases.recoded import Recoded
from sfumato.releases.release import Release

ALL = "COUNT(*), COUNT(pay), SUM(pay), AVG(pay), MIN(pay), MAX(pay)"
OWN = "COUNT(age), SUM(age), AVG(age), MIN(age), MAX(age)"
PLACES = from_levels("place", [("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")])


def release_of(columns: dict[str, list], group: list[int]) -> Release:
    """A recoded release of the columns, all but pay and job as quasi-identifiers."""
    table = table_from_arrow(pa.table(columns))
    quasi = tuple(name for name in table.names if name not in ("pay", "job"))
    at = np.array(group, np.int32)
    groups = max(group) + 1
    cells = {
        name: cells_of(table[name], at, groups, PLACES if name == "place" else None)
        for name in quasi
    }
    known = tuple(name for name in table.names if name not in quasi)
    schema = Schema.of(quasi=quasi, keep=known)
    return Release("table", "Recoded", schema, Recoded(cells, at, groups, table.select(known)), ())


def extremes(release: Release, sql: str) -> list[tuple[float | None, float | None]]:
    """The least and largest answer over all worlds; a sum over nobody counts as 0."""
    plan = prepare(release).plan(sql)
    found = [naive.answers(plan, rows) for rows in naive.worlds(release.content)]
    spans = []
    for wanted, column in zip(plan.aggregates, zip(*found, strict=True), strict=True):
        empty = [0.0] if wanted.function == "SUM" and any(v is not None for v in column) else []
        values = [v if v is not None else e for v in column for e in (empty or [None])]
        values = [value for value in values if value is not None]
        spans.append((min(values), max(values)) if values else (None, None))
    return spans


def bounds(release: Release, sql: str) -> list[tuple[float | None, float | None]]:
    """What the engine says."""
    [(_, answers)] = prepare(release).answer(sql)
    return [answer.bounds for answer in answers]


ages = st.one_of(st.none(), st.integers(1, 4))
pays = st.one_of(st.none(), st.integers(-3, 3))
cuts = st.sampled_from(
    [
        "age < 3",
        "age = 2",
        "age <> 2",
        "age >= 2 AND age < 4",
        "NOT (age > 1 AND age <= 3)",
        "age IN (1, 4)",
        "age NOT IN (1, 4)",
        "age NOT IN (1, NULL)",
        "age IS NULL",
        "age IS NOT NULL",
        "age IS NULL OR age > 2",
        "age > 9",
        "age = 2.5",
    ]
)


@st.composite
def tiny(draw: st.DrawFn, second: st.SearchStrategy | None = None) -> tuple[dict, list[int]]:
    """Up to five records in up to two groups."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=2))
    rows = sum(sizes)
    columns = {
        "age": pa.array(draw(st.lists(ages, min_size=rows, max_size=rows)), pa.int64()),
        "pay": pa.array(draw(st.lists(pays, min_size=rows, max_size=rows)), pa.int64()),
    }
    if second is not None:
        columns["sex"] = pa.array(draw(st.lists(second, min_size=rows, max_size=rows)), pa.string())
    group = [at for at, size in enumerate(sizes) for _ in range(size)]
    return columns, group


@settings(max_examples=60, deadline=None)
@given(tiny(), cuts)
def test_bounds_of_one_condition_are_attained(data: tuple, cut: str) -> None:
    release = release_of(*data)
    sql = f"SELECT {ALL} FROM release WHERE {cut}"
    assert bounds(release, sql) == extremes(release, sql)


@settings(max_examples=40, deadline=None)
@given(tiny())
def test_bounds_of_a_quasi_column_are_attained_for_everybody(data: tuple) -> None:
    release = release_of(*data)
    sql = f"SELECT {OWN} FROM release"
    assert bounds(release, sql) == extremes(release, sql)


@settings(max_examples=60, deadline=None)
@given(tiny(), cuts)
def test_bounds_of_a_quasi_column_under_its_own_condition(data: tuple, cut: str) -> None:
    release = release_of(*data)
    sql = f"SELECT {OWN} FROM release WHERE {cut}"
    assert_inside(bounds(release, sql), extremes(release, sql))


def assert_inside(outer: list, inner: list) -> None:
    """Every world's answer lies within the bounds."""
    for (low, high), (least, most) in zip(outer, inner, strict=True):
        assert (least is None and most is None) or (low <= least and most <= high)


mixed = st.sampled_from(
    [
        "age < 3 AND sex = 'f'",
        "age < 3 OR sex = 'f'",
        "NOT (age < 3 OR sex = 'f')",
        "sex = 'f' AND pay > 0",
        "age > 1 AND (pay < 1 OR sex <> 'f')",
        "(age > 2 AND pay > 0) OR (age <= 2 AND pay <= 0)",
        "(age > 2 OR sex = 'm') AND (age < 4 OR sex = 'f')",
        "age = 2 AND (age > 1 OR pay > 0)",
        "sex IS NULL OR age = 2",
    ]
)


@settings(max_examples=80, deadline=None)
@given(tiny(st.sampled_from(["f", "m", None])), mixed)
def test_bounds_of_many_conditions_contain_every_world(data: tuple, where: str) -> None:
    release = release_of(*data)
    sql = f"SELECT {ALL}, {OWN} FROM release WHERE {where}"
    assert_inside(bounds(release, sql), extremes(release, sql))


@pytest.mark.parametrize("where", ["age < 3 AND pay > 0", "age >= 2 AND pay IS NOT NULL"])
def test_a_region_and_an_exact_mask_are_attained(where: str) -> None:
    data = {"age": [1, 4, 2, 2, 3], "pay": [3, -2, 2, None, 1]}
    release = release_of(data, [0, 0, 0, 1, 1])
    sql = f"SELECT {ALL} FROM release WHERE {where}"
    assert bounds(release, sql) == extremes(release, sql)


@pytest.mark.parametrize("where", ["place = 'a'", "place <> 'a'", "place IN ('b', 'c')"])
def test_nodes_of_a_hierarchy(where: str) -> None:
    data = {"place": ["a", "b", "c", "c"], "pay": [1, 2, 3, 4]}
    release = release_of(data, [0, 0, 1, 1])
    sql = f"SELECT {ALL} FROM release WHERE {where}"
    assert bounds(release, sql) == extremes(release, sql)


def test_a_tight_interval_of_ten() -> None:
    data = {"age": [20, 30, *[25] * 8], "pay": [0] * 10}
    [((low, high))] = bounds(
        release_of(data, [0] * 10), "SELECT COUNT(*) FROM release WHERE age < 25"
    )
    assert (low, high) == (1, 9)
