"""Guessing original values: as often right as Bayes' rule says, and not where nothing is known."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
from tests.papers.known_answers import known

from sfumato.attacks.original_values import Known, OriginalValues, Rule, likelihood_of
from sfumato.cli.main import main
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import Column, Table, table_from_arrow
from sfumato.methods.tables.ra import RA
from sfumato.pipeline.redraw_risk import attack_people, risk_table
from sfumato.releases.redrawn_table import RedrawnTable


def linked(rows: int = 400) -> People:
    """People whose columns go together."""
    rng = np.random.default_rng(2)
    a = rng.integers(0, 20, rows)
    data = {"a": a, "b": (a + rng.integers(0, 2, rows)) % 20, "c": a // 4, "d": a % 3}
    return People(table_from_arrow(pa.table(data)), Schema.of(quasi=list("abcd")))


def test_success_is_what_bayes_says_and_the_control_claims_nothing():
    found = attack_people(linked(), RA(redraw=1), OriginalValues(targets=40), 6, Run.seeded(3))
    belief = np.mean([one.score.more["belief"] for one in found.main])
    assert found.success.low <= belief <= found.success.high
    assert found.concludes and found.false_claims.share == 0.0
    assert found.chance < 0.05
    assert {"as published", "1 / Pa"} <= set(found.main[0].score.more)


def test_everything_redrawn_leaves_chance():
    found = attack_people(linked(), RA(redraw=4), OriginalValues(targets=40), 3, Run.seeded(4))
    assert not found.concludes


def one_record(row: list[str], redraw: int = 1) -> tuple[RedrawnTable, People]:
    """The table of Figure 1, and a publication of one record."""
    case = known("RA-sec6-alpha")
    names = ("age", "job", "country")
    columns = zip(names, zip(*case.input["table"], strict=True), strict=True)
    table = table_from_arrow(pa.table({name: list(column) for name, column in columns}))
    people = People(table, Schema.of(quasi=list(names)))
    law = RA(redraw=redraw).law([table[name] for name in names], redraw)
    shown = {}
    for name, value in zip(names, row, strict=True):
        old = table[name]
        code = np.array([old.values.to_pylist().index(value)], np.uint8)
        shown[name] = Column(name, old.kind, code, old.values, False)
    return RedrawnTable(Table(shown, 1), law), people


def test_the_example_of_section_6():
    """Supports give one half, where the text says 17 %; the rule alone makes it likelier."""
    case = known("RA-sec6-alpha")
    seen, people = one_record(case.input["q_prime"])
    attack = OriginalValues()
    planted = attack.plant(people, np.random.default_rng(1))
    guess = attack.guess(seen, planted.knowledge[0], np.random.default_rng(1))
    assert guess.found[2] == pytest.approx(0.5)
    rule = Rule(given={"job": "Clerk", "country": "USA"}, then={"age": "[30-40]"}, share=0.5)
    told = OriginalValues(knows="rules", rules=[rule])
    empty = Known(np.empty((0, 3), np.int64), np.empty(0, np.int64))
    after = np.array([seen.records[n].codes[0] for n in seen.law.names], np.int64)
    young = seen.records["age"].values.to_pylist().index("[30-40]")
    shares = []
    for way in (OriginalValues(knows="rules"), told):
        candidates, weight = way._weighed(seen, empty, after)
        wanted = (candidates == [young, *after[1:]]).all(axis=1)
        shares.append(float(weight[wanted].sum() / weight.sum()))
    assert shares[1] > shares[0] > 0


def test_likelihoods_are_transitions():
    seen, people = one_record(["[30-40]", "Clerk", "USA"])
    codes = np.stack([people.table[n].codes.astype(np.int64) for n in people.schema.quasi], 1)
    after = np.array([seen.records[n].codes[0] for n in seen.law.names], np.int64)
    found = likelihood_of(seen.law, codes, after)
    assert found[2] == pytest.approx(7 / 15) and found[0] == 0.0


def test_risk_by_columns_redrawn():
    table = risk_table(linked(), RA(), Run.seeded(1), 0.2)
    assert table.column("redrawn") == [1, 2, 3, 4]
    right = table.column("person guessed right, %")
    assert right == sorted(right, reverse=True)
    assert "from 4 columns on" in table.notes[0]
    only = risk_table(linked(), RA(choose="optimal"), Run.seeded(1), 0.2)
    assert len(only) == 1 and "by no number" in only.notes[0]


def test_the_verb_shows_risk_and_attack(tmp_path, capsys):
    table = linked()
    columns = {name: column.to_arrow() for name, column in table.table.columns.items()}
    pacsv.write_csv(
        pa.table({n: c.cast(c.type.value_type) for n, c in columns.items()}), tmp_path / "p.csv"
    )
    job = (
        '[source]\nkind = "table"\npath = "p.csv"\n'
        '[schema]\nquasi = ["a", "b", "c", "d"]\n[method]\nname = "{}"\n{}'
    )
    (tmp_path / "job.toml").write_text(job.format("ra", "redraw = 2\n"))
    words = ["risk", str(tmp_path / "job.toml"), "--most", "0.2", "--attack", "1", "--seed", "1"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "what can be inferred, by columns redrawn" in shown and "original-values" in shown
    assert main([*words[:2], "--most", "2"]) == 2
    (tmp_path / "job.toml").write_text(job.format("regroup", "k = 3\n"))
    assert main(words[:2]) == 2
    assert "risk is told of ra" in capsys.readouterr().err
