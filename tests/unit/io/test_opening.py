"""What is saved opens as the same release; what is damaged or newer is told in one line."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.unit.io.publications import everything, publish

from sfumato.core.errors import BadRelease
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.io.folder import checksum
from sfumato.io.forms import arrow_type
from sfumato.io.opening import open_ledger, open_release
from sfumato.io.store import write_ledger, write_release
from sfumato.releases.cells import Intervals, Nodes, ValueSets
from sfumato.releases.release import Ledger, Release

WEIRD = ["a b", "a.b", 'say "x"', "comma,name", "größe", "two\nlines", "'", "a_b", "A B", "x" * 90]


def shown(release: Release) -> dict[str, Any]:
    """Everything that a release says, as plain values."""
    content = release.content
    facts: dict[str, Any] = {"group": content.group.tolist(), "claims": release.claims}
    facts["rest"] = (release.kind, release.form, release.dropped, release.facts)
    for name, column in content.records.columns.items():
        facts[name] = (column.kind, column.values.type, column.to_arrow().to_pylist())
    for name, cells in content.cells.items():
        facts[name] = (cells.labels().to_pylist(), cells.tight, *_parts(cells))
    return facts


def _parts(cells: Any) -> list[Any]:
    if isinstance(cells, Intervals):
        return [cells.lower.to_pylist(), cells.upper.to_pylist(), cells.missing.tolist()]
    if isinstance(cells, ValueSets):
        return [cells.lists().to_pylist()]
    assert isinstance(cells, Nodes)
    return [cells.node.tolist(), cells.hierarchy.rows(), cells.kind, cells.has_missing]


@pytest.mark.parametrize("form", ["parquet", "csv"])
@pytest.mark.parametrize("holes", [0.0, 0.1, 1.0])
def test_a_release_opens_as_it_was_saved(tmp_path: Path, form: str, holes: float) -> None:
    release = everything(holes=min(holes, 0.98), seed=4)[0].release
    write_release(release, tmp_path / "r", form)
    opened = open_release(tmp_path / "r")
    assert shown(opened) == shown(release)
    write_release(opened, tmp_path / "again", form)
    for path in (tmp_path / "r").rglob("*.*"):
        assert (tmp_path / "again" / path.relative_to(tmp_path / "r")).read_bytes() == (
            path.read_bytes()
        )


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_columns_of_missing_values_only(tmp_path: Path, form: str) -> None:
    nothing = {name: pa.nulls(4, kind) for name, kind in zip("abs", (pa.int64(), None, None))}
    made = publish(
        table_from_arrow(pa.table(nothing)),
        [0, 0, 1, 1],
        schema=Schema.of(quasi=["a", "b"], sensitive=["s"]),
    )
    write_release(made.release, tmp_path / "r", form)
    assert shown(open_release(tmp_path / "r")) == shown(made.release)


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_names_of_columns_may_be_anything(tmp_path: Path, form: str) -> None:
    table = table_from_arrow(pa.table({name: [1, 2, 2, i] for i, name in enumerate(WEIRD)}))
    schema = Schema.of(quasi=WEIRD[:5], sensitive=WEIRD[5:7], keep=WEIRD[7:])
    made = publish(table, [0, 0, 1, 1], schema=schema)
    write_release(made.release, tmp_path / "r", form)
    assert shown(open_release(tmp_path / "r")) == shown(made.release)


def test_a_ledger_opens_as_it_was_saved(tmp_path: Path) -> None:
    ledger = Ledger(np.array([2, 0, 1]), "key", {"source": {"path": "ü"}}, {"n": 1.5}, "id")
    write_ledger(ledger, tmp_path / "ledger")
    opened = open_ledger(tmp_path / "ledger")
    assert opened.rows.tolist() == [2, 0, 1]
    assert (opened.key, opened.job, opened.notes, opened.release_id) == (
        ("key", {"source": {"path": "ü"}}, {"n": 1.5}, "id")
    )
    assert stat.S_IMODE((tmp_path / "ledger").stat().st_mode) == 0o700


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_release(everything()[0].release, tmp_path / "r")
    return tmp_path / "r"


def with_manifest(folder: Path, **changed: Any) -> None:
    """Change the manifest, and sign all files again."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8")) | changed
    for name in manifest["files"]:
        manifest["files"][name]["sha256"] = checksum(folder / name)
    path.write_text(json.dumps(manifest), encoding="utf-8")


