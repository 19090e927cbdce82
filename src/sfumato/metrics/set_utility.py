"""How much of what people have is still shown, and how well audiences can be counted."""

from __future__ import annotations

import numpy as np

from sfumato.core.answers import Answer, ResultTable, result_table
from sfumato.core.errors import Refused
from sfumato.core.run import Run
from sfumato.metrics.base import Metric, found, scope, scope_published
from sfumato.query import exact, prepare
from sfumato.query.writing import literal
from sfumato.releases.release import Evidence

THESIS = "utility of set-valued releases: the sum over records of what their shown items are worth"
MOST = 150  # items, and pairs, that are asked for
RECODED = ("recoded",)
FLOOR = 0.001  # of all records: errors of smaller audiences are divided by this instead


def _shown_utility(evidence: Evidence) -> Answer:
    content, total = evidence.release.sets, evidence.need("original").sets.total
    if total == 0:
        raise Refused("nothing that people have is worth anything")
    return found(float(content.sizes @ content.worth) / total, scope(evidence.release))


def _shown_instances(evidence: Evidence) -> Answer:
    content, original = evidence.release.sets, evidence.need("original").sets
    if len(original.items) == 0:
        raise Refused("nobody has anything")
    shown = content.sizes @ content.sets.lengths
    return found(float(shown) / len(original.items), scope(evidence.release))


def _shown_items(evidence: Evidence) -> Answer:
    content, original = evidence.release.sets, evidence.need("original").sets
    had = int(np.count_nonzero(original.counts))
    if had == 0:
        raise Refused("nobody has anything")
    return found(content.sets.domain / had, f"{content.sets.domain:,} of {had:,} items")


def _mean_shown(evidence: Evidence) -> Answer:
    content = evidence.release.sets
    return found(
        float(content.sizes @ content.sets.lengths) / content.rows,
        scope_published(evidence.release),
    )


def _empty(evidence: Evidence) -> Answer:
    content = evidence.release.sets
    nothing = content.sizes[content.sets.lengths == 0].sum()
    return found(float(nothing) / content.rows, scope_published(evidence.release))


def _reach(evidence: Evidence) -> ResultTable:
    """Audiences of single items and of pairs, drawn by how many people have them."""
    original = evidence.published_original()
    counts = original.sets.counts
    had = np.flatnonzero(counts)
    if len(had) == 0:
        raise Refused("nobody has anything")
    rng = Run.seeded(1).rng("reach")
    share = counts[had] / counts[had].sum()
    ones = had if len(had) <= MOST else rng.choice(had, MOST, replace=False, p=share)
    pairs = rng.choice(had, (MOST, 2), p=share)
    names = original.sets.names
    held = {int(i): f"has({literal(names[int(i)].as_py())})" for i in {*ones, *pairs.ravel()}}
    engine, lines = prepare(evidence.release), []
    for audience, asked in (("one item", ones[:, None]), ("two items", pairs)):
        wheres = [" AND ".join(held[int(i)] for i in some) for some in asked]
        queries = [f"SELECT COUNT(*) FROM release WHERE {where}" for where in wheres]
        answers = [engine.answer(sql)[0][1][0] for sql in queries]
        truth = np.array([exact(original, sql)[0][1][0].value for sql in queries])
        ends = np.array([(one.value, *(one.bounds or (0, 0))) for one in answers])
        near = np.abs(ends[:, 0] - truth) / np.maximum(truth, FLOOR * original.rows)
        sure = ends[:, 1].sum() / max(1.0, truth.sum())
        inside = (ends[:, 1] <= truth) & (truth <= ends[:, 2])
        lines.append(
            {
                "audience": audience,
                "asked": len(queries),
                "mean error": float(near.mean()),
                "median error": float(np.median(near)),
                "surely reached, share": float(sure),
                "truth in bounds": float(inside.mean()),
            }
        )
    return result_table("reach", lines, [f"errors relative to at least {FLOOR:.1%} of the records"])


utility = Metric(
    "utility",
    "share of the utility of all items of all records that is shown",
    THESIS,
    _shown_utility,
    lower_is_better=False,
    needs=("original",),
    forms=RECODED,
)
instances = Metric(
    "instances",
    "share of all (record, item) pairs that is shown",
    THESIS,
    _shown_instances,
    lower_is_better=False,
    needs=("original",),
    forms=RECODED,
)
items_shown = Metric(
    "items-shown",
    "share of the items that people have which some group shows",
    "this project",
    _shown_items,
    lower_is_better=False,
    needs=("original",),
    forms=RECODED,
)
mean_items = Metric(
    "mean-items",
    "mean number of items shown of a record",
    "this project",
    _mean_shown,
    lower_is_better=False,
    forms=RECODED,
)
nothing_shown = Metric(
    "nothing-shown",
    "share of records of which no item is shown",
    "this project",
    _empty,
    forms=RECODED,
)
reach = Metric(
    "reach",
    "error of audience counts of items and pairs, drawn by how many people have them",
    "this project",
    _reach,
    needs=("original",),
    forms=RECODED,
)
