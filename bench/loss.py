"""The loss of a grouping, from who is with whom alone; shares no code with what is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Plain:
    """One column as numbers, or as codes from 0 of categories."""

    name: str
    values: NDArray[Any]
    is_number: bool


def tight_loss(columns: Sequence[Plain], group: NDArray[Any]) -> float:
    """The normalised certainty penalty (NCP): mean over columns, then over records.

    Number: (largest - smallest of the group) / (the same of the table). Category: (different
    values in the group - 1) / (the same of the table). A record without a group (negative) loses 1.
    """
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    lost = int(np.searchsorted(ordered, 0))
    order, ordered = order[lost:], ordered[lost:]
    begin = np.flatnonzero(np.diff(ordered, prepend=-1))
    sizes = np.diff(begin, append=len(ordered))
    total = 0.0
    for column in columns:
        spread = _range if column.is_number else _variety
        whole = spread(column.values, np.zeros(1, np.int64))[0]
        if whole:
            total += float((spread(column.values[order], begin) * sizes).sum()) / whole
    return (total / len(columns) + lost) / len(group)


def _range(values: NDArray[Any], begin: NDArray[np.int64]) -> NDArray[Any]:
    values = values.astype(np.float64)
    return np.maximum.reduceat(values, begin) - np.minimum.reduceat(values, begin)


def _variety(values: NDArray[Any], begin: NDArray[np.int64]) -> NDArray[Any]:
    """Different values besides one."""
    size = int(values.max()) + 1
    if size <= 64:
        bit = np.uint64(1) << values.astype(np.uint64)
        return np.bitwise_count(np.bitwise_or.reduceat(bit, begin)).astype(np.int64) - 1
    group = np.repeat(np.arange(len(begin)), np.diff(begin, append=len(values)))
    pairs = np.unique(group * size + values)
    return np.bincount(pairs // size, minlength=len(begin)) - 1


def smallest(group: NDArray[Any]) -> int:
    """Records in the smallest group."""
    return int(np.unique(group[group >= 0], return_counts=True)[1].min())


def label_loss(
    labels: Sequence[str], tree: Sequence[Sequence[str]], occurring: set[str] | None = None
) -> float:
    """Mean over records of (values under the label - 1) / (values of the domain - 1).

    `tree` holds a row (value, level 1, ..., top) for every value; the domain is every value in it,
    or only those that occur.
    """
    rows = [row for row in tree if occurring is None or row[0] in occurring]
    under: dict[str, set[str]] = {}
    for row in rows:
        for label in row:
            under.setdefault(label, set()).add(row[0])
    names, counts = np.unique(np.asarray(labels, object).astype(str), return_counts=True)
    lost = [len(under[name]) - 1 for name in names.tolist()]
    return float(np.dot(lost, counts)) / (len(labels) * (len(rows) - 1))
