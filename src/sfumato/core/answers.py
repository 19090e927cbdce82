"""What questions return: a value with bounds, a verdict on a claim, a table of either."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


@dataclass(frozen=True)
class Answer:
    """One number and how far it can be trusted.

    `bounds` are hard: the truth lies inside them whatever happened inside the groups. `interval`
    is statistical and covers the truth at `level`; `error` is the standard error it rests on. A
    refusal is an answer without a value whose `basis` gives the reason.
    """

    name: str
    value: float | None
    bounds: tuple[float | None, float | None] | None = None
    interval: tuple[float, float] | None = None
    level: float | None = None
    basis: str = ""
    unit: str = ""
    refused: bool = False
    error: float | None = None


class Status(StrEnum):
    """What an audit can say of a claim."""

    VERIFIED = "verified"
    VIOLATED = "violated"
    ARGUED = "argued"
    NEEDS_OWNER = "needs the owner"


@dataclass(frozen=True)
class Verdict:
    """One check of one claim: its status, the number found, and where it is worst."""

    claim: str
    status: Status
    found: str = ""
    worst: str = ""
    note: str = ""


@dataclass(frozen=True)
class ResultTable:
    """Named columns and rows of plain values: what every command prints and every report shows."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = field(default=())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> list[Any]:
        """The values of one column."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def as_json(self) -> dict[str, Any]:
        """A plain form for `--json`."""
        return {"title": self.title, "rows": list(self), "notes": list(self.notes)}


def result_table(
    title: str, rows: Sequence[dict[str, Any]], notes: Sequence[str] = ()
) -> ResultTable:
    """A table from dictionaries; columns in order of first appearance, absent cells None."""
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    cells = tuple(tuple(row.get(name) for name in columns) for row in rows)
    return ResultTable(title, columns, cells, tuple(notes))


def verdict_table(title: str, verdicts: Sequence[Verdict]) -> ResultTable:
    """Verdicts as a table."""
    columns = ("claim", "status", "found", "worst", "note")
    rows = tuple((v.claim, v.status.value, v.found, v.worst, v.note) for v in verdicts)
    return ResultTable(title, columns, rows)
