"""What the people selected may have in the sensitive column, and what to expect of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.query_entries import BLOCK
from sfumato.query.entries import EntryTable
from sfumato.query.implied import Expected
from sfumato.query.selections import UNIT

Ints = NDArray[np.int64]
LIKELY = float(np.log(2.0))  # of so many people expected, one is as likely as none
Histogram = tuple[NDArray[np.float64], NDArray[np.float32]]


@dataclass(frozen=True)
class Part:
    """People of every bucket whose sensitive value must lie in one region."""

    table: EntryTable
    selected: Ints

    @cached_property
    def numbers(self) -> tuple[Ints, Ints]:
        """The fewest and most per bucket that are selected."""
        return self.table.numbers(self.selected)

    @cached_property
    def sums(self) -> tuple[float, float]:
        """Smallest and largest sum."""
        return self.table.sums(self.selected)

    def extreme(self, level: float, up: bool) -> tuple[float, int]:
        """Sum and number of the entries with the largest (smallest) sum of (value - level)."""
        if self.table.settled:
            return self.sums[up], int(self.numbers[0].sum())
        return self.table.extreme(self.selected, level, up)


class EntryPicks:
    """Some entries of every bucket, of which only the number is known; see Selection."""

    def __init__(
        self,
        parts: Sequence[Part],
        expected: Sequence[Expected] = (),
        histograms: Sequence[Histogram] = (),
    ) -> None:
        self._parts, self._histograms = parts, histograms
        self.least = sum(int(part.numbers[0].sum()) for part in parts)
        self.most = sum(int(part.numbers[1].sum()) for part in parts)
        self.expected = sum(one.number for one in expected)
        self.total = sum(one.total for one in expected)

    @property
    def slack(self) -> float:
        """Sums inside buckets are and blocks are plain, the sum over blocks is compensated."""
        if all(part.table.whole for part in self._parts):
            return 0.0
        longest = max(int(part.selected.max(initial=0)) for part in self._parts)
        magnitude = sum(part.table.magnitude for part in self._parts)
        return 2 * (longest + BLOCK + 8) * UNIT * magnitude

    def sums(self) -> tuple[float, float]:
        """Smallest and largest sum."""
        low, high = zip(*(part.sums for part in self._parts), strict=True)
        return sum(low), sum(high)

    def extreme(self, level: float, up: bool) -> tuple[float, int]:
        """Sum and number of the entries with the largest (smallest) sum of (value - level)."""
        found = [part.extreme(level, up) for part in self._parts]
        return sum(total for total, _ in found), sum(number for _, number in found)

    def smallest(self) -> tuple[float, float]:
        """Bounds on the smallest selected value."""
        return self._end(False)

    def largest(self) -> tuple[float, float]:
        """Bounds on the largest selected value."""
        low, high = self._end(True)
        return high, low

    def _end(self, up: bool) -> tuple[float, float]:
        """The bound to beat, and the one that somebody surely reaches; else any may be alone."""
        able = [part for part in self._parts if part.numbers[1].any()]
        ends = [(part, *part.table.end(part.selected, up)) for part in able]
        sure = [second for part, _, second in ends if part.numbers[0].any()]
        first = [first for _, first, _ in ends]
        alone = [second for _, _, second in ends]
        if up:
            return max(first), max(sure) if sure else min(alone)
        return min(first), min(sure) if sure else max(alone)

    def guess(self, up: bool) -> float:
        """The value that as many people are expected to reach as make it a toss-up."""
        goal = min(LIKELY, self.expected / 2)
        values = np.unique(np.concatenate([[], *(edges for edges, _ in self._histograms)]))
        if len(values) == 0:
            return sum(self.largest() if up else self.smallest()) / 2
        low, high = 0, len(values) - 1
        while low < high:
            middle = (low + high) // 2
            below = self._below(float(values[middle]))
            if (self.expected - below < goal) if up else (below >= goal):
                high = middle
            else:
                low = middle + 1
        return float(values[low])

    def _below(self, value: float) -> float:
        """How many people are expected at or below a value."""
        number = 0.0
        for weight, (edges, mass) in zip(self._weights, self._histograms, strict=True):
            row = int(np.searchsorted(edges, value, "right")) - 1
            number += float(mass[row] @ weight) if row >= 0 else 0.0
        return number

    @cached_property
    def _weights(self) -> list[NDArray[np.float32]]:
        return [part.selected.astype(np.float32) for part in self._parts]
