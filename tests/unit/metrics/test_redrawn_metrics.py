"""Metrics of redrawn tables: what is left of links, what is inferred, which associations stay."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from sfumato.core import catalogue
from sfumato.core.answers import Answer, ResultTable
from sfumato.core.errors import Refused
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.methods.tables.mondrian import Mondrian
from sfumato.methods.tables.ra import RA
from sfumato.metrics import associations as found_by
from sfumato.metrics.redrawn import adversary_of, inference, kept_links, perplexity
from sfumato.releases.release import Evidence

ROWS = 3_000


@pytest.fixture(scope="module")
def people() -> People:
    """Job, sport and illness go together; town is by itself."""
    rng = np.random.default_rng(7)
    job = rng.integers(0, 4, ROWS)
    other = rng.random(ROWS) < 0.25
    data = {
        "job": np.array(list("abcd"))[job],
        "sport": np.where(other, rng.integers(0, 4, ROWS), job),
        "town": rng.integers(0, 3, ROWS),
        "age": rng.integers(20, 60, ROWS),
        "illness": np.array(["w", "x", "y", "z"])[np.where(rng.random(ROWS) < 0.3, 0, job)],
    }
    quasi = ["job", "sport", "town", "age"]
    return People(table_from_arrow(pa.table(data)), Schema.of(quasi=quasi, sensitive=["illness"]))


def evidence(people: People, **parameters) -> Evidence:
    """A release with all that its owner has."""
    made = RA(**parameters).publish(people, [], Run.seeded(5)).sealed()
    return Evidence(made.release, people.table, made.ledger)


def test_what_is_kept_of_links(people):
    table = kept_links.compute(evidence(people, redraw=2))
    assert table.column("kept") == pytest.approx([1 / 2, 1 / 6, 0, 0])
    assert table.column("an answer's error grows by")[:2] == pytest.approx([2, 6])
    assert table.column("an answer's error grows by")[2:] == [None, None]
    uneven = {"job": 0.1, "sport": 0.2, "town": 0.3, "age": 0.4}
    table = kept_links.compute(evidence(people, choose=uneven))
    assert table.column("kept") == pytest.approx([0.6, 0.3, 0.1, 0.0])
    assert table.column("kept at best") == pytest.approx([0.9, 0.7, 0.4, 0.0])


def test_inference_has_its_control(people):
    table = inference.compute(evidence(people))
    assert isinstance(table, ResultTable)
    rows = {row["belief in"]: row for row in table}
    own = rows["the true illness of a person"]
    without = rows["the true illness of a person, without the own record"]
    assert own["mean"] > without["mean"] and own["guessed right"] > without["guessed right"]
    assert rows["the likeliest person"]["mean"] == pytest.approx(
        float(adversary_of(evidence(people)).inference.person.mean())
    )
    bound = rows["a limit on the first, from supports"]
    assert bound["mean"] >= rows["a combination of original values"]["mean"]


def test_the_owner_before_anything_is_known_to_be_whose(people):
    """The belief in the owner is on average the belief in the likeliest person, or less."""
    adversary = adversary_of(evidence(people, redraw=3))
    assert adversary.own.mean() <= adversary.inference.person.mean() + 0.02


def test_associations_are_found_again(people):
    stand, undone = found_by.kept_associations.compute(evidence(people, redraw=2))
    assert stand["in the original"] == undone["in the original"] > 3
    assert undone["recovered, %"] > stand["recovered, %"]
    assert undone["right, %"] > 60


def test_without_redraw_of_links_they_are_those_of_the_library(people):
    """With one of four redrawn and all undone, hardly anything is missed."""
    [_, undone] = found_by.kept_associations.compute(evidence(people))
    assert undone["recovered, %"] >= 90 and undone["right, %"] >= 85


def test_binned_numbers_and_other_forms_have_none(people):
    answer = found_by.kept_associations.compute(evidence(people, bins={"age": 10.0}))
    assert isinstance(answer, Answer) and "put into bins" in answer.basis
    made = Mondrian(k=5).publish(people, [], Run.seeded(1)).sealed()
    for metric in (perplexity, kept_links, inference, found_by.kept_associations):
        answer = metric.compute(Evidence(made.release, people.table, made.ledger))
        assert isinstance(answer, Answer) and answer.refused


def test_without_the_library_it_says_what_to_install(people, monkeypatch):
    monkeypatch.setitem(sys.modules, "efficient_apriori", None)
    with pytest.raises(Refused, match="efficient-apriori"):
        found_by.mined(people.table, 0.1)


def test_an_original_of_other_values_is_refused(people):
    given = evidence(people)
    other = people.table.take(np.arange(ROWS))
    columns = dict(other.columns)
    columns["town"] = columns["age"]
    changed = replace(given, original=replace(other, columns=columns))
    assert "values in the original that the law" in inference.compute(changed).basis


def test_metrics_of_groups_are_refused(people):
    given = evidence(people)
    for metric in catalogue.metrics("table"):
        result = metric.compute(given)
        if metric.name in ("groups", "smallest-group", "class-size", "discernibility"):
            assert isinstance(result, Answer) and "stands for itself" in result.basis
