"""Sections 6.1 and 6.2: generalization alone, and with fakes, by query range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from sfumato.core.answers import ResultTable, result_table
from sfumato.releases.bucketed import Bucketed
from sfumato.study.findings import Curves, Finding, Setting, Statement
from sfumato.study.papers import distribution_shapes as shapes
from sfumato.study.papers import distribution_tables as tables
from sfumato.study.papers.distribution_beliefs import BELIEF, publishing
from sfumato.study.papers.distribution_errors import Case, by_range, published
from sfumato.study.papers.distribution_parts import (
    QI,
    ROUNDED,
    Heading,
    adults,
    against_range,
    curves_of,
    each,
)

SA, PAPERS = "SA-only", "QI-SA, rounded"
GENERALIZING: dict[str, dict[str, Any]] = {
    SA: {},
    "QI-SA, exact": QI,
    PAPERS: QI | ROUNDED,
    "QI-SA, strata": QI | {"hierarchy": "strata"},
    "QI-SA, within 0.1": QI | {"tolerance": 0.1},
    "similar, within 0.1": {"subgroups": "similar", "tolerance": 0.1},
}


def on_adult(setting: Setting) -> Iterator[Finding]:
    """6.1 on Adult."""
    heading = Heading("range-adult", "Error by query range: Adult", ADULT, _adult_shapes)
    yield from _generalized(setting, heading, adults(setting))


def on_made_up(setting: Setting) -> Iterator[Finding]:
    """6.1 on made-up tables."""
    yield from each(setting, _made_up)


def _made_up(setting: Setting, what: str, cases: Sequence[Case]) -> Iterator[Finding]:
    judge = _unrelated_shapes if what == "unrelated" else _related_shapes
    text = UNRELATED if what == "unrelated" else RELATED
    heading = Heading(
        f"range-{what}", f"Error by query range: {what}", text, judge, what == "unrelated"
    )
    yield from _generalized(setting, heading, cases)


def _generalized(setting: Setting, heading: Heading, cases: Sequence[Case]) -> Iterator[Finding]:
    """Errors of every scheme, and what each publishes of the first table."""
    curves = curves_of(setting, GENERALIZING)
    yield against_range(setting, heading, cases, curves)
    title = heading.title.replace("Error by query range", "What is published")
    table = publishing(title, cases[0], curves)
    yield Finding(heading.name.replace("range", "published"), title, "", table)
    yield _rounded(setting, heading, cases)


SUMS = (2, 3, 4, 6, 8, 12, 16, 32, 64, 128)


def _rounded(setting: Setting, heading: Heading, cases: Sequence[Case]) -> Finding:
    """QI-SA against the rounding of its target, narrow and wide, and what the rounding changes."""
    curves = curves_of(setting, {str(most): QI | {"rounding": most} for most in SUMS})
    narrow, wide = by_range(setting, cases, curves, heading.name, ENDS)
    moved = publishing("", cases[0], curves).column(BELIEF)
    names = [f"error at {width} years" for width in ENDS]
    lines = [
        {"largest sum": most, names[0]: narrow[str(most)], names[1]: wide[str(most)], MOVED: far}
        for most, far in zip(SUMS, moved, strict=True)
    ]
    title = heading.title.replace("Error by query range", "QI-SA by rounding")
    table = result_table(title, lines)
    name = heading.name.replace("range", "rounding")
    x = "largest sum of the weights of siblings"
    drawn = Curves("largest sum", table.columns[1:], x, "error; total variation", log_x=True)
    return Finding(name, title, SUM_TEXT, table, drawn)


ENDS = (2, 60)
MOVED = "target from table"
SUM_TEXT = "Coarser ratios are met by smaller buckets, and are farther from the table."


ADULT = "1,427 records, 89 values of the loss."
UNRELATED = "Made up: losses are normal, age says nothing about them."
RELATED = "Made up: the mean of the loss rises with age."


def _adult_shapes(table: ResultTable) -> list[Statement]:
    wins = "Adult: QI-SA is better for narrow queries, SA-only for wide ones."
    return [
        shapes.falls("Adult: the error of SA-only drops as queries widen.", table, SA),
        shapes.is_flat("Adult: the error of QI-SA hardly changes.", table, PAPERS),
        shapes.crosses(wins, table, SA, PAPERS),
    ]


def _unrelated_shapes(table: ResultTable) -> list[Statement]:
    wins = "Unrelated: QI-SA is better for narrow queries, SA-only when most are selected."
    return [
        shapes.falls("Unrelated: the error of SA-only drops quickly.", table, SA),
        shapes.is_flat("Unrelated: QI-SA is equally accurate for all ranges.", table, PAPERS),
        shapes.crosses(wins, table, SA, PAPERS),
    ]


def _related_shapes(table: ResultTable) -> list[Statement]:
    wins = "Related: SA-only is better than QI-SA throughout."
    return [
        shapes.falls("Related: SA-only goes as on the unrelated table.", table, SA),
        shapes.below(wins, table, SA, PAPERS),
    ]


FAKES = ("no fakes", "+ 5 %", "+ 10 %", "+ 20 %")


def fakes_on_adult(setting: Setting) -> Iterator[Finding]:
    """6.2 on Adult."""
    yield from _fakes(setting, "Adult", adults(setting))


def fakes_on_made_up(setting: Setting) -> Iterator[Finding]:
    """6.2 on made-up tables."""
    yield from each(setting, _fakes)


def _fakes(setting: Setting, what: str, cases: Sequence[Case]) -> Iterator[Finding]:
    """QI-SA, then SA-only on nine tenths of the records with the whole table's distribution."""
    some = [_nine_tenths(setting, case, place) for place, case in enumerate(cases)]
    for scheme, asked, data in (("QI-SA", QI, cases), ("SA-only", {}, some)):
        rounded = ROUNDED if data is cases else {}
        curves = {most: asked | rounded | _allowed(most) for most in FAKES}
        name, title = f"fakes-{scheme}-{what}".lower(), f"{scheme} with fakes: {what}"
        text = EVERY_AGE if data is cases else NINE_TENTHS
        heading = Heading(name, title, text, partial(_fake_shapes, f"{scheme}, {what}", what))
        yield against_range(setting, heading, data, curves_of(setting, curves))


