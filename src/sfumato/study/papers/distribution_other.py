"""Sections 6.3 to 6.5: targets apart from the data, hierarchies, parts of the data, time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import log
from typing import Any

import numpy as np

from sfumato.core.answers import ResultTable, result_table
from sfumato.methods.tables.distribution_targets import Normal, Stated
from sfumato.releases.release import Release
from sfumato.study.findings import Curves, Finding, Setting, Statement
from sfumato.study.papers import distribution_shapes as shapes
from sfumato.study.papers import distribution_tables as tables
from sfumato.study.papers.distribution_errors import Case, Line, by_range, published
from sfumato.study.papers.distribution_parts import (
    QI,
    ROUNDED,
    Heading,
    adults,
    against_range,
    curves_of,
    finding,
    made_up,
)

SCHEMES: dict[str, dict[str, Any]] = {"SA-only": {}, "QI-SA": QI}
WIDE = 50  # years: the query range of the experiments on targets
DOMAIN = [tables.LOWEST, tables.LOWEST + tables.SPAN - 1]
NARROWINGS = (2, 3, 4, 6, 8, 12, 16)  # span over standard deviation
EXPONENTS = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


def targets(setting: Setting) -> Iterator[Finding]:
    """6.3: normal targets on uniform losses, Zipf targets on nearly uniform ones."""
    yield _normal(setting)
    for linked in (False, True):
        yield _zipf(setting, linked)


def _normal(setting: Setting) -> Finding:
    span = tables.SPAN
    asked = {
        times: Stated(normal=Normal(mean=tables.LOWEST + span / 2 - 16, sd=span / times))
        for times in NARROWINGS
    }
    lines = _against(setting, "normal", made_up(setting, tables.uniform, "uniform"), asked)
    heading = Heading("normal", "Normal targets on uniform losses", NORMAL, _normal_shapes)
    return finding(heading, lines, "span of the values over the target's standard deviation")


NORMAL = (
    "Queries of 50 years. The paper takes span / r as the variance, whose units do not fit: here "
    "the deviation is span / x, which is r = x² / 2048 in its formula."
)


def _normal_shapes(table: ResultTable) -> list[Statement]:
    return [
        shapes.rises(f"Normal targets: the narrower, the more error of {name}.", table, name)
        for name in SCHEMES
    ]


def _zipf(setting: Setting, linked: bool) -> Finding:
    what = "related" if linked else "unrelated"
    cases = made_up(setting, partial(tables.zipf, linked=linked), f"zipf-{what}")
    asked = {exponent: Stated(zipf=exponent) for exponent in EXPONENTS}
    lines = _against(setting, f"zipf-{what}", cases, asked)
    judge = _related_shapes if linked else _unrelated_shapes
    text = "Queries of 50 years; the losses are Zipf with s = 0.1."
    heading = Heading(f"zipf-{what}", f"Zipf targets: {what}", text, judge)
    return finding(heading, lines, "s of the target")


def _unrelated_shapes(table: ResultTable) -> list[Statement]:
    return [
        shapes.rises(f"Zipf targets: {name} is best at the data's s, then worse.", table, name)
        for name in SCHEMES
    ]


def _related_shapes(table: ResultTable) -> list[Statement]:
    wins = "Zipf targets, related: SA-only is better than QI-SA throughout."
    return [shapes.below(wins, table, *SCHEMES)]


def _against(
    setting: Setting, name: str, cases: Sequence[Case], asked: dict[Any, Stated]
) -> list[Line]:
    """Errors of wide queries by target."""
    lines = []
    for x, target in asked.items():
        wanted = {scheme: how | {"target": target} for scheme, how in SCHEMES.items()}
        curves = curves_of(setting, wanted)
        [line] = by_range(setting, cases, curves, name, [WIDE])
        lines.append({"target": x} | {scheme: line[scheme] for scheme in SCHEMES})
    return lines


VALUES = (64, 81, 2048)


def hierarchies(setting: Setting) -> Iterator[Finding]:
    """6.3, Figure 10: binary and ternary trees over domains of several sizes."""
    for values in VALUES:
        cases = made_up(setting, partial(tables.uniform, values=values), f"uniform-{values}")
        step = tables.SPAN // values if tables.SPAN % values == 0 else None
        domain = None if step is None else [tables.LOWEST, DOMAIN[1] + 1 - step, step]
        asked = {
            f"{scheme} ({arity})": how
            | ROUNDED
            | {"target": "uniform", "hierarchy": arity, "domain": domain}
            for scheme, how in SCHEMES.items()
            for arity in (2, 3)
        }
        judge = partial(_hierarchy_shapes, values)
        title = f"Binary (2) and ternary (3) trees: {values:,} values"
        heading = Heading(f"arity-{values}", title, "Uniform losses, uniform target.", judge)
        yield against_range(setting, heading, cases, curves_of(setting, asked))


def _hierarchy_shapes(values: int, table: ResultTable) -> list[Statement]:
    return [
        shapes.ordered(
            f"{scheme}, {values:,} values: the binary tree has less error than the ternary.",
            table,
            [f"{scheme} (3)", f"{scheme} (2)"],
        )
        for scheme in SCHEMES
    ]


GROUPS = (1, 2, 10)


def parts_of_adult(setting: Setting) -> Iterator[Finding]:
    """6.4 on Adult: the target is each part's own distribution."""
    text = "The target of every part is its own distribution, for QI-SA with rounded ratios."
    judge = partial(_part_shapes, "Adult")
    heading = Heading("parts-adult", "Parts by age with targets of their own: Adult", text, judge)
    yield _parts(setting, heading, adults(setting), {"SA-only": {}, "QI-SA": QI | ROUNDED})


