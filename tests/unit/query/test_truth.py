"""Random tables, groupings and queries: the truth lies within the bounds, and is SQL's own."""

from __future__ import annotations

import sqlite3
from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.data.hierarchy import from_breaks, from_levels
from sfumato.data.schema import Schema
from sfumato.data.table import Table, table_from_arrow
from sfumato.query import answer, as_table, compare, exact, prepare
from sfumato.releases.cells import cells_of
from sfumato.releases.recoded import Recoded, seal
from sfumato.releases.release import Release

PLACES = from_levels(
    "place", [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")]
)
TYPES = {
    "age": (st.integers(0, 9), pa.int64()),
    "height": (st.floats(-2, 2, width=32), pa.float64()),
    "day": (st.integers(0, 9).map(lambda n: date(2020, 1, 1) + timedelta(n)), pa.date32()),
    "sex": (st.sampled_from(["f", "m", ""]), pa.string()),
    "place": (st.sampled_from("abcd"), pa.string()),
    "score": (st.integers(-20, 20), pa.int64()),
    "flag": (st.booleans(), pa.bool_()),
    "pay": (st.integers(-9, 9), pa.int64()),
    "rate": (st.floats(-1e6, 1e6), pa.float64()),
    "job": (st.sampled_from(["x", "y"]), pa.string()),
}
KNOWN = ("pay", "rate", "job")
QUASI = tuple(name for name in TYPES if name not in KNOWN)
NUMBERS = ("age", "height", "score", "pay", "rate")
LITERALS = {
    "age": ["3", "5", "4.5", "0"],
    "height": ["0", "0.5", "-1.25"],
    "day": ["'2020-01-03'", "'2020-01-07'"],
    "sex": ["'f'", "''", "'n'"],
    "place": ["'a'", "'c'", "'zz'"],
    "score": ["-5", "0", "7"],
    "flag": ["TRUE", "FALSE"],
    "pay": ["-3", "0", "4"],
    "rate": ["0", "1e5"],
    "job": ["'x'"],
}
Tables = tuple[Table, Release]


@st.composite
def tables(draw: st.DrawFn) -> Tables:
    """A table and a release of it in random groups, some columns with missing values."""
    rows = draw(st.integers(1, 14))
    columns = {}
    for name, (values, kind) in TYPES.items():
        cell = st.one_of(st.none(), values) if draw(st.booleans()) else values
        columns[name] = pa.array(draw(st.lists(cell, min_size=rows, max_size=rows)), kind)
    table = table_from_arrow(pa.table(columns))
    labels = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    group = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    return table, release_of(table, group)


def release_of(table: Table, group: np.ndarray) -> Release:
    """The release of a table in given groups, in no particular order."""
    groups = int(group.max()) + 1
    trees = {"place": PLACES}
    if len(table["score"].values):
        trees["score"] = from_breaks(table["score"], [[-10, 0, 10], [0]])
    cells = {name: cells_of(table[name], group, groups, trees.get(name)) for name in QUASI}
    schema = Schema.of(quasi=QUASI, sensitive=["pay"], keep=["rate", "job"])
    content = Recoded(cells, group, groups, table.select(KNOWN))
    return Release("table", "Recoded", schema, content, ())


@st.composite
def atoms(draw: st.DrawFn) -> str:
    """One test of one column."""
    name = draw(st.sampled_from(list(TYPES)))
    pool = st.sampled_from(LITERALS[name])
    shape = draw(st.sampled_from(["sign", "sign", "between", "in", "null"]))
    negate = draw(st.sampled_from(["", "NOT "]))
    if shape == "null":
        return f"{name} IS {negate}NULL"
    if shape == "between":
        return f"{name} {negate}BETWEEN {draw(pool)} AND {draw(pool)}"
    if shape == "in":
        items = [
            *draw(st.lists(pool, min_size=1, max_size=3)),
            *draw(st.sampled_from([[], ["NULL"]])),
        ]
        return f"{name} {negate}IN ({', '.join(items)})"
    sign = draw(st.sampled_from(["=", "<>", "<", "<=", ">", ">="]))
    return f"{name} {sign} {draw(pool)}"


def _join(parts: tuple[str, str, str]) -> str:
    return f"({parts[0]} {parts[1]} {parts[2]})"


conditions = st.recursive(
    atoms(),
    lambda inner: st.one_of(
        inner.map(lambda part: f"NOT ({part})"),
        st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(_join),
    ),
    max_leaves=6,
)
EVERYTHING = ", ".join(
    ["COUNT(*)"]
    + [f"COUNT({name})" for name in ("sex", "flag", "place")]
    + [f"{f}({name})" for name in NUMBERS for f in ("COUNT", "SUM", "AVG", "MIN", "MAX")]
)
RELAXED = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def sqlite(table: Table, sql: str) -> list[tuple[Any, ...]]:
    """What SQLite makes of the same table and query."""
    columns = [table[name].to_arrow().to_pylist() for name in table.names]
    with sqlite3.connect(":memory:") as base:
        base.execute(f"CREATE TABLE release ({', '.join(table.names)})")
        rows = [[str(v) if isinstance(v, date) else v for v in row] for row in zip(*columns)]
        marks = ", ".join("?" * len(columns))
        base.executemany(f"INSERT INTO release VALUES ({marks})", rows)
        found = base.execute(sql).fetchall()
    base.close()
    return found


@RELAXED
@given(tables(), conditions)
def test_truth_and_estimate_lie_within_bounds(data: Tables, where: str) -> None:
    table, release = data
    sql = f"SELECT {EVERYTHING} FROM release WHERE {where}"
    [(_, answers)], [(_, truths)] = answer(release, sql), exact(table, sql)
    for found, true in zip(answers, truths, strict=True):
        low, high = found.bounds
        assert found.value is None or low <= found.value <= high, found.name
        assert true.value is None or low <= true.value <= high, (found.name, true.value)


@RELAXED
@given(tables(), conditions)
def test_the_truth_is_what_sqlite_says(data: Tables, where: str) -> None:
    sql = f"SELECT {EVERYTHING} FROM release WHERE {where}"
    [(_, truths)] = exact(data[0], sql)
    [expected] = sqlite(data[0], sql)
    for true, other in zip(truths, expected, strict=True):
        assert true.value == (None if other is None else pytest.approx(other, rel=1e-9, abs=1e-6))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), conditions, st.sampled_from(["sex", "flag, job", "place", "job, pay", "pay, sex"]))
