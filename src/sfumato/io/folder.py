"""Files of a release folder, trusted with nothing: plain files inside it, JSON read strictly."""

from __future__ import annotations

import csv
import hashlib
import json
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa

from sfumato.core.errors import BadRelease

FAKES = "fakes.parquet"  # in a ledger
MATCHES = "matches.parquet"  # in a ledger
KEPT = ("kept.parquet", "kept-terms.parquet")  # in a ledger

# What reading files raises that are whole by themselves but do not fit one another.
MISFITS = (
    KeyError,
    IndexError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    csv.Error,
    pa.ArrowException,
)


@contextmanager
def fitting(folder: Path) -> Iterator[None]:
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


def inside(name: str) -> PurePosixPath:
    """A path as a manifest lists it, refused if it leads out of the release."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise BadRelease("manifest.json lists a file outside the release", "get it again")
    return path


def regular(folder: Path, name: str) -> Path:
    """A file of the folder; refused if a link or a pipe stands in its place."""
    parts = inside(name).parts
    linked = any(folder.joinpath(*parts[:end]).is_symlink() for end in range(1, len(parts)))
    path = folder.joinpath(*parts)
    try:
        plain = stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        raise BadRelease(f"{folder.name} lacks {name}", "get it again") from None
    if linked or not plain:
        raise BadRelease(f"{folder.name}/{name} is not a plain file", "get it again")
    return path


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_json(folder: Path, name: str) -> Any:
    """A JSON file of a release or a ledger."""
    path = regular(folder, name)
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_once)
    except (OSError, ValueError, RecursionError):
        raise BadRelease(f"{folder.name}/{name} is damaged", "get it again") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a key given twice would hide its first value from every reader."""
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a key stands there twice")
    return values
