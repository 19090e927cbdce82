"""An audit verifies what is honest and catches every kind of tampering, checksums or not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from tests.unit.io.publications import ILLS, groups_of, people, publish, trees_of

from sfumato.audit.audit import audit, failed
from sfumato.core.answers import Status, Verdict
from sfumato.core.errors import BadRelease
from sfumato.data.table import Table
from sfumato.io.dictionary import dictionary_text
from sfumato.io.folder import checksum
from sfumato.io.layouts import LAYOUTS
from sfumato.io.opening import open_release
from sfumato.io.store import write_release
from sfumato.io.words import Extent
from sfumato.models.base import Model, parse_model
from sfumato.releases.release import Publication

MODELS = [
    ("distinct-l-diversity", {"column": "ill", "l": 2}),
    ("entropy-l-diversity", {"column": "ill", "l": 1.5}),
    ("recursive-cl-diversity", {"column": "ill", "c": 9.0, "l": 2}),
    ("t-closeness", {"column": "ill", "t": 0.9}),
    ("t-closeness", {"column": "cost", "t": 0.9, "distance": "ordered"}),
    ("p-sensitive-k-anonymity", {"column": "ill", "p": 2, "k": 4}),
    ("p-alpha-anonymity", {"column": "ill", "p": 2, "categories": {"a": ILLS[:3], "b": ILLS[3:]}}),
    ("alpha-k-anonymity", {"column": "ill", "alpha": 0.9, "k": 4}),
    ("belief-change", {"column": "ill", "most": 0.9}),
]


def models() -> list[Model]:
    """All models, loose enough for random groups."""
    return [parse_model(name, values, "require") for name, values in MODELS]


def release(folder: Path, form: str = "parquet", holes: float = 0.1) -> tuple[Publication, Table]:
    """A written release with every kind of cell and claim, its ledger, and the original."""
    table = people(80, seed=6, holes=holes)
    group = groups_of(80, 8, 6)
    made = publish(table, group, trees=trees_of(table), models=models())
    write_release(made.release, folder, form)
    return made, table


def status_of(verdicts: list[Verdict], claim: str) -> Status:
    """The status of the first verdict whose claim starts so."""
    return next(v.status for v in verdicts if v.claim.startswith(claim))


@pytest.mark.parametrize("form", ["parquet", "csv"])
@pytest.mark.parametrize("holes", [0.0, 0.1])
def test_an_honest_release_is_verified(tmp_path: Path, form: str, holes: float) -> None:
    made, table = release(tmp_path / "r", form, holes)
    alone = audit(tmp_path / "r")
    assert not failed(alone)
    assert status_of(alone, "cells cover") is Status.NEEDS_OWNER
    verdicts = audit(tmp_path / "r", made.ledger, table)
    assert not failed(verdicts)
    assert status_of(verdicts, "cells cover") is Status.VERIFIED
    for name, _ in MODELS:
        assert status_of(verdicts, name) is Status.VERIFIED


Tables = dict[str, pa.Table]


def put(table: pa.Table, name: str, row: int, value: Any) -> pa.Table:
    """A table with one value changed."""
    column = table.column(name)
    plain = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    values = column.cast(plain).to_pylist()
    values[row] = value
    return table.set_column(table.column_names.index(name), name, pa.array(values, plain))


def both(tables: Tables, name: str, row: int, value: Any) -> None:
    """Change a record consistently, in the records and in the flat view."""
    for part in ("records", "flat"):
        tables[part] = put(tables[part], name, row, value)


def reordered(tables: Tables, order: list[int]) -> None:
    """Put the records, and the flat view, in another order."""
    for part in ("records", "flat"):
        tables[part] = tables[part].take(pa.array(order))


def swap_records(tables: Tables) -> None:
    group = tables["records"]["group"].to_pylist()
    shown = tables["records"].drop_columns("group").to_pylist()
    at = next(i for i in range(79) if group[i] == group[i + 1] and shown[i] != shown[i + 1])
    order = list(range(80))
    order[at], order[at + 1] = at + 1, at
    reordered(tables, order)


def swap_groups(tables: Tables) -> None:
    """Renumber the first two groups, in every file."""
    order = [1, 0, *range(2, tables["groups"].num_rows)]
    groups = tables["groups"].take(pa.array(order))
    tables["groups"] = groups.set_column(0, "group", pa.array(range(len(order)), pa.int32()))
    old = tables["records"]["group"]
    moved = pc.if_else(pc.less(old, 2), pc.subtract(1, old).cast(pa.int32()), old)
    tables["records"] = tables["records"].set_column(0, "group", moved)
    reordered(tables, np.argsort(np.asarray(moved), kind="stable").tolist())


def move_record(tables: Tables) -> None:
    """A record of the first group now claims to be of the second."""
    last = tables["records"]["group"].to_pylist().count(0) - 1
    tables["records"] = put(tables["records"], "group", last, 1)


def move_record_and_sizes(tables: Tables) -> None:
    move_record(tables)
    sizes = np.bincount(tables["records"]["group"].to_numpy())
    tables["groups"] = tables["groups"].set_column(1, "group_size", pa.array(sizes, pa.int32()))


def extra_column(tables: Tables) -> None:
    names = pa.array([f"person {i}" for i in range(80)])
    tables["records"] = tables["records"].append_column("name", names)


def change(part: str, name: str, value: Any, row: int = 0) -> Callable[[Tables], None]:
    """A mutation that sets one value of one file."""

    def mutate(tables: Tables) -> None:
        tables[part] = put(tables[part], name, row, value)

    return mutate


SEEN_BY_ALL = {
    "a record in another group": move_record,
    "a record in another group, with sizes": move_record_and_sizes,
    "records swapped": swap_records,
    "groups swapped": swap_groups,
    "a wrong size": change("groups", "group_size", 9),
    "a wrong number": change("groups", "group", 5),
    "a group that is not there": change("records", "group", 99, 79),
    "a group below 0": change("records", "group", -1),
    "a wider interval": change("groups", "age_upper", 99),
    "an interval turned round": change("groups", "age_lower", 99),
    "half an interval": change("groups", "age_lower", None),
    "a narrower set": change("groups", "sex_values", ["f"]),
    "an empty set": change("groups", "sex_values", []),
    "no set": change("groups", "sex_values", None),
    "an invented value": change("groups", "sex_values", ["f", "invented"]),
    "another label": change("groups", "age", "[1, 99]"),
    "another node": change("groups", "town", "3*"),
    "an unknown node": change("groups", "town", "4*"),
    "another level": change("groups", "town_level", 0),
    "a sensitive value": change("records", "ill", "rare"),
    "a kept value": change("records", "yes", None),
    "the flat view": change("flat", "ill", "rare"),
    "the flat view of a cell": change("flat", "age", "[0, 1]"),
    "an extra column": extra_column,
    "a lacking column": lambda tables: tables.update(flat=tables["flat"].drop_columns("ill")),
    "a lacking cell": lambda tables: tables.update(groups=tables["groups"].drop_columns("age")),
    "fewer records": lambda tables: tables.update(records=tables["records"].slice(1)),
    "no records": lambda tables: tables.update(
        records=tables["records"].slice(0, 0), flat=tables["flat"].slice(0, 0)
    ),
}


def widen(tables: Tables) -> None:
    """Publish a wider age of the first group, everywhere."""
    groups = tables["groups"]
    upper, old = groups["age_upper"][0].as_py(), groups["age"].cast(pa.string())[0].as_py()
    new = old.replace(str(upper), "200")
    tables["groups"] = put(put(groups, "age_upper", 0, 200), "age", 0, new)
    for row in range(groups["group_size"][0].as_py()):
        tables["flat"] = put(tables["flat"], "age", row, new)


def narrow(tables: Tables) -> None:
    """Publish the smallest value alone for the last group, everywhere."""
    groups, last = tables["groups"], tables["groups"].num_rows - 1
    lower = groups["age_lower"][last].as_py()
    for name, value in (("age_upper", lower), ("age_missing", False), ("age", str(lower))):
        groups = put(groups, name, last, value)
    tables["groups"] = groups
    for row in range(80 - groups["group_size"][last].as_py(), 80):
        tables["flat"] = put(tables["flat"], "age", row, str(lower))


def another_illness(tables: Tables) -> None:
    """The last record of the table now has the value that comes last."""
    both(tables, "ill", 79, "zzz")


def invented(tables: Tables) -> None:
    """A value nobody has joins the set of the last group, which holds missing as well."""
    groups, last = tables["groups"], tables["groups"].num_rows - 1
    values = groups["sex_values"][last].as_py()
    label = groups["sex"].cast(pa.string())[last].as_py() + " or zzz"
    tables["groups"] = put(put(groups, "sex_values", last, [*values, "zzz"]), "sex", last, label)
    for row in range(80 - groups["group_size"][last].as_py(), 80):
        tables["flat"] = put(tables["flat"], "sex", row, label)


SEEN_BY_THE_OWNER = {
    "wider": widen,
    "narrower": narrow,
    "another illness": another_illness,
    "invented": invented,
}


def tamper(folder: Path, mutate: Callable[[Tables], None], rows: bool = True) -> None:
    """Change the data files and sign them again, so that only their meaning can tell."""
    paths = {path.stem: path for path in (folder / "data").iterdir()}
    tables = {name: pq.read_table(path) for name, path in paths.items()}
    mutate(tables)
    for name, table in tables.items():
        pq.write_table(table, paths[name])
    sign(folder, {f"data/{name}.parquet": table.num_rows for name, table in tables.items()})


def sign(folder: Path, rows: dict[str, int] | None = None) -> None:
    """Write true checksums, and rows where given, into the manifest."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    for name, facts in manifest["files"].items():
        facts["sha256"] = checksum(folder / name)
        if rows and name in rows:
            facts["rows"] = rows[name]
    path.write_text(json.dumps(manifest), encoding="utf-8")


