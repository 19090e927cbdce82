"""Equalities taken out of a polytope: x = base + basis y, with whole y without equalities.

Every whole solution of the equalities is reached by exactly one y: an equality is made to say what
one unknown is by adding multiples of unknowns to one another, as in Euclid's algorithm. It goes
from neighbour to neighbour, so that of a kept sum the differences of neighbours are left: with one
unknown to make up for all others, a walk could hardly move.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import CannotBeMet
from sfumato.kernels.lattice_rows import Rows
from sfumato.methods.tables.patterns_system import Piece

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Sparse = dict[int, int]
MOST = 1 << 53
FREE = 2.0**50  # wider than any y can be


@dataclass(frozen=True, eq=False)
class Reduced:
    """A polytope over y: rows over lower <= y <= upper, and how x follows from y.

    `origin` is the property of a row, -1 where the row is an end of a scale. Without equalities, y
    is x. `block` numbers the runs of y that belong together.
    """

    rows: Rows
    y: Floats
    lower: Floats
    upper: Floats
    block: Ints
    origin: Ints
    base: Floats | None = None
    basis: tuple[Ints, Ints, Floats] | None = None  # entries: variable, unknown, coefficient

    def x_of(self, y: Floats) -> Floats:
        """The values."""
        if self.base is None or self.basis is None:
            return y
        variable, unknown, coefficient = self.basis
        return self.base + np.bincount(variable, coefficient * y[unknown], len(self.base))


def reduced(piece: Piece, also_equal: NDArray[np.bool_] | None = None) -> Reduced:
    """The piece without its equalities, and without rows `also_equal` that can't be anything else.

    Such rows have no slack where the piece starts.
    """
    equal = piece.equal if also_equal is None else piece.equal | also_equal
    if not equal.any():
        zeros = np.zeros(len(piece.x))
        return Reduced(piece.rows, piece.x, zeros, piece.width, piece.block, piece.origin)
    columns, offset = _solved(piece, np.flatnonzero(equal))
    names = sorted(columns)
    place = {name: number for number, name in enumerate(names)}
    rows, origin = _rows_over(piece, equal, columns, offset)
    start, variable, coefficient, limit = rows
    made = Rows(start, np.array([place[v] for v in variable], np.int32), coefficient, limit)
    entries = [(i, place[n], c) for n, column in columns.items() for i, c in column.items()]
    basis = tuple(np.array(part) for part in zip(*entries, strict=True)) if entries else ()
    variables, unknowns, values = basis or (np.zeros(0, int), np.zeros(0, int), np.zeros(0))
    free = np.full(len(names), FREE)
    return Reduced(
        made,
        np.zeros(len(names)),  # x counts from where it is
        -free,
        free,
        piece.block[names],
        origin,
        offset,
        (variables, unknowns, values.astype(np.float64)),
    )


def _solved(piece: Piece, equal: Ints) -> tuple[dict[int, Sparse], Floats]:
    """Columns of the basis, each under the number of a variable; x counts from the start."""
    columns: dict[int, Sparse] = {i: {i: 1} for i in range(len(piece.x))}
    rows = piece.rows
    for r in equal.tolist():
        run = slice(int(rows.start[r]), int(rows.start[r + 1]))
        row = dict(zip(rows.variable[run].tolist(), map(int, rows.coefficient[run]), strict=True))
        _take_out(columns, row)
    return columns, piece.x.copy()


def _take_out(columns: dict[int, Sparse], row: Sparse) -> None:
    """Change the basis so that a row is about one unknown, which is therefore 0, and drop it."""
    now = {
        name: value
        for name, column in columns.items()
        if (value := sum(c * row.get(i, 0) for i, c in column.items()))
    }
    *others, last = sorted(now)
    for one, other in pairwise([*others, last]):
        while now[one]:
            if not now[other]:
                one_times, other_times = 0, -1
            elif abs(now[one]) < abs(now[other]):
                one_times, other_times = 0, now[other] // now[one]
            else:
                one_times, other_times = now[one] // now[other], 0
            _subtract(columns[one], columns[other], one_times)
            _subtract(columns[other], columns[one], other_times)
            now[one] -= one_times * now[other]
            now[other] -= other_times * now[one]
    del columns[last]


def _subtract(column: Sparse, other: Sparse, times: int) -> None:
    for i, c in other.items():
        column[i] = column.get(i, 0) - times * c
        if not column[i]:
            del column[i]
        elif abs(column[i]) >= MOST:
            raise CannotBeMet(
                "cannot be met, because equalities lead to numbers beyond 2^53",
                "keep sums in a band instead, or fewer of them",
            )


def _rows_over(
    piece: Piece, equal: NDArray[np.bool_], columns: dict[int, Sparse], start: Floats
) -> tuple[tuple[Ints, list[int], Floats, Floats], Ints]:
    """All other rows, and the ends of the scales, over the unknowns."""
    by_variable: dict[int, list[tuple[int, int]]] = {}
    for name, column in columns.items():
        for i, c in column.items():
            by_variable.setdefault(i, []).append((name, c))
    found: list[tuple[Sparse, float, int]] = []
    rows = piece.rows
    for r in np.flatnonzero(~equal).tolist():
        run = range(int(rows.start[r]), int(rows.start[r + 1]))
        total: Sparse = {}
        left = float(rows.limit[r])
        for at in run:
            i, times = int(rows.variable[at]), int(rows.coefficient[at])
            left -= times * start[i]
            for name, c in by_variable.get(i, []):
                total[name] = total.get(name, 0) + times * c
        found.append((total, left, int(piece.origin[r])))
    for i, places in by_variable.items():
        found.append((dict(places), float(piece.width[i] - start[i]), -1))
        found.append(({name: -c for name, c in places}, float(start[i]), -1))
    return _packed([one for one in found if any(one[0].values())])


def _packed(
    found: list[tuple[Sparse, float, int]],
) -> tuple[tuple[Ints, list[int], Floats, Floats], Ints]:
    kept = [({n: c for n, c in total.items() if c}, left, of) for total, left, of in found]
    start = np.concatenate([[0], np.cumsum([len(total) for total, _, _ in kept])]).astype(np.int64)
    names = [name for total, _, _ in kept for name in total]
    values = np.array([c for total, _, _ in kept for c in total.values()], np.float64)
    limit = np.array([left for _, left, _ in kept], np.float64)
    return (start, names, values, limit), np.array([of for _, _, of in kept], np.int64)
