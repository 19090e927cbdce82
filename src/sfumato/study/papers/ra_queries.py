"""Figure 6: the error of counts, by the number of columns asked about and by diversity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import result_table
from sfumato.data.people import People
from sfumato.query.normal import Leaf, Tree
from sfumato.query.readings import point
from sfumato.query.redrawn import Opened, direct_count, noisy, opened, unbiased_count
from sfumato.query.redrawn_scope import RedrawnView, Scope
from sfumato.query.regions import points
from sfumato.study.findings import Curves, Finding, Setting, Statement
from sfumato.study.papers import ra_baselines as baselines
from sfumato.study.papers.ra_data import (
    COMMON,
    SENSITIVE,
    Question,
    adult,
    questions,
    redrawn,
    truth,
)

Floats = NDArray[np.float64]
LENGTHS, REDRAWS = tuple(range(1, 9)), (1, 3, 5, 7)
NUMBER, FEW = 1_000, 12
DIVERSITIES, AT_LENGTH = (10.0, 8.0, 5.0), 5
DEVIATIONS = 1.959963984540054
TARGETS = {1: 0.6, 3: 0.56, 5: 0.7}
RELEASES = 2


def number_of(setting: Setting) -> int:
    """Questions for every length."""
    return FEW if setting.quick else NUMBER


def tree_of(view: RedrawnView, question: Question) -> Tree:
    """A question as a condition."""

    def leaf(name: str, flags: NDArray[np.bool_]) -> Leaf:
        column = view.column(name)
        picked = [point(column.values.keys[int(code)]) for code in np.flatnonzero(flags)]
        return Leaf(name, points(picked, column.reading))

    own = leaf(SENSITIVE, question.sensitive)
    return view.joined(own, *(leaf(*part) for part in question.quasi.items()))


def by_length(setting: Setting) -> Iterator[Finding]:
    """Figure 6a, with the redraw undone as an extra curve."""
    people, run = adult(setting), setting.run
    asked = questions(people.table, LENGTHS, number_of(setting), run)
    true = np.array([truth(people.table, one) for one in asked])
    curves = _paper_curves(people, asked, setting, DIVERSITIES[0])
    release = redrawn(people, 1, run).release
    scopes = opened(release)
    curves["RA, undone"] = np.array([_answered(scopes, one)[0] for one in asked])
    lengths = np.array([one.length for one in asked])
    for least, name in ((COMMON, "figure-6a"), (1, "figure-6a-all")):
        yield _lengths_finding(name, curves, true, lengths, least)


def _paper_curves(
    people: People, asked: Sequence[Question], setting: Setting, diversity: float
) -> dict[str, Floats]:
    """The estimates of the source by name."""
    table = redrawn(people, 1, setting.run).release.redrawn.records
    readers = {
        "RA": baselines.direct(table),
        "l-diverse groups": baselines.diverse_groups(people, diversity, setting.run),
        "permutation": baselines.permuted(people, diversity, setting.run)[0],
    }
    return {name: np.array([read(one) for one in asked]) for name, read in readers.items()}


def errors(estimates: Floats, true: Floats, some: NDArray[np.bool_]) -> float | None:
    """The mean relative error over some questions."""
    if not some.any():
        return None
    return float((np.abs(estimates - true)[some] / true[some]).mean())


def _lengths_finding(
    name: str, curves: dict[str, Floats], true: Floats, lengths: Floats, least: int
) -> Finding:
    lines: list[dict[str, Any]] = []
    for length in LENGTHS:
        some = (lengths == length) & (true >= least)
        line: dict[str, Any] = {"columns": length, "questions": int(some.sum())}
        lines.append(line | {name: errors(one, true, some) for name, one in curves.items()})
    title = f"Error by columns asked about, counts of at least {least}"
    drawn = Curves("columns", list(curves), "quasi columns", "mean relative error", log=True)
    text = f"l = {DIVERSITIES[0]:g} by entropy; one column redrawn."
    table = result_table(title, lines)
    said = _length_statements(table, curves) if least == COMMON else []
    return Finding(name, title, text, table, drawn, said)


def _length_statements(table: Any, curves: dict[str, Floats]) -> list[Statement]:
    column = {name: [x or 0.0 for x in table.column(name)] for name in curves}
    spread = {name: max(values) - min(values) for name, values in column.items()}
    own, rest = column["RA"], [column["l-diverse groups"], column["permutation"]]
    best = [r < min(others) for r, *others in zip(own, *rest, strict=True)]
    told = ", ".join(
        f"{name} {value:.3f}" for name, value in spread.items() if name != "RA, undone"
    )
    grows = [y - x for x, y in pairwise(own)]
    return [
        Statement(
            "The error of permuted data varies least with the number of columns.",
            spread["permutation"] == min(spread[n] for n in spread if n != "RA, undone"),
            f"largest less smallest: {told}",
        ),
        Statement(
            "RA has the smallest error of the three.",
            all(best),
            f"at {sum(best)} of {len(best)} lengths",
        ),
        Statement(
            "Its error rises more slowly as columns are added.",
            np.mean(grows[-3:]) < np.mean(grows[:3]),
            f"{np.mean(grows[:3]):.4f} a column at first, {np.mean(grows[-3:]):.4f} at last",
        ),
    ]


def by_diversity(setting: Setting) -> Iterator[Finding]:
    """Figure 6b."""
    people = adult(setting)
    asked = questions(people.table, [AT_LENGTH], number_of(setting), setting.run)
    true = np.array([truth(people.table, one) for one in asked])
    some = true >= COMMON
    scopes = opened(redrawn(people, 1, setting.run).release)
    undone = np.array([_answered(scopes, one)[0] for one in asked])
    lines = []
    for diversity in DIVERSITIES:
        curves = _paper_curves(people, asked, setting, diversity) | {"RA, undone": undone}
        lines.append(
            {"l": diversity, **{name: errors(one, true, some) for name, one in curves.items()}}
        )
    title = f"Error by diversity, {AT_LENGTH} columns, counts of at least {COMMON}"
    table = result_table(title, lines)
    names = list(table.columns[1:])
    drawn = Curves("l", names, "l (entropy)", "mean relative error", log=True)
    said = [
        Statement(
            f"The estimates of {name} improve as l falls.",
            table.column(name)[-1] < table.column(name)[0],
            f"{table.column(name)[0]:.3f} at 10, {table.column(name)[-1]:.3f} at 5",
        )
        for name in ("l-diverse groups", "permutation")
    ]
    best = all(row["RA"] < min(row["l-diverse groups"], row["permutation"]) for row in table)
    said.append(Statement("RA has the least error throughout.", best, f"{lines[-1]['RA']:.3f}"))
    yield Finding("figure-6b", title, "", table, drawn, said)


def _answered(scopes: Opened, question: Question) -> tuple[float, float, float, float, bool]:
    """What a query gets: the estimate; the count of records; undone with its error; all kept."""
    scope = Scope(scopes.table, tree_of(scopes.table, question))
    value, error = unbiased_count(scope)
    low, high = scope.limits
    answer = value
    if not scope.inversion.whole or noisy(scope, value, error):
        answer = scopes.shrinking.estimate(scope)
    ends = float(low), float(high)
    return (
        min(max(answer, ends[0]), ends[1]),
        direct_count(scope),
        min(max(value, ends[0]), ends[1]),
        error,
        scope.inversion.whole,
    )


def undone(setting: Setting) -> Iterator[Finding]:
    """What undoing the redraw gains, by columns redrawn, and whether intervals cover."""
    people, run = adult(setting), setting.run
    asked = questions(people.table, LENGTHS, number_of(setting), run)
    true = np.array([truth(people.table, one) for one in asked] * RELEASES)
    lengths = np.array([one.length for one in asked] * RELEASES)
    for redraw in REDRAWS:
        found = []
        for again in range(RELEASES):
            made = redrawn(
                people, redraw, type(run).seeded(int(run.word("release", again)) % 2**31)
            )
            scopes = opened(made.release)
            found += [_answered(scopes, one) for one in asked]
        yield _undone_finding(redraw, np.array(found, np.float64), true, lengths)


def _undone_finding(redraw: int, found: Floats, true: Floats, lengths: Floats) -> Finding:
    answer, counted, unbiased, error, whole = found.T
    lines: list[dict[str, Any]] = []
    for length in LENGTHS:
        some = (lengths == length) & (true >= COMMON)
        sure = some & (whole > 0)
        line: dict[str, Any] = {"columns": length, "questions": int(some.sum())}
        line |= {
            "records as they stand": errors(counted, true, some),
            "undone": errors(unbiased, true, some),
            "answer": errors(answer, true, some),
            "mean bias as they stand": _bias(counted, true, some),
            "mean bias undone": _bias(unbiased, true, sure) if sure.any() else None,
            "95 % intervals cover": float(_covered(unbiased, error, true)[sure].mean())
            if sure.any()
            else None,
        }
        lines.append(line)
    title = f"{redraw} redrawn: errors by columns asked about"
    table = result_table(title, lines)
    names = ["records as they stand", "undone", "answer"]
    drawn = Curves("columns", names, "quasi columns", "mean relative error", log=True)
    return Finding(f"undone-{redraw}", title, "", table, drawn, _undone_said(redraw, table))


def _bias(estimates: Floats, true: Floats, some: NDArray[np.bool_]) -> float:
    """The mean relative difference, signed, where values that go together are asked for less."""
    return float((((estimates - true) / np.maximum(true, 1))[some]).mean())


def _covered(value: Floats, error: Floats, true: Floats) -> NDArray[np.bool_]:
    return np.asarray(np.abs(value - true) <= DEVIATIONS * error + 1e-9)


def _undone_said(redraw: int, table: Any) -> list[Statement]:
    pairs = zip(table.column("answer"), table.column("records as they stand"), strict=True)
    ratios = [one / two for one, two in pairs if one is not None and two]
    said = []
    if redraw in TARGETS:
        most = TARGETS[redraw]
        said.append(
            Statement(
                f"Ours: answers are off by at most {most:g} of what records as they stand are.",
                max(ratios) <= most,
                f"from {min(ratios):.2f} to {max(ratios):.2f} of it",
            )
        )
    cover = [share for share in table.column("95 % intervals cover") if share is not None]
    if cover:
        said.append(
            Statement(
                "Ours: 95 % intervals cover 93 to 99 % wherever there are any.",
                min(cover) >= 0.93 and max(cover) <= 0.99,
                f"from {min(cover):.1%} to {max(cover):.1%}",
            )
        )
    return said