def test_files_written_again_by_another_hand_are_verified(tmp_path: Path) -> None:
    made, table = release(tmp_path / "r")

    def change_nothing(tables: Tables) -> None:
        for part, held in list(tables.items()):
            for name in held.column_names:
                tables[part] = put(tables[part], name, 0, tables[part][name].to_pylist()[0])

    tamper(tmp_path / "r", change_nothing)
    assert not failed(audit(tmp_path / "r", made.ledger, table))


@pytest.mark.parametrize("what", SEEN_BY_ALL)
def test_tampering_that_everybody_sees(tmp_path: Path, what: str) -> None:
    release(tmp_path / "r")
    tamper(tmp_path / "r", SEEN_BY_ALL[what])
    verdicts = audit(tmp_path / "r")
    assert failed(verdicts)
    assert not any("secret" in verdict.found for verdict in verdicts)


@pytest.mark.parametrize("what", SEEN_BY_THE_OWNER)
def test_tampering_that_only_the_owner_sees(tmp_path: Path, what: str) -> None:
    made, table = release(tmp_path / "r")
    tamper(tmp_path / "r", SEEN_BY_THE_OWNER[what])
    assert status_of(audit(tmp_path / "r"), "structure") is Status.VERIFIED
    assert status_of(audit(tmp_path / "r", made.ledger, table), "cells cover") is Status.VIOLATED


