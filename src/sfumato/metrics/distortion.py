"""Distortion: the relative error of number cells, each read as the middle of its interval."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sfumato.core.answers import Answer
from sfumato.core.errors import Refused
from sfumato.data.schema import Kind
from sfumato.data.table import Column, Table
from sfumato.metrics.base import Metric, found, scope_published
from sfumato.metrics.cells import Floats, ends, quasi_cells
from sfumato.releases.cells import Intervals
from sfumato.releases.patterned import Patterned
from sfumato.releases.release import Evidence


class Errors(NamedTuple):
    """A sum of relative errors, over how many entries, and how many were zero or missing."""

    total: float
    entries: int
    zeros: int
    missing: int


def relative_errors(original: Any, published: Any) -> Errors:
    """Sum of |t - t'| / |t| over entries; t = 0 and missing (NaN) have no relative error."""
    truth, shown = np.asarray(original, np.float64), np.asarray(published, np.float64)
    absent = np.isnan(truth) | np.isnan(shown)
    zero = ~absent & (truth == 0)
    counted = ~absent & ~zero
    errors = np.abs(truth - shown)[counted] / np.abs(truth[counted])
    return Errors(float(errors.sum()), int(counted.sum()), int(zero.sum()), int(absent.sum()))


def _values(column: Column) -> Floats:
    """Numbers by code, missing as NaN."""
    return np.concatenate([[np.nan], column.numbers]) if column.has_missing else column.numbers


def _middles(cells: Intervals) -> Floats:
    low, high = ends(cells)
    return low / 2 + high / 2


def _number_columns(evidence: Evidence, original: Table) -> dict[str, Intervals]:
    columns = {
        name: cells
        for name, cells in quasi_cells(evidence.release.recoded).items()
        if isinstance(cells, Intervals) and original[name].kind is Kind.NUMBER
    }
    if not columns:
        raise Refused("no quasi-identifier is published as an interval of numbers")
    return columns


def _distortion(evidence: Evidence) -> Answer:
    if isinstance(evidence.release.content, Patterned):
        return _of_replaced(evidence)
    content = evidence.release.recoded
    original: Table = evidence.need("original")
    rows = evidence.need("ledger").rows
    columns = _number_columns(evidence, original)
    parts = []
    for name, cells in columns.items():
        truth = _values(original[name])[original[name].codes[rows]]
        parts.append(relative_errors(truth, _middles(cells)[content.group]))
    total, entries, zeros, missing = (sum(part) for part in zip(*parts, strict=True))
    if not entries:
        raise Refused("every entry is zero or missing, so that no error is relative to it")
    skipped = f"{zeros} zero and {missing} missing entries skipped"
    basis = f"{entries} entries of {', '.join(columns)}; {skipped}"
    return found(total / entries, f"{basis}; {scope_published(evidence.release)}")


def _of_replaced(evidence: Evidence) -> Answer:
    """The same of numbers that were drawn anew."""
    content = evidence.release.patterned
    original: Table = evidence.need("original").take(evidence.need("ledger").rows)
    names = [name for name in content.replaced if original[name].kind is Kind.NUMBER]
    if not names:
        raise Refused("no number was drawn anew")
    tables = ((original[name], content.records[name]) for name in names)
    parts = [relative_errors(_values(a)[a.codes], _values(b)[b.codes]) for a, b in tables]
    total, entries, zeros, missing = (sum(part) for part in zip(*parts, strict=True))
    if not entries:
        raise Refused("every entry is zero or missing, so that no error is relative to it")
    skipped = f"{zeros} zero and {missing} missing entries skipped"
    return found(total / entries, f"{entries} entries of {', '.join(names)}; {skipped}")


distortion = Metric(
    name="distortion",
    meaning="relative error of a number as published, or read as the middle of its interval",
    source="Xue, doctoral thesis, Singapore 2012, equation 5.9",
    calculate=_distortion,
    needs=("original", "ledger"),
)
"""Dst = mean over records i and number columns j of |t(i, j) - t'(i, j)| / |t(i, j)|.

t' is the middle of the published interval. Entries with t = 0, where the formula is undefined, and
missing ones are skipped and counted; dates have no natural zero and are left out. It misleads for
values near zero, where any error is huge, and it depends on the zero of the scale.
"""