def test_every_true_class_is_listed_within_bounds(data: Tables, where: str, by: str) -> None:
    table, release = data
    sql = f"SELECT {by}, COUNT(*), SUM(age), AVG(rate) FROM release WHERE {where} GROUP BY {by}"
    found = {tuple(key.values()): answers for key, answers in answer(release, sql)}
    truths = exact(table, sql)
    assert len(truths) == len(sqlite(table, sql))
    for key, answers in truths:
        for one, true in zip(found[tuple(key.values())], answers, strict=True):
            low, high = one.bounds
            assert true.value is None or low <= true.value <= high


@settings(max_examples=30, deadline=None)
@given(tables(), conditions)
def test_sealing_changes_no_answer(data: Tables, where: str) -> None:
    _, release = data
    sql = f"SELECT COUNT(*), SUM(pay), AVG(pay), MIN(age) FROM release WHERE {where}"
    sealed = Release("table", "recoded", release.schema, seal(release.content)[0], ())
    [(_, one)], [(_, two)] = answer(release, sql), answer(sealed, sql)
    assert [a.bounds for a in one] == [a.bounds for a in two]
    assert [a.value for a in one] == pytest.approx([a.value for a in two])


def small() -> Tables:
    """Six people in two groups."""
    table = table_from_arrow(
        pa.table(
            {
                "age": [20, 30, 25, 40, 41, 42],
                "height": [1.5, 1.6, 1.7, 1.8, 1.9, 2.0],
                "day": [date(2020, 1, d) for d in range(1, 7)],
                "sex": ["f", "m", "f", "m", "m", "m"],
                "place": ["a", "b", "a", "c", "c", "d"],
                "score": [1, 2, 3, 4, 5, 6],
                "flag": [True, False, True, True, True, True],
                "pay": [1, 2, 3, 4, 5, 6],
                "rate": [0.5] * 6,
                "job": list("xyxyxy"),
            }
        )
    )
    return table, release_of(table, np.array([0, 0, 0, 1, 1, 1], np.int32))


def test_whole_groups_are_exact() -> None:
    _, release = small()
    sql = "SELECT COUNT(*), SUM(pay), AVG(pay), MIN(pay), MAX(pay) FROM release WHERE age < 35"
    [(_, answers)] = answer(release, sql)
    assert [a.bounds for a in answers] == [(3, 3), (6, 6), (2, 2), (1, 1), (3, 3)]
    assert all(a.basis.startswith("exact") for a in answers)


def test_what_a_group_excludes_is_known() -> None:
    _, release = small()
    sql = "SELECT COUNT(*) FROM release WHERE sex = 'f' AND (age > 35 OR sex = 'm')"
    [(_, [count])] = answer(release, sql)
    assert count.bounds == (0, 0)


def test_dates_are_shown_as_dates() -> None:
    table, release = small()
    sql = "SELECT MIN(day), MAX(day) FROM release WHERE day >= DATE '2020-01-03'"
    rows = compare(release, table, sql)
    assert rows.column("truth") == ["2020-01-03", "2020-01-06"]
    assert rows.column("lower")[1] == "2020-01-06"
    [(_, [first, _])] = answer(release, sql)
    assert first.unit == "days since 1970-01-01"


def test_a_condition_on_nobody_gives_null() -> None:
    _, release = small()
    sql = "SELECT COUNT(*), SUM(pay), AVG(age), MIN(age) FROM release WHERE age > 99"
    [(_, answers)] = answer(release, sql)
    assert [a.value for a in answers] == [0, None, None, None]
    assert answers[1].bounds == (None, None)
    sql = "SELECT AVG(pay) FROM release WHERE age = 22"
    assert "may select nobody" in answer(release, sql)[0][1][0].basis


def test_tables_name_keys_and_numbers() -> None:
    table, release = small()
    sql = 'SELECT job, COUNT(*) AS people FROM release WHERE "pay" > 1 GROUP BY job'
    shown = as_table(prepare(release), sql)
    assert shown.columns == ("job", "aggregate", "estimate", "lower", "upper", "basis")
    assert [row[:5] for row in shown.rows] == [("x", "people", 2, 2, 2), ("y", "people", 3, 3, 3)]
    errors = compare(release, table, sql)
    assert errors.column("relative error") == [0.0, 0.0]
    assert errors.column("truth") == [2.0, 3.0]