def test_the_wrong_ledger_or_original(tmp_path: Path) -> None:
    made, table = release(tmp_path / "r")
    for rows in (made.ledger.rows[:-1], made.ledger.rows[::-1], made.ledger.rows - 1):
        ledger = type(made.ledger)(rows, release_id=made.ledger.release_id)
        assert failed(audit(tmp_path / "r", ledger, table))
    doubled = np.append(made.ledger.rows[1:], made.ledger.rows[1])
    assert failed(audit(tmp_path / "r", type(made.ledger)(doubled), table))
    assert failed(audit(tmp_path / "r", type(made.ledger)(made.ledger.rows, release_id="x"), table))
    assert failed(audit(tmp_path / "r", made.ledger, people(80, seed=7)))
    assert failed(audit(tmp_path / "r", made.ledger, people(81, seed=6)))


def describe(folder: Path) -> None:
    """Let the dictionary say what schema and claims say by now."""
    release = open_release(folder)
    columns = json.loads((folder / "schema.json").read_text(encoding="utf-8"))["columns"]
    form = next((folder / "data").iterdir()).suffix[1:]
    layout, extent = LAYOUTS[release.form, release.kind], Extent.of(release)
    text = dictionary_text(layout, columns, release.claims, form, extent, release.facts)
    (folder / "dictionary.md").write_text(text, encoding="utf-8")
    sign(folder)


