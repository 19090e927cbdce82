"""Opening a release or a ledger from its folder."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.core.errors import BadInput, BadRelease
from sfumato.data.hierarchy import Hierarchy, from_levels
from sfumato.data.schema import Field, Kind, Role, Schema
from sfumato.io import forms
from sfumato.io.folder import (
    FAKES,
    KEPT,
    MATCHES,
    MISFITS,
    checksum,
    fitting,
    inside,
    read_json,
    regular,
)
from sfumato.io.layouts import LAYOUTS, layout_of, parts_of
from sfumato.io.property_tables import read_properties
from sfumato.io.tables import read_data
from sfumato.releases.claims import Claim
from sfumato.releases.properties import Properties
from sfumato.releases.release import FORMAT, Content, Ledger, Release


def open_release(folder: Path | str) -> Release:
    """Read the public half of a release, from Parquet or CSV; refused unless it is whole."""
    folder = Path(folder)
    manifest = read_manifest(folder)
    with fitting(folder):
        _check_whole(folder, manifest)
        return _release(folder, manifest)


def _check_whole(folder: Path, manifest: dict[str, Any]) -> None:
    for name, facts in manifest["files"].items():
        if checksum(regular(folder, name)) != facts["sha256"]:
            raise BadRelease(f"{folder.name}/{name} was altered or is damaged", "get it again")


def _release(folder: Path, manifest: dict[str, Any]) -> Release:
    columns = read_columns(folder, manifest)
    claims = read_claims(folder, columns)
    trees = read_trees(folder, manifest, columns)
    content = read_content(folder, manifest, columns, trees)
    of_content = layout_of(manifest).with_tree(columns)[0]
    return Release(
        kind=manifest["kind"],
        form=manifest["form"],
        schema=_schema(columns),
        content=content,
        claims=claims,
        dropped=manifest["dropped"],
        facts=manifest["facts"],
        hierarchies={name: tree for name, tree in trees.items() if name not in of_content},
        release_id=manifest["release_id"],
    )


def _schema(columns: list[dict[str, Any]]) -> Schema:
    return Schema(tuple(Field(c["name"], Role(c["role"]), Kind(c["kind"])) for c in columns))


def read_content(
    folder: Path,
    manifest: dict[str, Any],
    columns: list[dict[str, Any]],
    trees: dict[str, Hierarchy],
) -> Content:
    """What the data files hold, in the release's form."""

    def part(name: str) -> pa.Table:
        return read_data(folder, manifest, name, columns)

    return layout_of(manifest).read(part, columns, trees, read_beside(folder, manifest))


def open_ledger(folder: Path | str) -> Ledger:
    """Read the owner's half of a release."""
    folder = Path(folder)
    if not (folder / "ledger.json").is_file():
        raise BadRelease(f"{folder.name} is not a ledger", "name the folder given as output.ledger")
    facts = read_json(folder, "ledger.json")
    with fitting(folder):
        rows = _links(regular(folder, "links.parquet"))
        return Ledger(
            rows,
            **{name: facts[name] for name in ("key", "job", "notes", "release_id")},
            fakes=_beside(folder, FAKES),
            matches=_beside(folder, MATCHES),
            kept=_kept(folder, len(rows)),
        )


def _beside(folder: Path, name: str) -> pa.Table | None:
    """A table that some ledgers have."""
    return _owned(regular(folder, name)) if (folder / name).is_file() else None


def _kept(folder: Path, records: int) -> Properties | None:
    if not all((folder / name).is_file() for name in KEPT):
        return None
    properties, terms = (_owned(regular(folder, name)) for name in KEPT)
    names = terms.column("column").cast(pa.string()).unique().to_pylist()
    return read_properties(properties, terms, tuple(names), records, f"{folder.name}/{KEPT[0]}")


def _links(path: Path) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.asarray(_owned(path).column("row").combine_chunks())


def _owned(path: Path) -> pa.Table:
    """A table of the owner's half."""
    try:
        return pq.ParquetFile(path).read()
    except (OSError, *MISFITS):
        raise BadRelease(f"{path.parent.name}/{path.name} is damaged", "get it again") from None


