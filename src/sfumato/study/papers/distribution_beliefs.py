"""What a release makes one believe, and how far that is from the distribution of the table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import ResultTable, result_table
from sfumato.releases.bucketed import Bucketed
from sfumato.study.papers.distribution_errors import Case, Publish
from sfumato.study.papers.distribution_tables import columns

Floats = NDArray[np.float64]
BELIEF = "belief from the table, at most"
DIGITS = 9  # below these, sums of shares differ by rounding alone


def believed(content: Bucketed, bucket: int) -> Floats:
    """The chance of every node under definition 3.2, from the root down; leaves hold the belief."""
    scale = content.scale
    weight = content.targets.dense(int(content.target[bucket]), len(scale)).astype(np.float64)
    whole = np.bincount(scale.parent[1:], weights=weight[1:], minlength=len(scale))
    lines = slice(content.start[bucket], content.start[bucket + 1])
    mass = np.zeros(len(scale))
    mass[content.node[lines]] = content.count[lines]
    mass /= mass.sum()
    for node in range(1, len(scale)):  # parents stand before their children
        parent = scale.parent[node]
        mass[node] += mass[parent] * weight[node] / whole[parent] if weight[node] else 0.0
    return mass


def farthest(content: Bucketed, case: Case) -> float:
    """The largest total variation, over buckets, between the belief and the table.

    Strata hold equal shares of the table, so there the belief is compared with equal shares.
    """
    scale = content.scale
    leaf = np.flatnonzero(scale.is_leaf)
    numbers = scale.numbers[scale.low[leaf]]
    value, count = np.unique(columns(case.people)[1], return_counts=True)
    share = np.full(len(leaf), 1 / len(leaf))
    if len(value) == len(leaf) and (np.sort(numbers) == value).all():
        share = (count / count.sum())[np.searchsorted(value, numbers)]
    beliefs = (believed(content, bucket)[leaf] for bucket in range(content.groups))
    return round(max(float(np.abs(belief - share).sum() / 2) for belief in beliefs), DIGITS)


def publishing(title: str, case: Case, curves: dict[str, Publish]) -> ResultTable:
    """Of every curve: its buckets, how much is said by its entries, and what may be believed."""
    rows = []
    for name, publish in curves.items():
        [release] = publish(case)
        content = release.bucketed
        at_root = float(content.count[content.node == 0].sum() / content.entries.sum())
        rows.append(
            {
                "scheme": name,
                "buckets": content.groups,
                "entries at the root, share": at_root,
                BELIEF: farthest(content, case),
            }
        )
    return result_table(title, rows)