def complaint(folder: Path) -> str:
    """What is said of a folder that can't be opened."""
    with pytest.raises(BadRelease) as error:
        open_release(folder)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"format": "sfumato/2"}, "newer than sfumato/1; update sfumato"),
        ({"format": "sfumato/10"}, "newer"),
        ({"format": "parquet"}, "names no sfumato format"),
        ({"format": "sfumato/x"}, "names no sfumato format"),
        ({"form": "unheard-of"}, "form unknown to this version"),
        ({"hierarchies": {"town": "../../etc/passwd"}}, "outside the release"),
        ({"hierarchies": {"town": "/etc/passwd"}}, "outside the release"),
        ({"hierarchies": []}, "damaged"),
        ({"hierarchies": {}}, "damaged"),
    ],
)
def test_manifests_that_are_refused(folder: Path, changed: dict[str, Any], says: str) -> None:
    with_manifest(folder, **changed)
    assert says in complaint(folder)


def test_a_folder_without_manifest_or_with_another(folder: Path) -> None:
    for content in ("[]", '"x"', "{}", "{", "\x00", '{"format": "sfumato/1"}'):
        (folder / "manifest.json").write_text(content)
        assert complaint(folder)
    (folder / "manifest.json").unlink()
    assert "is not a release" in complaint(folder)
    assert "is not a release" in complaint(folder / "nowhere")


@pytest.mark.parametrize("change", ["cut", "flip", "empty", "gone"])
def test_every_damaged_file_is_noticed(folder: Path, change: str) -> None:
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "manifest.json"):
        whole = path.read_bytes()
        middle = len(whole) // 2
        damaged = {
            "cut": whole[:-3],
            "flip": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            "empty": b"",
            "gone": None,
        }[change]
        path.unlink() if damaged is None else path.write_bytes(damaged)
        assert path.name in complaint(folder)
        path.write_bytes(whole)
    open_release(folder)


@pytest.mark.parametrize("change", ["cut", "empty", "other", "flip"])
def test_damage_with_true_checksums_is_one_line(folder: Path, change: str) -> None:
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "manifest.json"):
        if path.name in ("dictionary.md", "flat.parquet"):
            continue  # for people, and never opened
        whole = path.read_bytes()
        for middle in range(4, len(whole), max(1, len(whole) // 7)):
            damaged = {
                "cut": whole[:middle],
                "empty": b"",
                "other": b"[1, 2, 3]",
                "flip": whole[:middle] + bytes([whole[middle] ^ 64]) + whole[middle + 1 :],
            }[change]
            path.write_bytes(damaged)
            with_manifest(folder)
            try:
                open_release(folder)
            except Exception as error:
                assert type(error).__module__ == "sfumato.core.errors"
                assert "\n" not in str(error)
        path.write_bytes(whole)


def test_a_damaged_ledger(tmp_path: Path) -> None:
    with pytest.raises(BadRelease, match="is not a ledger"):
        open_ledger(tmp_path)
    write_ledger(Ledger(np.arange(3)), tmp_path / "l")
    (tmp_path / "l" / "links.parquet").write_bytes(b"PAR1")
    with pytest.raises(BadRelease, match=r"links\.parquet is damaged"):
        open_ledger(tmp_path / "l")
    pq.write_table(pa.table({"other": [1]}), tmp_path / "l" / "links.parquet")
    with pytest.raises(BadRelease, match="do not fit"):
        open_ledger(tmp_path / "l")


def test_types_by_name() -> None:
    plain = [pa.int64(), pa.uint64(), pa.float32(), pa.float64(), pa.string(), pa.bool_()]
    dates = [pa.date32(), pa.timestamp("us"), pa.timestamp("us", "+01:00"), pa.time64("us")]
    for kind in (*plain, *dates):
        assert arrow_type(str(kind)) == kind
