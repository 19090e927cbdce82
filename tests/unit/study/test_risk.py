"""Risks and singling out against plain counting, and against laws where sizes are estimated."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.answers import ResultTable
from sfumato.core.errors import BadInput, BadJob
from sfumato.core.run import Run
from sfumato.data.table import Table, table_from_arrow
from sfumato.io.samples import people
from sfumato.kernels import uniqueness
from sfumato.study.risk import Effort, risk, singling_out

CELL = st.one_of(st.none(), st.integers(0, 3))
ROWS = st.lists(st.tuples(CELL, CELL, CELL, CELL), max_size=25)
NAMES = ("a", "b", "c", "d")
AGREE = settings(max_examples=60, deadline=None)


def table_of(rows: list[tuple[Any, ...]]) -> Table:
    columns = [pa.array([row[i] for row in rows], pa.int64()) for i in range(len(NAMES))]
    return table_from_arrow(pa.table(columns, names=NAMES))


def line(result: ResultTable, attacker: str) -> dict[str, Any]:
    return next(row for row in result if row["attacker"] == attacker)


def mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)


@AGREE
@given(ROWS, st.integers(0, 4), st.sampled_from([0.2, 0.5, 0.05, 1.0]))
def test_prosecutor(rows: list[tuple[Any, ...]], width: int, threshold: float) -> None:
    result = risk(table_of(rows), NAMES[:width], threshold=threshold)
    found = line(result, "prosecutor")
    if not rows:
        assert found["highest"] is None and found["mean"] is None
        return
    count = Counter(row[:width] for row in rows)
    each = [1 / count[row[:width]] for row in rows]
    assert found["highest"] == max(each)
    assert found["mean"] == pytest.approx(mean(each))
    assert found["mean"] == pytest.approx(len(count) / len(rows))
    assert found[f"share above {threshold:g}"] == pytest.approx(mean([e > threshold for e in each]))
    assert found["share unique"] == pytest.approx(mean([e == 1 for e in each]))
    assert line(result, "journalist") == {**found, "attacker": "journalist"}
    assert line(result, "marketer")["mean"] == found["mean"]


@AGREE
@given(ROWS, ROWS, st.integers(1, 4))
def test_journalist(rows: list[tuple[Any, ...]], more: list[tuple[Any, ...]], width: int) -> None:
    result = risk(table_of(rows), NAMES[:width], table_of(more + rows))
    found = line(result, "journalist")
    if not rows:
        assert found["mean"] is None
        return
    count = Counter(row[:width] for row in rows)
    people_like = Counter(row[:width] for row in more + rows)
    each = [1 / people_like[row[:width]] for row in rows]
    per_person = len(count) / sum(people_like[key] for key in count)
    assert found["highest"] == max(each)
    assert found["mean"] == pytest.approx(max(mean(each), per_person))
    assert found["share above 0.2"] == pytest.approx(mean([e > 0.2 for e in each]))
    assert found["share unique"] == pytest.approx(mean([e == 1 for e in each]))
    assert line(result, "marketer")["mean"] == pytest.approx(mean(each))


def test_a_population_that_lacks_rows_is_filled_up_and_said_so() -> None:
    rows = [(1, 1, 1, 1)] * 3 + [(2, 2, 2, 2)]
    result = risk(table_of(rows), ["a"], table_of([(1, 0, 0, 0), (2, 0, 0, 0)]))
    assert line(result, "journalist")["mean"] == pytest.approx(0.5)
    assert any("not in the population: 2 rows" in note for note in result.notes)


def test_a_population_of_another_type_is_refused() -> None:
    other = table_from_arrow(pa.table({"a": ["young", "old"]}))
    with pytest.raises(BadInput, match="column 'a' has another type"):
        risk(table_of([(1, 1, 1, 1)]), ["a"], other)


def test_widths_of_numbers_do_not_matter() -> None:
    small = table_from_arrow(pa.table({"a": pa.array([1, 2], pa.int8())}))
    wide = table_from_arrow(pa.table({"a": pa.array([1.0, 2.0, 2.0, 3.0], pa.float64())}))
    assert line(risk(small, ["a"], wide), "marketer")["mean"] == pytest.approx(0.75)


@pytest.mark.parametrize("fraction", [0.001, 0.1, 0.49, 0.5, 0.51, 0.9, 1.0])
@pytest.mark.parametrize("size", [1, 2, 3, 17, 59, 60, 61, 400])
def test_expected_risk_is_the_mean_of_its_law(size: int, fraction: float) -> None:
    """Against a midpoint sum of the integral of u^(f-1) p / (p + q u) over u in 0 .. 1."""
    v = (np.arange(400_000) + 0.5) / 400_000  # v = u^f
    u = v ** (1 / size)
    expected = float((fraction / (fraction + (1 - fraction) * u)).mean()) / size
    found = uniqueness.expected_risk(np.array([size, size]), fraction)
    assert found == pytest.approx([expected] * 2, rel=2e-4)


@pytest.mark.parametrize("fraction", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("size", [1, 2, 4, 9])
def test_smaller_than_is_the_cumulative_law(size: int, fraction: float) -> None:
    for crowd in (1, 2, 5, 12):
        expected = sum(
            comb(h - 1, size - 1) * fraction**size * (1 - fraction) ** (h - size)
            for h in range(size, crowd)
        )
        assert uniqueness.smaller_than(np.array([size]), crowd, fraction)[0] == pytest.approx(
            expected
        )


def test_a_population_of_the_same_size_changes_nothing() -> None:
    table = table_from_arrow(people(300, Run.seeded(2)))
    known = line(risk(table, ["age", "sex"]), "journalist")
    guessed = line(risk(table, ["age", "sex"], 300), "journalist")
    assert guessed == pytest.approx(known)


def test_estimates_are_near_the_counted_risk_where_unique_rows_are_few() -> None:
    """A tenth of a population drawn at random; four columns, fixed seed, a fifth of leeway."""
    everybody = table_from_arrow(people(200_000, Run.seeded(5)))
    drawn = np.sort(np.random.default_rng(1).choice(200_000, 20_000, replace=False))
    columns = ["age", "sex", "education"]
    counted = risk(everybody.take(drawn), columns, everybody)
    guessed = risk(everybody.take(drawn), columns, 200_000)
    for attacker in ("journalist", "marketer"):
        assert line(guessed, attacker)["mean"] == pytest.approx(
            line(counted, attacker)["mean"], rel=0.2
        )


@pytest.mark.parametrize(
    ("columns", "more", "message"),
    [
        (["z"], {}, "column 'z' is not in the data"),
        (["a", "a"], {}, "listed twice"),
        (["a"], {"population": 1}, "population is 1"),
        (["a"], {"threshold": 0.0}, "threshold is 0.0"),
    ],
)
def test_bad_questions(columns: list[str], more: dict[str, Any], message: str) -> None:
    with pytest.raises(BadJob, match=message):
        risk(table_of([(1, 1, 1, 1)] * 2), columns, **more)


def naive_search(rows: list[tuple[Any, ...]], most: int) -> dict[tuple[int, ...], tuple[int, int]]:
    found = {}
    for size in range(1, most + 1):
        for places in combinations(range(len(NAMES)), size):
            keys = [tuple(row[place] for place in places) for row in rows]
            count = Counter(keys)
            alone = sum(count[key] == 1 for key in keys)
            found[places] = alone, sum(count[key] < 5 for key in keys)
    return found


@AGREE
@given(ROWS, st.integers(1, 5))
def test_search_counts_like_a_counter(rows: list[tuple[Any, ...]], most: int) -> None:
    table = table_of(rows)
    codes = [table[name].codes for name in NAMES]
    sizes = [max(1, table[name].size) for name in NAMES]
    found = dict(uniqueness.search(codes, sizes, len(rows), most, 5))
    assert found == naive_search(rows, min(most, 4))


@AGREE
@given(ROWS.filter(bool), st.integers(1, 3), st.sampled_from([0.0, 0.1, 0.3]))
def test_singling_out(rows: list[tuple[Any, ...]], most: int, share: float) -> None:
    effort = Effort(lines=100)
    result = singling_out(table_of(rows), NAMES, most, share, effort=effort)
    truth = naive_search(rows, most)
    over = {places for places, (alone, _) in truth.items() if alone > share * len(rows)}
    minimal = {p for p in over if not any(set(q) < set(p) for q in over)}
    listed = {tuple(map(NAMES.index, row["columns"].split(" + "))): row for row in result}
    assert {p for p, row in listed.items() if "minimal" in row["listed as"]} == minimal
    for places, row in listed.items():
        assert row["size"] == len(places)
        assert row["share unique"] == pytest.approx(truth[places][0] / len(rows))
        assert row["share in classes below 5"] == pytest.approx(truth[places][1] / len(rows))
    highest = max(alone for alone, _ in truth.values())
    assert max((row["share unique"] for row in result), default=0) == highest / len(rows)


def test_keys_beyond_any_plain_table_do_not_collide() -> None:
    """Three columns of 3,000 different values each: 2.7e10 possible keys, counted by address."""
    rng = np.random.default_rng(3)
    columns = [
        rng.integers(0, 3000, 4000).astype(kind) for kind in (np.uint16, np.uint32, np.uint64)
    ]
    columns = [np.concatenate([column, column[:700]]) for column in columns]
    group, sizes = uniqueness.classes_of(columns, [3000] * 3, 4700)
    keys = list(zip(*(column.tolist() for column in columns), strict=True))
    count = Counter(keys)
    assert sizes[group].tolist() == [count[key] for key in keys]
    found = dict(uniqueness.search(columns, [3000] * 3, 4700, 3, 5))
    assert found[0, 1, 2] == (sum(s == 1 for s in count.values()), 4700)


def test_adding_a_column_never_hides_a_row() -> None:
    table = table_from_arrow(people(800, Run.seeded(4)))
    names = ["age", "zip", "sex", "education"]
    result = singling_out(table, names, effort=Effort(lines=100))
    shares = {frozenset(row["columns"].split(" + ")): row["share unique"] for row in result}
    for some in shares:
        assert all(shares[some] >= shares[other] for other in shares if other < some)


def test_a_sample_is_stated_and_repeats() -> None:
    table = table_from_arrow(people(3000, Run.seeded(4)))
    effort = Effort(rows=500)
    first = singling_out(table, ["age", "zip"], run=Run.seeded(1), effort=effort)
    assert first == singling_out(table, ["age", "zip"], run=Run.seeded(1), effort=effort)
    assert first != singling_out(table, ["age", "zip"], run=Run.seeded(2), effort=effort)
    assert any("random sample of 500 of 3,000 rows" in note for note in first.notes)
    exact = singling_out(table, ["age", "zip"])
    assert max(first.column("share unique")) > max(exact.column("share unique"))


def test_a_hundred_columns_are_bounded_and_what_is_left_out_is_said() -> None:
    rng = np.random.default_rng(1)
    data = {f"c{n}": rng.integers(0, 2 + n, 2000) for n in range(98)}
    table = table_from_arrow(pa.table({**data, "same": [1] * 2000, "none": pa.nulls(2000)}))
    result = singling_out(table, table.names, effort=Effort(looks=2_000_000))
    text = " ".join(result.notes)
    assert "tells nothing apart: 2 columns" in text
    assert "of 98 columns were combined" in text and "c97" in text
    assert len(result) > 0


@pytest.mark.parametrize("rows", [0, 1])
def test_next_to_no_rows(rows: int) -> None:
    table = table_of([(1, None, 2, 3)] * rows)
    assert len(singling_out(table, NAMES)) == 4 * rows
    assert len(risk(table, NAMES)) == 3


def test_no_columns_and_columns_without_values() -> None:
    table = table_of([(None, None, None, None)] * 9)
    assert len(singling_out(table, [])) == 0
    assert len(singling_out(table, NAMES)) == 0
    assert line(risk(table, NAMES), "prosecutor")["highest"] == pytest.approx(1 / 9)


@pytest.mark.parametrize("more", [{"most": 0}, {"share": 1.0}, {"share": -0.1}])
def test_bad_limits(more: dict[str, Any]) -> None:
    with pytest.raises(BadJob):
        singling_out(table_of([(1, 1, 1, 1)]), NAMES, **more)
