"""A release holds its tables and nothing else: whatever lies beside or inside them is found."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.unit.audit.test_tampering import release, sign

from sfumato.audit.audit import audit
from sfumato.core.answers import Status
from sfumato.core.errors import BadRelease
from sfumato.io.opening import open_release

SECRET = "alice, born 1970"


def why(folder: Path) -> str:
    """What is violated about the files."""
    first = audit(folder)[0]
    assert (first.claim, first.status) == ("files", Status.VIOLATED)
    assert "\n" not in first.found
    return first.found


def listed(folder: Path, mutate: Callable[[dict[str, Any]], Any]) -> None:
    """Change the manifest."""
    path = folder / "manifest.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    mutate(facts)
    path.write_text(json.dumps(facts), encoding="utf-8")


def rewrite(folder: Path, part: str, change: Callable[[pa.Table], pa.Table], **how: Any) -> None:
    """Write a data file again in another way, and sign it."""
    path = folder / "data" / f"{part}.parquet"
    pq.write_table(change(pq.read_table(path)), path, **how)
    sign(folder)


def with_entry(table: pa.Table) -> pa.Table:
    """A value in the dictionary that no row has."""
    column = table.column("ill").combine_chunks()
    entries = pa.concat_arrays([column.dictionary, pa.array([SECRET])])
    again = pa.DictionaryArray.from_arrays(column.indices, entries)
    return table.set_column(table.column_names.index("ill"), "ill", again)


def test_values_that_no_row_has(tmp_path: Path) -> None:
    for part in ("records", "flat"):
        release(tmp_path / part)
        rewrite(tmp_path / part, part, with_entry, compression="none")
        assert SECRET.encode() in (tmp_path / part / "data" / f"{part}.parquet").read_bytes()
        assert why(tmp_path / part).endswith("holds values of 'ill' that no row has")


def test_values_that_no_row_has_under_a_plain_type(tmp_path: Path) -> None:
    release(tmp_path / "r")
    rewrite(tmp_path / "r", "records", with_entry, store_schema=False)
    assert why(tmp_path / "r")


def test_members_that_no_set_has(tmp_path: Path) -> None:
    """Found in the file's own dictionary, though the column's type is a list of plain texts."""
    release(tmp_path / "r")
    path = tmp_path / "r" / "data" / "groups.parquet"
    table = pq.read_table(path)
    lists = table.column("sex_values").combine_chunks()
    members = lists.flatten().dictionary_encode()
    entries = pa.concat_arrays([members.dictionary, pa.array([SECRET])])
    again = pa.DictionaryArray.from_arrays(members.indices, entries)
    column = pa.ListArray.from_arrays(lists.offsets, again)
    place = table.column_names.index("sex_values")
    pq.write_table(table.set_column(place, "sex_values", column), path, store_schema=False)
    sign(tmp_path / "r")
    assert why(tmp_path / "r") == "data/groups.parquet holds values of 'sex_values' that no row has"


def test_metadata_and_writers(tmp_path: Path) -> None:
    release(tmp_path / "r")
    rewrite(tmp_path / "r", "groups", lambda t: t.replace_schema_metadata({"people": SECRET}))
    assert why(tmp_path / "r") == "data/groups.parquet holds metadata of its own"
    release(tmp_path / "s")
    field = pa.field("group", pa.int32(), metadata={"people": SECRET})
    rewrite(tmp_path / "s", "groups", lambda t: t.cast(t.schema.set(0, field)))
    assert why(tmp_path / "s") == "data/groups.parquet holds metadata of its own"


def test_bytes_between_the_columns(tmp_path: Path) -> None:
    release(tmp_path / "r")
    path = tmp_path / "r" / "data" / "flat.parquet"
    whole = path.read_bytes()
    footer = 8 + int.from_bytes(whole[-8:-4], "little")
    path.write_bytes(whole[:-footer] + SECRET.encode() + whole[-footer:])
    sign(tmp_path / "r")
    assert why(tmp_path / "r") == "data/flat.parquet holds bytes that belong to no column"


def test_many_row_groups_are_no_hiding_place(tmp_path: Path) -> None:
    release(tmp_path / "r")
    for part in ("records", "flat", "groups"):
        rewrite(tmp_path / "r", part, lambda table: table, row_group_size=3)
    assert audit(tmp_path / "r")[0].status is Status.VERIFIED


MANIFESTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "facts": lambda m: m.update(facts={"raw": SECRET}),
    "another key": lambda m: m.update(comment=SECRET),
    "another key of a file": lambda m: m["files"]["schema.json"].update(comment=SECRET),
    "dropped below 0": lambda m: m.update(dropped=-5),
    "dropped in words": lambda m: m.update(dropped="many"),
    "dropped huge": lambda m: m.update(dropped=10**400),
    "dropped true": lambda m: m.update(dropped=True),
    "kind": lambda m: m.update(kind=SECRET),
    "id": lambda m: m.update(release_id=SECRET),
    "files as a list": lambda m: m.update(files=[1]),
    "no dictionary": lambda m: m["files"].pop("dictionary.md"),
    "no schema": lambda m: m["files"].pop("schema.json"),
    "no claims": lambda m: m["files"].pop("claims.json"),
    "rows of a text": lambda m: m["files"]["dictionary.md"].update(rows=3),
    "no rows": lambda m: m["files"]["data/flat.parquet"].pop("rows"),
    "other rows": lambda m: m["files"]["data/flat.parquet"].update(rows=3),
    "no row at all": lambda m: m["files"]["data/flat.parquet"].update(rows=0),
    "too many rows": lambda m: m["files"]["data/flat.parquet"].update(rows=1 << 40),
    "a file twice": lambda m: m["files"].update({"data//flat.parquet": {"sha256": "0" * 64}}),
    "a hierarchy that is not there": lambda m: m["hierarchies"].update(ill="hierarchies/9-ill.csv"),
    "a hierarchy of nothing": lambda m: m["hierarchies"].update(nobody="hierarchies/1-town.csv"),
    "two formats": lambda m: m["files"].update({"data/flat.csv": {"sha256": "0" * 64, "rows": 1}}),
}


@pytest.mark.parametrize("what", MANIFESTS)
def test_manifests_that_say_more_or_less(tmp_path: Path, what: str) -> None:
    release(tmp_path / "r")
    listed(tmp_path / "r", MANIFESTS[what])
    assert SECRET not in why(tmp_path / "r")
    if what != "other rows":  # of the flat view, which is for people
        with pytest.raises(BadRelease):
            open_release(tmp_path / "r")


def test_files_listed_beyond_those_of_a_release(tmp_path: Path) -> None:
    release(tmp_path / "r")
    (tmp_path / "r" / "data" / "people.csv").write_text(SECRET)
    listed(tmp_path / "r", lambda m: m["files"].update({"data/people.csv": {"sha256": ""}}))
    sign(tmp_path / "r")
    assert "lists other files" in why(tmp_path / "r")


def test_a_dictionary_of_ones_own(tmp_path: Path) -> None:
    release(tmp_path / "r")
    with (tmp_path / "r" / "dictionary.md").open("a", encoding="utf-8") as file:
        file.write("certified\n")
    sign(tmp_path / "r")
    assert why(tmp_path / "r").startswith("dictionary.md says something else")


def test_json_that_hides_or_breaks(tmp_path: Path) -> None:
    release(tmp_path / "r")
    path = tmp_path / "r" / "claims.json"
    whole = path.read_text(encoding="utf-8")
    twice = whole.replace("{", '{"claims": "alice", ', 1)
    long = whole.replace('"k": ', '"k": 1' + "0" * 5000, 1)
    for text in (twice, long, "[" * 200_000, "\ud800".encode("utf-8", "surrogatepass")):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        sign(tmp_path / "r")
        assert why(tmp_path / "r") == "r/claims.json is damaged"
    (tmp_path / "r" / "manifest.json").write_text("[" * 200_000)
    with pytest.raises(BadRelease, match="damaged"):
        audit(tmp_path / "r")


@pytest.mark.parametrize("name", ["schema.json", "data/flat.parquet", "hierarchies/1-town.csv"])
def test_links_and_pipes_are_not_followed(tmp_path: Path, name: str) -> None:
    release(tmp_path / "r")
    path = tmp_path / "r" / name
    path.rename(tmp_path / "outside")
    path.symlink_to(tmp_path / "outside")
    assert why(tmp_path / "r") == f"r/{name} is not a plain file"
    path.unlink()
    os.mkfifo(path)
    assert why(tmp_path / "r") == f"r/{name} is not a plain file"
    with pytest.raises(BadRelease, match="plain file"):
        open_release(tmp_path / "r")


def test_a_linked_folder_is_not_followed(tmp_path: Path) -> None:
    release(tmp_path / "r")
    (tmp_path / "r" / "data").rename(tmp_path / "data")
    (tmp_path / "r" / "data").symlink_to(tmp_path / "data")
    assert why(tmp_path / "r")
    with pytest.raises(BadRelease, match="plain file"):
        open_release(tmp_path / "r")


@pytest.mark.parametrize(
    "text", ['"' + "x" * 200_000 + '",a,*\n', "alice,b\n", "1,2\n", '"open', "\x00\n", ""]
)
def test_hierarchies_that_are_none(tmp_path: Path, text: str) -> None:
    release(tmp_path / "r")
    (tmp_path / "r" / "hierarchies" / "1-town.csv").write_text(text)
    sign(tmp_path / "r")
    with pytest.raises(BadRelease, match="damaged"):
        open_release(tmp_path / "r")
    assert any(v.status is Status.VIOLATED for v in audit(tmp_path / "r"))


@pytest.mark.parametrize("written", [-0.0, float("nan")])
def test_one_number_is_not_written_in_two_ways(tmp_path: Path, written: float) -> None:
    release(tmp_path / "r", holes=0.0)
    for part in ("records", "flat"):

        def change(table: pa.Table) -> pa.Table:
            values = table.column("cost").to_pylist()
            column = pa.array([written, *values[1:]], pa.float64())
            return table.set_column(table.column_names.index("cost"), "cost", column)

        rewrite(tmp_path / "r", part, change)
    found = next(v for v in audit(tmp_path / "r") if v.status is Status.VIOLATED)
    assert (found.claim, "written otherwise" in found.found) == ("structure", True)
