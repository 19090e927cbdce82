"""What the parts of the study have in common: curves by parameters, and errors as findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.core.answers import ResultTable, result_table
from sfumato.study.findings import Curves, Finding, Setting, Statement
from sfumato.study.papers import distribution_tables as tables
from sfumato.study.papers.distribution_errors import Case, Line, Publish, by, by_range

Judge = Callable[[ResultTable], Sequence[Statement]]
ERROR = "mean width of the bounds of AVG(loss), relative to the truth"
ROUNDED: dict[str, Any] = {"rounding": 12}
QI: dict[str, Any] = {"subgroups": "exact"}
RUNS = 5  # each with queries of its own, and a table of its own where that is made up


@dataclass(frozen=True)
class Heading:
    """Name, title and text of a finding, what judges it, and whether errors span many sizes."""

    name: str
    title: str
    text: str
    judge: Judge = lambda table: ()
    log: bool = False


def curves_of(setting: Setting, asked: Mapping[str, Mapping[str, Any]]) -> dict[str, Publish]:
    """Curves by the parameters that make them."""
    return {name: by(parameters, setting.run) for name, parameters in asked.items()}


def finding(heading: Heading, lines: Sequence[Line], x: str) -> Finding:
    """Errors against the first column."""
    table = result_table(heading.title, lines)
    chart = Curves(table.columns[0], table.columns[1:], x, ERROR, heading.log)
    said = heading.judge(table)
    return Finding(heading.name, heading.title, heading.text, table, chart, said)


def against_range(
    setting: Setting, heading: Heading, cases: Sequence[Case], curves: Mapping[str, Publish]
) -> Finding:
    """Error against query range."""
    lines = by_range(setting, cases, curves, heading.name)
    return finding(heading, lines, "width of the range of ages asked for, in years")


def adults(setting: Setting) -> list[Case]:
    """Adult, once a run."""
    return [Case(tables.adult(setting))] * runs(setting)


def runs(setting: Setting) -> int:
    """How often everything is repeated."""
    return 1 if setting.quick else RUNS


def each(
    setting: Setting, make: Callable[[Setting, str, Sequence[Case]], Iterator[Finding]]
) -> Iterator[Finding]:
    """The same for both made-up tables of section 6.1, by name: unrelated and related."""
    yield from make(setting, "unrelated", made_up(setting, tables.unrelated, "unrelated"))
    yield from make(setting, "related", made_up(setting, tables.related, "related"))


def made_up(setting: Setting, make: Callable[[int, tables.Draw], Any], name: str) -> list[Case]:
    """Made-up tables, one for every run."""
    draws = (setting.run.rng("table", name, place) for place in range(runs(setting)))
    return [Case(make(tables.rows_of(setting), rng)) for rng in draws]