def recognise(folder: Path) -> dict[str, Any]:
    """The manifest of what calls itself a release; refused if this version can't read its format.

    Nothing but the format is looked at.
    """
    try:
        regular(folder, "manifest.json")
    except BadRelease:
        raise BadRelease(f"{folder} is not a release", "it has no manifest.json") from None
    manifest = read_json(folder, "manifest.json")
    facts: dict[str, Any] = manifest if isinstance(manifest, dict) else {}
    family, _, major = str(facts.get("format", "")).partition("/")
    if family != "sfumato" or not (major.isascii() and major.isdecimal() and len(major) < 10):
        raise BadRelease(f"{folder.name}/manifest.json names no sfumato format")
    if int(major) > int(FORMAT.split("/")[1]):
        raise BadRelease(
            f"{folder.name} has format sfumato/{int(major)}, newer than {FORMAT}", "update sfumato"
        )
    if isinstance(facts.get("form"), str) and facts["form"] not in {form for form, _ in LAYOUTS}:
        raise BadRelease(f"{folder.name} has a form unknown to this version", "update sfumato")
    return facts


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest, refused unless it lists exactly the files of a release."""
    manifest, where = recognise(folder), f"{folder.name}/manifest.json"
    with fitting(folder):
        forms.check_form(forms.ManifestForm, manifest, where)
        for name in (*manifest["files"], *manifest["hierarchies"].values()):
            inside(name)
        layout = layout_of(manifest)
        forms.check_form(layout.FACTS, manifest["facts"], where)
        parts, empty = parts_of(manifest), layout.MAY_BE_EMPTY
        forms.check_listing(manifest, parts, empty, layout.BESIDE, where)
    return manifest


def read_columns(folder: Path, manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """The published columns, with roles that fit their cells and the data files of such columns."""
    layout = layout_of(manifest)
    data, where = read_json(folder, "schema.json"), f"{folder.name}/schema.json"
    with fitting(folder):
        forms.check_form(layout.SCHEMA, data, where)
        columns: list[dict[str, Any]] = data["columns"]
        layout.check_columns(columns, where)
        if set(layout.files(columns)) != set(parts_of(manifest)):
            raise forms.damaged(where, "the data files are not those of such columns")
        return columns


def read_claims(folder: Path, columns: list[dict[str, Any]]) -> tuple[Claim, ...]:
    """The claims, about the columns of the schema and the adversary that is known."""
    data, where = read_json(folder, "claims.json"), f"{folder.name}/claims.json"
    with fitting(folder):
        forms.check_form(forms.ClaimsForm, data, where)
        claims = tuple(Claim.from_json(claim) for claim in data["claims"])
        for claim in claims:
            forms.check_claim(claim, columns, where)
        return claims


def read_beside(folder: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """The JSON files of this form, such as a law, each as its form has it."""
    found = {}
    for name, form in layout_of(manifest).BESIDE.items():
        found[name] = read_json(folder, name)
        forms.check_form(form, found[name], f"{folder.name}/{name}")
    return found


def read_trees(
    folder: Path, manifest: dict[str, Any], columns: list[dict[str, Any]]
) -> dict[str, Hierarchy]:
    """The published hierarchies by column."""
    names: dict[str, str] = manifest["hierarchies"]
    needed, useful = layout_of(manifest).with_tree(columns)
    forms.check_trees(list(names), needed, useful, f"{folder.name}/manifest.json")
    return {column: _read_tree(column, folder, file) for column, file in names.items()}


def _read_tree(column: str, folder: Path, name: str) -> Hierarchy:
    try:
        with regular(folder, name).open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file, strict=True)
        if header != [f"level_{level}" for level in range(len(header))]:
            raise ValueError("a header is no place for anything else")
        return from_levels(column, rows)
    except (OSError, BadInput, *MISFITS):
        raise BadRelease(f"{folder.name}/{name} is damaged", "get it again") from None