EVERY_AGE = "Rounded ratios; at most this share of fakes in the bucket of every age."
NINE_TENTHS = (
    "A tenth of the records was removed at random; the target is the whole table's, rounded."
)


def _allowed(most: str) -> dict[str, Any]:
    return {} if most == FAKES[0] else {"fakes": most.strip("+ ").replace(" ", "")}


def _nine_tenths(setting: Setting, case: Case, place: int) -> Case:
    """A table without a random tenth; tree and target are the whole table's."""
    age, loss = tables.columns(case.people)
    order = setting.run.rng("removed", place).permutation(len(age))
    keep = np.sort(order[len(age) // 10 :])
    whole = published(case.people, setting.run, **ROUNDED).bucketed
    tree = {"hierarchy": weighted(whole), "target": "hierarchy"}
    return Case(tables.people(age[keep], loss[keep]), tree)


def weighted(content: Bucketed, node: int = 0) -> Any:
    """The tree and the target of a release of numbers, as a job states them."""
    scale = content.scale
    if scale.is_leaf[node]:
        return int(scale.numbers[scale.low[node]])
    first = int(scale.first_child[node])
    below = range(first, first + int(scale.children[node]))
    weight = content.targets.dense(0, len(scale))
    return {"w": weight[first : below.stop].tolist(), "c": [weighted(content, n) for n in below]}


def _fake_shapes(name: str, what: str, table: ResultTable) -> list[Statement]:
    """What the paper says of each table; "the same" of SA-only."""
    none, few, some, many = shapes.means_of(table, FAKES)
    found = f"means with {', '.join(FAKES)}: {shapes.told([none, few, some, many])}"
    turn = many > min(few, some)
    if what == "related":
        return [Statement(f"{name}: more fakes, less error.", none > few > some > many, found)]
    if what == "unrelated":
        helped = f"{name}: 5 % of fakes reduce the error, more raise it again."
        return [Statement(helped, few < none and few < some < many, found)]
    return [
        Statement(f"{name}: a few fakes reduce the error.", min(few, some) < none, found),
        Statement(f"{name}: 20 % of fakes are too many.", turn, found),
    ]
