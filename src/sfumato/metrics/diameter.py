"""Cluster diameter: how far apart the two most different members of each group are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer
from sfumato.data.table import Column, Table
from sfumato.metrics.base import Metric, found, scope_published
from sfumato.metrics.cells import Floats, quasi_cells
from sfumato.metrics.farthest import Axis, diameters, different
from sfumato.metrics.leaves import leaves_of
from sfumato.releases.cells import Cells, Intervals, Nodes
from sfumato.releases.release import Evidence


def diameter_cost(each: Floats, sizes: NDArray[np.int64]) -> float:
    """The sum over groups of size x largest distance between two members."""
    return float(sizes @ each)


def axes_of(cells: Cells, column: Column, rows: NDArray[np.int64]) -> list[Axis]:
    """The axes on which records differ in one column, for the original's rows behind a release.

    The distance of two leaves of a tree is the level where they meet over the level of the root,
    which is the share of levels at which they stand under different nodes: one axis per level.
    """
    codes = column.codes[rows]
    if isinstance(cells, Intervals):
        return [Axis(_positions(column)[codes])]
    if not isinstance(cells, Nodes):
        return [Axis(codes, 1.0)]
    tree, leaf = leaves_of(cells, column)
    below_root = tree.ladder[:-1][:, leaf]
    return [Axis(level[codes], 1.0 / len(below_root)) for level in below_root]


def _positions(column: Column) -> Floats:
    """Places on a domain of length 1, by code; missing lies a whole domain below everything."""
    numbers = column.numbers
    length = float(numbers[-1] - numbers[0]) if len(numbers) else 0.0
    present = (numbers - numbers[0]) / length if length else np.zeros(len(numbers))
    return np.concatenate([[-1.0], present]) if column.has_missing else present


def _diameter(evidence: Evidence) -> Answer:
    release = evidence.release
    content = release.recoded
    original: Table = evidence.need("original")
    rows = evidence.need("ledger").rows
    columns = quasi_cells(content)
    once = different(content.group, [original[name].codes[rows] for name in columns])
    pairs = [(cells, original[name]) for name, cells in columns.items()]
    axes = [axis for pair in pairs for axis in axes_of(*pair, rows[once])]
    each = diameters(axes, content.group[once], content.groups)
    value = diameter_cost(each.found, content.sizes)
    largest = diameter_cost(each.at_most, content.sizes)
    basis = f"mean {value / content.rows:.4g} of at most {len(columns)}; {scope_published(release)}"
    if value == largest:
        return found(value, basis)
    return found(
        value, f"search cut short, the value is the lower bound; {basis}", (value, largest)
    )


diameter = Metric(
    name="diameter",
    meaning="distance of the two most different members of a group, summed over all records",
    source="Byun, Kamra, Bertino, Li, DASFAA 2007",
    calculate=_diameter,
    needs=("original", "ledger"),
    unit="distance",
)
"""Sum over groups of |e| x max over pairs of the sum over columns of their distance.

Numbers and dates: |v - w| over the range of the column, 0 in a constant one; nodes: level of the
lowest common ancestor over the level of the root; other categories: 0 or 1; missing against
present: 1. It sees the two outermost members only: one outlier prices a whole group. The search is
exact until 40 million pairs were compared; beyond, the value is a lower bound and both are given.
"""
