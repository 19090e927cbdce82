"""What every method of the catalogue must do, whatever it is."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.contracts.variants import PROMISES, REQUIRE, Variant, data_of

from sfumato.audit.audit import audit, failed
from sfumato.core import catalogue
from sfumato.core.errors import BadJob, CannotBeMet, SfumatoError
from sfumato.core.parameters import build
from sfumato.core.run import Run
from sfumato.data.graph import Network
from sfumato.data.people import People
from sfumato.data.sets import Holders
from sfumato.io.opening import open_ledger, open_release
from sfumato.io.store import write_release
from sfumato.methods.base import Method, Shape
from sfumato.models.base import Model, parse_model
from sfumato.pipeline.ask import query_release
from sfumato.pipeline.judge import audit_release
from sfumato.pipeline.measure import measure_release
from sfumato.pipeline.publish import save
from sfumato.pipeline.report import report_release
from sfumato.releases.release import Publication

CASES = [
    pytest.param(kind, name, variant, id=f"{kind}-{name}-{place}")
    for kind, name in catalogue.METHODS
    for place, variant in enumerate(
        PROMISES[kind, name].variants if (kind, name) in PROMISES else ()
    )
]
EVERY = pytest.mark.parametrize(("kind", "name", "variant"), CASES)
METHODS = pytest.mark.parametrize(("kind", "name"), catalogue.METHODS)
Data = People | Holders | Network
ROOT = Path(__file__).parents[2]


def make(kind: str, name: str, parameters: dict[str, Any]) -> Method:
    """A method with some parameters."""
    made: Method = build(catalogue.method(kind, name), parameters, "method")
    return made


def first(kind: str, name: str) -> Variant:
    """The plainest variant of a method."""
    return PROMISES[kind, name].variants[0]


def models(which: str) -> list[Model]:
    """A conjunction of models."""
    return [parse_model(name, values, "require") for name, values in REQUIRE[which]]


def publish(
    method: Method, data: Data, require: Sequence[Model] = (), workers: int = 1
) -> Publication:
    """A sealed publication from a fixed seed."""
    return method.publish(data, require, Run.seeded(3, workers)).sealed()


def published(kind: str, name: str, variant: Variant, which: str = "none") -> Publication:
    """What a variant makes of the table of all tests."""
    data = data_of(kind, variant)
    return publish(make(kind, name, variant.parameters), data, models(which))


def owned(data: Data) -> Any:
    """The data as an audit compares with it."""
    return data.table if isinstance(data, People) else data


def inner(data: Data) -> Any:
    """The array that holds most of the data, the columns aside."""
    if isinstance(data, Holders):
        return data.sets.items
    return data.graph.targets if isinstance(data, Network) else np.zeros(0)


def files(publication: Publication, folder: Path) -> dict[str, bytes]:
    """Every public file, byte by byte."""
    write_release(publication.release, folder)
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.*")}


def test_every_method_has_variants():
    assert set(PROMISES) == set(catalogue.METHODS)
    assert all(promise.variants for promise in PROMISES.values())


@pytest.mark.parametrize("which", REQUIRE)
@EVERY
def test_claims_hold_under_audit(kind, name, variant, which, tmp_path):
    """Without the original and with it; what a variant can't keep it says instead of publishing."""
    method, data = make(kind, name, variant.parameters), data_of(kind, variant)
    try:
        publication = publish(method, data, models(which))
    except (BadJob, CannotBeMet):
        assert which not in variant.keeps
        return
    verdicts = save(publication, tmp_path / "release", tmp_path / "ledger")
    assert not failed(verdicts)
    claimed = {claim.model for claim in publication.release.claims}
    assert claimed >= {*PROMISES[kind, name].claims, *(model for model, _ in REQUIRE[which])}
    assert not failed(audit(tmp_path / "release", open_ledger(tmp_path / "ledger"), owned(data)))


@EVERY
def test_a_seed_repeats_for_any_number_of_workers(kind, name, variant, tmp_path):
    method, data = make(kind, name, variant.parameters), data_of(kind, variant)
    one = files(publish(method, data, workers=1), tmp_path / "one")
    two = files(publish(method, data, workers=2), tmp_path / "two")
    assert one == two


@EVERY
def test_the_input_is_untouched(kind, name, variant):
    data = data_of(kind, variant)
    before = {n: c.codes.copy() for n, c in data.table.columns.items()}
    held = inner(data)
    kept = held.copy()
    publish(make(kind, name, variant.parameters), data, models(variant.keeps[-1]))
    assert np.array_equal(kept, held)
    for column, codes in before.items():
        assert np.array_equal(codes, data.table[column].codes)


@EVERY
def test_a_release_survives_save_and_load(kind, name, variant, tmp_path):
    publication = published(kind, name, variant)
    once = files(publication, tmp_path / "first")
    again = Publication(open_release(tmp_path / "first"), publication.ledger)
    assert files(again, tmp_path / "again") == once