def parts_of_made_up(setting: Setting) -> Iterator[Finding]:
    """6.4 on the related table: the target is uniform over the range of each part's losses."""
    text = (
        "The target of every part is uniform over the range of its losses, with a tree of its own."
    )
    judge = partial(_part_shapes, "Related")
    title = "Parts by age with targets of their own: related"
    heading = Heading("parts-related", title, text, judge)
    cases = made_up(setting, tables.related, "related")
    uniform = {scheme: how | ROUNDED | {"target": "uniform"} for scheme, how in SCHEMES.items()}
    yield _parts(setting, heading, cases, uniform)


def _parts(
    setting: Setting, heading: Heading, cases: Sequence[Case], asked: dict[str, Any]
) -> Finding:
    curves = {
        f"{scheme}-{groups}": partial(_by_parts, setting, groups, how)
        for scheme, how in asked.items()
        for groups in GROUPS
    }
    return against_range(setting, heading, cases, curves)


def _by_parts(setting: Setting, groups: int, asked: dict[str, Any], case: Case) -> list[Release]:
    """Parts of about equally many records, cut between ages, each published on its own."""
    age, loss = tables.columns(case.people)
    ends = np.quantile(age, np.arange(1, groups) / groups, method="inverted_cdf")
    part = np.searchsorted(ends, age, side="left")
    rows = [np.flatnonzero(part == place) for place in range(groups)]
    return [
        published(tables.people(age[some], loss[some]), setting.run, **asked)
        for some in rows
        if len(some)
    ]


def _part_shapes(what: str, table: ResultTable) -> list[Statement]:
    return [
        shapes.ordered(
            f"{what}: {scheme} has less error the more parts there are.",
            table,
            [f"{scheme}-{groups}" for groups in GROUPS],
        )
        for scheme in SCHEMES
    ]


LINEAR = 1.2  # the power of growth up to which caches may be the reason
SIZES, FEW_SIZES = (100_000, 200_000, 400_000, 800_000, 1_600_000), (10_000, 20_000, 40_000)


def times(setting: Setting) -> Iterator[Finding]:
    """6.5: CPU seconds against records."""
    lines = []
    sizes = FEW_SIZES if setting.quick else SIZES
    for place, size in enumerate(sizes):
        people = tables.unrelated(size, setting.run.rng("times", size))
        line: Line = {"records": size}
        for scheme, how in SCHEMES.items():
            line[scheme] = _best(partial(published, people, setting.run, **how, **ROUNDED))
        lines.append(line)
        setting.run.step(place + 1, len(sizes))
    table = result_table("CPU time by records", lines)
    said = [_linear(table, scheme) for scheme in SCHEMES]
    drawn = Curves("records", tuple(SCHEMES), "records", "CPU seconds", log=True, log_x=True)
    yield Finding("time", table.title, "The best of five.", table, drawn, said)


def _best(work: Callable[[], object]) -> float:
    """CPU seconds, the best of five."""
    found = []
    for _ in range(5):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


def _linear(table: ResultTable, scheme: str) -> Statement:
    rows, seconds = table.column("records"), table.column(scheme)
    power = log(seconds[-1] / seconds[0]) / log(rows[-1] / rows[0])
    text = f"time grows as records to the power {power:.2f}"
    return Statement(f"The time of {scheme} is linear in the records.", power < LINEAR, text)
