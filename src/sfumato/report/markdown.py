"""A page as Markdown, for documents that stand beside code; its charts are files beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sfumato.core.answers import ResultTable
from sfumato.report.charts import Chart
from sfumato.report.markup import clean
from sfumato.report.numbers import cell, is_numeric
from sfumato.report.page import Page, Section
from sfumato.report.tables import heading


def markdown(page: Page, figures: Mapping[str, str]) -> str:
    """The page; `figures` gives the file of every chart by the chart's title."""
    parts = [f"# {page.title}", page.subtitle]
    parts += [f"**{name}:** {cell(value)}" for name, value in page.facts]
    for section in page.sections:
        parts += _section(section, figures)
    parts.append(page.footer)
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(section: Section, figures: Mapping[str, str]) -> Iterator[str]:
    yield f"## {section.title}"
    yield section.text
    for chart in section.charts:
        yield f"### {chart.title}"
        yield chart.note
        yield f"![{chart.title}]({figures[chart.title]})"
        yield _behind(chart)
    for table in section.tables:
        yield from _table(table)


def _behind(chart: Chart) -> str:
    numbers = "\n\n".join(_table(chart.table(), titled=False))
    return f"<details><summary>Numbers</summary>\n\n{numbers}\n\n</details>"


def _table(table: ResultTable, titled: bool = True) -> Iterator[str]:
    if titled and table.title:
        yield f"**{table.title}**"
    columns = range(len(table.columns))
    numeric = [is_numeric([row[place] for row in table.rows]) for place in columns]
    lines = [
        _line([heading(name) for name in table.columns]),
        _line(["---:" if right else "---" for right in numeric]),
        *(_line([cell(value) for value in row]) for row in table.rows),
    ]
    yield "\n".join(lines)
    yield from table.notes


def _line(cells: list[str]) -> str:
    """One row; an upright bar would begin another cell.

    >>> _line(["a|b", "c"])
    '| a\\\\|b | c |'
    """
    return f"| {' | '.join(clean(text).replace('|', chr(92) + '|') for text in cells)} |"
