"""What may have been selected, as far as the values of one column go.

Per group the number of selected records with a value is known within limits, and either the values
to pick from (a column published record by record) or the interval they lie in (a quasi column).
Both answer the same few questions, from which all aggregates follow.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.query_picks import extreme_picks
from sfumato.query.records import SortedColumn

UNIT = 2.0**-53
LIKELY = 0.5  # a group counts for the estimate of an extreme if half a record is expected there


class Selection(Protocol):
    """Everything an aggregate asks of the selected values."""

    least: int
    most: int
    expected: float

    @property
    def total(self) -> float:
        """The sum to expect."""

    @property
    def slack(self) -> float:
        """How far rounding may have moved a sum; 0 for whole numbers."""

    def sums(self) -> tuple[float, float]:
        """Smallest and largest sum."""

    def extreme(self, level: float, up: bool) -> tuple[float, int]:
        """Sum and number of the picks with the largest (smallest) sum of (value - level)."""

    def smallest(self) -> tuple[float, float]:
        """Bounds on the smallest selected value."""

    def largest(self) -> tuple[float, float]:
        """Bounds on the largest selected value."""

    def guess(self, up: bool) -> float:
        """The largest (smallest) selected value to expect."""


class Picks:
    """Runs of sorted values, of each of which between `least` and `most` are picked."""

    def __init__(
        self,
        column: SortedColumn,
        values: NDArray[np.float64],
        sums: NDArray[np.float64],
        ends: NDArray[np.int64],
        limits: NDArray[np.int64],
        expected: NDArray[np.float64],
    ) -> None:
        self._column, self._values, self._sums = column, values, sums
        self._ends, self._limits = ends, limits
        self._expected = np.clip(expected, limits[:, 0], limits[:, 1])
        self.least, self.most = (int(part) for part in limits.sum(axis=0))
        self.expected = float(self._expected.sum())

    def compact(self) -> Picks:
        """The same without the runs of which nothing can be picked."""
        at = np.flatnonzero(self._limits[:, 1])
        ends, limits = self._ends[at], self._limits[at]
        return Picks(self._column, self._values, self._sums, ends, limits, self._expected[at])

    @property
    def total(self) -> float:
        """Every value of a run is as likely as every other."""
        begin, end = self._ends.T
        filled = end > begin
        sums = self._sums[end[filled] - 1]
        return float((sums * (self._expected / np.maximum(end - begin, 1))[filled]).sum())

    @property
    def slack(self) -> float:
        """Sums inside runs are plain, the sum over runs is compensated."""
        if self._column.exact:
            return 0.0
        longest = int((self._ends[:, 1] - self._ends[:, 0]).max(initial=0))
        return 2 * (longest + 8) * UNIT * self._column.magnitude

    def sums(self) -> tuple[float, float]:
        """A value is worth picking if it is on the right side of 0."""
        return self.extreme(0.0, False)[0], self.extreme(0.0, True)[0]

    def extreme(self, level: float, up: bool) -> tuple[float, int]:
        """See the kernel."""
        return extreme_picks(self._values, self._sums, self._ends, self._limits, level, up)

    def smallest(self) -> tuple[float, float]:
        """A run of which p values are picked must give one as small as its p-th largest."""
        begin, end = self._ends.T
        least, most = self._limits.T
        low = float(self._values[begin[most > 0]].min())
        if self.least:
            return low, float(self._values[(end - least)[least > 0]].min())
        return low, float(self._values[end[most > 0] - 1].max())

    def largest(self) -> tuple[float, float]:
        """Mirror image of `smallest`."""
        begin, end = self._ends.T
        least, most = self._limits.T
        high = float(self._values[end[most > 0] - 1].max())
        if self.least:
            return float(self._values[(begin + least - 1)[least > 0]].max()), high
        return float(self._values[begin[most > 0]].min()), high

    def guess(self, up: bool) -> float:
        """The value that as many picks are expected to reach as make it a toss-up."""
        low, high = self.largest() if up else self.smallest()
        near = np.flatnonzero(self._values >= low if up else self._values <= high)
        run = np.searchsorted(self._ends[:, 0], near, "right") - 1
        begin, end = self._ends.T
        inside = (run >= 0) & (near < end[run])
        near, run = near[inside], run[inside]
        weight = self._expected[run] / (end - begin)[run]
        order = np.argsort(-self._values[near] if up else self._values[near])
        reached = int(np.searchsorted(np.cumsum(weight[order]), np.log(2.0)))
        return float(self._values[near[order[min(reached, len(order) - 1)]]])


class CellPicks:
    """Per group, values somewhere from `low` to `high`; `known` ends are surely selected."""

    def __init__(
        self,
        ends: NDArray[np.float64],
        known: NDArray[np.bool_],
        mean: NDArray[np.float64],
        limits: NDArray[np.int64],
        expected: NDArray[np.float64],
    ) -> None:
        self._low, self._high = ends.T
        self._known = known.copy()
        self._known[:, 1] &= self._low != self._high  # one value is one witness
        self._mean, self._limits = mean, limits
        self._expected = np.clip(expected, limits[:, 0], limits[:, 1])
        self._sure = np.where(self._known, ends, 0.0).sum(axis=1)
        self._sure_count = self._known.sum(axis=1)
        self.least, self.most = (int(part) for part in limits.sum(axis=0))
        self.expected = float(self._expected.sum())

    @property
    def total(self) -> float:
        """Known ends, and values spread evenly over the cell for the rest."""
        rest = np.maximum(self._expected - self._sure_count, 0.0)
        return float((self._sure + rest * self._mean).sum())

    @property
    def slack(self) -> float:
        """Numpy sums pairwise; the error of one product is another unit."""
        ends = np.maximum(np.abs(self._low), np.abs(self._high))
        magnitude = float((ends * self._limits[:, 1]).sum())
        whole = np.all(self._low % 1 == 0) and np.all(self._high % 1 == 0)
        return 0.0 if whole and magnitude < 2.0**53 else 128 * UNIT * magnitude

    def sums(self) -> tuple[float, float]:
        """A value is worth picking if it is on the right side of 0."""
        return self.extreme(0.0, False)[0], self.extreme(0.0, True)[0]

    def extreme(self, level: float, up: bool) -> tuple[float, int]:
        """All further picks of a group at the end that helps most."""
        end = self._high if up else self._low
        worth = end > level if up else end < level
        picks = np.where(worth, self._limits[:, 1], self._limits[:, 0])
        rest = np.maximum(picks - self._sure_count, 0)
        return float((self._sure + rest * end).sum()), int(picks.sum())

    def smallest(self) -> tuple[float, float]:
        """A group that surely gives a record gives one of at most its upper end."""
        least, most = self._limits.T
        low = float(self._low[most > 0].min())
        if self.least:
            cap = np.where(self._known[:, 0], self._low, self._high)
            return low, float(cap[least > 0].min())
        return low, float(self._high[most > 0].max())

    def largest(self) -> tuple[float, float]:
        """Mirror image of `smallest`."""
        least, most = self._limits.T
        high = float(self._high[most > 0].max())
        if self.least:
            same = self._low == self._high
            floor = np.where(self._known[:, 1] | same, self._high, self._low)
            return float(floor[least > 0].max()), high
        return float(self._low[most > 0].min()), high

    def guess(self, up: bool) -> float:
        """Of n values spread evenly, the extreme lies one (n + 1)-th from the end."""
        step = (self._high - self._low) / (self._expected + 1)
        step = np.where(self._known[:, int(up)], 0.0, step)
        at = self._high - step if up else self._low + step
        likely = self._expected >= min(LIKELY, float(self._expected.max()))
        return float(at[likely].max() if up else at[likely].min())
