"""The distinct values of a column, and which of their codes a region holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.query.readings import Reading, point
from sfumato.query.regions import ABSENT, Region, points


@dataclass(frozen=True)
class Values:
    """Distinct values as (possibly unsorted) keys, and which codes a region holds."""

    keys: Sequence[Any]
    has_missing: bool

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return np.array(sorted(range(len(self.keys)), key=self.keys.__getitem__), np.int64)

    @cached_property
    def _sorted(self) -> list[Any]:
        return [self.keys[place] for place in self._order]

    def codes(self, region: Region) -> NDArray[np.bool_]:
        """Per code, missing first where it occurs: inside or not."""
        inside = np.empty(len(self.keys) + self.has_missing, np.bool_)
        inside[: self.has_missing] = region.missing
        inside[self._order + self.has_missing] = region.holds(self._sorted)
        return inside

    def region(self, code: int, reading: Reading) -> Region:
        """The region of one code."""
        if code < self.has_missing:
            return ABSENT
        return points([point(self.keys[code - self.has_missing])], reading)

    def numbers(self) -> NDArray[np.float64]:
        """Every code as a number, missing as NaN."""
        return np.array([np.nan] * self.has_missing + list(self.keys), np.float64)
