"""Releases for metric tests, made from plain lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.core.answers import Answer
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.metrics.base import Metric
from sfumato.releases.cells import cells_of
from sfumato.releases.claims import Claim
from sfumato.releases.recoded import Recoded
from sfumato.releases.release import Evidence, Ledger, Publication, Release


def evidence_of(
    data: Mapping[str, Any],
    group: Sequence[int],
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    sensitive: Sequence[str] = (),
    kept: Sequence[int] | None = None,
    k: int | None = None,
) -> Evidence:
    """The sealed release of some rows of `data` (default all), with all the owner has.

    `group[i]` is the group of the i-th row kept; groups are numbered without gaps.
    """
    original = table_from_arrow(pa.table(dict(data)))
    rows = np.arange(original.rows) if kept is None else np.asarray(kept, np.int64)
    schema = Schema.of(quasi=[n for n in data if n not in sensitive], sensitive=list(sensitive))
    members, groups = np.asarray(group, np.int32), len(set(group))
    trees = hierarchies or {}
    cells = {
        name: cells_of(original[name].take(rows), members, groups, trees.get(name))
        for name in schema.quasi
    }
    content = Recoded(cells, members, groups, original.select(tuple(sensitive)).take(rows))
    claims = () if k is None else (Claim("k-anonymity", {"k": k}, schema.quasi),)
    release = Release("table", "recoded", schema, content, claims, original.rows - len(rows))
    made = Publication(release, Ledger(rows)).sealed()
    return Evidence(made.release, original, made.ledger)


def public_half(evidence: Evidence) -> Evidence:
    """What everybody else has of it."""
    return Evidence(evidence.release)


def answer(metric: Metric, evidence: Evidence) -> Answer:
    """The answer of a metric that gives one."""
    result = metric.compute(evidence)
    assert isinstance(result, Answer)
    return result


def value(metric: Metric, evidence: Evidence) -> float:
    """The number of a metric that was not refused."""
    result = answer(metric, evidence)
    assert result.value is not None, result.basis
    return result.value
