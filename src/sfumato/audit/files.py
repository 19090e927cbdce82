"""What lies in a release folder, read plainly: tables as Arrow, nothing interpreted twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.audit.hidden import hidden_in
from sfumato.core.answers import Status, Verdict
from sfumato.data.schema import Kind
from sfumato.io.dictionary import dictionary_text
from sfumato.io.folder import checksum, regular
from sfumato.io.forms import format_of
from sfumato.io.layouts import layout_of, parts_of
from sfumato.io.opening import (
    read_beside,
    read_claims,
    read_columns,
    read_manifest,
    read_trees,
)
from sfumato.io.tables import read_data
from sfumato.io.words import Extent
from sfumato.releases.claims import Claim
from sfumato.releases.release import Content


@dataclass(frozen=True, eq=False)
class Files:
    """A release as an auditor finds it."""

    folder: Path

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The list of files with their checksums."""
        return read_manifest(self.folder)

    @cached_property
    def columns(self) -> list[dict[str, Any]]:
        """The published columns."""
        return read_columns(self.folder, self.manifest)

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """What the release says of itself."""
        return read_claims(self.folder, self.columns)

    @cached_property
    def views(self) -> dict[type, Any]:
        """What the auditors of a form make of the files, made once."""
        return {}

    @cached_property
    def _tables(self) -> dict[str, pa.Table]:
        return {}

    def table(self, part: str) -> pa.Table:
        """A data file; read once."""
        if part not in self._tables:
            self._tables[part] = read_data(self.folder, self.manifest, part, self.columns)
        return self._tables[part]

    @cached_property
    def content(self) -> Content:
        """What the data files hold together."""
        return layout_of(self.manifest).read(self.table, self.columns, self.trees, self.beside)

    @cached_property
    def beside(self) -> dict[str, Any]:
        """The JSON files of this form by name."""
        return read_beside(self.folder, self.manifest)

    @property
    def groups(self) -> pa.Table:
        """One row per group."""
        return self.table("groups")

    @property
    def records(self) -> pa.Table:
        """One row per record."""
        return self.table("records")

    @property
    def flat(self) -> pa.Table:
        """Both joined, as published."""
        return self.table("flat")

    @cached_property
    def trees(self) -> dict[str, Any]:
        """The published hierarchies."""
        return read_trees(self.folder, self.manifest, self.columns)

    @cached_property
    def group(self) -> NDArray[np.int64]:
        """The group of every record."""
        return layout_of(self.manifest).members(self.table)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Records per group, counted."""
        return np.bincount(self.group, minlength=self.groups.num_rows)

    def values(self, name: str) -> tuple[NDArray[np.int64], list[Any]]:
        """A column of the records as codes over its values in order, missing (None) first."""
        column = self.records.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        present = pc.unique(column.drop_null())
        present = present.take(pc.sort_indices(present))
        place = pc.index_in(column, value_set=present).combine_chunks()
        missing = column.null_count > 0
        codes = np.asarray(place.cast(pa.int64()).fill_null(-1)) + missing
        return codes, [None] * missing + present.to_pylist()

    def kind(self, name: str) -> Kind:
        """How the values of a column compare."""
        return Kind(next(c["kind"] for c in self.columns if c["name"] == name))

    def named(self, *roles: str) -> list[str]:
        """Columns by role."""
        return [column["name"] for column in self.columns if column["role"] in roles]


def check_files(files: Files) -> Iterator[Verdict]:
    """Every listed file is there and unchanged, and nothing lies beside or inside them unseen."""
    for look, note in (
        (_listing, "the release was altered"),
        (_hidden, "what no table shows can't be judged"),
    ):
        found = look(files)
        if found:
            yield Verdict("files", Status.VIOLATED, found, note=note)
            return
    yield Verdict(
        "files", Status.VERIFIED, f"{len(files.manifest['files'])} files, checksums equal"
    )


def _listing(files: Files) -> str:
    """What is wrong with the files as such, empty if nothing is."""
    listed = files.manifest["files"]
    there = {path.relative_to(files.folder).as_posix() for path in files.folder.rglob("*")}
    folders = {parent.as_posix() for name in listed for parent in PurePosixPath(name).parents}
    lacking = sorted(set(listed) - there)
    extra = sorted(there - set(listed) - folders - {"manifest.json"})
    changed = [] if lacking else sorted(n for n in listed if _differs(files, n))
    for what, names in (("lacking", lacking), ("not listed", extra), ("changed", changed)):
        if names:
            return f"{len(names)} {what}: {names[0]}"
    return ""


def _differs(files: Files, name: str) -> bool:
    stated: str = files.manifest["files"][name]["sha256"]
    return checksum(regular(files.folder, name)) != stated


def _hidden(files: Files) -> str:
    """What the files say besides the tables, empty if nothing."""
    manifest, layout = files.manifest, layout_of(files.manifest)
    ending = format_of(manifest)
    for part in parts_of(manifest) if ending == "parquet" else ():
        found = hidden_in(regular(files.folder, f"data/{part}.parquet"), files.table(part))
        if found:
            return f"data/{part}.parquet holds {found}"
    groups = files.table(layout.GROUPS).num_rows
    extent = Extent(len(files.group), groups, manifest["dropped"])
    expected = dictionary_text(
        layout, files.columns, files.claims, ending, extent, manifest["facts"]
    )
    if regular(files.folder, "dictionary.md").read_bytes() != expected.encode():
        return "dictionary.md says something else than schema and claims"
    return ""
