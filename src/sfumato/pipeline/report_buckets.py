"""The sections of a report that are particular to releases in buckets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import ResultTable, result_table
from sfumato.releases.bucketed import Bucketed
from sfumato.releases.release import Evidence
from sfumato.report import Bars, Section
from sfumato.study.profile_buckets import expected_leaves

Floats = NDArray[np.float64]
NOT_COVERED = """Who is in a bucket is public, and so are the columns that are published exactly: \
whoever knows them finds a person's record. What is hidden is which sensitive value is whose.

The claim is about every person alone. Entries stay above the values because other values of the \
bucket ran out; somebody who knows which did believes more than the target says. The audit above \
bounds that by the minimality leak.

Bounds are hard: the truth lies inside whichever entry is whose. Estimates, and the intervals \
around them, assume that entries are dealt out at random inside a bucket and that values follow \
the target inside an entry.

Two releases of the same people with other targets or groups can be combined: each bounds the \
other."""
WIDTHS = (0.0, 0.05, 0.1, 0.25, 0.5, 1.0)


def entries_section(evidence: Evidence) -> Section:
    """How much of the sensitive column's domain entries leave open."""
    content = evidence.release.bucketed
    fakes = int(content.entries.sum()) - content.rows
    open_ = shares_open(content)
    facts: list[dict[str, object]] = [
        {"": "entries", "value": int(content.entries.sum())},
        {"": "of them fakes, which nobody can tell", "value": fakes},
        {"": "targets", "value": len(content.targets)},
        {"": "entries that are a single value, %", "value": 100 * _mean(content, open_ == 0)},
        {"": "entries that say nothing, %", "value": 100 * _mean(content, open_ == 1)},
        {"": "mean share of the domain left open, %", "value": 100 * _mean(content, open_)},
    ]
    chart = Bars(
        f"How much an entry of '{content.sensitive}' leaves open",
        _width_labels(),
        _by_width(content, open_),
        unit="entries",
        note="as a share of the whole domain",
    )
    text = (
        "Everybody in a bucket has one of its entries, a value or a set of values each; which "
        "entry is whose is not published."
    )
    return Section("Entries", text, tables=[result_table("entries", facts)], charts=[chart])


def shares_open(content: Bucketed) -> Floats:
    """The share of the domain that each line of entries leaves open: 0 a value, 1 everything."""
    ranges, node = content.scale.ranges, content.node
    whole = ranges[0] if ranges[0] > 0 else 1.0
    return np.asarray(np.where(node == 0, float(len(ranges) > 1), ranges[node] / whole))


def _mean(content: Bucketed, value: NDArray[np.floating] | NDArray[np.bool_]) -> float:
    return float((value * content.count).sum() / content.count.sum())


def _width_labels() -> list[str]:
    ends = [f"{100 * width:g} %" for width in WIDTHS]
    between = [f"up to {end}" for end in ends[1:-1]]
    return ["a single value", *between, "less than everything", "everything"]


def _by_width(content: Bucketed, open_: Floats) -> list[int]:
    place = np.where(open_ >= 1, len(WIDTHS), np.searchsorted(WIDTHS, open_))
    held = np.bincount(place, content.count, minlength=len(WIDTHS) + 1)
    return [int(number) for number in held]


def belief_section(evidence: Evidence) -> Section:
    """What the release lets everybody believe of a person."""
    content = evidence.release.bucketed
    leaves = expected_leaves(content)
    order = np.argsort(-leaves, kind="stable")[:5]
    lines = [
        {"value": content.scale.labels[at], "records to expect, %": 100 * leaves[at] / content.rows}
        for at in order.tolist()
        if leaves[at] > 0
    ]
    text = (
        "Quasi-identifiers are published as they are, so whoever knows them finds a person's "
        "record. Of the person's sensitive value nothing follows but the target of the bucket, up "
        "to the tolerance that the claim states. On average over all records:"
    )
    table: ResultTable = result_table("most frequent values", lines)
    return Section("What is believed of a person", text, tables=[table])
