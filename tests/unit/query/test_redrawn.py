"""Answers on redrawn tables: unbiased over every outcome, errors exact, limits hard."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.naive import ra as naive

from sfumato.core.errors import Refused
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import Column, Table, table_from_arrow
from sfumato.methods.tables.ra import RA
from sfumato.query import answer, as_table, exact, prepare, redrawn
from sfumato.query.normal import Leaf
from sfumato.query.redrawn_number import number_moments
from sfumato.query.redrawn_scope import RedrawnView, Scope
from sfumato.query.regions import PRESENT
from sfumato.releases.redrawn_table import RedrawnTable
from sfumato.releases.release import Release

NAMES = ("a", "b", "c")
SCHEMA = Schema.of(quasi=list(NAMES), sensitive=["s"])
WHERE = [
    "a >= 2 AND b = 'x'",
    "a >= 2 OR b = 'x' AND s > 2",
    "NOT (a = 1 OR c = 10) AND s < 3",
    "a = 1",
    "b = 'y' AND c = 0 AND a < 3",
    "(a = 1 OR a = 3) AND (b = 'x' OR s = 1)",
    "a IS NULL OR c = 10",
]
LAWS: list[dict[str, Any]] = [
    {},
    {"redraw": 2},
    {"redraw": 3},
    {"choose": {"a": 0.5, "b": 0.3, "c": 0.2}},
]


def original() -> Table:
    """A small table with a missing value."""
    rng = np.random.default_rng(1)
    a = pa.array(rng.integers(0, 4, 12), mask=np.arange(12) == 5)
    b = np.array(["x", "y", "z"])[rng.integers(0, 3, 12)]
    found = {"a": a, "b": b, "c": rng.integers(0, 2, 12) * 10, "s": rng.integers(0, 5, 12)}
    return table_from_arrow(pa.table(found))


class Outcomes:
    """Everything that may be published of a table, as one release, with probabilities."""

    def __init__(self, **parameters: Any) -> None:
        self.table = original()
        method = RA(**parameters)
        self.law = method.law([self.table[name] for name in NAMES], int(method.redraw))
        rows = list(zip(*(self.table[name].codes.tolist() for name in NAMES), strict=True))
        shares = naive.shares_of(rows)
        weights = [Fraction(weight).limit_denominator(100) for weight in self.law.weights]
        every = [
            (new, float(chance), place)
            for place, row in enumerate(rows)
            for new, chance in naive.law_of(row, shares, weights, self.law.redraw).items()
        ]
        self.chance = np.array([chance for _, chance, _ in every])
        self.source = np.array([place for _, _, place in every])
        codes = np.array([new for new, _, _ in every], np.uint8)
        columns = {name: self._column(name, codes[:, i]) for i, name in enumerate(NAMES)}
        columns["s"] = self.table["s"].take(self.source)
        content = RedrawnTable(Table(columns, len(every)), self.law)
        self.view = RedrawnView(Release("table", "perturbed", SCHEMA, content, ()))

    def _column(self, name: str, codes: np.ndarray) -> Column:
        old = self.table[name]
        return Column(name, old.kind, codes, old.values, old.has_missing)

    def scope(self, where: str, *more: Leaf) -> Scope:
        """A condition."""
        release = Release("table", "perturbed", SCHEMA, self.view.content, ())
        plan = prepare(release).plan(f"SELECT COUNT(*) FROM release WHERE {where}")
        return Scope(self.view, self.view.joined(self.view.tree(plan.where), *more))

    def of_records(self, scope: Scope, table: np.ndarray) -> np.ndarray:
        """What a table over cells says of every outcome."""
        places = np.zeros(len(self.chance), np.int64)
        for codes, step in scope._steps():
            places += step[codes]
        return np.broadcast_to(table, scope.shape).ravel()[places]

    def variance(self, counts_as: np.ndarray) -> float:
        """Of the sum over records, which are independent."""
        mean = np.bincount(self.source, self.chance * counts_as)
        return float((np.bincount(self.source, self.chance * counts_as**2) - mean**2).sum())


@pytest.fixture(scope="module", params=LAWS, ids=str)
def outcomes(request) -> Outcomes:
    return Outcomes(**request.param)


@pytest.mark.parametrize("where", WHERE)
def test_counts_are_unbiased_and_their_variance_is_exact(outcomes, where):
    scope = outcomes.scope(where)
    counts_as = outcomes.of_records(scope, scope.inversion.weights(scope.selected.astype(float)))
    truth = exact(outcomes.table, f"SELECT COUNT(*) FROM release WHERE {where}")[0][1][0].value
    if not scope.inversion.whole:
        return
    assert outcomes.chance @ counts_as == pytest.approx(truth)
    estimated = float(outcomes.chance @ (counts_as**2 - counts_as))
    assert estimated == pytest.approx(outcomes.variance(counts_as))


@pytest.mark.parametrize("name", ["a", "c", "s"])
@pytest.mark.parametrize("where", WHERE)
def test_sums_are_unbiased_and_their_variance_is_exact(outcomes, where, name):
    scope = outcomes.scope(where, Leaf(name, PRESENT))
    if not scope.axes or not scope.inversion.whole:
        return
    found = number_moments(scope, name)
    x = scope.worth(name)[outcomes.view.records[name].codes]
    base, shift, slope, square = (
        outcomes.of_records(scope, part) for part in (*found.base, found.slope, found.square_base)
    )
    truth = exact(outcomes.table, f"SELECT SUM({name}) FROM release WHERE {where}")[0][1][0].value
    assert outcomes.chance @ (base + slope * x) == pytest.approx(truth or 0.0, abs=1e-9)
    for level in (0.0, 1.7):
        counts_as = base - level * shift + slope * (x - level)
        squares = square - 2 * level * base + level**2 * shift + slope * (x - level) ** 2
        estimated = float(outcomes.chance @ (counts_as**2 - squares))
        assert estimated == pytest.approx(outcomes.variance(counts_as), abs=1e-9)


@pytest.mark.parametrize("parameters", LAWS, ids=str)
def test_limits_hold_in_every_release(parameters):
    table = original()
    for seed in range(5):
        made = RA(**parameters).publish(People(table, SCHEMA), [], Run.seeded(seed)).sealed()
        engine = prepare(made.release)
        for where in WHERE:
            sql = f"SELECT COUNT(*) FROM release WHERE {where}"
            [(_, [found])] = engine.answer(sql)
            truth = exact(table, sql)[0][1][0].value
            low, high = found.bounds
            assert low <= truth <= high and low <= found.value <= high
            if found.interval is not None:
                assert low <= found.interval[0] <= found.value <= found.interval[1] <= high


def big(rows: int = 20_000, **parameters: Any) -> tuple[Table, Release]:
    """A table in which everything is linked, and its release."""
    rng = np.random.default_rng(3)
    age = rng.integers(20, 60, rows)
    job = (age // 10 + rng.integers(0, 2, rows)) % 4
    data = {
        "age": age,
        "job": np.array(["a", "b", "c", "d"])[job],
        "town": (job + rng.integers(0, 3, rows)) % 5,
        "pay": age * 10 + rng.integers(0, 100, rows),
    }
    table = table_from_arrow(pa.table(data))
    people = People(table, Schema.of(quasi=["age", "job", "town"], sensitive=["pay"]))
    return table, RA(**parameters).publish(people, [], Run.seeded(6)).sealed().release


def test_estimates_are_near_and_say_how_near():
    table, release = big()
    for sql in (
        "SELECT COUNT(*), AVG(pay), SUM(pay) FROM release WHERE job = 'a' AND age < 40",
        "SELECT COUNT(*), AVG(age), SUM(age) FROM release WHERE job IN ('a', 'b') AND pay > 300",
    ):
        [(_, answers)], [(_, truths)] = answer(release, sql), exact(table, sql)
        for one, true in zip(answers, truths, strict=True):
            assert one.error is not None and one.interval is not None
            assert abs(one.value - true.value) < 4 * one.error
            assert one.interval[0] <= one.value <= one.interval[1]
            assert "unbiased" in one.basis


def test_counting_records_as_they_stand_is_biased():
    rows = 20_000
    one = np.random.default_rng(4).integers(0, 10, rows)
    table = table_from_arrow(pa.table({"a": one, "b": one}))
    people = People(table, Schema.of(quasi=["a", "b"]))
    release = RA().publish(people, [], Run.seeded(9)).sealed().release
    sql = "SELECT COUNT(*) FROM release WHERE a = 3 AND b = 3"
    truth = exact(table, sql)[0][1][0].value
    view = RedrawnView(release)
    direct = redrawn.direct_count(Scope(view, view.tree(prepare(release).plan(sql).where)))
    assert direct < 0.2 * truth  # a tenth of those redrawn, and nobody else, still has both


def test_records_as_they_stand():
    """Asked for in words: what an ordinary table of the records would answer, and bounds."""
    _, release = big()
    engine = prepare(release, as_published=True)
    where = "WHERE job = 'a' AND age < 40"
    sql = f"SELECT COUNT(*), AVG(pay), MAX(age) FROM release {where}"
    [(_, answers)], [(_, plain)] = engine.answer(sql), exact(release.redrawn.records, sql)
    assert [one.value for one in answers] == [one.value for one in plain]
    assert all("as they stand" in one.basis and one.error is None for one in answers)
    assert answers[0].bounds[0] < answers[0].value < answers[0].bounds[1]


def test_only_a_redrawn_table_is_counted_as_it_stands():
    from sfumato.methods.tables.mondrian import Mondrian

    people = People(original(), SCHEMA)
    made = Mondrian(k=3).publish(people, [], Run.seeded(1)).sealed().release
    with pytest.raises(Refused, match="about redrawn columns"):
        prepare(made, as_published=True)


def test_sets_of_columns_of_unequal_probability():
    """The same answers where everything is undone set by set."""
    table, release = big(choose={"age": 0.2, "job": 0.5, "town": 0.3})
    sql = "SELECT COUNT(*), AVG(pay) FROM release WHERE age < 40 AND job = 'a'"
    [(_, answers)], [(_, truths)] = answer(release, sql), exact(table, sql)
    for one, true in zip(answers, truths, strict=True):
        assert abs(one.value - true.value) < 4 * one.error


def test_what_is_published_is_exact():
    table, release = big()
    for sql in (
        "SELECT COUNT(*) FROM release",
        "SELECT COUNT(*) FROM release WHERE age > 30",
        "SELECT SUM(age), MAX(age) FROM release",
        "SELECT AVG(pay), MIN(pay) FROM release WHERE pay > 300",
        "SELECT COUNT(*) FROM release GROUP BY job",
    ):
        for (key, answers), (other, truths) in zip(
            answer(release, sql), exact(table, sql), strict=True
        ):
            assert key == other
            for one, true in zip(answers, truths, strict=True):
                assert one.value == pytest.approx(true.value)
                assert one.bounds == pytest.approx((true.value, true.value))


def test_lost_links_are_named_and_get_no_interval():
    _, release = big(redraw=2)
    sql = "SELECT COUNT(*), AVG(pay) FROM release WHERE age < 40 AND job = 'a' AND town = 1"
    [(_, answers)] = answer(release, sql)
    for one in answers:
        assert one.interval is None and one.error is None
        assert "what more than 1 redrawn columns" in one.basis
    shown = as_table(release, "SELECT COUNT(*) FROM release WHERE job = 'a' AND pay < 300")
    assert "95% from" in shown.columns and "standard error" in shown.columns


def test_noisy_counts_are_shrunk_and_say_so():
    _, release = big(300, choose={"age": 0.1, "job": 0.45, "town": 0.45})
    sql = "SELECT COUNT(*) FROM release WHERE job = 'a' AND town = 1 AND pay < 320"
    [(_, [found])] = answer(release, sql)
    assert found.basis.startswith("shrunk") and found.interval is not None


def test_questions_that_can_not_be_answered_are_refused():
    _, release = big(500)
    with pytest.raises(Refused, match="MAX under a condition"):
        answer(release, "SELECT MAX(pay) FROM release WHERE job = 'a'")
    with pytest.raises(Refused, match="SUM of column 'job'"):
        answer(release, "SELECT SUM(job) FROM release")
    [(_, [found])] = answer(
        release, "SELECT AVG(pay) FROM release WHERE job = 'a' AND town = 1 AND pay = 205"
    )
    assert found.value is None
