"""Releases of sets: an audit verifies what is honest and catches every kind of tampering."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.audit.set_releases import holders, publication, written
from tests.unit.audit.test_tampering import claimed, describe, put, sign, status_of, tamper

from sfumato.audit import set_owner
from sfumato.audit.audit import audit, failed
from sfumato.audit.set_owner import Problems
from sfumato.core.answers import Status
from sfumato.data.sets import Holders, Sets
from sfumato.io.opening import open_release
from sfumato.io.store import write_release
from sfumato.releases.recoded_sets import RecodedSets
from sfumato.releases.release import Ledger

SHOWN = set_owner.CLAIM
Tables = dict[str, pa.Table]


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_an_honest_release_is_verified(tmp_path: Path, form: str) -> None:
    made, data = written(tmp_path / "r", form)
    alone = audit(tmp_path / "r")
    assert not failed(alone)
    assert status_of(alone, SHOWN) is Status.NEEDS_OWNER
    verdicts = audit(tmp_path / "r", made.ledger, data)
    assert not failed(verdicts)
    assert status_of(verdicts, SHOWN) is Status.VERIFIED


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_what_is_written_is_read(tmp_path: Path, form: str) -> None:
    made, _ = written(tmp_path / "r", form)
    ours, found = made.release.sets, open_release(tmp_path / "r").sets
    for name in ("indptr", "items", "utility"):
        assert np.array_equal(getattr(ours.sets, name), getattr(found.sets, name))
    assert ours.sets.names.equals(found.sets.names) and ours.tight == found.tight
    assert np.array_equal(ours.group, found.group)
    for name in ("ill", "year"):
        assert (
            ours.records[name].to_arrow().to_pylist() == found.records[name].to_arrow().to_pylist()
        )


def rewritten(tables: Tables, change: Callable[[list[dict[str, Any]]], None]) -> None:
    """Groups with their rows changed."""
    rows = tables["groups"].to_pylist()
    change(rows)
    tables["groups"] = pa.Table.from_pylist(rows, tables["groups"].schema)


def row_of(rows: list[dict[str, Any]], least: int) -> dict[str, Any]:
    """The first group that shows so many items or more."""
    return next(row for row in rows if len(row["items"]) >= least)


def backwards(rows: list[dict[str, Any]]) -> None:
    row_of(rows, 2)["items"].reverse()


def repeated(rows: list[dict[str, Any]]) -> None:
    shown = row_of(rows, 2)["items"]
    shown[1] = shown[0]


def swapped(rows: list[dict[str, Any]]) -> None:
    rows[0]["items"], rows[1]["items"] = rows[1]["items"], rows[0]["items"]


def doubled(rows: list[dict[str, Any]]) -> None:
    rows[1]["items"] = rows[0]["items"]


def unknown(rows: list[dict[str, Any]]) -> None:
    rows[-1]["items"].append(99)


def negative(rows: list[dict[str, Any]]) -> None:
    rows[-1]["items"].insert(0, -1)


def of_groups(change: Callable[[list[dict[str, Any]]], None]) -> Callable[[Tables], None]:
    return lambda tables: rewritten(tables, change)


def change(part: str, name: str, value: Any, row: int = 0) -> Callable[[Tables], None]:
    """A mutation that sets one value of one file."""

    def mutate(tables: Tables) -> None:
        tables[part] = put(tables[part], name, row, value)

    return mutate


def extra_item(tables: Tables) -> None:
    """An item that no group shows."""
    last = tables["items"].num_rows
    more = {"item": last, "name": "zzz", "utility": 1.0}
    rows = [*tables["items"].to_pylist(), more]
    tables["items"] = pa.Table.from_pylist(rows, tables["items"].schema)


def unsorted_records(tables: Tables) -> None:
    order = np.argsort(np.asarray(tables["records"]["group"]), kind="stable")
    ills = tables["records"]["ill"].cast(pa.string()).to_pylist()
    group = tables["records"]["group"].to_pylist()
    at = next(i for i in range(59) if group[i] == group[i + 1] and ills[i] != ills[i + 1])
    order[[at, at + 1]] = order[[at + 1, at]]
    tables["records"] = tables["records"].take(pa.array(order))


def more_columns(part: str) -> Callable[[Tables], None]:
    def mutate(tables: Tables) -> None:
        names = pa.array([f"p{i}" for i in range(tables[part].num_rows)])
        tables[part] = tables[part].append_column("name of person", names)

    return mutate


SEEN_BY_ALL = {
    "items backwards": of_groups(backwards),
    "an item twice": of_groups(repeated),
    "groups swapped": of_groups(swapped),
    "equal groups": of_groups(doubled),
    "an item that is not there": of_groups(unknown),
    "an item below 0": of_groups(negative),
    "no items": change("groups", "items", None),
    "a wrong size": change("groups", "group_size", 9),
    "size 0": change("groups", "group_size", 0),
    "a wrong number": change("groups", "group", 3),
    "another name": change("items", "name", "zzz"),
    "a name twice": change("items", "name", "item b"),
    "no name": change("items", "name", None),
    "a wrong number of an item": change("items", "item", 7),
    "no utility": change("items", "utility", None),
    "a negative utility": change("items", "utility", -1.0),
    "a zero of its own": change("items", "utility", -0.0),
    "a utility that is no number": change("items", "utility", float("nan")),
    "an endless utility": change("items", "utility", float("inf")),
    "an item that no group shows": extra_item,
    "records swapped": unsorted_records,
    "a record in another group": change("records", "group", 1),
    "an extra column of records": more_columns("records"),
    "an extra column of groups": more_columns("groups"),
    "an extra column of items": more_columns("items"),
    "fewer records": lambda tables: tables.update(records=tables["records"].slice(1)),
    "fewer groups": lambda tables: tables.update(groups=tables["groups"].slice(1)),
    "fewer items": lambda tables: tables.update(items=tables["items"].slice(0, 2)),
    "no records": lambda tables: tables.update(records=tables["records"].slice(0, 0)),
}


@pytest.mark.parametrize("what", SEEN_BY_ALL)
def test_tampering_that_everybody_sees(tmp_path: Path, what: str) -> None:
    written(tmp_path / "r")
    tamper(tmp_path / "r", SEEN_BY_ALL[what])
    verdicts = audit(tmp_path / "r")
    assert failed(verdicts)
    assert not any("item b" in verdict.found for verdict in verdicts)


def one_more(rows: list[dict[str, Any]]) -> None:
    """The last group, which comes last, shows the last item as well."""
    rows[-1]["items"] = [*rows[-1]["items"], 1 + rows[-1]["items"][-1]]


def one_less(rows: list[dict[str, Any]]) -> None:
    """A group hides its last item, which others show, and groups stay in order."""
    shown = [row["items"] for row in rows]
    for place, items in enumerate(shown):
        fewer = items[:-1]
        others = [*shown[:place], *shown[place + 1 :]]
        ordered = [*shown[:place], fewer, *shown[place + 1 :]]
        still = any(items[-1] in other for other in others) if items else False
        if still and fewer not in others and ordered == sorted(ordered):
            rows[place]["items"] = fewer
            return
    raise AssertionError("no such group")


OWN = {
    "an item more": of_groups(one_more),
    "an item less": of_groups(one_less),
    "another utility": change("items", "utility", 77.0),
    "an item of another name": change("items", "name", "item aa"),
}


@pytest.mark.parametrize("what", OWN)
def test_tampering_that_only_the_owner_sees(tmp_path: Path, what: str) -> None:
    made, data = written(tmp_path / "r")
    tamper(tmp_path / "r", OWN[what])
    assert status_of(audit(tmp_path / "r"), "structure") is Status.VERIFIED
    assert status_of(audit(tmp_path / "r", made.ledger, data), SHOWN) is Status.VIOLATED


def test_another_label_is_seen_by_the_owner(tmp_path: Path) -> None:
    made, data = written(tmp_path / "r")
    tamper(tmp_path / "r", change("records", "ill", "zzz", 59))
    tamper(
        tmp_path / "r",
        lambda tables: tables.update(
            records=tables["records"].sort_by(
                [("group", "ascending"), ("ill", "ascending"), ("year", "ascending")]
            )
        ),
    )
    verdicts = audit(tmp_path / "r", made.ledger, data)
    assert failed(verdicts)


@pytest.mark.parametrize(
    ("place", "parameters"), [(0, {"k": 40}), (0, {"k": 0}), (0, {"k": "4"}), (1, {"l": 3})]
)
def test_a_claim_stronger_than_true(tmp_path: Path, place: int, parameters: Any) -> None:
    written(tmp_path / "r")
    claimed(tmp_path / "r", place, **parameters)
    verdicts = audit(tmp_path / "r")
    assert failed(verdicts)


def test_tight_is_claimed_and_not_so(tmp_path: Path) -> None:
    """Who hides more than they must may not let others conclude that somebody lacks an item."""
    everybody = Sets(np.arange(0, 11, 2), np.tile([0, 1], 5), pa.array(["a", "b"]), np.ones(2))
    data = replace(holders(1, 5), sets=everybody)
    made = publication(holders(1, 5))
    shown = Sets(np.array([0, 1]), np.array([0], np.uint16), everybody.names, everybody.utility)
    loose = RecodedSets(shown, np.zeros(5, np.int32), False, data.table)
    release = replace(made.release, content=loose)
    published = replace(made, release=release, ledger=Ledger(np.arange(5))).sealed()
    write_release(published.release, tmp_path / "r", "parquet")
    assert not failed(audit(tmp_path / "r", published.ledger, data))
    path = tmp_path / "r" / "schema.json"
    told = json.loads(path.read_text())
    told["columns"][0]["tight"] = True
    path.write_text(json.dumps(told))
    sign(tmp_path / "r")
    describe(tmp_path / "r")
    assert status_of(audit(tmp_path / "r", published.ledger, data), SHOWN) is Status.VIOLATED


def test_the_wrong_ledger_or_original(tmp_path: Path) -> None:
    made, data = written(tmp_path / "r")
    rows = made.ledger.rows
    swapped_two = rows.copy()
    swapped_two[[0, -1]] = rows[[-1, 0]]
    doubled_one = np.append(rows[1:], rows[1])
    for links in (rows[:-1], rows[::-1], rows - 1, swapped_two, doubled_one):
        ledger = Ledger(links, release_id=made.ledger.release_id)
        assert failed(audit(tmp_path / "r", ledger, data))
    assert failed(audit(tmp_path / "r", Ledger(rows, release_id="x"), data))
    assert failed(audit(tmp_path / "r", made.ledger, holders(2)))
    assert failed(audit(tmp_path / "r", made.ledger, holders(1, 61)))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 200), st.integers(0, 3))
def test_blocks_of_groups_as_by_definition(seed: int, cells: int, edits: int) -> None:
    """However few groups are compared at once, problems are those of the definition."""
    rng = np.random.default_rng(seed)
    data = holders(seed)
    made = publication(data, seed)
    content, rows = made.release.sets, made.ledger.rows.copy()
    for _ in range(edits):
        rows[rng.integers(len(rows), size=2)] = rows[rng.integers(len(rows), size=2)]
    names = content.sets.names.to_pylist()
    place = set_owner.numbers_in(data.sets, content.sets)
    had = [row_of_names(data.sets, row) for row in rows]
    wrong = loose = 0
    for group in range(content.groups):
        members = [had[i] for i in np.flatnonzero(content.group == group)]
        shown = {
            names[i] for i in content.sets.items[slice(*content.sets.indptr[group : group + 2])]
        }
        common = set.intersection(*members)
        wrong, loose = wrong + bool(shown - common), loose + bool(common - shown)
    before = set_owner.MOST_CELLS
    try:
        set_owner.MOST_CELLS = cells
        found = set_owner._compared(content, rows, data.sets, place)
    finally:
        set_owner.MOST_CELLS = before
    assert found == Problems(wrong, loose)
    lacking = sum(
        bool({names[i] for i in content.sets.items[slice(*content.sets.indptr[g : g + 2])]} - own)
        for g, own in zip(content.group, had, strict=True)
    )
    assert set_owner._lacking(content, rows, data.sets, place) == lacking


def row_of_names(sets: Sets, row: int) -> set[str]:
    return {sets.names[int(i)].as_py() for i in sets.items[slice(*sets.indptr[row : row + 2])]}


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("form", ["parquet", "csv"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_order_of_people_leaves_no_trace(tmp_path: Path, form: str, seed: int) -> None:
    """Any order of people and groups gives the same files, but for the id of the release."""
    data = holders()
    made = publication(data)
    group = np.empty(data.rows, np.int32)
    group[made.ledger.rows] = made.release.sets.group
    order = np.random.default_rng(seed).permutation(data.rows)
    other = np.random.default_rng(seed).permutation(made.release.sets.groups)
    sets = made.release.sets.sets.take(np.argsort(other))
    mixed = RecodedSets(sets, other[group[order]].astype(np.int32), True, data.table.take(order))
    again = replace(made, release=replace(made.release, content=mixed)).sealed()
    found = []
    for place, one in (("a", made), ("b", again)):
        write_release(one.release, tmp_path / place, form)
        files = files_of(tmp_path / place)
        manifest = json.loads(files.pop("manifest.json"))
        manifest.pop("release_id", None)
        found.append((files, manifest))
    assert found[0] == found[1]


def test_nothing_beyond_the_claims(tmp_path: Path) -> None:
    """Of items nobody shows, of people's order and numbers, of the method: no word in any file."""
    data = holders()
    hidden = "item hidden"
    names = pa.array([*data.sets.names.to_pylist()[:-1], hidden])
    data = Holders(replace(data.sets, names=names), data.schema, data.table)
    made = publication(data)
    assert hidden not in made.release.sets.sets.names.to_pylist()
    write_release(made.release, tmp_path / "r", "parquet")
    for name, content in files_of(tmp_path / "r").items():
        for word in (hidden, "mondrian", "seed", "pandas"):
            assert word.encode() not in content, name
    for path in (tmp_path / "r" / "data").iterdir():
        table = pq.read_table(path)
        assert not table.schema.metadata
        stated = set(table.column_names)
        assert stated <= {"group", "group_size", "items", "item", "name", "utility", "ill", "year"}
    listed = pq.read_table(tmp_path / "r" / "data" / "items.parquet")
    shown = {
        i
        for row in pq.read_table(tmp_path / "r" / "data" / "groups.parquet")["items"].to_pylist()
        for i in row
    }
    assert shown == set(range(listed.num_rows))


def test_equal_sets_are_one_group() -> None:
    """Groups that show the same are one to everybody; order of the input groups says nothing."""
    sets = Sets(
        np.array([0, 1, 2, 2, 3]),
        np.array([1, 1, 0], np.uint16),
        pa.array(["b", "a"]),
        np.array([2.0, 3.0]),
    )
    content = RecodedSets(sets, np.array([3, 0, 1, 2, 0], np.int32), True, holders(1, 5).table)
    made = publication(holders(1, 5))
    release = replace(made.release, content=content)
    sealed = replace(made, release=release, ledger=Ledger(np.arange(5))).sealed()
    found = sealed.release.sets
    assert found.groups == 3 and found.sets.names.to_pylist() == ["a", "b"]
    assert found.sizes.tolist() == [1, 3, 1]
    assert found.sets.utility.tolist() == [3.0, 2.0]
    assert [found.sets.items[slice(*found.sets.indptr[g : g + 2])].tolist() for g in range(3)] == [
        [],
        [0],
        [1],
    ]
    assert sorted(sealed.ledger.rows[1:4].tolist()) == [1, 2, 4]
