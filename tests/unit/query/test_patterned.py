"""Questions to a release of drawn values: bounds hold the truth, what is implied is exact."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sfumato.core.errors import Refused
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.methods.tables.patterns import Patterns
from sfumato.query import as_table, compare, prepare
from sfumato.query.patterned import IMPLIED, OPEN
from sfumato.query.statements import state


def made(disclose: str):
    """A release of a hundred people, and the original rows in its order."""
    rng = np.random.default_rng(4)
    data = {
        "age": pa.array(rng.integers(17, 91, 100), mask=rng.random(100) < 0.05),
        "pay": np.round(rng.lognormal(3, 0.5, 100), 2),
        "sex": np.array(["f", "m"])[rng.integers(0, 2, 100)],
        "ill": rng.integers(0, 4, 100),
    }
    table = table_from_arrow(pa.table(data))
    schema = Schema.of(quasi=["age", "pay"], sensitive=["ill"], keep=["sex"])
    method = Patterns(
        size=50, disclose=disclose, thresholds={"age": [40]}, averages={"age": 1.0}, effective=5
    )
    found = method.publish(People(table, schema), [], Run.seeded(2)).sealed()
    return found.release, table.take(found.ledger.rows)


@pytest.fixture(scope="module")
def full():
    return made("full")


QUERIES = [
    "SELECT COUNT(*) FROM release WHERE age >= 40",
    "SELECT COUNT(*), COUNT(age), AVG(age), SUM(pay), MIN(pay), MAX(age) FROM release",
    "SELECT COUNT(*), AVG(pay), SUM(age), MIN(age), MAX(pay) FROM release WHERE sex = 'f'",
    "SELECT COUNT(*), AVG(ill), SUM(age), AVG(age) FROM release WHERE age > 30 AND pay < 25",
    "SELECT COUNT(*) FROM release WHERE age < 40 OR ill = 2 GROUP BY sex",
    "SELECT AVG(ill) FROM release WHERE age IS NULL",
]


@pytest.mark.parametrize("disclose", ["full", "kind"])
@pytest.mark.parametrize("sql", QUERIES)
def test_bounds_hold_the_truth(sql, disclose, full):
    release, original = full if disclose == "full" else made(disclose)
    for line in compare(prepare(release), original, sql):
        if line["truth"] is not None and line["lower"] is not None:
            assert line["lower"] <= line["truth"] <= line["upper"]
            assert line["lower"] <= line["estimate"] <= line["upper"]


def test_a_threshold_makes_counts_exact(full):
    [line] = as_table(full[0], "SELECT COUNT(*) FROM release WHERE age >= 40")
    assert line["lower"] == line["upper"]
    assert line["basis"] == IMPLIED


def test_a_band_bounds_an_average(full):
    [line] = as_table(full[0], "SELECT AVG(age) FROM release")
    assert line["upper"] - line["lower"] <= 2.001


def test_without_disclosure_values_have_no_bounds():
    release, _ = made("none")
    [line] = as_table(release, "SELECT AVG(pay) FROM release")
    assert (line["lower"], line["upper"], line["basis"]) == (None, None, OPEN)


def test_every_disclosed_property_is_implied(full):
    release, original = full
    properties = release.patterned.properties
    some = np.random.default_rng(1).permutation(len(properties))[:25].tolist()
    for text in map(properties.text, some):
        if "terms" not in text:
            [line] = state(release, text, original)
            assert line["holds"] and line["truth"] and line["basis"].startswith("exact"), text


def test_an_opposite_is_implied_false_and_the_rest_is_open(full):
    release, original = full
    ages = release.patterned.records["age"]
    young = int(np.flatnonzero(ages.codes > 0)[0])
    assert next(iter(state(release, f"age[{young}] > 100")))["basis"].startswith("exact: its")
    both = state(release, "avg(pay[\"sex = 'f'\"]) >= avg(pay)", original)
    assert next(iter(both))["basis"].startswith("open")


@pytest.mark.parametrize("text", ["ill[0] <= 3", "age[1000] <= 3", 'avg(pay["age > 50"]) <= 3'])
def test_statements_that_make_no_sense_are_refused(text, full):
    with pytest.raises(Refused):
        state(full[0], text)
