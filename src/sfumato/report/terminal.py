"""The same tables for a terminal, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.core.answers import ResultTable, Status, Verdict
from sfumato.report.markup import clean
from sfumato.report.numbers import aligned, cell, is_numeric, plain
from sfumato.report.tables import heading

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

SPACE = 2  # between columns
SLIM = 14  # a column of text may be wrapped down to this
WORD = 20  # longer words of a name are broken
LONG = 24  # a longer text that is the same in every row is said once, below the table
STYLES = {
    Status.VERIFIED: ("✓", "green"),
    Status.VIOLATED: ("✗", "bold red"),
    Status.ARGUED: ("~", "yellow"),
    Status.NEEDS_OWNER: ("?", "blue"),
}


def json_text(tables: Sequence[ResultTable]) -> str:
    """Tables as a JSON list in plain types; what is not a finite number is null.

    >>> print(json_text([ResultTable("t", ("x",), ((float("nan"),),))]))
    [
      {
        "title": "t",
        "rows": [
          {
            "x": null
          }
        ],
        "notes": []
      }
    ]
    """
    found = [plain(table.as_json()) for table in tables]
    return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)


def print_table(table: ResultTable, console: Console) -> None:
    """Print a table; one too wide for the console is split, its first column repeated."""
    table = _said_once(table)
    columns = [_column(table, place) for place in range(len(table.columns))]
    console.print()
    if table.title:
        _say(clean(table.title), "bold", console, indent=0)
    for part in _parts(columns, console.width):
        _print_part(part, console)
    notes = table.notes if table.rows else ("no rows", *table.notes)
    for note in notes:
        _say(f"  {clean(note)}", "dim", console)


def _said_once(table: ResultTable) -> ResultTable:
    """The table with long texts that all rows share, the first column aside, as notes."""
    first = table.rows[0] if table.rows else ()
    shared = {
        place: text
        for place, text in enumerate(first)
        if place and isinstance(text, str) and len(text) > LONG
        if all(row[place] == text for row in table.rows)
    }
    kept = [place for place in range(len(table.columns)) if place not in shared]
    rows = tuple(tuple(row[place] for place in kept) for row in table.rows)
    notes = tuple(f"{table.columns[place]}: {text}" for place, text in shared.items())
    names = tuple(table.columns[place] for place in kept)
    return ResultTable(table.title, names, rows, (*notes, *table.notes))


def print_verdicts(verdicts: Sequence[Verdict], console: Console) -> None:
    """Print each verdict: sign, status and claim, and below it what was found and where."""
    for verdict in verdicts:
        status = Status(verdict.status)
        sign, style = STYLES[status]
        _say(f"{sign} {status.value:<15} {clean(verdict.claim)}", style, console, indent=18)
        told = [("found", verdict.found), ("worst", verdict.worst), ("", verdict.note)]
        for name, text in told:
            if text:
                line = f"{name}: {clean(text)}" if name else clean(text)
                _say(" " * 18 + line, "dim", console, indent=18)


@dataclass(frozen=True)
class _Column:
    """A column ready to print; numbers are padded to one width and never wrapped or cut."""

    name: str
    texts: list[str]
    is_number: bool
    full: int  # the width of its widest text
    words: int  # the width of the longest word of its name

    @property
    def least(self) -> int:
        """The width below which the column would lose something."""
        return max(self.words, self.full if self.is_number else min(self.full, SLIM))

    @property
    def most(self) -> int:
        """The width beyond which it would not gain."""
        from rich.cells import cell_len

        return max(self.full, cell_len(self.name))


def _column(table: ResultTable, place: int) -> _Column:
    from rich.cells import cell_len

    values = [row[place] for row in table.rows]
    texts = [clean(cell(value)) for value in values]
    is_number = is_numeric(values)
    texts = aligned(texts) if is_number else texts
    name = clean(heading(table.columns[place]))
    full = max(map(cell_len, texts), default=0)
    words = min(WORD, max(map(cell_len, name.split()), default=0))
    return _Column(name, texts, is_number, full, words)


def _parts(columns: list[_Column], width: int) -> list[list[_Column]]:
    """Columns in parts that fit, each beginning with the first column."""
    parts: list[list[_Column]] = [[]]
    for column in columns:
        wanted = [*parts[-1], column]
        if len(parts[-1]) > 1 and sum(c.least + SPACE for c in wanted) - SPACE > width:
            parts.append([columns[0]])
        parts[-1].append(column)
    return [part for part in parts if part]


def _widths(columns: list[_Column], width: int) -> list[int]:
    """Widths of columns: what each needs, then what is left over, to texts first."""
    widths = [column.least for column in columns]
    spare = max(0, width - sum(widths) - SPACE * (len(columns) - 1))
    for place in sorted(range(len(columns)), key=lambda place: columns[place].is_number):
        more = min(spare, columns[place].most - columns[place].least)
        widths[place] += more
        spare -= more
    return widths


def _print_part(columns: list[_Column], console: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    widths = _widths(columns, console.width)
    grid = Table(box=None, pad_edge=False, padding=(0, SPACE, 0, 0))
    for column, width in zip(columns, widths, strict=True):
        head = Text(column.name, style="bold", justify="right" if column.is_number else "left")
        grid.add_column(head, overflow="fold", width=width)
    for texts in zip(*(column.texts for column in columns), strict=True):
        grid.add_row(*map(_cell, texts, columns, widths))
    console.print(grid)


def _cell(text: str, column: _Column, width: int) -> Text:
    """Padded numbers are not justified right: rich would strip the spaces that align them."""
    from rich.text import Text

    return Text(text.rjust(width) if column.is_number else text, justify="left")


def _say(text: str, style: str, console: Console, indent: int = 2) -> None:
    """A text, wrapped with later lines indented; never read as markup."""
    from rich.text import Text

    start, rest = text[:indent], text[indent:]
    lines = Text(rest).wrap(console, max(20, console.width - indent))
    for index, line in enumerate(lines):
        console.print(Text((start if index == 0 else " " * indent) + line.plain, style=style))