def claimed(folder: Path, place: int, **parameters: Any) -> None:
    """Let the release claim more than before."""
    path = folder / "claims.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    facts["claims"][place]["parameters"] |= parameters
    path.write_text(json.dumps(facts), encoding="utf-8")
    sign(folder)
    describe(folder)


@pytest.mark.parametrize(
    ("place", "parameters"),
    [
        (0, {"k": 9}),
        (1, {"l": 6}),
        (2, {"l": 6.0}),
        (3, {"c": 0.2}),
        (4, {"t": 0.01}),
        (5, {"t": 0.01}),
        (6, {"k": 9}),
        (6, {"p": 6}),
        (7, {"p": 3}),
        (8, {"alpha": 0.1}),
        (8, {"k": 9}),
        (9, {"most": 0.01}),
    ],
)
def test_a_claim_stronger_than_true(tmp_path: Path, place: int, parameters: Any) -> None:
    release(tmp_path / "r")
    claimed(tmp_path / "r", place, **parameters)
    violated = [v for v in audit(tmp_path / "r") if v.status is Status.VIOLATED]
    assert [v.claim.split(" ")[0] for v in violated] == [
        ["k-anonymity", *(name for name, _ in MODELS)][place]
    ]


@pytest.mark.parametrize(
    "changed",
    [{"model": "magic"}, {"sensitive": "nobody"}, {"sensitive": "age"}, {"parameters": {"x": 1}}],
)
def test_claims_that_mean_nothing(tmp_path: Path, changed: dict[str, Any]) -> None:
    release(tmp_path / "r")
    path = tmp_path / "r" / "claims.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    facts["claims"][1] |= changed
    path.write_text(json.dumps(facts), encoding="utf-8")
    sign(tmp_path / "r")
    assert failed(audit(tmp_path / "r"))


def test_files_that_lack_or_should_not_be_there(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    release(folder)
    for name in ("note.txt", "data/.hidden", "data/groups.csv"):
        (folder / name).touch()
        assert failed(audit(folder))
        (folder / name).unlink()
    (folder / "alice").mkdir()
    assert failed(audit(folder))
    (folder / "alice").rmdir()
    assert not failed(audit(folder))
    for name in ("dictionary.md", "data/flat.parquet", "claims.json", "schema.json"):
        whole = (folder / name).read_bytes()
        (folder / name).unlink()
        assert failed(audit(folder))
        (folder / name).write_bytes(whole + b" ")
        assert failed(audit(folder))
        (folder / name).write_bytes(whole)
    assert not failed(audit(folder))


def test_files_that_are_no_release(tmp_path: Path) -> None:
    with pytest.raises(BadRelease, match="is not a release"):
        audit(tmp_path)
    release(tmp_path / "r")
    for name in ("schema.json", "claims.json"):
        whole = (tmp_path / "r" / name).read_bytes()
        for text in ("{", "[]", '{"columns": [{}], "claims": [{}]}', '{"columns": 1, "claims": 1}'):
            (tmp_path / "r" / name).write_text(text)
            sign(tmp_path / "r")
            assert failed(audit(tmp_path / "r"))
        (tmp_path / "r" / name).write_bytes(whole)
