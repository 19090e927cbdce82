"""Quotes that are never closed, or closed many lines too late.

A parser takes all that follows an open quote for one cell. Were that cell published as it is, so
would be the whole rows inside it, names and all. Files without a line break inside a cell cost one
count of lines; others are read a second time, about a second for every million rows.
"""

from __future__ import annotations

import csv
from pathlib import Path

from sfumato.core.errors import BadInput


def check_quotes(path: Path, delimiter: str, names: list[str], rows: int) -> None:
    """Refuse a file in which a quoted cell runs to the end, or holds what looks like a row."""
    if _lines(path) == rows + 1:
        return
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        first = 1
        try:
            for row in reader:
                for name, cell in zip(names, row, strict=False):
                    if _holds_a_row(cell, delimiter, len(names)):
                        raise BadInput(
                            f"from line {first} of {path.name} on, a quoted cell of column "
                            f"'{name}' holds what look like whole rows",
                            "close the quote; if the cell is meant so, give a Parquet file",
                        )
                first = reader.line_num + 1
        except csv.Error:
            raise BadInput(
                f"a quote on line {first} of {path.name} is not closed, or not where the cell ends",
                'close it; a quote inside a quoted cell is written as ""',
            ) from None


def _holds_a_row(cell: str, delimiter: str, width: int) -> bool:
    """Whether a line of a cell, after the first, has as many fields as the header."""
    if width == 1 or "\n" not in cell:
        return False
    return any(line.count(delimiter) == width - 1 for line in cell.splitlines()[1:])


def _lines(path: Path) -> int:
    count, last = 0, b"\n"
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 22), b""):
            count += block.count(b"\n")
            last = block[-1:]
    return count + (last != b"\n")
