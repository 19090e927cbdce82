"""The study of random anonymization: its questions, its baselines, and that it runs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.table import table_from_arrow
from sfumato.query import exact
from sfumato.query.redrawn_scope import RedrawnView
from sfumato.study.findings import Setting, conduct
from sfumato.study.papers import ra_baselines as baselines
from sfumato.study.papers import ra_data as data
from sfumato.study.papers import ra_queries as queries
from sfumato.study.papers import ra_risk as risk
from sfumato.study.papers.ra import STUDY

RUN = Run.seeded(1)


@pytest.fixture(scope="module")
def people() -> People:
    """A made-up table with Adult's columns."""
    rng = np.random.default_rng(1)
    rows = 600
    base = rng.integers(0, 6, rows)
    columns = {name: (base + rng.integers(0, 2, rows)) % 6 for name in data.QUASI}
    columns |= {"age": base * 5 + rng.integers(20, 30, rows)}
    columns |= {data.SENSITIVE: np.array(list("uvwxyz"))[(base + rng.integers(0, 3, rows)) % 6]}
    return People(table_from_arrow(pa.table(columns)), data.SCHEMA)


def test_questions_are_of_the_length_asked_for(people):
    asked = data.questions(people.table, (1, 4), 5, RUN)
    assert [one.length for one in asked] == [1] * 5 + [4] * 5
    assert all(flags.any() for one in asked for flags in one.quasi.values())


def test_a_question_is_the_same_by_codes_and_by_condition(people):
    made = data.redrawn(people, 2, RUN).release
    view = RedrawnView(made)
    direct = baselines.direct(made.redrawn.records)
    for one in data.questions(people.table, (1, 3), 4, RUN):
        scope = queries.Scope(view, queries.tree_of(view, one))
        assert queries.direct_count(scope) == direct(one)
        assert baselines.direct(people.table)(one) == data.truth(people.table, one)


def test_everything_asked_for_gives_everybody(people):
    everything = data.Question(
        {name: np.ones(people.table[name].size, np.bool_) for name in data.QUASI[:3]},
        np.ones(people.table[data.SENSITIVE].size, np.bool_),
    )
    estimates = (
        baselines.diverse_groups(people, 3.0, RUN),
        baselines.permuted(people, 3.0, RUN)[0],
    )
    for estimate in estimates:
        assert estimate(everything) == pytest.approx(people.table.rows)


def test_permuted_values_stay_in_their_buckets(people):
    _, table = baselines.permuted(people, 3.0, RUN)
    before, after = (one[data.SENSITIVE] for one in (people.table, table))
    assert np.array_equal(before.counts(), after.counts())
    assert not np.array_equal(before.codes, after.codes)


def test_combinations_by_hand(people):
    law = risk.law_of(people, 1)
    columns = [people.table[name].codes for name in data.QUASI]
    held = {0: int(columns[0][0]), 5: int(columns[5][0])}
    first, second = (
        people.table[name].values[code] for name, code in (("education", held[0]), ("age", held[5]))
    )
    sql = f"SELECT COUNT(*) FROM release WHERE education = {first} AND age = {second}"
    assert risk._support(columns, held) == exact(people.table, sql)[0][1][0].value
    assert risk._printed(law, columns, held) > 0


def test_without_data_every_part_is_left_out():
    outcomes = list(conduct(STUDY, Setting(RUN, None, True)))
    assert all("adult.parquet" in one.left_out for one in outcomes)


@pytest.mark.slow
def test_the_whole_study_runs_on_few_records(real_data):
    for outcome in conduct(STUDY, Setting(RUN, real_data, True)):
        assert outcome.findings and not outcome.left_out
        for finding in outcome.findings:
            assert len(finding.table)


def test_a_part_of_the_study_runs_on_few_records(real_data):
    parts = {part.title: part for part in STUDY.parts}
    for title in ("Figure 8b: combinations by length", "Bias and variance of supports"):
        for finding in parts[title].make(Setting(RUN, real_data, True)):
            assert len(finding.table) and finding.statements
