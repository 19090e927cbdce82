"""Cells from a lower to an upper end: cuts inside, known ends, shares and means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.core.errors import Refused
from sfumato.query.facets import Profile, Reach, beside
from sfumato.query.plan import Literal
from sfumato.query.readings import REAL, Reading, reading_of
from sfumato.query.regions import Region
from sfumato.releases.cells import Intervals


@dataclass(frozen=True, eq=False)
class Ends:
    """Distinct intervals: ends as whole numbers or doubles; `null` where everybody is missing."""

    low: NDArray[Any]
    high: NDArray[Any]
    null: NDArray[np.bool_]
    missing: NDArray[np.bool_]
    tight: bool
    steps: bool  # the estimate counts whole numbers rather than lengths
    whole: bool  # the values are whole numbers, days or ticks

    def take(self, cells: NDArray[Any]) -> Ends:
        """Some of the intervals."""
        low, high = self.low[cells], self.high[cells]
        null, missing = self.null[cells], self.missing[cells]
        return Ends(low, high, null, missing, self.tight, self.steps, self.whole)

    def touches(self, region: Region) -> NDArray[np.bool_]:
        """Whether a member may be inside."""
        under_low, under_high = self._crossed(region)
        some = _odd(under_low, region.first) | (under_low != under_high)
        return np.asarray((some & ~self.null) | (self.missing & region.missing))

    def profile(self, region: Region) -> Profile:
        """What a region holds of every interval.

        Nobody outside knows how many values are missing: the estimate takes the fewest.
        """
        under_low, under_high = self._crossed(region)
        low_in, high_in = _odd(under_low, region.first), _odd(under_high, region.first)
        mixed, wide = under_low != under_high, self.low != self.high
        present = ~self.null
        absent_in, absent_out = self.missing & region.missing, self.missing & ~region.missing
        ends_in = ((low_in * 1 + (high_in & wide)) * present + absent_in) * self.tight
        ends_out = ((~low_in * 1 + (~high_in & wide)) * present + absent_out) * self.tight
        some_in = ((low_in | mixed) & present) | absent_in
        some_out = ((~low_in | mixed) & present) | absent_out
        share = self._inside(region, low_in.astype(np.float64))[0]
        share[self.null] = float(region.missing)
        return Profile(beside(ends_in, ends_out), beside(some_in, some_out), share)

    def reach(self, region: Region) -> Reach:
        """The numbers a region holds of every interval; meaningless where none."""
        edges = _as_array(region.cuts, self.low.dtype)
        under_low, under_high = self._crossed(region)
        low_in, high_in = _odd(under_low, region.first), _odd(under_high, region.first)
        edges = edges if len(edges) else np.zeros(1, self.low.dtype)  # never chosen
        entry = edges[np.minimum(under_low, len(edges) - 1)]
        leave = edges[np.maximum(under_high - 1, 0)]
        before = leave - 1 if self.whole else np.nextafter(leave, -np.inf)
        low = np.where(low_in, self.low, entry).astype(np.float64)
        high = np.where(high_in, self.high, before).astype(np.float64)
        mean = self._inside(region, low_in.astype(np.float64))[1]
        known = beside(low_in, high_in) & self.tight & ~self.null[:, None]
        return Reach(low, high, np.clip(mean, low, np.maximum(low, high)), known)

    def _crossed(self, region: Region) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Cuts at or below either end: equal numbers mean that no cut falls inside the cell."""
        edges = _as_array(region.cuts, self.low.dtype)
        return np.searchsorted(edges, self.low, "right"), np.searchsorted(edges, self.high, "right")

    def _inside(
        self, region: Region, share: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Share and mean of the part of each cell inside; `share` is what single points have."""
        origin = float(self.low.min()) if len(self.low) else 0.0
        cuts = _as_array(region.cuts, self.low.dtype).astype(np.float64)
        cuts = np.ceil(cuts) if self.steps else cuts
        edges = np.concatenate([[0.0], np.maximum(cuts - origin, 0.0)])
        inside = (np.arange(len(edges)) % 2 == 1) != region.first
        low = self.low.astype(np.float64) - origin
        high = self.high.astype(np.float64) - origin + self.steps
        length, moment = _between(edges, inside, low, high)
        width = high - low
        share = np.divide(length, width, out=share, where=width > 0)
        middle = (low + high) / 2
        mean = np.divide(moment, length, out=middle, where=length > 0)
        return np.clip(share, 0.0, 1.0), mean + origin - self.steps / 2


class IntervalCells:
    """Cells from a lower to an upper end."""

    def __init__(self, name: str, cells: Intervals) -> None:
        self.reading = reading_of(cells.lower.type)
        if not self.reading.is_ordered:
            raise Refused(
                f"the intervals of column '{name}' have ends that are neither numbers nor dates"
            )
        low, high, null = _ends(cells, self.reading)
        table = np.rec.fromarrays([low, high, null, cells.missing])
        _, first, which = np.unique(table, return_index=True, return_inverse=True)
        self.which = which.astype(np.int32)
        whole = self.reading.is_whole
        steps = whole or bool(np.all(low % 1 == 0) and np.all(high % 1 == 0))
        self._distinct = Ends(
            low[first],
            high[first],
            null[first],
            cells.missing[first] | null[first],
            cells.tight,
            steps,
            whole,
        )

    def read(self, literal: Literal) -> Reading:
        """How a literal makes the values read."""
        return self.reading

    def of_groups(self, groups: NDArray[np.int64]) -> tuple[Ends, NDArray[Any]]:
        """Distinct cells, and which of them each of some groups has; whichever are fewer."""
        which = self.which if len(groups) == len(self.which) else self.which[groups]
        if len(self._distinct.low) <= len(groups):
            return self._distinct, which
        return self._distinct.take(which), np.arange(len(groups))


def _between(
    edges: NDArray[np.float64],
    inside: NDArray[np.bool_],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Integrals of 1 and of the value over the part inside, from each low to each high."""
    first, last = (np.searchsorted(edges, end, "right") - 1 for end in (low, high))
    results = []
    for power in (1, 2):
        raised = edges**power
        full = np.append(0.0, np.cumsum(inside[:-1] * np.diff(raised)))
        upper = full[last] + inside[last] * (high**power - raised[last])
        results.append((upper - full[first] - inside[first] * (low**power - raised[first])) / power)
    return results[0], results[1]


def _odd(crossed: NDArray[np.int64], first: bool) -> NDArray[np.bool_]:
    return np.asarray((crossed % 2 == 1) != first)


def _as_array(cuts: Sequence[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    """Cuts as an array that compares exactly with cell ends; beyond 64 bits they never matter."""
    if kind == np.float64:
        return np.array(cuts, np.float64)
    reach = np.iinfo(np.int64)
    return np.array([max(cut, reach.min) for cut in cuts if cut <= reach.max], np.int64)


def _ends(
    cells: Intervals, reading: Reading
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_]]:
    """Both ends as whole numbers or doubles; 0 where every member is missing."""

    def one(values: pa.Array) -> NDArray[Any]:
        if pa.types.is_date64(values.type):
            values = values.cast(pa.date32())
        if pa.types.is_temporal(values.type):
            narrow = pa.types.is_date(values.type) or pa.types.is_time32(values.type)
            values = values.cast(pa.int32() if narrow else pa.int64())
        wide = values.cast(pa.float64() if reading == REAL else pa.int64())
        return np.asarray(wide.fill_null(0))

    null = np.asarray(pc.is_null(cells.lower))
    return one(cells.lower), one(cells.upper), null
