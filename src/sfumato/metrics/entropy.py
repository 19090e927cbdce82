"""Entropy measure: the bits about each value that its published cell does not give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.core.answers import Answer
from sfumato.data.table import Column
from sfumato.metrics.base import Metric, found, scope
from sfumato.metrics.cells import Floats, ends, quasi_cells
from sfumato.metrics.leaves import leaf_counts
from sfumato.releases.cells import Cells, Intervals, Nodes, ValueSets
from sfumato.releases.release import Evidence

Counts = NDArray[np.int64]


def bits(total: Any, spread: Any) -> Floats:
    """H = log2 N - (sum of c log2 c) / N, for N records spread over values with counts c."""
    some = np.maximum(np.asarray(total, np.float64), 1.0)
    return np.maximum(0.0, np.log2(some) - np.asarray(spread, np.float64) / some)


def entropy_of_sets(counts: Counts, offsets: Counts, codes: NDArray[Any]) -> Floats:
    """H of every set codes[offsets[s]:offsets[s + 1]], `counts` telling how often a code occurs."""
    inside = counts[codes]
    starts = offsets[:-1]
    return bits(np.add.reduceat(inside, starts), np.add.reduceat(_spread(inside), starts))


def entropy_of_runs(counts: Counts, first: Counts, end: Counts, extra: Any = 0) -> Floats:
    """H of the values first .. end - 1 of each run, with one more value of count `extra`."""
    # Differences of running sums cancel; the wider float keeps the result good to 1e-12.
    spread = np.cumsum(_spread(counts).astype(np.longdouble))
    running = np.concatenate([[0.0], spread])
    total = np.concatenate([[0], np.cumsum(counts)])
    inside = (running[end] - running[first]).astype(np.float64)
    return bits(total[end] - total[first] + extra, inside + _spread(np.asarray(extra)))


def _spread(counts: NDArray[Any]) -> Floats:
    return np.asarray(counts * np.log2(np.maximum(counts, 1)), np.float64)


def mean_entropy(
    each: Floats, sizes: Counts, whole: Floats | float = 0.0, dropped: int = 0
) -> float:
    """The mean over records and columns of H(X | cell), a dropped record's cell being the whole.

    `each[group, column]` is H of one cell, `whole[column]` that of the column.
    """
    total = sizes @ each.mean(axis=1) + dropped * float(np.mean(whole))
    return float(total / (sizes.sum() + dropped))


def entropy_per_group(cells: Cells, column: Column) -> Floats:
    """H(X | cell) of each group's cell under the frequencies of the original column."""
    if isinstance(cells, Intervals):
        return _interval_entropy(cells, column)
    if isinstance(cells, Nodes):
        spans = cells.hierarchy.spans[cells.node]
        return entropy_of_runs(leaf_counts(cells, column), spans[:, 0], spans[:, 1] + 1)
    counts = _counts_by_code(cells, column)
    return entropy_of_sets(counts, cells.offsets, cells.codes)[cells.which]


def _interval_entropy(cells: Intervals, column: Column) -> Floats:
    low, high = ends(cells)
    first = np.searchsorted(column.numbers, low, side="left")
    end = np.searchsorted(column.numbers, high, side="right")
    counts = column.counts()
    missing = cells.missing * (counts[0] if column.has_missing else 0)
    return entropy_of_runs(counts[int(column.has_missing) :], first, end, missing)


def _counts_by_code(cells: ValueSets, column: Column) -> Counts:
    """How often each code of the release occurs in the original, whose codes may differ."""
    counts = column.counts()
    at = pc.index_in(cells.values.cast(column.values.type), value_set=column.values)
    present = np.append(counts[int(column.has_missing) :], 0)[np.asarray(at.fill_null(-1))]
    missing = counts[:1] if column.has_missing else np.zeros(1, np.int64)
    return np.concatenate([missing, present]) if cells.has_missing else present


def _entropy(evidence: Evidence) -> Answer:
    release, original = evidence.release, evidence.need("original")
    content = release.recoded
    columns = quasi_cells(content)
    each = np.column_stack(
        [entropy_per_group(cells, original[name]) for name, cells in columns.items()]
    )
    counts = [original[name].counts() for name in columns]
    whole = np.array([float(bits(each.sum(), _spread(each).sum())) for each in counts])
    value = mean_entropy(each, content.sizes, whole, release.dropped)
    share = f"{float(whole.mean()):.4g} bits if nothing were published"
    return found(value, f"{share}; {scope(release)}")


entropy = Metric(
    name="entropy",
    meaning="bits about a value that its published cell leaves open, mean over cells",
    source="Gionis, Mazza, Tassa, ICDE 2008",
    calculate=_entropy,
    needs=("original",),
    unit="bits",
)
"""(1 / n r) sum over records i and columns j of H(X_j | cell(i, j)).

H is taken over the original's frequencies of the values in the cell, missing being one value. Wide
cells around one frequent value cost little, unlike under NCP. It misleads in that columns count
alone: relations between columns may be lost at no price.
"""
