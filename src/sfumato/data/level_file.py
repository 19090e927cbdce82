"""Hierarchies in files: one line for every value, its levels from fine to coarse."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from sfumato.core.errors import BadInput
from sfumato.data.hierarchy import Hierarchy, from_levels


def read_levels(column: str, path: Path, values: Sequence[str] = ()) -> Hierarchy:
    """Read a level-form CSV; comma, semicolon or tab; a head line may come first.

    A head line names the column, or is shown to be one by the column's values.
    """
    text = _text_of(column, path)
    delimiter = max(";,\t", key=text.split("\n", 1)[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        lines = [(reader.line_num, row) for row in reader if row]
    except csv.Error:
        raise BadInput(
            f"hierarchy of '{column}': line {reader.line_num} of {path.name} can't be read",
            "check its quotes",
        ) from None
    if lines and (lines[0][1][0] in (column, "level_0") or _is_head(lines, values)):
        lines = lines[1:]
    return from_levels(column, [row for _, row in lines], [line for line, _ in lines])


def _is_head(lines: Sequence[tuple[int, list[str]]], values: Sequence[str]) -> bool:
    """Whether the first line shares no field with the others, which hold every value alone."""
    (_, head), *rest = lines
    held = {row[0] for _, row in rest}
    if not values or head[0] in values or not held.issuperset(values):
        return False
    levels = zip(head, *(row for _, row in rest), strict=False)
    return all(name not in others for name, *others in levels)


def _text_of(column: str, path: Path) -> str:
    where = f"hierarchy of '{column}'"
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise BadInput(f"{where}: no file {path.name}", "it is relative to the job file") from None
    except OSError as error:
        raise BadInput(f"{where}: {path.name}: {error.strerror}", "name a CSV file") from None
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{where}: byte {error.start} of {path.name} is not UTF-8", "save the file as UTF-8"
        ) from None
