"""Result tables as HTML: numbers to the right, decimal points under each other."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.core.answers import ResultTable
from sfumato.report.markup import Markup, element, join
from sfumato.report.numbers import NOTHING, after_point, cell, is_numeric

MOST = 1000


def heading(column: str) -> str:
    """A column's name for people: words are separated by spaces."""
    return column.replace("_", " ")


def table_html(table: ResultTable, most: int = MOST, captioned: bool = True) -> Markup:
    """A table with caption and notes; of a long one the first `most` rows."""
    columns = [_column(table, place, most) for place in range(len(table.columns))]
    body = join([element("tr", *cells) for cells in zip(*columns, strict=True)])
    inner = element(
        "table",
        element("caption", table.title) if captioned and table.title else Markup(""),
        element("thead", element("tr", *_heads(table))),
        element("tbody", body),
    )
    name = f"Table: {table.title}" if table.title else "Table"
    wide = element("div", inner, class_="scroll", role="region", tabindex="0", aria_label=name)
    return element("div", wide, _notes(table, most), class_="table")


def _heads(table: ResultTable) -> list[Markup]:
    heads = []
    for place, name in enumerate(table.columns):
        style = "n" if is_numeric([row[place] for row in table.rows]) else None
        heads.append(element("th", heading(name), scope="col", class_=style))
    return heads


def _column(table: ResultTable, place: int, most: int) -> list[Markup]:
    values = [row[place] for row in table.rows[:most]]
    texts = [cell(value) for value in values]
    if is_numeric([row[place] for row in table.rows]):
        return _numbers(texts)
    if place:
        return [element("td", text) for text in texts]
    return [element("th", text, scope="row") for text in texts]


def _numbers(texts: Sequence[str]) -> list[Markup]:
    """Cells moved left by the digits they lack; the point itself is half a digit wide."""
    most = max(map(_digits_wide, texts), default=0.0)
    lacks = (0.0 if text == NOTHING else most - _digits_wide(text) for text in texts)
    styles = (f"--pad:{lack:g}" if lack else None for lack in lacks)
    return [
        element("td", text, class_="n", style=style)
        for text, style in zip(texts, styles, strict=True)
    ]


def _digits_wide(text: str) -> float:
    return max(0.0, after_point(text) - 0.5)


def _notes(table: ResultTable, most: int) -> Markup:
    notes = list(table.notes)
    if len(table) > most:
        notes.append(f"The first {most:,} of {len(table):,} rows.")
    return join([element("p", note, class_="note") for note in notes])
