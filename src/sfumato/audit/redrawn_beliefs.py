"""Beliefs in original values once more, record by record, straight from Bayes' rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.releases.redraw_law import RedrawLaw

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Register:
    """Who has which combination of original values, as somebody would hold it."""

    def __init__(self, law: RedrawLaw, before: Sequence[NDArray[Any]]) -> None:
        self._law = law
        values, people = np.unique(
            np.stack(before, axis=1).astype(np.int64), axis=0, return_counts=True
        )
        self._values, self._people = values, people

    def largest(self, record: Ints) -> float:
        """The largest belief in a combination behind a published record."""
        bits = (self._values == record) @ (1 << np.arange(len(record)))
        kinds, which = np.unique(bits, return_inverse=True)
        weight = self._people * np.array([self._likely(record, int(kind)) for kind in kinds])[which]
        return float(weight.max() / weight.sum())

    def _likely(self, record: Ints, agree: int) -> float:
        """How likely values that agree in some columns became the record, up to a factor."""
        ways = np.ones(1)
        columns = zip(self._law.weights, self._law.counts, record, strict=True)
        for place, (weight, counts, code) in enumerate(columns):
            kept = 1.0 if agree >> place & 1 else 0.0
            ways = np.convolve(ways, [kept, weight * counts[code] / counts.sum()])
        return float(ways[self._law.redraw])
