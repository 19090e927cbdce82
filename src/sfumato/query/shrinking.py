"""A regularised count: what k columns have to do with one another, the less believed the noisier.

The count is a sum over k of what depends on exactly k redrawn columns. The part of order k is
multiplied by t / (t + v): v is its variance, t how large it would be by chance of the question,
taken as a share of the squared count under independence. The shares are learned from random
questions to the release itself; nothing but the release takes part.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.query.normal import Leaf, Tree
from sfumato.query.readings import point
from sfumato.query.redrawn_scope import RedrawnView, Scope
from sfumato.query.regions import points

Floats = NDArray[np.float64]
QUESTIONS = 40  # random ones for every number of columns
LONGEST = 6
MOST_RECORDS = 100_000  # that links are learned from
SEED = 20100601  # the same questions for the same release
FADING = 0.1  # links of one more column are at least this much as strong; noise hides them
LEAST = 20.0  # records expected: smaller counts say more of chance than of columns


class Orders:
    """The parts of a count by how many redrawn columns they are about, and their variances."""

    def __init__(self, scope: Scope) -> None:
        inversion, held = scope.inversion, scope.selected.astype(np.float64)
        plain, undone = inversion.parts(held), inversion.undone(held)
        self.parts = np.array([float((scope.counts * part).sum()) for part in undone])
        self.noise = np.zeros(len(self.parts))
        for order in range(1, len(self.parts)):
            own = float((scope.counts * undone[order] ** 2).sum())
            meant = float((scope.counts * inversion.weights(plain[order] ** 2)).sum())
            self.noise[order] = max(own - meant, 0.0)


class Shrinking:
    """What was learned of a release, once it is needed."""

    def __init__(self, view: RedrawnView) -> None:
        self._view = view

    def estimate(self, scope: Scope) -> float:
        """The regularised count of what a condition selects."""
        orders = Orders(scope)
        learned = self.strengths
        strength = np.array([learned[min(k, len(learned) - 1)] for k in range(len(orders.parts))])
        meant = strength * orders.parts[0] ** 2
        factor = meant / np.maximum(meant + orders.noise, 1e-300)
        factor[0] = 1.0
        return float(factor @ orders.parts)

    @cached_property
    def strengths(self) -> Floats:
        """By order: the mean square of a part, over the squared count under independence."""
        found: list[list[float]] = [[] for _ in range(LONGEST + 1)]
        weight: list[list[float]] = [[] for _ in range(LONGEST + 1)]
        few = self._view.thinned(MOST_RECORDS)
        for tree in self._questions():
            orders = Orders(Scope(few, tree))
            base = orders.parts[0]
            if base < LEAST:
                continue
            for k in range(1, len(orders.parts)):
                noise = orders.noise[k] / base**2
                found[k].append((orders.parts[k] / base) ** 2 - noise)
                weight[k].append(1.0 / (1.0 + noise / 0.05))
        strengths = np.zeros(LONGEST + 1)
        for k in range(1, LONGEST + 1):
            if found[k] and sum(weight[k]) > 0:
                strengths[k] = max(0.0, float(np.average(found[k], weights=weight[k])))
            if k > 1:
                strengths[k] = max(strengths[k], FADING * strengths[k - 1])
        return strengths

    def _questions(self) -> Iterator[Tree]:
        """Random values of random columns, redrawn ones and one exact one."""
        rng = np.random.default_rng(SEED)
        names, view = list(self._view.law.names), self._view
        exact = [name for name in view.columns if view.known(name)]
        for length in range(1, min(LONGEST, len(names)) + 1):
            for _ in range(QUESTIONS):
                chosen = rng.choice(len(names), length, replace=False)
                parts = [self._region(names[place], rng) for place in chosen]
                if exact:
                    parts.append(self._region(exact[int(rng.integers(len(exact)))], rng))
                yield view.joined(*parts)

    def _region(self, name: str, rng: np.random.Generator) -> Leaf:
        """A random number of values of one column."""
        column = self._view.column(name)
        keys = column.values.keys
        if not len(keys):
            return Leaf(name, points([], column.reading))
        number = int(rng.integers(1, max(2, len(keys))))
        some = rng.choice(len(keys), min(number, len(keys)), replace=False)
        return Leaf(name, points([point(keys[int(i)]) for i in some], column.reading))
