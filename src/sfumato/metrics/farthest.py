"""The largest distance between two members of each group, exact, without trying every pair.

A record is a point on several axes: positions on a line, whose distance is |x - y| but at most 1,
and symbols, whose distance is a weight where they differ. The *reach* of a record is the sum over
axes of its distance to the farthest member of its group on that axis, so no pair is farther apart
than the smaller of its two reaches. Round by round, every group takes its record of largest reach,
compares it with the others, and drops it together with all whose reach is no more than the best
pair so far.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

MOST_PAIRS = 40_000_000


@dataclass(frozen=True, eq=False)
class Axis:
    """One coordinate per record: a position, or a symbol if `weight` is the price of differing."""

    place: NDArray[Any]
    weight: float | None = None

    def gap(self, one: Rows, other: Rows) -> Floats:
        """Distance on this axis between records, pair by pair."""
        if self.weight is not None:
            return np.where(self.place[one] != self.place[other], self.weight, 0.0)
        return np.asarray(np.minimum(1.0, np.abs(self.place[one] - self.place[other])))

    def reach(self, starts: Rows, sizes: Rows) -> Floats:
        """Distance of every record to the farthest member of its group; groups lie in a row."""
        low = np.repeat(np.minimum.reduceat(self.place, starts), sizes)
        high = np.repeat(np.maximum.reduceat(self.place, starts), sizes)
        if self.weight is not None:
            return np.where(low != high, self.weight, 0.0)
        return np.asarray(np.minimum(1.0, np.maximum(self.place - low, high - self.place)))


class Diameters(NamedTuple):
    """Per group: the largest distance found, and a bound; equal unless the search was cut short."""

    found: Floats
    at_most: Floats


def diameters(
    axes: Sequence[Axis], group: NDArray[Any], groups: int, most: int = MOST_PAIRS
) -> Diameters:
    """The largest distance between two members of every group; records lie in order of group.

    After `most` pairs the search ends and unfinished groups keep a bound above what was found.
    Cost: sorting, then (records left) x axes a round; mostly few rounds, quadratic at worst.
    """
    reach = _reach(axes, group)
    found = np.zeros(groups)
    left = np.lexsort((-reach, group))
    while len(left) and most > 0:
        starts, sizes = _runs(group[left])
        gap = _sum(axis.gap(np.repeat(left[starts], sizes), left) for axis in axes)
        at = group[left[starts]]
        found[at] = np.maximum(found[at], np.maximum.reduceat(gap, starts))
        keep = reach[left] > found[group[left]]
        keep[starts] = False
        most -= len(left)
        left = left[keep]
    at_most = found.copy()
    np.maximum.at(at_most, group[left], reach[left])
    return Diameters(found, at_most)


def different(group: NDArray[Any], codes: Sequence[NDArray[Any]]) -> Rows:
    """One record of each group and combination of codes, in order of group."""
    key, largest = group.astype(np.int64), int(group.max(initial=0)) + 1
    for code in codes:
        width = int(code.max(initial=0)) + 1
        if largest * width >= 1 << 62:
            key = np.unique(key, return_inverse=True)[1]
            largest = len(key)
        key, largest = key * width + code, largest * width
    return np.unique(key, return_index=True)[1]


def _reach(axes: Sequence[Axis], group: NDArray[Any]) -> Floats:
    starts, sizes = _runs(group)
    return _sum(axis.reach(starts, sizes) for axis in axes)


def _sum(parts: Iterable[Floats]) -> Floats:
    # One order of summing for reaches and gaps: rounding then never puts a gap above a reach.
    return reduce(np.add, parts)


def _runs(group: NDArray[Any]) -> tuple[Rows, Rows]:
    """Where each group begins in sorted group numbers, and how many records follow."""
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    return starts, np.diff(starts, append=len(group))
