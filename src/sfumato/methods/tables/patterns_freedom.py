"""How much room the kept properties leave each value, and properties dropped until it is enough.

The adversary knows every property and the least and largest value of each part. Without the ends
known the room is always the whole scale, for order and localities do not say how wide it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import CannotBeMet
from sfumato.core.run import Run
from sfumato.data.programs import Program, need_solver
from sfumato.methods.tables.patterns_find import Kept
from sfumato.methods.tables.patterns_kept import Keeper
from sfumato.methods.tables.patterns_system import Piece, pieces_of
from sfumato.releases.properties import KINDS

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
DROPPED = tuple(KINDS.index(kind) for kind in ("locality", "gap", "ratio"))  # in freedom's name
ROUNDS = 60
MEASURED = 3  # pieces that are measured where nothing is enforced, unless larger than this:
MOST_VALUES, MOST_ROWS = 300, 1_000


@dataclass(frozen=True, eq=False)
class Room:
    """The width that is left to every value of a piece, as a share of the range of its part.

    Ends of parts are known to the adversary, and have none; `known` marks them.
    """

    width: Floats
    known: NDArray[np.bool_]

    def least(self) -> float:
        """The least of all values that are not known; 1 if there are none."""
        return float(self.width[~self.known].min(initial=1.0))


class Pinned:
    """A piece with the ends of its parts held at their true values."""

    def __init__(self, piece: Piece) -> None:
        need_solver("measuring freedom")
        self.piece = piece
        wide = np.zeros(len(piece.x))
        self.known = np.zeros(len(piece.x), np.bool_)
        lower, upper = np.zeros(len(piece.x)), piece.width.copy()
        for block in np.unique(piece.block).tolist():
            here = np.flatnonzero(piece.block == block)
            values = piece.x[here]
            ends = (values == values.min()) | (values == values.max())
            self.known[here[ends]] = True
            lower[here], upper[here] = values.min(), values.max()
            wide[here] = np.ptp(values)
        lower[self.known] = upper[self.known] = piece.x[self.known]
        self.range = np.where(wide > 0, wide, 1.0)
        self._program = Program(piece.rows, lower, upper, piece.equal)

    def width(self, variable: int) -> tuple[float, Floats]:
        """The room of one value, and how strongly each row narrows it."""
        at, one = np.array([variable]), np.ones(1)
        ends, force = [], np.zeros(self.piece.rows.number)
        for largest in (False, True):
            found = self._program.extreme(at, one, largest)
            ends.append(self.piece.x[variable] if found is None else found)
            force += np.abs(self._program.duals())
        return max(0.0, (ends[1] - ends[0]) / self.range[variable]), force

    def drop(self, row: int) -> None:
        """Take a row out."""
        self._program.free(row)

    def room(self) -> Room:
        """The room of every value."""
        free = np.flatnonzero(~self.known).tolist()
        width = np.zeros(len(self.known))
        for variable in free:
            width[variable] = self.width(variable)[0]
        return Room(width, self.known)


def loosened(piece: Piece, least: float, may_drop: NDArray[np.bool_]) -> Ints:
    """Rows to drop, so that every value has so much room; the ones that press most go first.

    A value between neighbours has no more room than order leaves it, whatever is dropped.
    """
    pinned = Pinned(piece)
    gone: list[int] = []
    left = may_drop.copy()
    short = np.flatnonzero(~pinned.known)
    for _ in range(ROUNDS * len(piece.x)):
        widths = [(variable, *pinned.width(variable)) for variable in short.tolist()]
        narrow = [one for one in widths if one[1] < least * (1 - 1e-9)]
        if not narrow:
            return np.array(gone, np.int64)
        force = np.where(left, sum(one[2] for one in narrow), 0.0)
        if not force.any():
            return _refuse(narrow, least)
        # the strongest few at once: one at a time takes a program for each
        worst = np.argsort(-force, kind="stable")[: max(1, len(narrow) // 4)]
        for row in worst[force[worst] > 0].tolist():
            pinned.drop(row)
            left[row] = False
            gone.append(row)
        short = np.array([one[0] for one in narrow])
    return np.array(gone, np.int64)


def _refuse(narrow: Sequence[Any], least: float) -> Ints:
    worst = min(one[1] for one in narrow)
    raise CannotBeMet(
        f"cannot be met, because {len(narrow)} values of a part keep less than {least:g} of its "
        f"range open, one {worst:.2g}, by properties that are not dropped",
        "ask for less method.freedom, or keep no order, fewer thresholds or fewer properties",
    )


def freed(keeper: Keeper, kept: Kept, least: float, run: Run) -> Kept:
    """The properties without those that leave too little room."""
    pieces = list(pieces_of(kept.properties, keeper.variables, keeper.scales))
    may = np.isin(kept.properties.kind, DROPPED)
    with ThreadPoolExecutor(run.workers) as pool:
        found = list(pool.map(lambda piece: loosened(piece, least, may[piece.origin]), pieces))
    gone = np.zeros(len(kept.properties), np.bool_)
    for piece, rows in zip(pieces, found, strict=True):
        gone[piece.origin[rows]] = True
    return Kept(kept.properties.take(np.flatnonzero(~gone)), kept.sorts)


def measured(keeper: Keeper, kept: Kept, run: Run, most: int = MEASURED) -> dict[str, Any]:
    """The room left in some pieces, drawn at random, for the owner's notes."""
    pieces = list(pieces_of(kept.properties, keeper.variables, keeper.scales))
    chosen = run.rng("freedom").permutation(len(pieces))[:most]
    some = [pieces[i] for i in sorted(chosen.tolist()) if _small(pieces[i])]
    with ThreadPoolExecutor(run.workers) as pool:
        rooms = list(pool.map(partial(_room), some))
    widths = np.concatenate([room.width[~room.known] for room in rooms]) if rooms else np.zeros(0)
    if not len(widths):
        return {}
    return {
        "parts measured": len(rooms),
        "least": float(widths.min()),
        "median": float(np.median(widths)),
    }


def _small(piece: Piece) -> bool:
    return len(piece.x) <= MOST_VALUES and piece.rows.number <= MOST_ROWS


def _room(piece: Piece) -> Room:
    return Pinned(piece).room()
