"""Loss metrics: how much of each cell's meaning is gone, and how many cells are wholly gone.

Sources: Iyengar 2002 (loss metric), Xu et al. 2006 (normalised certainty penalty, NCP), Meyerson
and Williams 2004 (suppressed entries). All of them read the public half alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer, ResultTable, result_table
from sfumato.core.errors import BadJob
from sfumato.metrics.base import Metric, found, scope
from sfumato.metrics.cells import Floats, losses, quasi_cells, silent
from sfumato.releases.release import Evidence


def total_loss(each: Floats, sizes: NDArray[np.int64], dropped: int = 0) -> float:
    """LM: the sum over records and columns of (f - 1) / (g - 1), a dropped record losing it all.

    `each[group, column]` is the loss of one cell, `sizes[group]` the records that share it.
    """
    return float(sizes @ each.sum(axis=1) + dropped * each.shape[1])


def mean_loss(
    each: Floats, sizes: NDArray[np.int64], weights: Floats | None = None, dropped: int = 0
) -> float:
    """NCP: the mean over records of the weighted mean loss of their cells.

    With equal weights this is LM over the number of cells, its normalised form.
    """
    by_group = np.average(each, axis=1, weights=weights)
    return float((sizes @ by_group + dropped) / (sizes.sum() + dropped))


def weighted_ncp(weights: Mapping[str, float]) -> Metric:
    """NCP in which some columns matter more; columns that are not named weigh 1.

    Weights are not part of a release: whoever compares two releases must use the same ones.
    """
    return Metric(
        name="weighted-ncp",
        meaning="weighted mean share of the domain that a published cell leaves open, from 0 to 1",
        source="Xu, Wang, Pei, Wang, Shi, Fu, KDD 2006",
        calculate=partial(_ncp, weights=weights),
    )


def _ncp(evidence: Evidence, weights: Mapping[str, float]) -> Answer:
    release = evidence.release
    content = release.recoded
    each = losses(content)
    weight = _weights(weights, tuple(content.cells))
    value = mean_loss(each, content.sizes, weight, release.dropped)
    return found(value, scope(release))


def _weights(given: Mapping[str, float], names: tuple[str, ...]) -> Floats:
    if unknown := sorted(set(given) - set(names)):
        raise BadJob(f"weights name '{unknown[0]}'", f"quasi-identifiers: {', '.join(names)}")
    weights = np.array([given.get(name, 1.0) for name in names])
    if (weights < 0).any() or weights.sum() <= 0:
        raise BadJob("weights must not be negative, and one must be above 0")
    return weights


def _loss(evidence: Evidence) -> Answer:
    release = evidence.release
    content = release.recoded
    return found(total_loss(losses(content), content.sizes, release.dropped), scope(release))


def _ncp_columns(evidence: Evidence) -> ResultTable:
    release = evidence.release
    content = release.recoded
    rows: list[dict[str, Any]] = []
    for name, each in zip(quasi_cells(content), losses(content).T, strict=True):
        mean = mean_loss(each[:, None], content.sizes, dropped=release.dropped)
        rows.append({"column": name, "ncp": mean, "worst cell": float(each.max())})
    return result_table("NCP per column", rows, [scope(release)])


def _suppressed(evidence: Evidence) -> Answer:
    release = evidence.release
    content = release.recoded
    columns = quasi_cells(content).values()
    cells = sum(int(content.sizes[silent(column)].sum()) for column in columns)
    dropped = release.dropped * len(columns)
    share = (cells + dropped) / ((content.rows + release.dropped) * len(columns))
    return found(cells + dropped, f"{share:.1%} of all cells; {scope(release)}")


ncp = Metric(
    name="ncp",
    meaning="mean share of the domain that a published cell leaves open, from 0 to 1",
    source="Xu, Wang, Pei, Wang, Shi, Fu, KDD 2006; the normalised form of the loss metric",
    calculate=partial(_ncp, weights={}),
)
"""NCP: (1 / n r) sum over records i and columns j of loss(i, j); equal weights.

`loss` is the interval's length over the length of the domain, or (values in the cell - 1) over
(values in the domain - 1). It misleads where values are skewed (an outlier makes every interval
look short) and says nothing about relations between columns.
"""

ncp_columns = Metric(
    name="ncp-columns",
    meaning="NCP of each quasi-identifier on its own, and its widest cell",
    source="Xu, Wang, Pei, Wang, Shi, Fu, KDD 2006",
    calculate=_ncp_columns,
)
"""The same as `ncp`, one row per column: where the detail went. Misleads as `ncp` does."""

loss_metric = Metric(
    name="loss",
    meaning="sum over all cells of the share of the domain that they leave open",
    source="Iyengar, KDD 2002",
    calculate=_loss,
    unit="cells",
)
"""LM: sum over records i and columns j of (f(i, j) - 1) / (g(j) - 1), f counting leaves only.

A sum, so it grows with the data: compare releases of the same data only, or use `ncp`.
"""

suppressed = Metric(
    name="suppressed",
    meaning="number of cells that say nothing, being the whole domain, dropped records included",
    source="Meyerson, Williams, PODS 2004",
    calculate=_suppressed,
    unit="cells",
)
"""Cells equal to the whole domain of a column with at least two values, missing being a value.

It misleads for methods that generalise: a cell one value short of the whole domain is not counted.
"""
