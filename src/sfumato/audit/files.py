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

from sfumato.core.answers import Status, Verdict
from sfumato.io.opening import (
    checksum,
    inside,
    read_data,
    read_json,
    read_manifest,
    read_trees,
)
from sfumato.releases.claims import Claim


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
        data: list[dict[str, Any]] = read_json(self.folder / "schema.json")["columns"]
        return data

    @cached_property
    def claims(self) -> list[Claim]:
        """What the release says of itself."""
        claims = read_json(self.folder / "claims.json")["claims"]
        return [Claim.from_json(claim) for claim in claims]

    @cached_property
    def groups(self) -> pa.Table:
        """One row per group."""
        return read_data(self.folder, self.manifest, "groups", self.columns)

    @cached_property
    def records(self) -> pa.Table:
        """One row per record."""
        return read_data(self.folder, self.manifest, "records", self.columns)

    @cached_property
    def flat(self) -> pa.Table:
        """Both joined, as published."""
        return read_data(self.folder, self.manifest, "flat", self.columns)

    @cached_property
    def trees(self) -> dict[str, Any]:
        """The published hierarchies."""
        return read_trees(self.folder, self.manifest)

    @cached_property
    def group(self) -> NDArray[np.int64]:
        """The group of every record."""
        return np.asarray(self.records.column("group").cast(pa.int64()))

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

    def named(self, *roles: str) -> list[str]:
        """Columns by role."""
        return [column["name"] for column in self.columns if column["role"] in roles]


def check_files(files: Files) -> Iterator[Verdict]:
    """Every listed file is there and unchanged, and nothing else lies beside them."""
    listed = {inside(name).as_posix(): facts for name, facts in files.manifest["files"].items()}
    there = {path.relative_to(files.folder).as_posix() for path in files.folder.rglob("*")}
    folders = {parent.as_posix() for name in listed for parent in PurePosixPath(name).parents}
    lacking = sorted(set(listed) - there)
    extra = sorted(there - set(listed) - folders - {"manifest.json"})
    changed = (
        [] if lacking else sorted(n for n, facts in listed.items() if _differs(files, n, facts))
    )
    for what, names in (("lacking", lacking), ("not listed", extra), ("changed", changed)):
        if names:
            found = f"{len(names)} {what}: {names[0]}"
            yield Verdict("files", Status.VIOLATED, found, note="the release was altered")
            return
    yield Verdict("files", Status.VERIFIED, f"{len(listed)} files, checksums equal")


def _differs(files: Files, name: str, facts: dict[str, Any]) -> bool:
    path = files.folder / name
    return not path.is_file() or checksum(path) != facts["sha256"]
