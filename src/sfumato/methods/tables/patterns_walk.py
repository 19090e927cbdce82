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

LOOKS = 384  # most places that are kept to judge a walk by
EVERY = 6  # sweeps between looks at first
WATCHED = 200  # variables that are looked at, besides the gaps between them
USUAL = 100  # values of a part
FIRST = 1536  # sweeps before a walk is judged for the first time
LONGER = (1.2, 2.5)  # a walk is made so many times as long before it is judged again
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
    """Walk until the walk as a whole is worth `least` effective draws, or `most` sweeps are done.

    The start counts as part of the walk, so one that is left slowly makes it longer. With `steps`,
    walk exactly so many sweeps. Quantities looked at are the values and the gaps between
    neighbours.
    """
    if not len(system.y):
        return Drawn(system.y, np.inf, 0, np.zeros(0, np.bool_))
    most = max(FIRST, most * USUAL // max(USUAL, len(system.y)))
    lattice = lattice_of(system, system.y.copy())
    walk = Walk(lattice, place_at(system.y, slack_of(system.rows, system.y)), words)
    if steps is not None:
        walk.go(steps)
        return walk.drawn()
    walk.go(FIRST)
    while walk.effective < least and walk.done < most:
        longer = min(max(1.15 * least / walk.effective, LONGER[0]), LONGER[1])
        walk.go(min(int(walk.done * longer), most))
    return walk.drawn()


class Walk:
    """A walk under way, with some of the places where it was."""

    def __init__(self, lattice: Lattice, place: Place, words: Words) -> None:
        n = len(place.x)
        watched = np.unique(np.linspace(0, n - 1, min(n, WATCHED)).astype(np.int64))
        self._look = Look(EVERY, watched, np.empty((LOOKS, len(watched))))
        self._lattice, self._place, self._words = lattice, place, words
        self._still = np.ones(n, np.bool_)
        self._rest = np.empty(0, np.uint64)
        self._asked = 0
        self.done = 0
        self.effective = 0.0

    @property
    def series(self) -> Floats:
        """Where the watched variables were, look by look."""
        return self._look.seen[: self.done // self._look.every]

    def go(self, end: int) -> None:
        """Walk on until so many sweeps are done in all, and judge the whole."""
        while end // self._look.every > LOOKS:
            self._forget_half()
        each = words_per_sweep(len(self._place.x)) + SPARE
        first = self._place.x.copy()
        while self.done < end:
            if len(self._rest) < each:
                self._rest = self._words(max(BUFFER, 4 * each), self._asked)
                self._asked += 1
            self.done, used = sweeps(
                self._lattice, self._place, self._rest, self.done, end, self._look
            )
            self._rest = self._rest[used:]
            self._still &= self._place.x == first
        self.effective = self._judged()

    def _forget_half(self) -> None:
        """Keep every other look, and look half as often from now on."""
        seen = self._look.seen
        seen[: LOOKS // 2] = seen[1::2].copy()
        self._look = self._look._replace(every=2 * self._look.every)

    def _judged(self) -> float:
        """The least number of effective draws of what moves at all; infinite where nothing does."""
        values = self.series
        if len(values) < 2:
            return 1.0
        found = effective_draws(np.concatenate([values, np.diff(values, axis=1)], axis=1))
        found = found[~np.isnan(found)]
        return float(found.min()) if len(found) else np.inf

    def drawn(self) -> Drawn:
        """Where the walk is now."""
        values, watched = self.series, self._look.variable
        if len(values):
            self._still[watched] &= np.ptp(values, axis=0) == 0
        return Drawn(self._place.x.copy(), self.effective, self.done, self._still, watched, values)
