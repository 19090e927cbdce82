"""How a column's values are distributed, in the original and as a release shows them.

A release shows cells, not values. What is drawn from it here is the expectation if every value of a
cell were equally likely for each of its members: the picture an analyst would have.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.data.hierarchy import spell
from sfumato.data.schema import Kind
from sfumato.data.table import Column
from sfumato.releases.cells import Intervals, Nodes, ValueSets
from sfumato.releases.recoded import Recoded

Floats = NDArray[np.float64]
BINS = 24


@dataclass(frozen=True, eq=False)
class Profile:
    """Expected records by bin (`edges`) or by value (`labels`); `missing` is counted apart."""

    name: str
    counts: Floats
    edges: Floats | None = None
    labels: tuple[str, ...] = ()
    missing: float = 0.0


def profile(content: Recoded, name: str) -> Profile:
    """A published column: exact where it is exact, otherwise the expectation inside its cells."""
    if name not in content.cells:
        return profile_of(content.records[name])
    cells = content.cells[name]
    if isinstance(cells, Intervals):
        return _of_intervals(name, cells, content.sizes)
    return (
        _of_sets(name, cells, content.sizes)
        if isinstance(cells, ValueSets)
        else _of_nodes(name, cells, content.sizes)
    )


def profile_of(column: Column, like: Profile | None = None) -> Profile:
    """An exact column, binned or labelled as another profile where one is given."""
    counts = column.counts()
    missing = float(counts[0]) if column.has_missing else 0.0
    present = counts[column.has_missing :].astype(np.float64)
    by_value = like is not None and like.edges is None
    if column.kind is Kind.CATEGORY or by_value:
        return _labelled(column, present, missing, like)
    edges = like.edges if like is not None else None
    if edges is None:
        edges = bin_edges(column.numbers, is_whole(column.values.type))
    held = np.histogram(column.numbers, edges, weights=present)[0]
    return Profile(column.name, held.astype(np.float64), edges, missing=missing)


def _labelled(column: Column, present: Floats, missing: float, like: Profile | None) -> Profile:
    labels = spell(column.values.to_pylist())
    if like is None:
        return Profile(column.name, present, labels=tuple(labels), missing=missing)
    counts = dict(zip(labels, present, strict=True))
    held = np.array([counts.get(label, 0.0) for label in like.labels])
    return Profile(column.name, held, labels=like.labels, missing=missing)


def bin_edges(numbers: Floats, whole: bool) -> Floats:
    """At most BINS bins of equal width over the values; whole numbers get whole widths."""
    if len(numbers) == 0:
        return np.array([0.0, 1.0])
    low, high = float(np.min(numbers)), float(np.max(numbers))
    if not whole:
        return np.linspace(low, high if high > low else low + 1, BINS + 1)
    width = max(1, int(np.ceil((high - low + 1) / BINS)))
    return np.arange(low, high + width + 1, width)[: int(np.ceil((high - low + 1) / width)) + 1]


def _of_intervals(name: str, cells: Intervals, sizes: NDArray[np.int64]) -> Profile:
    low, high = _numbers(cells.lower), _numbers(cells.upper)
    some = ~np.isnan(low)
    whole = is_whole(cells.lower.type)
    edges = bin_edges(np.concatenate([low[some], high[some]]), whole)
    lost = cells.missing & some  # how many of a mixed cell are missing is unknown: half is drawn
    weight = sizes.astype(np.float64) * np.where(lost, 0.5, 1.0)
    counts = spread(low[some], high[some] + float(whole), weight[some], edges)
    return Profile(name, counts, edges, missing=float(sizes.sum() - weight[some].sum()))


def spread(low: Floats, high: Floats, weight: Floats, edges: Floats) -> Floats:
    """Mass of intervals over bins, each interval spread evenly."""
    counts = np.zeros(len(edges) - 1)
    length = high - low
    point = length <= 0
    counts += np.histogram(low[point], edges, weights=weight[point])[0]
    low, high, density = low[~point], high[~point], weight[~point] / length[~point]
    for place in range(len(counts)):
        inside = np.minimum(high, edges[place + 1]) - np.maximum(low, edges[place])
        counts[place] += (np.maximum(inside, 0) * density).sum()
    return counts


def _of_sets(name: str, cells: ValueSets, sizes: NDArray[np.int64]) -> Profile:
    held = np.bincount(cells.which, weights=sizes, minlength=len(cells.sizes)) / cells.sizes
    texts = cells.texts()
    each = np.repeat(held, cells.sizes)
    counts = np.bincount(cells.codes, each, minlength=len(texts)).astype(np.float64)
    missing = float(counts[0]) if cells.has_missing else 0.0
    skip = int(cells.has_missing)
    labels = spell(cells.values.to_pylist())
    return Profile(name, counts[skip:], labels=tuple(labels), missing=missing)


def _of_nodes(name: str, cells: Nodes, sizes: NDArray[np.int64]) -> Profile:
    tree = cells.hierarchy
    spans = tree.spans[cells.node]
    each = sizes / (spans[:, 1] - spans[:, 0] + 1)
    steps = np.zeros(tree.leaves + 1)
    np.add.at(steps, spans[:, 0], each)
    np.add.at(steps, spans[:, 1] + 1, -each)
    counts = np.maximum(np.cumsum(steps)[:-1], 0)
    skip = int(cells.has_missing)
    missing = float(counts[0]) if cells.has_missing else 0.0
    return Profile(name, counts[skip:], labels=tree.labels[skip : tree.leaves], missing=missing)


def _numbers(values: pa.Array) -> Floats:
    if pa.types.is_temporal(values.type):
        narrow = pa.types.is_date32(values.type) or pa.types.is_time32(values.type)
        values = values.cast(pa.int32() if narrow else pa.int64())
    return np.asarray(values.cast(pa.float64(), safe=False).fill_null(np.nan))


def is_whole(kind: pa.DataType) -> bool:
    """Whether values are counted in steps of one."""
    return bool(pa.types.is_integer(kind) or pa.types.is_temporal(kind))
