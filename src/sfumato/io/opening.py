"""Opening a release or a ledger from its folder."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from sfumato.core.errors import BadRelease
from sfumato.data.hierarchy import Hierarchy, from_levels
from sfumato.data.schema import GROUP, SIZE
from sfumato.io import layout
from sfumato.releases.claims import Claim
from sfumato.releases.release import FORMAT, Ledger, Release

RECODED = "recoded"

# What reading files raises that are whole by themselves but do not fit one another.
MISFITS = (KeyError, IndexError, TypeError, ValueError, AttributeError, pa.ArrowException)


@contextmanager
def _fitting(folder: Path) -> Iterator[None]:
    """Whatever does not fit inside a folder is one error that names the folder."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or "the system refused"
        raise BadRelease(f"{folder.name} can't be read: {reason}", "get it again") from None
    except MISFITS:
        raise BadRelease(
            f"{folder.name} is damaged: its files do not fit together", "get it again"
        ) from None


def open_release(folder: Path | str) -> Release:
    """Read the public half of a release, from Parquet or CSV; refused unless it is whole."""
    folder = Path(folder)
    manifest = read_manifest(folder)
    with _fitting(folder):
        _check_whole(folder, manifest)
        return _release(folder, manifest)


def _check_whole(folder: Path, manifest: dict[str, Any]) -> None:
    for name, facts in manifest["files"].items():
        path = folder / inside(name)
        if not path.is_file():
            raise BadRelease(f"{folder.name} lacks {name}", "get it again")
        if checksum(path) != facts["sha256"]:
            raise BadRelease(f"{folder.name}/{name} was altered or is damaged", "get it again")


def inside(name: str) -> PurePosixPath:
    """A path as a manifest lists it, refused if it leads out of the release."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise BadRelease("manifest.json lists a file outside the release", "get it again")
    return path


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _release(folder: Path, manifest: dict[str, Any]) -> Release:
    columns = read_json(folder / "schema.json")["columns"]
    trees = read_trees(folder, manifest)
    groups = read_data(folder, manifest, "groups", columns)
    records = read_data(folder, manifest, "records", columns)
    claims = tuple(Claim.from_json(claim) for claim in read_json(folder / "claims.json")["claims"])
    nodes = {column["name"] for column in columns if column["cells"] == "node"}
    content = layout.recoded_from_tables(groups, records, columns, trees)
    return Release(
        kind=manifest["kind"],
        form=manifest["form"],
        schema=layout.schema_from_json(columns),
        content=content,
        claims=claims,
        dropped=manifest["dropped"],
        facts=manifest["facts"],
        hierarchies={name: tree for name, tree in trees.items() if name not in nodes},
        release_id=manifest["release_id"],
    )


def open_ledger(folder: Path | str) -> Ledger:
    """Read the owner's half of a release."""
    folder = Path(folder)
    if not (folder / "ledger.json").is_file():
        raise BadRelease(f"{folder.name} is not a ledger", "name the folder given as output.ledger")
    facts = read_json(folder / "ledger.json")
    with _fitting(folder):
        links = _read_parquet(folder / "links.parquet")
        rows = np.asarray(links.column("row").combine_chunks())
        return Ledger(rows, facts["key"], facts["job"], facts["notes"], facts["release_id"])


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest, refused if this version can't read its format."""
    if not (folder / "manifest.json").is_file():
        raise BadRelease(f"{folder} is not a release", "it has no manifest.json")
    manifest: dict[str, Any] = read_json(folder / "manifest.json")
    with _fitting(folder):
        family, _, major = str(manifest.get("format", "")).partition("/")
        if family != "sfumato" or not major.isdecimal():
            raise BadRelease(f"{folder.name}/manifest.json names no sfumato format")
        if int(major) > int(FORMAT.split("/")[1]):
            raise BadRelease(
                f"{folder.name} has format sfumato/{int(major)}, newer than {FORMAT}",
                "update sfumato",
            )
        if manifest["form"] != RECODED:
            raise BadRelease(f"{folder.name} has a form unknown to this version", "update sfumato")
        return manifest


def read_data(
    folder: Path, manifest: dict[str, Any], name: str, columns: list[dict[str, Any]]
) -> pa.Table:
    """One data file as an Arrow table."""
    for form in ("parquet", "csv"):
        path = folder / "data" / f"{name}.{form}"
        if f"data/{name}.{form}" in manifest["files"]:
            if not path.is_file():
                raise BadRelease(f"{folder.name}/data/{path.name} is missing", "get it again")
            return _read_parquet(path) if form == "parquet" else _read_csv(path, columns)
    raise BadRelease(f"{folder.name}/manifest.json lists no data/{name} file")


def _read_parquet(path: Path) -> pa.Table:
    try:
        return pq.read_table(path)
    except (pa.ArrowInvalid, OSError):
        raise BadRelease(f"{path.parent.name}/{path.name} is damaged", "get it again") from None


def _read_csv(path: Path, columns: list[dict[str, Any]]) -> pa.Table:
    types: dict[str, pa.DataType] = {GROUP: pa.int32(), SIZE: pa.int32()}
    for column in columns:
        name, exact = column["name"], arrow_type(column["type"])
        types[name] = exact if column["cells"] == "exact" else pa.string()
        types |= {f"{name}_lower": exact, f"{name}_upper": exact, f"{name}_values": pa.string()}
        types |= {f"{name}_level": pa.int16(), f"{name}_missing": pa.bool_()}
    convert = pacsv.ConvertOptions(
        column_types=types,
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    parse = pacsv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)
    try:
        data = pacsv.read_csv(path, parse_options=parse, convert_options=convert)
    except (pa.ArrowInvalid, OSError):
        raise BadRelease(f"data/{path.name} is damaged", "get it again") from None
    return _with_lists(data, columns)


def _with_lists(data: pa.Table, columns: list[dict[str, Any]]) -> pa.Table:
    """CSV has no lists: they stand there as JSON texts."""
    for column in columns:
        name = f"{column['name']}_values"
        if name in data.column_names:
            lists = [json.loads(text) for text in data.column(name).to_pylist()]
            inner = pa.list_(arrow_type(column["type"]))
            values = pa.array(lists, pa.list_(pa.string())).cast(inner)
            data = data.set_column(data.column_names.index(name), name, values)
    return data


def arrow_type(text: str) -> pa.DataType:
    """The Arrow type that `str` printed."""
    if text.startswith("timestamp["):
        unit, _, zone = text[len("timestamp[") : -1].partition(", tz=")
        return pa.timestamp(unit, zone or None)
    plain = {"date32[day]": "date32", "date64[ms]": "date64", "double": "float64"}
    return pa.type_for_alias(plain.get(text, text))


def read_trees(folder: Path, manifest: dict[str, Any]) -> dict[str, Hierarchy]:
    """The published hierarchies by column."""
    names = manifest["hierarchies"]
    return {column: _read_tree(column, folder / inside(file)) for column, file in names.items()}


def _read_tree(column: str, path: Path) -> Hierarchy:
    with path.open(encoding="utf-8", newline="") as file:
        return from_levels(column, list(csv.reader(file))[1:])


def read_json(path: Path) -> Any:
    """A JSON file of a release or a ledger."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadRelease(f"{path.parent.name} lacks {path.name}", "get it again") from None
    except (OSError, json.JSONDecodeError, UnicodeDecodeError):
        raise BadRelease(f"{path.parent.name}/{path.name} is damaged", "get it again") from None
