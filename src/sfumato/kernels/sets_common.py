"""What kernels for rows of items share: utility of a grouping, rows with items by weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.rows import Rows, common_items, members_of


def retained(
    rows: Rows, utility: NDArray[np.float64], group: NDArray[np.int32], groups: int
) -> float:
    """Utility that a grouping keeps: of what each group shares, times its records."""
    start, members = members_of(group, groups)
    common = common_items(rows, start, members)
    shared = np.repeat(np.diff(start), np.diff(common.start))
    return float(utility[common.items] @ shared)


def by_weight(rows: Rows, utility: NDArray[np.float64]) -> tuple[Rows, NDArray[np.float64]]:
    """The rows with items numbered by falling utility x records, and their utilities."""
    weight = utility * np.bincount(rows.items, minlength=len(utility))
    order = np.argsort(-weight, kind="stable")
    rank = np.empty(len(order), rows.items.dtype)
    rank[order] = np.arange(len(order))
    return Rows(rows.start, _renumbered(rows, rank)), utility[order]


@compiled
def _renumbered(rows: Rows, rank: NDArray[Any]) -> NDArray[Any]:
    """Items by their rank, ascending in each row."""
    items = np.empty_like(rows.items)
    for row in range(len(rows.start) - 1):
        begin = rows.start[row]
        for place in range(begin, rows.start[row + 1]):
            items[place] = rank[rows.items[place]]
        items[begin : rows.start[row + 1]].sort()
    return items


@compiled
def values(rows: Rows, utility: NDArray[np.float64]) -> NDArray[np.float64]:
    """Utility of every row, (rows,)."""
    value = np.zeros(len(rows.start) - 1)
    for row in range(len(value)):
        for place in range(rows.start[row], rows.start[row + 1]):
            value[row] += utility[rows.items[place]]
    return value
