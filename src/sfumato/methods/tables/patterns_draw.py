"""Every piece drawn anew, by as many threads as there are; the draws do not depend on how many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import CannotBeMet
from sfumato.core.run import Run
from sfumato.data.programs import Program, need_solver
from sfumato.kernels.lattice_rows import slack_of
from sfumato.methods.tables.patterns_direction import directed
from sfumato.methods.tables.patterns_equal import Reduced, reduced
from sfumato.methods.tables.patterns_system import Piece
from sfumato.methods.tables.patterns_walk import Drawn, draw

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
WANDERERS = 64  # pieces of which it is noted how far values wander


@dataclass(frozen=True)
class How:
    """How to walk: which steps, from where, and when it is enough."""

    walk: Literal["mixed", "one-sided", "chord"]
    start: Literal["centre", "data"]
    effective: int
    sweeps: int
    steps: int | None


@dataclass(frozen=True, eq=False)
class Result:
    """The values of one piece, how well its walk mixed, and what stood still.

    `tight` are properties without slack at variables that never moved.
    """

    piece: Piece
    x: Floats
    effective: float
    sweeps: int
    still: Ints
    tight: Ints
    centred: bool
    known: Known | None = None


@dataclass(frozen=True)
class Known:
    """What somebody who knows all properties knows of values, in shares of the range of each part.

    `central` is the median width of the middle 95 % of what values may be, `guess` how far off the
    mean of what they may be is on average.
    """

    central: float
    guess: float


def draw_all(pieces: Iterable[Piece], how: How, run: Run) -> list[Result]:
    """All pieces; a streamed piece is drawn from words of its own."""
    if how.start == "centre":
        need_solver('method.start = "centre"')
    todo = list(pieces)
    found = []
    with ThreadPoolExecutor(run.workers) as pool:
        for done, result in enumerate(pool.map(partial(_drawn, how=how, run=run), todo), 1):
            found.append(result)
            if done % 64 == 0 or done == len(todo):
                run.step(done, len(todo))
    return found


def _drawn(piece: Piece, how: How, run: Run) -> Result:
    system = reduced(piece)
    centred = False
    if how.start == "centre" and len(system.y):
        system, centred = _centred(system)
    if (slack_of(system.rows, system.y) < 0).any():
        raise CannotBeMet(
            "cannot be met, because the published digits leave no room for the properties",
            "ask for more method.digits, or keep fewer properties",
        )

    def words(count: int, asked: int) -> NDArray[np.uint64]:
        return run.words(count, "walk", piece.number, asked)

    if how.walk == "mixed":
        drawn = draw(system, words, how.effective, how.sweeps, how.steps)
    else:
        drawn = directed(system, words, how.steps or 4000, one_sided=how.walk == "one-sided")
    return _result(piece, system, drawn, centred)


def _centred(system: Reduced) -> tuple[Reduced, bool]:
    """The same begun in its middle, which follows from the properties alone; where the whole point
    nearest to that lies outside, begun where it is."""
    middle = np.clip(np.rint(_middle(system)), system.lower, system.upper)
    if (slack_of(system.rows, middle) >= 0).all():
        return replace(system, y=middle), True
    return system, False


def _middle(system: Reduced) -> Floats:
    return Program(system.rows, system.lower, system.upper).centre()[0]


def _result(piece: Piece, system: Reduced, drawn: Drawn, centred: bool) -> Result:
    x = system.x_of(drawn.y)
    still, tight = _stuck(piece, system, drawn)
    known = _known(piece, drawn) if piece.number < WANDERERS and system.basis is None else None
    return Result(piece, x, drawn.effective, drawn.sweeps, still, tight, centred, known)


def _known(piece: Piece, drawn: Drawn) -> Known | None:
    wide = float(np.ptp(piece.x)) if len(piece.x) else 0.0
    if drawn.series is None or drawn.watched is None or len(drawn.series) < 40 or not wide:
        return None
    low, high = np.quantile(drawn.series, [0.025, 0.975], axis=0)
    off = np.abs(drawn.series.mean(axis=0) - piece.x[drawn.watched])
    return Known(float(np.median(high - low) / wide), float(off.mean() / wide))


def _stuck(piece: Piece, system: Reduced, drawn: Drawn) -> tuple[Ints, Ints]:
    """Variables that could not move, and the properties that hold them."""
    none = np.empty(0, np.int64)
    if system.basis is None:
        held = np.flatnonzero(drawn.still)
    else:
        variable, unknown, _ = system.basis
        moves = np.bincount(variable, ~drawn.still[unknown], len(piece.x)) > 0
        held = np.flatnonzero(~moves)
    if not len(held):
        return none, none
    rows = system.rows
    touched = np.isin(rows.variable, np.flatnonzero(drawn.still))
    near = np.unique(np.repeat(np.arange(rows.number), np.diff(rows.start))[touched])
    slack = slack_of(rows, drawn.y)[near]
    named = system.origin[near[slack <= np.quantile(slack, 0.5)]] if len(near) else none
    own = piece.origin[piece.equal] if system.basis is not None else none
    return piece.member[held], np.unique(np.concatenate([named[named >= 0], own]))


def unmixed(results: Sequence[Result], wanted: int) -> list[Result]:
    """Pieces whose walk was worth too little."""
    return [result for result in results if result.effective < wanted]
