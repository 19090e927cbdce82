"""Random anonymization: what it refuses, what it tells the owner, how it puts numbers into bins."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import sfumato
from sfumato.core.errors import BadJob, CannotBeMet, SfumatoError
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.methods.tables.ra import RA
from sfumato.models.k_anonymity import KAnonymity

QUASI = ["age", "job", "town"]


def people(rows: int = 200, **replaced) -> People:
    """Three quasi-identifiers and a sensitive column."""
    rng = np.random.default_rng(1)
    data = {
        "age": rng.integers(20, 60, rows),
        "job": np.array(["a", "b", "c"])[rng.integers(0, 3, rows)],
        "town": pa.array(rng.integers(0, 5, rows), mask=rng.random(rows) < 0.1),
        "pay": rng.integers(0, 9, rows),
    } | replaced
    return People(table_from_arrow(pa.table(data)), Schema.of(quasi=QUASI, sensitive=["pay"]))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"redraw": 4}, "method.redraw is 4, but there are 3 quasi-identifiers"),
        ({"redraw": "fewest"}, 'method.redraw is "fewest" of what keeps to method.most'),
        ({"redraw": 2, "choose": "optimal"}, "method.choose is for redraw = 1, and redraw is 2"),
        ({"choose": {"age": 1.0}}, "method.choose lacks 'job'"),
        ({"choose": {"age": 0.5, "jobs": 0.5}}, "method.choose names 'jobs'"),
        ({"bins": {"job": 5.0}}, "method.bins.job is for numbers"),
        ({"bins": {"pay": 5.0}}, "method.bins names 'pay', no quasi-identifier"),
    ],
)
def test_what_does_not_fit_the_data_is_refused(parameters, message):
    with pytest.raises(BadJob, match=message):
        RA(**parameters).publish(people(), [], Run.seeded(1))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"choose": {"age": 0.5, "job": 0.4}}, "probabilities add up to 1, not to 0.9"),
        ({"choose": {"age": 1.5, "job": -0.5}}, "probabilities are not negative"),
        ({"redraw": 0}, "at least 1 column is redrawn"),
        ({"bins": {"age": -1.0}}, "the width of a bin is above 0"),
    ],
)
def test_bad_parameters_say_what_is_allowed(parameters, message):
    with pytest.raises(SfumatoError, match=message):
        sfumato.method("ra", **parameters)


def test_models_of_groups_are_refused():
    with pytest.raises(BadJob, match="ra makes no groups"):
        RA().publish(people(), [KAnonymity(k=2)], Run.seeded(1))


def test_a_limit_that_can_not_be_kept_says_what_was_reached():
    with pytest.raises(CannotBeMet, match=r"method.most = 0.001 cannot be met, .* redraw = 3"):
        RA(redraw="fewest", most=0.001).publish(people(), [], Run.seeded(1))
    made = RA(redraw="fewest", most=0.3).publish(people(), [], Run.seeded(1))
    assert made.ledger.notes["risk"]["largest_belief"] <= 0.3
    assert [claim.model for claim in made.release.claims] == ["random-replacement", "inference"]


def test_a_constant_column_and_a_lone_record_are_told():
    made = RA().publish(people(job=["a"] * 200), [], Run.seeded(1))
    assert "job: one value only" in made.ledger.notes["advice"]
    alone = RA().publish(people(1), [], Run.seeded(1))
    assert "age, job, town: one value only" in alone.ledger.notes["advice"]
    assert alone.release.redrawn.records["age"].codes.tolist() == [0]


def test_a_risky_redraw_is_told_with_numbers():
    made = RA().publish(people(), [], Run.seeded(1))
    assert "guesses the person behind" in made.ledger.notes["advice"]
    assert 0 < made.ledger.notes["risk"]["best_guess_right"] <= 1


def test_missing_values_are_redrawn_like_any():
    data = people(20_000)
    before = int((data.table["town"].codes == 0).sum())
    after = RA(redraw=3).publish(data, [], Run.seeded(2)).release.redrawn.records["town"]
    spread = np.sqrt(20_000 * 0.1 * 0.9)
    assert abs(int((after.codes == 0).sum()) - before) < 4 * spread
    assert int(((after.codes == 0) & (data.table["town"].codes != 0)).sum()) > 1_000


def test_bins_stand_as_their_middles():
    data = people()
    made = RA(bins={"age": 10.0}).publish(data, [], Run.seeded(1)).release
    column = made.redrawn.records["age"]
    assert column.values.to_pylist() == [25.0, 35.0, 45.0, 55.0]
    counts = np.bincount(data.table["age"].numbers[data.table["age"].codes].astype(int) // 10)
    assert made.redrawn.law.counts[0].tolist() == counts[2:6].tolist()


def test_sensitive_and_kept_columns_stay():
    data = people()
    made = RA(redraw=3).publish(data, [], Run.seeded(1)).sealed()
    before = data.table["pay"].codes[made.ledger.rows]
    assert np.array_equal(made.release.redrawn.records["pay"].codes, before)


def test_costs_grow_with_columns_redrawn():
    from sfumato.methods.base import Shape

    shape = Shape(1_000_000, 9, 10)
    assert RA(redraw=5).cost(shape).seconds > RA().cost(shape).seconds
    assert RA(redraw="fewest", most=0.5).cost(shape).seconds > RA(redraw=5).cost(shape).seconds
