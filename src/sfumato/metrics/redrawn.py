"""Metrics of redrawn tables: what the law leaves, and what it lets be inferred."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.core.answers import Answer, ResultTable, result_table
from sfumato.core.errors import Refused
from sfumato.data.table import Column
from sfumato.metrics.base import Metric, found
from sfumato.releases.redraw_risk import Adversary
from sfumato.releases.release import Evidence

SOURCE = "Yang, Qiao, Expert Systems with Applications 37, 2010, corrected"
LIMITS = (0.1, 0.2, 0.5, 0.9)
MOST_VALUES = 256  # of a sensitive column whose guesses are weighed


def _perplexity(evidence: Evidence) -> Answer:
    law = evidence.release.redrawn.law
    basis = f"{law.redraw} of {len(law.names)} columns redrawn; no bound on who is found again"
    return found(law.perplexity, basis)


def _kept_links(evidence: Evidence) -> ResultTable:
    """By number of columns, how likely none of them was redrawn; where columns differ, the ends."""
    law = evidence.release.redrawn.law
    order = np.argsort(law.scaled)
    rows = []
    for many in range(1, len(law.names) + 1):
        least, most = law.kept(order[-many:]), law.kept(order[:many])
        row: dict[str, Any] = {"columns together": many, "kept": least}
        if not law.even:
            row["kept at best"] = most
        row["an answer's error grows by"] = 1 / least if least > 1e-12 else None
        rows.append(row)
    notes = [
        "kept: of what so many columns have to do with one another, the share that is left; "
        "counting undoes the loss and makes the error larger by the inverse"
    ]
    return result_table("what is left of links between columns", rows, notes)


def codes_before(evidence: Evidence) -> list[NDArray[np.int64]]:
    """The original quasi-identifiers of the published records, as codes over the law's counts."""
    content, original = evidence.release.redrawn, evidence.need("original")
    rows = evidence.need("ledger").rows
    return [
        _codes(content.records[name], original[name], content.bins.get(name))[rows]
        for name in content.law.names
    ]


def _codes(ours: Column, source: Column, width: float | None) -> NDArray[np.int64]:
    values = source.values
    if width is not None:
        values = pa.array((np.floor(source.numbers / width) + 0.5) * width)
    place = pc.index_in(values.cast(ours.values.type), value_set=ours.values)
    if place.null_count or (source.has_missing and not ours.has_missing):
        raise Refused(f"'{ours.name}' has values in the original that the law does not know")
    codes = np.asarray(place).astype(np.int64) + ours.has_missing
    return np.concatenate([np.zeros(int(source.has_missing), np.int64), codes])[source.codes]


def adversary_of(evidence: Evidence) -> Adversary:
    """Who knows the quasi-identifiers of everybody; people stand as records do."""
    content = evidence.release.redrawn
    after = [content.records[name].codes for name in content.law.names]
    return Adversary(content.law, codes_before(evidence), after)


def _inference(evidence: Evidence) -> ResultTable:
    adversary = adversary_of(evidence)
    rows = [
        _spread("a combination of original values", adversary.inference.best),
        _spread("the likeliest person", adversary.inference.person),
        _spread("the person whose record it is", adversary.own),
    ]
    if adversary.inference.bound is not None:
        rows.insert(1, _spread("a limit on the first, from supports", adversary.inference.bound))
    for name in evidence.release.schema.sensitive:
        rows += _of_sensitive(evidence, adversary, name)
    notes = [
        "for somebody who knows everybody's quasi-identifiers, who is in the data, and the law; "
        "the mean belief in the likeliest person is how often that guess is right",
        "without the own record: what the others teach of people like them; the difference is what "
        "publishing the record cost the person",
    ]
    return result_table("what can be inferred", rows, notes)


def _of_sensitive(evidence: Evidence, adversary: Adversary, name: str) -> list[dict[str, Any]]:
    """The belief in the true sensitive value, with and without the person's own record."""
    column = evidence.release.redrawn.records[name]
    if column.size > MOST_VALUES:
        return []
    try:
        belief = adversary.belief(column.codes, column.size)
    except Refused:
        return []
    first = float(column.counts().max() / len(column.codes))
    lines = []
    for what, true, right in (
        ("", belief.true, belief.right),
        (", without the own record", belief.true_without, belief.right_without),
    ):
        line = _spread(f"the true {name} of a person{what}", true)
        lines.append(line | {"guessed right": float(right.mean()), "by frequency": first})
    return lines


def _spread(what: str, belief: NDArray[np.float64]) -> dict[str, Any]:
    """The distribution of a belief over records."""
    row: dict[str, Any] = {"belief in": what, "mean": float(belief.mean())}
    row |= {"median": float(np.median(belief)), "largest": float(belief.max())}
    return row | {f"above {limit:g}, %": 100 * float((belief > limit).mean()) for limit in LIMITS}


perplexity = Metric(
    "replacement-perplexity",
    "among how many equally likely redraws the one of a record would be",
    f"{SOURCE}; there called probabilistic anonymity",
    _perplexity,
    lower_is_better=False,
)
kept_links = Metric(
    "kept-links",
    "what is left of the links between so many redrawn columns",
    "this project",
    _kept_links,
    lower_is_better=None,
)
inference = Metric(
    "inference",
    "what somebody who knows everybody's quasi-identifiers can infer from redrawn records",
    f"{SOURCE}; equation 6, and Bayes' rule over all people",
    _inference,
    needs=("original", "ledger"),
)
