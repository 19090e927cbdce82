"""Ambiguity metric: how many original records a published record could stand for."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer
from sfumato.core.errors import Refused
from sfumato.metrics.base import Metric, found, scope
from sfumato.metrics.cells import Floats, quasi_cells, values_in
from sfumato.releases.release import Evidence

LARGEST = math.log10(np.finfo(np.float64).max)


def mean_combinations(each: Floats, sizes: NDArray[np.int64]) -> float:
    """AM: the mean over records of the product over columns of f, the values in the cell.

    Exact up to 2**53, a rounded float beyond, infinite above 1.8e308.
    """
    return float(sizes @ np.prod(each, axis=1) / sizes.sum())


def log10_mean_combinations(each: Floats, sizes: NDArray[np.int64]) -> float:
    """The same as a power of ten, from sums of logarithms, so that nothing can overflow."""
    powers = np.log10(each).sum(axis=1)
    largest = float(powers.max())
    return largest + math.log10(sizes @ 10.0 ** (powers - largest) / sizes.sum())


def _ambiguity(evidence: Evidence) -> Answer:
    release = evidence.release
    counted = [values_in(*column) for column in quasi_cells(release.recoded).items()]
    each = np.column_stack([inside for inside, _ in counted])
    sizes = release.recoded.sizes
    if release.dropped:
        each = np.vstack([each, [_known(domain) for _, domain in counted]])
        sizes = np.append(sizes, release.dropped)
    power = log10_mean_combinations(each, sizes)
    if power > LARGEST - 1:
        raise Refused(f"the mean is about 10 to the power {power:.1f}, too large for a number")
    return found(mean_combinations(each, sizes), f"10 to the power {power:.2f}; {scope(release)}")


def _known(domain: float) -> float:
    if math.isnan(domain):
        raise Refused("records were dropped, and how many values their domain has is not published")
    return domain


ambiguity = Metric(
    name="ambiguity",
    meaning="combinations of values that a published record could stand for, on average",
    source="Nergiz, Clifton, Data and Knowledge Engineering 2007 (AM)",
    calculate=_ambiguity,
    unit="combinations",
)
"""AM = mean over records of the product over columns of f, the number of values in the cell.

f is the size of the set, the leaves under the node, or upper - lower + 1 for whole numbers and
days, one more where missing is mixed in. Intervals of other numbers are refused, because how many
values they stand for is not published. The mean hangs on the few widest records, and counts
combinations that nobody has: compare the powers of ten rather than the numbers.
"""
