"""What disclosed properties imply, by linear programs whose results are proven in whole numbers.

A solver says how strongly each property holds a sum back. Whatever such numbers are, they prove a
bound: the sum of properties so weighted, with the ends of the scale for what is left. The proof is
computed without rounding; the solver only makes it tight.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.programs import Program
from sfumato.kernels.lattice_rows import Rows, pieces
from sfumato.releases.patterned import Patterned
from sfumato.releases.properties import BELOW, EQUAL, Properties

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
PLAIN = 64  # largest denominator of the simple fractions that weights are first taken for
FINE = 1 << 40
ROUNDS = 30
MOST = 20_000  # values that one program is about, at most


class Polytope:
    """All values that the disclosed properties and ends allow; value (c, record) has the number
    c * records + record."""

    def __init__(self, content: Patterned) -> None:
        assert content.properties is not None
        self.properties: Properties = content.properties
        self.records = content.rows
        self.names = tuple(content.replaced)
        told = [content.replaced[name] for name in self.names]
        self.digits = [one.digits for one in told]
        ends = [(one.lower or 0, one.upper or 0) for one in told]
        self.lower, self.upper = (np.repeat([e[i] for e in ends], content.rows) for i in (0, 1))
        column = self.properties.column.astype(np.int64)
        self.variable = column * content.rows + self.properties.record

    @cached_property
    def _piece(self) -> Ints:
        alone = np.arange(len(self.lower))
        return pieces(self.properties.start, self.variable.astype(np.int32), alone)

    @cached_property
    def _row_piece(self) -> Ints:
        return np.asarray(self._piece[self.variable[self.properties.start[:-1]]])

    @cached_property
    def ranges(self) -> tuple[Ints, Ints]:
        """The least and most that every value can be, in units, by passing ends along properties.

        Wider than need be, never too narrow.
        """
        low, high = self.lower.astype(np.float64), self.upper.astype(np.float64)
        p = self.properties
        of, own = p.of_term, np.array(self.digits)[p.column]
        most = np.zeros(len(p), np.int64)
        np.maximum.at(most, of, own)
        weight = p.coefficient * 10.0 ** (most[of] - own)
        limit = p.constant * 10.0**most - (p.relation == BELOW)
        for _ in range(ROUNDS):
            before = (low.copy(), high.copy())
            _pass(low, high, self.variable, of, weight, limit, np.ones(len(of), np.bool_))
            _pass(low, high, self.variable, of, -weight, -limit, (p.relation == EQUAL)[of])
            if all(map(np.array_equal, before, (low, high))):
                break
        return np.ceil(low).astype(np.int64), np.floor(high).astype(np.int64)

    def bound(self, variable: Ints, weight: Sequence[Fraction], largest: bool) -> Fraction | None:
        """A proven bound on a sum of values, weights being for units; None if it is too much."""
        total = Fraction(0)
        group = self._piece[variable]
        for piece in np.unique(group).tolist():
            here = np.flatnonzero(group == piece)
            found = self._of_piece(piece, variable[here], [weight[i] for i in here], largest)
            if found is None:
                return None
            total += found
        return total

    def _of_piece(
        self, piece: int, variable: Ints, weight: list[Fraction], largest: bool
    ) -> Fraction | None:
        member = np.flatnonzero(self._piece == piece)
        if len(member) > MOST:
            return None
        rows = np.flatnonzero(self._row_piece == piece)
        sign = 1 if largest else -1
        wanted = dict(zip(variable.tolist(), [sign * w for w in weight], strict=True))
        if not len(rows):
            return sign * self._ends(wanted)
        part = self.properties.take(rows)
        place = np.searchsorted(member, self._variables(part))
        digits = np.array(self.digits)[member // self.records]
        finest = int(digits.max())
        value = part.coefficient * 10 ** (finest - digits)[place]
        limit = [int(c) * 10**finest - (r == BELOW) for c, r in zip(part.constant, part.relation)]
        weights = self._weights(member, part, place, value, np.array(limit, float), wanted)
        return sign * self._proven(part, place, value, limit, member, weights, wanted)

    def _variables(self, part: Properties) -> Ints:
        return part.column.astype(np.int64) * self.records + part.record

    def _weights(
        self,
        member: Ints,
        part: Properties,
        place: Ints,
        value: Ints,
        limit: Floats,
        wanted: dict[int, Fraction],
    ) -> list[Fraction]:
        """How strongly each row holds the sum back, as the solver has it."""
        low = self.lower[member].astype(np.float64)
        rows = Rows(part.start, place.astype(np.int32), value.astype(np.float64), limit)
        # counted from the lower ends, so that numbers stay small
        shifted = limit - np.bincount(part.of_term, value * low[place], len(part))
        wide = self.upper[member] - low
        equal = part.relation == EQUAL
        program = Program(rows._replace(limit=shifted), np.zeros(len(member)), wide, equal)
        at = np.searchsorted(member, list(wanted))
        program.extreme(at, np.array([float(w) for w in wanted.values()]), largest=True)
        size = np.maximum.reduceat(np.abs(value), part.start[:-1]).tolist()
        dual = np.where(equal | (program.duals() < 0), -program.duals(), 0.0)
        return [_fraction(y, g) if y else Fraction(0) for y, g in zip(dual.tolist(), size)]

    def _proven(
        self,
        part: Properties,
        place: Ints,
        value: Ints,
        limit: list[int],
        member: Ints,
        weights: list[Fraction],
        wanted: dict[int, Fraction],
    ) -> Fraction:
        total, rest = Fraction(0), dict(wanted)
        for r, y in enumerate(weights):
            if y:
                total += y * limit[r]
                for i in range(int(part.start[r]), int(part.start[r + 1])):
                    name = int(member[place[i]])
                    rest[name] = rest.get(name, Fraction(0)) - y * int(value[i])
        return total + self._ends(rest)

    def _ends(self, rest: dict[int, Fraction]) -> Fraction:
        """The most that a sum can be between the ends of the scale alone."""
        return sum(
            (
                max(w * int(self.lower[name]), w * int(self.upper[name]))
                for name, w in rest.items()
                if w
            ),
            Fraction(0),
        )


def _fraction(weight: float, size: int) -> Fraction:
    """A weight as a simple fraction of 1 / size if it is near one, else as a fine one."""
    whole = weight * size
    plain = Fraction(whole).limit_denominator(PLAIN)
    near = plain if abs(float(plain) - whole) < 1e-9 else Fraction(round(whole * FINE), FINE)
    return near / size


def _pass(
    low: Floats, high: Floats, variable: Ints, of: Ints, weight: Floats, limit: Floats, use: Any
) -> None:
    """Narrow ranges by rows sum(weight * value) <= limit, each taken by itself."""
    least = np.where(weight > 0, weight * low[variable], weight * high[variable])
    rest = limit - np.bincount(of, least, len(limit))
    room = (rest[of] + least) / weight
    hair = 1e-9 * (1 + np.abs(room))
    up, down = use & (weight > 0), use & (weight < 0)
    np.minimum.at(high, variable[up], np.floor(room + hair)[up])
    np.maximum.at(low, variable[down], np.ceil(room - hair)[down])
