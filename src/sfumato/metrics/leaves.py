"""Where the values of an original column stand among the leaves of a published hierarchy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.hierarchy import Hierarchy, fit
from sfumato.data.table import Column
from sfumato.releases.cells import Nodes


def leaves_of(cells: Nodes, column: Column) -> tuple[Hierarchy, NDArray[np.int64]]:
    """The tree, with a leaf for missing where the column has it, and the leaf of every code."""
    if not cells.has_missing:
        return fit(cells.hierarchy, column)
    # The published tree has its leaf for missing already, and it is the first.
    present = Column(column.name, column.kind, column.codes, column.values, False)
    tree, leaf = fit(cells.hierarchy, present)
    return tree, np.concatenate([[0], leaf]) if column.has_missing else leaf


def leaf_counts(cells: Nodes, column: Column) -> NDArray[np.int64]:
    """How often each leaf of the published hierarchy occurs in the original."""
    tree, leaf = leaves_of(cells, column)
    counts = np.bincount(leaf, weights=column.counts(), minlength=tree.leaves)
    # Missing values that only the original has (all were dropped) are under no published node.
    return counts[tree.leaves - cells.hierarchy.leaves :].astype(np.int64)
