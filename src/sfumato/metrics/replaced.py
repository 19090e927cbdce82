"""How far values that were drawn anew lie from the true ones, and what lies near those."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer, ResultTable, result_table
from sfumato.core.errors import Refused
from sfumato.data.table import Column, Table
from sfumato.metrics.base import Metric, found
from sfumato.releases.release import Evidence

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
FIRST = 30  # neighbours that are looked at
MOST = 2_000  # records whose neighbours are looked at, spread evenly over the release
ROWS = 256  # at once


def numbers_of(column: Column) -> Floats:
    """Every row's value, missing as NaN."""
    missing = [np.nan] if column.has_missing else []
    return np.concatenate([missing, column.numbers])[column.codes]


def _both(evidence: Evidence) -> tuple[list[str], Floats, Floats, Floats]:
    """Columns, their true and published values, and the ranges of the true ones."""
    content = evidence.release.patterned
    original: Table = evidence.need("original").take(evidence.need("ledger").rows)
    names = list(content.replaced)
    truth = np.column_stack([numbers_of(original[name]) for name in names])
    shown = np.column_stack([numbers_of(content.records[name]) for name in names])
    with np.errstate(all="ignore"):
        wide = np.nan_to_num(np.nanmax(truth, axis=0) - np.nanmin(truth, axis=0))
    return names, truth, shown, wide


def _shift(evidence: Evidence) -> Answer:
    names, truth, shown, wide = _both(evidence)
    there = wide > 0
    if not there.any():
        raise Refused("no column that was drawn anew has two values to tell apart")
    far = np.abs(shown - truth)[:, there] / wide[there]
    return found(float(np.nanmean(far)), f"{', '.join(names)}, each in shares of its range")


shift = Metric(
    name="shift",
    meaning="how far values that were drawn anew moved, in shares of their column's range",
    source="this project; range-normalised form of Xue 2012, equation 5.9",
    calculate=_shift,
    lower_is_better=None,
    needs=("original", "ledger"),
)
"""Mean over records and replaced columns of |t' - t| / (max - min) of the original column.

Less is better for use and worse for privacy. It misleads for long tails, where the range is that of
a few values.
"""


class Alike(NamedTuple):
    """For every record looked at, the place of the first neighbour with its sensitive value (0 for
    none among the first), and for every place how often the neighbour there has it."""

    first: Ints
    each: Ints


def alike(
    truth: Floats, shown: Floats, wide: Floats, sensitive: NDArray[Any], look: Ints, most: int
) -> Alike:
    """Neighbours among published records of true positions, by Euclidean distance in ranges.

    Columns of range 0 count nothing; ties go to the record that stands first. The published image
    of the record itself is among the neighbours.
    """
    scale = np.where(wide > 0, wide, np.inf)
    here, there = np.nan_to_num(truth / scale), np.nan_to_num(shown / scale)
    most = min(most, len(there))
    first, each = np.zeros(len(look), np.int64), np.zeros(most, np.int64)
    for begin in range(0, len(look), ROWS):
        rows = look[begin : begin + ROWS]
        far = ((here[rows][:, None, :] - there[None]) ** 2).sum(axis=2)
        near = np.argsort(far, axis=1, kind="stable")[:, :most]
        same = sensitive[near] == sensitive[rows][:, None]
        each += same.sum(axis=0)
        first[begin : begin + ROWS] = np.where(same.any(axis=1), same.argmax(axis=1) + 1, 0)
    return Alike(first, each)


def _nearest(evidence: Evidence) -> ResultTable:
    _, truth, shown, wide = _both(evidence)
    names = evidence.release.schema.sensitive
    if not names:
        raise Refused("no column is published as sensitive")
    rows = len(truth)
    look = np.unique(np.linspace(0, rows - 1, min(rows, MOST)).astype(np.int64))
    codes = evidence.release.patterned.records[names[0]].codes
    near = alike(truth, shown, wide, codes, look, FIRST)
    lines = [
        {
            "k": k + 1,
            "first with the same value": float((near.first == k + 1).mean()),
            "k-th has the same value": float(near.each[k] / len(look)),
        }
        for k in range(len(near.each))
    ]
    share = np.bincount(codes) / rows
    guess = f"{100 * float((share**2).sum()):.3g} % of random pairs have the same {names[0]}"
    note = f"{len(look):,} of {rows:,} records, spread evenly; {guess}"
    return result_table(f"nearest-alike: neighbours with the same {names[0]}", lines, [note])


nearest_alike = Metric(
    name="nearest-alike",
    meaning="how often the k-th published neighbour of a true position has its sensitive value",
    source="Xue, doctoral thesis, Singapore 2012, section 5.6",
    calculate=_nearest,
    needs=("original", "ledger"),
)
"""k_t is the place of the first published neighbour of a true position whose sensitive value
is the person's; all-k counts every such neighbour. For somebody who knows true values and guesses
by vicinity, the largest share is the chance to be right. It misleads where one value is frequent:
compare with the share of random pairs.
"""
