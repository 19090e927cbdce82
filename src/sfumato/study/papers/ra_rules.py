"""Figures 7 and 8: associations that are found again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from sfumato.core.answers import result_table
from sfumato.core.errors import Refused
from sfumato.data.people import People
from sfumato.metrics.associations import (
    CONFIDENCE,
    SUPPORT,
    Association,
    compared,
    direct,
    mined,
    undone,
)
from sfumato.study.findings import Absent, Curves, Finding, Setting, Statement
from sfumato.study.papers.ra_baselines import permuted
from sfumato.study.papers.ra_data import SENSITIVE, adult, redrawn

REDRAWS, LENGTH_REDRAW = (1, 3, 5, 7, 9), 5
DIVERSITIES = (10.0, 8.0, 5.0)
RELEASES, FEW_RELEASES = 4, 1
RECALL, PRECISION = 0.94, 0.9


def _truth(people: People) -> set[Association]:
    try:
        return direct(people.table, SENSITIVE, SUPPORT, CONFIDENCE)
    except Refused as refused:
        raise Absent(refused.what, refused.hint) from None


def _runs(setting: Setting) -> list[Any]:
    """Runs of several releases."""
    number = FEW_RELEASES if setting.quick else RELEASES
    run = setting.run
    return [type(run).seeded(int(run.word("rules", i)) % 2**31) for i in range(number)]


def against_permutation(setting: Setting) -> Iterator[Finding]:
    """Figure 7."""
    people = adult(setting)
    truth = _truth(people)
    lines = [{"published by": "RA, one column redrawn"} | _stand(people, truth, 1, setting)]
    for diversity in DIVERSITIES:
        table = permuted(people, diversity, setting.run)[1]
        found = direct(table, SENSITIVE, SUPPORT, CONFIDENCE)
        line = {"published by": f"permutation, l = {diversity:g}"}
        lines.append(line | _brief(compared(truth, found)))
    title = f"Associations found, support {SUPPORT:.0%}, confidence {CONFIDENCE:.0%}"
    shares = [line["recovered, %"] or 0.0 for line in lines]
    said = Statement(
        "More associations are recovered from RA than from permuted data.",
        shares[0] > max(shares[1:]),
        ", ".join(f"{share:.0f} %" for share in shares),
    )
    yield Finding("figure-7", title, "", result_table(title, lines), statements=[said])


def _brief(found: dict[str, Any]) -> dict[str, Any]:
    return {key: found[key] for key in ("in the original", "recovered, %", "artificial")}


def _stand(people: People, truth: set[Association], redraw: int, setting: Setting) -> Any:
    """The mean over releases, records read as they stand."""
    found = [
        compared(
            truth,
            direct(
                redrawn(people, redraw, run).release.redrawn.records, SENSITIVE, SUPPORT, CONFIDENCE
            ),
        )
        for run in _runs(setting)
    ]
    return _brief(_mean(found))


def _mean(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Means of what several releases show."""
    return {
        key: float(np.mean([line[key] for line in found if line[key] is not None] or [0.0]))
        for key in found[0]
    }


def by_redraw(setting: Setting) -> Iterator[Finding]:
    """Figure 8a, and the same with the redraw undone."""
    people = adult(setting)
    truth = _truth(people)
    lines = []
    for redraw in REDRAWS:
        stand, corrected = [], []
        for run in _runs(setting):
            release = redrawn(people, redraw, run).release
            records = release.redrawn.records
            stand.append(compared(truth, direct(records, SENSITIVE, SUPPORT, CONFIDENCE)))
            corrected.append(compared(truth, undone(release, SENSITIVE, SUPPORT, CONFIDENCE)))
        one, two = _mean(stand), _mean(corrected)
        lines.append(
            {
                "redrawn": redraw,
                "as they stand: recovered, %": one["recovered, %"],
                "artificial": one["artificial"],
                "undone: recovered, %": two["recovered, %"],
                "artificial, undone": two["artificial"],
                "right of those found, undone, %": two["right, %"],
            }
        )
    title = "Associations by columns redrawn"
    table = result_table(title, lines, [f"{len(truth)} in the original"])
    names = ["as they stand: recovered, %", "undone: recovered, %"]
    drawn = Curves("redrawn", names, "columns redrawn (lambda)", "recovered, %")
    yield Finding("figure-8a", title, "", table, drawn, _redraw_said(lines))


def _redraw_said(lines: list[dict[str, Any]]) -> list[Statement]:
    shares = [line["as they stand: recovered, %"] for line in lines]
    wrong = [line["artificial"] for line in lines]
    three = next(line for line in lines if line["redrawn"] == 3)
    recall = three["undone: recovered, %"] / 100
    right = three["right of those found, undone, %"] / 100
    return [
        Statement(
            "Fewer original associations are found as more columns are redrawn.",
            shares[-1] < shares[0] and all(x >= y for x, y in pairwise(shares)),
            ", ".join(f"{share:.0f} %" for share in shares),
        ),
        Statement(
            "More artificial ones appear.",
            wrong[-1] > wrong[0],
            ", ".join(f"{one:g}" for one in wrong),
        ),
        Statement(
            f"Ours, undone, three redrawn: recall at least {RECALL:g} at precision {PRECISION:g}.",
            recall >= RECALL and right >= PRECISION,
            f"recall {recall:.2f}, precision {right:.2f}, as they stand {shares[1] / 100:.2f}",
        ),
    ]


def by_length(setting: Setting) -> Iterator[Finding]:
    """Figure 8b: frequent combinations by their length; length 1 are frequent values."""
    people = adult(setting)
    try:
        before = mined(people.table, SUPPORT)
    except Refused as refused:
        raise Absent(refused.what, refused.hint) from None
    release = redrawn(people, LENGTH_REDRAW, setting.run).release
    after = mined(release.redrawn.records, SUPPORT)
    lines = []
    for length in range(1, max(map(len, before)) + 1):
        own = {items for items in before if len(items) == length}
        found = {items for items in after if len(items) == length}
        lines.append(
            {
                "length": length,
                "in the original": len(own),
                "recovered, %": 100 * len(own & found) / len(own) if own else None,
                "artificial": len(found - own),
            }
        )
    title = f"Frequent combinations by length, {LENGTH_REDRAW} columns redrawn"
    table = result_table(title, lines)
    drawn = Curves("length", ["recovered, %"], "values together", "recovered, %")
    shares = [line["recovered, %"] or 0.0 for line in lines]
    said = [
        Statement(
            "Shorter ones are recovered more surely.",
            shares[0] > shares[-1],
            ", ".join(f"{share:.0f} %" for share in shares),
        ),
        Statement(
            "Most of length 1, 2 and 3 are discovered.",
            min(shares[:3]) > 50,
            ", ".join(f"{share:.0f} %" for share in shares[:3]),
        ),
    ]
    yield Finding("figure-8b", title, "", table, drawn, said)
