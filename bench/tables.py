"""What a subject gives: tables of plain values, printed here and kept as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.measure import BUSY

Row = dict[str, Any]


@dataclass
class Table:
    """Rows of named values; columns come in the order in which rows name them."""

    title: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, **cells: Any) -> None:
        """One more row; names are written with underscores for spaces."""
        self.rows.append({name.replace("_", " "): value for name, value in cells.items()})

    @property
    def columns(self) -> list[str]:
        """Every name that occurs in a row."""
        return list(dict.fromkeys(name for row in self.rows for name in row))


def target(text: str, *pairs: tuple[float, float]) -> Row:
    """The columns that hold a result against its target: every first number at most the second."""
    return {"target": text, "met": "yes" if all(one <= most for one, most in pairs) else "NO"}


def shown(table: Table) -> str:
    """A table as text."""
    columns = table.columns
    lines = [columns, *([cell(name, row.get(name)) for name in columns] for row in table.rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
    right = [any(_is_number(row.get(name)) for row in table.rows) for name in columns]
    text = ["", table.title]
    text += ["  " + "  ".join(_aligned(*one) for one in zip(line, widths, right)) for line in lines]
    return "\n".join([*(line.rstrip() for line in text), *(f"  {note}" for note in notes(table))])


def notes(table: Table) -> Sequence[str]:
    """What is to be known of a table, and whether the machine was busy."""
    loud = [row for row in table.rows if (row.get("others") or 0.0) > BUSY]
    if not loud:
        return table.notes
    return [*table.notes, f"{len(loud)} of {len(table.rows)} rows on a busy machine: doubt wall s"]


def _aligned(text: str, width: int, right: bool) -> str:
    return text.rjust(width) if right else text.ljust(width)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def cell(name: str, value: Any) -> str:
    """A value as people read it."""
    if value is None:
        return ""
    if isinstance(value, float):
        digits = 4 if "loss" in name else 3
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.{digits}g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