@pytest.mark.parametrize("rows", [1, 4, 5, 8])
@EVERY
def test_tiny_and_uniform_tables(kind, name, variant, rows, tmp_path):
    if rows < PROMISES[kind, name].smallest:
        return
    for place, equal in enumerate((False, True)):
        data = data_of(kind, variant, rows, equal=equal)
        method = make(kind, name, variant.parameters)
        folders = tmp_path / f"release-{place}", tmp_path / f"ledger-{place}"
        try:
            publication = publish(method, data)
        except (BadJob, CannotBeMet):
            assert variant.may_refuse
            continue
        assert not failed(save(publication, *folders))
        assert publication.release.content.sizes.min() >= PROMISES[kind, name].smallest
        assert not failed(audit(folders[0], open_ledger(folders[1]), owned(data)))


@METHODS
def test_one_row_is_a_group_of_one_or_refused(kind, name):
    variant, refused = first(kind, name), PROMISES[kind, name].refuses_one_row
    lone = data_of(kind, variant, 1)
    alone = dict.fromkeys(refused, 1)
    made = publish(make(kind, name, variant.parameters | alone), lone)
    assert made.release.content.groups == 1
    if refused:
        with pytest.raises(SfumatoError, match="cannot be met, because the data has 1 record"):
            publish(make(kind, name, variant.parameters | refused), lone)


@METHODS
def test_what_cannot_be_met_says_why(kind, name):
    variant = first(kind, name)
    beyond = [parse_model("entropy-l-diversity", {"column": "illness", "l": 4.5}, "require")]
    with pytest.raises(SfumatoError, match=PROMISES[kind, name].cannot_be_met):
        publish(make(kind, name, variant.parameters), data_of(kind, variant), beyond)


@pytest.mark.parametrize(
    ("kind", "name", "wrong"),
    [(*of, one) for of, promise in PROMISES.items() for one in promise.wrong],
)
def test_bad_parameters_give_the_standard_message(kind, name, wrong):
    with pytest.raises(SfumatoError, match=r"^method\.\w+"):
        build(catalogue.method(kind, name), wrong, "method")


@METHODS
def test_an_unknown_column_is_an_error(kind, name):
    variant = first(kind, name)
    for parameters in PROMISES[kind, name].unknown:
        with pytest.raises(BadJob, match="nothing"):
            publish(make(kind, name, variant.parameters | parameters), data_of(kind, variant))


@METHODS
def test_more_rows_cost_more(kind, name):
    method = make(kind, name, first(kind, name).parameters)
    small, large = (method.cost(Shape(rows, 8, 9, 20 * rows, 1_000)) for rows in (10**4, 10**7))
    assert small.seconds < large.seconds
    assert small.megabytes < large.megabytes


@EVERY
def test_no_file_names_the_method_the_key_or_the_job(kind, name, variant, tmp_path):
    publication = published(kind, name, variant)
    for place, content in files(publication, tmp_path / "release").items():
        if len(name) > 3:
            assert name.encode() not in content
        elif not place.endswith(".parquet"):  # by chance two letters stand in any packed file
            assert not re.search(rf"\b{name}\b".encode(), content)
        assert publication.ledger.key.encode() not in content


ASKED = {
    "table": "SELECT COUNT(*), AVG(hours) FROM release WHERE age > 40 AND illness <> 'flu'",
    "sets": "SELECT COUNT(*) FROM release WHERE has('item 01') AND NOT has('item 02') "
    "AND hours > 9",
    "graph": "edges",
}
GROUPED = {
    "table": "SELECT COUNT(*) FROM release GROUP BY sex",
    "sets": "SELECT COUNT(*) FROM release GROUP BY hours",
    "graph": "modularity(hours)",
}


def consumed(folder: Path, kind: str) -> list[Any]:
    """What everything that reads a release says of it, but for the place."""
    report_release(folder, output=folder.parent / "report.html")
    return [
        audit_release(folder),
        query_release(folder, ASKED[kind], GROUPED[kind]),
        measure_release(folder),
        (folder.parent / "report.html").read_text(encoding="utf-8"),
    ]


@METHODS
def test_consumers_do_not_know_the_method(kind, name, tmp_path, monkeypatch):
    """Everything is the same where no method is known, and nothing but the form says what it is."""
    write_release(published(kind, name, first(kind, name)).release, tmp_path / "release")
    known = consumed(tmp_path / "release", kind)
    monkeypatch.setattr(catalogue, "METHODS", {})
    assert consumed(tmp_path / "release", kind) == known


@METHODS
def test_docs_and_schema_name_the_method(kind, name):
    file = f"{name}.md" if kind == "table" else f"{kind}-{name}.md"
    page = (ROOT / "docs" / "methods" / file).read_text(encoding="utf-8")
    for part in ("## Claim", "## When it fails", "## Source", "## How it works", "## Cost"):
        assert part in page
    schema = json.loads((ROOT / "docs" / "job.schema.json").read_text(encoding="utf-8"))
    [of_kind] = [
        one["then"]["properties"]["method"]["oneOf"]
        for one in schema["allOf"]
        if one["if"]["properties"]["source"]["properties"]["kind"]["const"] == kind
    ]
    assert name in [method["properties"]["name"]["const"] for method in of_kind]


def test_audit_agrees_with_save(tmp_path):
    publication = published("table", "mondrian", first("table", "mondrian"), "all")
    told = save(publication, tmp_path / "release", tmp_path / "ledger")
    assert audit_release(tmp_path / "release") == told
