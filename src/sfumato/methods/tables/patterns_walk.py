"""One draw from a polytope: a walk until it is long against its own memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.effective import effective_draws
from sfumato.kernels.lattice import (
    SPARE,
    Lattice,
    Look,
    Place,
    place_at,
    sweeps,
    words_per_sweep,
)
from sfumato.kernels.lattice_rows import by_variable, slack_of
from sfumato.methods.tables.patterns_equal import Reduced

Floats = NDArray[np.float64]
Words = Callable[[int, int], NDArray[np.uint64]]  # (how many, number of the request)

LOOKS = 512  # places that are looked at in a round
WATCHED = 200  # variables that are looked at, besides the gaps between them
USUAL = 100  # values of a part
FIRST = 1024  # sweeps of the first round
LONGER = (1.4, 4.0)  # a next round is so many times as long
BUFFER = 1 << 16  # words asked for at once
FINEST = 10  # stretches are rounded to 1/1024


@dataclass(frozen=True, eq=False)
class Drawn:
    """A draw, how many effective draws the walk to it was worth, and its sweeps.

    `still` marks variables that never moved. `watched` are variables that were looked at, and
    `series` where they were in the last round, for whoever wants to know how far they wander.
    """

    y: Floats
    effective: float
    sweeps: int
    still: NDArray[np.bool_]
    watched: NDArray[np.int64] | None = None
    series: Floats | None = None


def lattice_of(system: Reduced, reference: Floats) -> Lattice:
    """A polytope as the walk takes it."""
    rows = system.rows
    sorted_out = by_variable(rows.start, rows.variable, rows.coefficient, len(system.y))
    cuts = np.flatnonzero(np.diff(system.block, prepend=-1))
    sizes = np.diff(np.append(cuts, len(system.y)))
    first = np.repeat(cuts, sizes).astype(np.int64)
    room = float(np.median(system.upper - system.lower)) / max(1, len(system.y)) if len(cuts) else 1
    finest = int(np.clip(np.log2(max(room, 1.0)), 0, FINEST))
    return Lattice(
        *sorted_out,
        system.lower,
        system.upper,
        first,
        first + np.repeat(sizes, sizes),
        reference,
        (max(0, finest - 3), finest),
        rows.start,
        rows.variable,
        rows.coefficient,
    )


def draw(system: Reduced, words: Words, least: float, most: int, steps: int | None) -> Drawn:
    """Walk in rounds until one is worth `least` effective draws, or `most` sweeps are done.

    Each round begins where the last one ended, takes its mean as the reference for stretches, and
    is judged by itself: what came before it only served to leave the start. With `steps`, walk
    exactly so many sweeps. Quantities looked at are the values and the gaps between neighbours.
    """
    if not len(system.y):
        return Drawn(system.y, np.inf, 0, np.zeros(0, np.bool_))
    lattice = lattice_of(system, system.y.copy())
    walk = Walk(lattice, place_at(system.y, slack_of(system.rows, system.y)), words)
    most = max(FIRST, most * USUAL // max(USUAL, len(system.y)))
    if steps is not None:
        walk.round(steps)
        return walk.drawn()
    length = FIRST
    walk.round(length)
    while walk.effective < least and walk.done < most:
        longer = min(max(1.2 * least / walk.effective, LONGER[0]), LONGER[1])
        length = min(int(length * longer), max(most - walk.done, 1))
        walk.learn()
        walk.round(length)
    return walk.drawn()


class Walk:
    """A walk under way, with some of the places where it was in the last round."""

    def __init__(self, lattice: Lattice, place: Place, words: Words) -> None:
        n = len(place.x)
        self._watched = np.unique(np.linspace(0, n - 1, min(n, WATCHED)).astype(np.int64))
        self._lattice, self._place, self._words = lattice, place, words
        self._series = np.empty((0, len(self._watched)))
        self._still = np.ones(n, np.bool_)
        self._rest = np.empty(0, np.uint64)
        self._asked = 0
        self.done = 0
        self.effective = 0.0

    def round(self, length: int) -> None:
        """Walk so many sweeps more, and judge them."""
        every = -(-length // LOOKS)
        look = Look(every, self._watched, np.empty((length // every, len(self._watched))))
        each = words_per_sweep(len(self._place.x)) + SPARE
        first, at = self._place.x.copy(), 0
        while at < length:
            if len(self._rest) < each:
                self._rest = self._words(max(BUFFER, 4 * each), self._asked)
                self._asked += 1
            at, used = sweeps(self._lattice, self._place, self._rest, at, length, look)
            self._rest = self._rest[used:]
            self._still &= self._place.x == first
        self.done += length
        self._still[self._watched] &= np.ptp(look.seen, axis=0) == 0 if len(look.seen) else True
        self._series = look.seen
        self.effective = self._judged()

    def _judged(self) -> float:
        """The least number of effective draws of what moves at all; infinite where nothing does."""
        if len(self._series) < 2:
            return 1.0
        found = effective_draws(
            np.concatenate([self._series, np.diff(self._series, axis=1)], axis=1)
        )
        found = found[~np.isnan(found)]
        return float(found.min()) if len(found) else np.inf

    def learn(self) -> None:
        """Take the mean of the last round as the reference for stretches."""
        mean = self._series.mean(axis=0)
        reference = np.interp(np.arange(len(self._still)), self._watched, mean)
        for begin in np.unique(self._lattice.first).tolist():
            run = slice(begin, int(self._lattice.end[begin]))
            reference[run] = np.maximum.accumulate(reference[run])
        self._lattice = self._lattice._replace(scale=reference)

    def drawn(self) -> Drawn:
        """Where the walk is now."""
        looked = (self._watched, self._series)
        return Drawn(self._place.x.copy(), self.effective, self.done, self._still, *looked)
