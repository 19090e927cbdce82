"""What every method of the catalogue must do, whatever it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sfumato.audit.audit import failed
from sfumato.core import catalogue
from sfumato.core.errors import SfumatoError
from sfumato.core.parameters import build
from sfumato.core.run import Run
from sfumato.data.hierarchy import from_levels
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.io.opening import open_release
from sfumato.io.store import write_release
from sfumato.methods.base import Method, Shape
from sfumato.models.base import Model, parse_model
from sfumato.pipeline.judge import audit_release
from sfumato.pipeline.publish import save
from sfumato.releases.release import Publication

VARIANTS: dict[str, list[dict[str, Any]]] = {
    "mondrian": [
        {},
        {"cut": "median"},
        {"cut": "median", "strict": False},
        {"cut": "median", "dimension": "gain", "target": "illness"},
        {"cut": "median", "dimension": "weights", "weights": {"age": 3.0}},
    ],
    "regroup": [{}, {"effort": 0}, {"effort": 3, "weights": {"age": 3.0}}],
}
CASES = [
    pytest.param(kind, name, extra, id=f"{name}-{place}")
    for kind, name in catalogue.METHODS
    for place, extra in enumerate(VARIANTS[name])
]
REQUIRE = {
    "none": [],
    "entropy": [("entropy-l-diversity", {"column": "illness", "l": 2.5})],
    "two columns": [
        ("t-closeness", {"column": "illness", "t": 0.4}),
        ("distinct-l-diversity", {"column": "cost", "l": 3}),
    ],
    "all": [
        ("recursive-cl-diversity", {"column": "illness", "c": 3.0, "l": 2}),
        ("t-closeness", {"column": "cost", "t": 0.5, "distance": "ordered"}),
        ("p-sensitive-k-anonymity", {"column": "illness", "p": 2, "k": 4}),
        ("alpha-k-anonymity", {"column": "illness", "alpha": 0.8, "k": 3}),
        ("belief-change", {"column": "illness", "most": 0.6}),
    ],
}
SCHEMA = Schema.of(
    quasi=["age", "town", "sex", "day"], sensitive=["illness", "cost"], keep=["hours"]
)
TOWNS = [(f"{a}{b}", f"{a}*", "*") for a in "123" for b in "1234"]


def people(rows: int = 400, seed: int = 5, *, equal: bool = False) -> People:
    """A table with numbers, dates, categories, a hierarchy and missing values everywhere."""
    rng = np.random.default_rng(seed)
    pick = np.zeros(rows, int) if equal else rng.integers(0, 1 << 30, rows)
    holes = np.zeros((4, rows), bool) if equal else rng.random((4, rows)) < 0.05
    data = pa.table(
        {
            "age": pa.array(pick % 71 + 18, mask=holes[0]),
            "town": pa.array([TOWNS[i][0] for i in pick % len(TOWNS)], mask=holes[1]),
            "sex": pa.array(np.array(["f", "m", "x"])[pick % 7 % 3]),
            "day": pa.array((pick % 900).astype("datetime64[D]"), mask=holes[2]),
            "illness": pa.array(np.array(["none", "flu", "asthma", "rare"])[pick % 11 % 4]),
            "cost": pa.array(np.round(pick % 50 * 1.5, 1), mask=holes[3]),
            "hours": pa.array(pick % 5 * 10),
        }
    )
    return People(table_from_arrow(data), SCHEMA, {"town": from_levels("town", TOWNS)})


def make(kind: str, name: str, extra: dict[str, Any], k: int = 4) -> Method:
    """A method with some parameters."""
    made: Method = build(catalogue.method(kind, name), {"k": k, **extra}, "method")
    return made


def models(which: str) -> list[Model]:
    """A conjunction of models."""
    return [parse_model(name, values, "require") for name, values in REQUIRE[which]]


def publish(method: Method, data: People, require: list[Model], workers: int = 1) -> Publication:
    """A sealed publication from a fixed seed."""
    return method.publish(data, require, Run.seeded(3, workers)).sealed()


def files(publication: Publication, folder: Path) -> dict[str, bytes]:
    """Every public file, byte by byte."""
    write_release(publication.release, folder)
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.*")}


@pytest.mark.parametrize("which", REQUIRE)
@pytest.mark.parametrize(("kind", "name", "extra"), CASES)
def test_claims_hold_under_audit(kind, name, extra, which, tmp_path):
    publication = publish(make(kind, name, extra), people(), models(which))
    verdicts = save(publication, tmp_path / "release", tmp_path / "ledger")
    assert not failed(verdicts)
    claimed = {claim.model for claim in publication.release.claims}
    assert claimed >= {"k-anonymity", *(model for model, _ in REQUIRE[which])}


@pytest.mark.parametrize(("kind", "name", "extra"), CASES)
def test_a_seed_repeats_for_any_number_of_workers(kind, name, extra, tmp_path):
    method, require = make(kind, name, extra), models("entropy")
    one = files(publish(method, people(), require, 1), tmp_path / "one")
    two = files(publish(method, people(), require, 2), tmp_path / "two")
    assert one == two


@pytest.mark.parametrize(("kind", "name", "extra"), CASES)
def test_the_input_is_untouched(kind, name, extra):
    data = people()
    before = {n: c.codes.copy() for n, c in data.table.columns.items()}
    publish(make(kind, name, extra), data, models("all"))
    for column, codes in before.items():
        assert np.array_equal(codes, data.table[column].codes)


@pytest.mark.parametrize(("kind", "name", "extra"), CASES)
def test_a_release_survives_save_and_load(kind, name, extra, tmp_path):
    publication = publish(make(kind, name, extra), people(), [])
    first = files(publication, tmp_path / "first")
    again = Publication(open_release(tmp_path / "first"), publication.ledger)
    assert files(again, tmp_path / "again") == first


@pytest.mark.parametrize("rows", [4, 5, 8])
@pytest.mark.parametrize(("kind", "name", "extra"), CASES)
def test_tiny_and_uniform_tables(kind, name, extra, rows, tmp_path):
    for place, data in enumerate((people(rows), people(rows, equal=True))):
        publication = publish(make(kind, name, extra), data, [])
        folders = tmp_path / f"release-{place}", tmp_path / f"ledger-{place}"
        assert not failed(save(publication, *folders))
        assert publication.release.content.sizes.min() >= 4


@pytest.mark.parametrize(("kind", "name", "extra"), CASES)
def test_one_row_is_a_group_of_one_or_refused(kind, name, extra):
    lone = people(1)
    assert publish(make(kind, name, extra, k=1), lone, []).release.content.groups == 1
    with pytest.raises(SfumatoError, match="cannot be met, because the table has 1 records"):
        publish(make(kind, name, extra, k=2), lone, [])


@pytest.mark.parametrize(("kind", "name"), catalogue.METHODS)
def test_what_cannot_be_met_says_why(kind, name):
    beyond = [parse_model("entropy-l-diversity", {"column": "illness", "l": 4.5}, "require")]
    with pytest.raises(SfumatoError, match=r"cannot be met, because the whole table"):
        publish(make(kind, name, {}), people(), beyond)


@pytest.mark.parametrize(("kind", "name"), catalogue.METHODS)
@pytest.mark.parametrize("bad", [{"k": 0}, {"k": "many"}, {"kk": 3}, {"weights": {"age": 0}}])
def test_bad_parameters_give_the_standard_message(kind, name, bad):
    with pytest.raises(SfumatoError, match=r"^method\.\w+"):
        build(catalogue.method(kind, name), {"k": 3} | bad, "method")


@pytest.mark.parametrize(("kind", "name"), catalogue.METHODS)
def test_a_weight_for_an_unknown_column_is_an_error(kind, name):
    with pytest.raises(SfumatoError, match="weights"):
        publish(make(kind, name, {"weights": {"nothing": 1.0}}), people(), [])


@pytest.mark.parametrize(("kind", "name"), catalogue.METHODS)
def test_more_rows_cost_more(kind, name):
    method = make(kind, name, {})
    small, large = method.cost(Shape(10**4, 8, 9)), method.cost(Shape(10**7, 8, 9))
    assert small.seconds < large.seconds
    assert small.megabytes < large.megabytes


@pytest.mark.parametrize(("kind", "name"), catalogue.METHODS)
def test_no_file_names_the_method_the_key_or_the_job(kind, name, tmp_path):
    publication = publish(make(kind, name, {}), people(), [])
    for content in files(publication, tmp_path / "release").values():
        assert name.encode() not in content
        assert publication.ledger.key.encode() not in content


@pytest.mark.parametrize(("kind", "name"), catalogue.METHODS)
def test_docs_and_schema_name_the_method(kind, name):
    root = Path(__file__).parents[2]
    page = (root / "docs" / "methods" / f"{name}.md").read_text(encoding="utf-8")
    for part in ("## Claim", "## When it fails", "## Source", "## How it works", "## Cost"):
        assert part in page
    schema = json.loads((root / "docs" / "job.schema.json").read_text(encoding="utf-8"))
    names = [m["properties"]["name"]["const"] for m in schema["properties"]["method"]["oneOf"]]
    assert name in names


def test_audit_agrees_with_save(tmp_path):
    publication = publish(make("table", "mondrian", {}), people(), models("all"))
    told = save(publication, tmp_path / "release", tmp_path / "ledger")
    assert audit_release(tmp_path / "release") == told
