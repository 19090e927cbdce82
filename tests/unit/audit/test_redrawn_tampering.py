"""A redrawn table that was altered does not pass its audit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.contracts.variants import people

from sfumato.audit.audit import audit, failed
from sfumato.core.run import Run
from sfumato.data.schema import Schema
from sfumato.io.folder import checksum
from sfumato.io.opening import open_ledger
from sfumato.io.store import write_ledger, write_release
from sfumato.methods.tables.ra import RA
from sfumato.pipeline.publish import save
from sfumato.releases.claims import Claim

DATA = people(Schema.of(quasi=["age", "town", "sex"], sensitive=["illness"], keep=["hours"]))


@pytest.fixture
def release(tmp_path) -> Path:
    """A release of one redraw, its ledger beside it."""
    made = RA(redraw=3, most=0.99).publish(DATA, [], Run.seeded(4)).sealed()
    save(made, tmp_path / "release", tmp_path / "ledger")
    return tmp_path / "release"


def sign(folder: Path, name: str, rows: int | None = None) -> None:
    """Give an altered file its checksum, as somebody would who alters a release."""
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"][name]["sha256"] = checksum(folder / name)
    if rows is not None:
        manifest["files"][name]["rows"] = rows
    (folder / "manifest.json").write_text(json.dumps(manifest))


def altered_json(folder: Path, name: str, change) -> None:
    """Change a JSON file of a release."""
    told = json.loads((folder / name).read_text())
    change(told)
    (folder / name).write_text(json.dumps(told))
    sign(folder, name)


def altered_table(folder: Path, part: str, change) -> None:
    """Change a data file of a release."""
    path = folder / "data" / f"{part}.parquet"
    table = change(pq.read_table(path))
    pq.write_table(table.replace_schema_metadata(None), path, compression="zstd")
    sign(folder, f"data/{part}.parquet", table.num_rows)


def violated(folder: Path, owner: bool = False) -> str:
    """The claims that an audit finds violated."""
    book = open_ledger(folder.parent / "ledger") if owner else None
    verdicts = audit(folder, book, DATA.table if owner else None)
    assert failed(verdicts)
    return "; ".join(v.claim + ": " + v.found for v in verdicts if v.status == "violated")


def test_untouched_it_passes(release):
    assert not failed(audit(release))
    assert not failed(audit(release, open_ledger(release.parent / "ledger"), DATA.table))


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda law: law.update(redraw=1), "random-replacement"),
        (lambda law: law.update(redraw=4), "more columns than there are"),
        (lambda law: law["weights"].update(age=0.9), "add up to 1"),
        (lambda law: law["weights"].pop("age"), "not those of the redrawn columns"),
        (lambda law: law.update(seed=7), "law.json"),
    ],
)
def test_another_law(release, change, found):
    altered_json(release, "law.json", change)
    assert found in violated(release)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda c: c["claims"].clear(), "no claims"),
        (lambda c: c["claims"][0]["parameters"].update(perplexity="5"), "random-replacement"),
        (lambda c: c["claims"][0]["parameters"].update(perplexity=5.0), "as this version"),
        (lambda c: c["claims"][1]["parameters"].update(most="2"), "inference"),
        (lambda c: c["claims"][1].update(model="k-anonymity"), "k-anonymity"),
    ],
)
def test_other_claims(tmp_path, change, found):
    folder = with_claims(tmp_path, change)
    assert found in violated(folder)


def with_claims(place: Path, change, **parameters) -> Path:
    """A release that makes other claims; its ledger beside it."""
    method = RA(**{"redraw": 3, "most": 0.99} | parameters)
    made = method.publish(DATA, [], Run.seeded(4)).sealed()
    told = {"claims": [claim.as_json() for claim in made.release.claims]}
    change(told)
    claims = tuple(Claim.from_json(claim) for claim in told["claims"])
    write_release(replace(made.release, claims=claims), place / "release")
    write_ledger(made.ledger, place / "ledger")
    return place / "release"


def more(table: pa.Table, name: str) -> pa.Table:
    """One more record of the first value."""
    counts = table.column(name).to_pylist()
    counts[0] += 1
    return table.set_column(table.column_names.index(name), name, pa.array(counts, pa.int64()))


def test_other_marginals(release):
    altered_table(release, "marginals", lambda table: more(table, "age_records"))
    assert "different numbers of records" in violated(release)


def test_marginals_of_other_people(release):
    def change(table: pa.Table) -> pa.Table:
        for name in ("age_records", "town_records", "sex_records"):
            table = more(table, name)
        return table

    altered_table(release, "marginals", change)
    assert "other records than were published" in violated(release)


def test_records_in_another_order(release):
    altered_table(release, "records", lambda table: table.take(np.arange(len(table))[::-1]))
    assert "order of their published values" in violated(release)


def test_a_value_that_the_law_does_not_know(release):
    def change(table: pa.Table) -> pa.Table:
        ages = table.column("age").cast(pa.int64()).to_pylist()
        return table.set_column(0, "age", pa.array([999, *ages[1:]]))

    altered_table(release, "records", change)
    assert "values that the law does not know" in violated(release)


def test_values_that_are_too_frequent(tmp_path):
    made = RA(redraw=3).publish(DATA, [], Run.seeded(4))
    kept = made.release.redrawn
    columns = dict(kept.records.columns)
    old = columns["sex"]
    columns["sex"] = replace(old, codes=np.zeros_like(old.codes))
    content = replace(kept, records=replace(kept.records, columns=columns))
    fake = replace(made, release=replace(made.release, content=content)).sealed()
    write_release(fake.release, tmp_path / "release")
    assert "another distribution than the law" in violated(tmp_path / "release")


def test_the_owner_sees_an_altered_exact_column(release):
    def change(table: pa.Table) -> pa.Table:
        hours = table.column("hours").cast(pa.int64()).to_pylist()
        last = next(i for i in range(len(hours) - 1, 0, -1) if hours[i] < 40)
        hours[last] = 40 if last == len(hours) - 1 else hours[last]
        hours[-1] = 40
        return table.set_column(table.column_names.index("hours"), "hours", pa.array(hours))

    altered_table(release, "records", change)
    assert "exact columns equal" in violated(release, owner=True)


def test_the_owner_sees_a_broken_limit(tmp_path):
    folder = with_claims(tmp_path, lambda c: c["claims"][1]["parameters"].update(most="0.0001"))
    assert "inference at most 0.0001" in violated(folder, owner=True)


def test_the_owner_sees_records_that_were_hardly_redrawn(tmp_path):
    made = RA(redraw=1).publish(DATA, [], Run.seeded(4)).sealed()
    kept = made.release.redrawn
    rows = made.ledger.rows
    columns = dict(kept.records.columns)
    for name in ("age", "town", "sex"):
        columns[name] = DATA.table[name].take(rows)
    records = replace(kept.records, columns=columns)
    fake = replace(made, release=replace(made.release, content=replace(kept, records=records)))
    save(fake.sealed(), tmp_path / "release", tmp_path / "ledger")
    book = open_ledger(tmp_path / "ledger")
    found = [v for v in audit(tmp_path / "release", book, DATA.table) if v.status == "violated"]
    assert [v.claim for v in found] == ["records were redrawn by the law"]


def test_the_owner_sees_records_that_were_redrawn_too_much(tmp_path):
    made = RA(redraw=3).publish(DATA, [], Run.seeded(4)).sealed()
    law = replace(made.release.redrawn.law, redraw=1)
    content = replace(made.release.redrawn, law=law)
    once = RA(redraw=1).publish(DATA, [], Run.seeded(4)).release
    fake = replace(made, release=replace(once, content=content))
    save(fake, tmp_path / "release", tmp_path / "ledger")
    verdicts = audit(tmp_path / "release", open_ledger(tmp_path / "ledger"), DATA.table)
    assert any("differ in more columns" in v.found for v in verdicts)
