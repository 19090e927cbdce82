"""Sums of a column over what a condition selects in a redrawn table, the redraw undone.

An exact column multiplies what a record counts as. A redrawn one is part of what is undone: with x
its number, a record counts as a + b x, a and b by the cell of its other columns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.query.inversion import Inversion
from sfumato.query.redrawn_scope import Scope

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moments:
    """What the sum and its error are made of, cell by cell.

    Records count as base + slope x (level 0); `counts`, `sums` and `squares` are those of x.
    `base` is linear in the level that is taken from x: base - level * shift. `square_base` belongs
    to x squared, likewise.
    """

    counts: Floats
    sums: Floats
    squares: Floats
    base: tuple[Floats, Floats]  # what x, and what 1, adds
    slope: Floats
    square_base: Floats

    @property
    def total(self) -> float:
        """The sum of x, unbiased."""
        return float((self.counts * self.base[0] + self.slope * self.sums).sum())

    def error(self, level: float) -> float:
        """The standard error of the sum of x - level."""
        sums = self.sums - level * self.counts
        squares = self.squares - 2 * level * self.sums + level**2 * self.counts
        base = self.base[0] - level * self.base[1]
        square_base = self.square_base - 2 * level * self.base[0] + level**2 * self.base[1]
        own = base**2 * self.counts + 2 * base * self.slope * sums + self.slope**2 * squares
        return math.sqrt(
            max(0.0, float((own - square_base * self.counts - self.slope * squares).sum()))
        )


def number_moments(scope: Scope, name: str) -> Moments:
    """The moments of one column."""
    sums, squares = scope.moments(name)
    held = scope.selected.astype(np.float64)
    if scope.view.known(name):
        weights, none = scope.inversion.weights(held), np.zeros(1)
        return Moments(scope.counts, sums, squares, (none, none), weights, none)
    at = [axis.name for axis in scope.axes].index(name)
    axis, worth = scope.axes[at], scope.worth(name)
    shares = scope.view.shares(name)
    of_cell = [
        np.bincount(axis.cell, shares * part, minlength=axis.size)
        for part in (np.ones(len(worth)), worth, worth**2)
    ]
    others = _without(scope.inversion, at)
    slope = others.undone(np.moveaxis(held, at, -1), axis.place).sum(axis=0)
    base = []
    for mean in of_cell:
        means = np.tensordot(held, mean, (at, 0))
        apart = others.undone(means).sum(axis=0) - others.undone(means, axis.place).sum(axis=0)
        base.append(np.expand_dims(apart, at))
    slope = np.moveaxis(slope, -1, at)
    return Moments(scope.counts, sums, squares, (base[1], base[0]), slope, base[2])


def _without(inversion: Inversion, at: int) -> Inversion:
    """The same question without one of its columns."""
    columns, shares = list(inversion.columns), list(inversion.shares)
    del columns[at], shares[at]
    return Inversion(inversion.law, tuple(columns), tuple(shares))
