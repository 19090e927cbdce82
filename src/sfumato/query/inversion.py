"""Undoing random redraws on average: what a published record stands for in a count.

A question gives every combination of original values a number, 1 if it is selected. Take the means
over redrawn columns away from it, and what depends on exactly the columns B remains: a redraw of
one of them leaves 0 of it on average, and otherwise all, so that publication multiplies it by the
probability that none of B is redrawn. Dividing by this gives the number a published record must
count as. Values are joined into cells: those that the question does not tell apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.releases.redraw_law import RedrawLaw

Floats = NDArray[np.float64]
HAIR = 1e-12  # a smaller probability of keeping is none: all that is left is rounding


@dataclass(frozen=True, eq=False)
class Inversion:
    """The redrawn columns of a question: `columns` are their places in the law, in the order of the
    first axes of the tables below, shares[i] how original records spread over the cells of axis i.
    """

    law: RedrawLaw
    columns: tuple[int, ...]
    shares: tuple[Floats, ...]

    @property
    def length(self) -> int:
        """How many redrawn columns the question is about."""
        return len(self.columns)

    @property
    def whole(self) -> bool:
        """Whether everything can be undone: that all these columns are kept does happen."""
        return self.law.kept(self.columns) > HAIR

    @property
    def amplification(self) -> float:
        """By how much undoing enlarges the part that is about all these columns."""
        kept = self.law.kept(self.columns)
        return 1.0 / kept if kept > HAIR else float("inf")

    @cached_property
    def _kept(self) -> Floats:
        """How likely no one of k of the columns is redrawn, where all sets are alike."""
        return np.array([self.law.kept(self.columns[:k]) for k in range(self.length + 1)])

    def parts(self, table: Floats) -> Floats:
        """What of a table depends on exactly k of the columns, for k = 0, 1, ...; (k, *table)."""
        parts = table[None]
        for axis in range(self.length):
            mean = self._mean(parts, axis)
            apart = np.zeros((len(parts) + 1, *np.broadcast_shapes(table.shape, mean.shape[1:])))
            apart[:-1] += mean
            apart[1:] += parts - mean
            parts = apart
        return parts

    def _mean(self, parts: Floats, axis: int) -> Floats:
        mean = np.tensordot(parts, self.shares[axis], (axis + 1, 0))
        return np.expand_dims(mean, axis + 1)

    def undone(self, table: Floats, besides: int | None = None) -> Floats:
        """The parts, each divided by how likely it is kept; what never is kept is left out.

        `besides` is one more column that must be kept.
        """
        extra = () if besides is None else (besides,)
        if not self.law.even:
            return self._undone_one_by_one(table, extra)
        kept = self._kept
        if extra:
            places = [*extra, *(place for place in self.columns if place != besides)]
            kept = np.array([self.law.kept(places[: k + 1]) for k in range(self.length + 1)])
        inverse = np.where(kept > HAIR, 1.0 / np.maximum(kept, HAIR), 0.0)
        shape = (-1, *[1] * table.ndim)
        return self.parts(table) * inverse.reshape(shape)

    def _undone_one_by_one(self, table: Floats, extra: tuple[int, ...]) -> Floats:
        """Where sets of columns differ in probability: every set of the question's columns."""
        found = np.zeros((self.length + 1, *table.shape))

        def walk(rest: Floats, axis: int, chosen: tuple[int, ...]) -> None:
            if axis == self.length:
                kept = self.law.kept((*extra, *chosen))
                if kept > HAIR:
                    found[len(chosen)] += rest / kept
                return
            mean = self._mean(rest[None], axis)[0]
            walk(mean, axis + 1, chosen)
            walk(rest - mean, axis + 1, (*chosen, self.columns[axis]))

        walk(table, 0, ())
        return found

    def weights(self, table: Floats) -> Floats:
        """What a published record of every cell counts as."""
        return np.asarray(self.undone(table).sum(axis=0))

    def reachable(self, table: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Cells from which some original of the table may have come."""
        for _ in range(min(self.law.redraw, self.length)):
            wider = table
            for axis in range(self.length):
                wider = wider | table.any(axis=axis, keepdims=True)
            table = wider
        return table
