"""What disclosed properties imply, by linear programs whose results are proven in whole numbers.

A solver says how strongly each property holds a sum back. Whatever such numbers are, they prove a
bound: the sum of properties so weighted, with the ends of the scale for what is left. The proof is
computed without rounding; the solver only makes it tight.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

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
        # among whole numbers, below is at most one less; doubles may have had more digits
        exact = np.array([content.whole(name) for name in self.names])[column]
        self.whole = np.repeat([content.whole(name) for name in self.names], content.rows)
        whole = np.bincount(self.properties.of_term, ~exact, len(self.properties)) == 0
        self.strict = (whole & (self.properties.relation == BELOW)).astype(np.int64)
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
        limit = p.constant * 10.0**most - self.strict
        for _ in range(ROUNDS):
            before = (low.copy(), high.copy())
            self._pass(low, high, weight, limit, np.ones(len(of), np.bool_))
            self._pass(low, high, -weight, -limit, (p.relation == EQUAL)[of])
            if all(map(np.array_equal, before, (low, high))):
                break
        return np.floor(low).astype(np.int64), np.ceil(high).astype(np.int64)

    def _pass(
        self, low: Floats, high: Floats, weight: Floats, limit: Floats, use: NDArray[np.bool_]
    ) -> None:
        """Narrow ranges by rows sum(weight * value) <= limit, each taken by itself.

        Ends of whole numbers are rounded inwards; nothing is lost to rounding outwards by a hair.
        """
        of, variable = self.properties.of_term, self.variable
        least = np.where(weight > 0, weight * low[variable], weight * high[variable])
        rest = limit - np.bincount(of, least, len(limit))
        room = (rest[of] + least) / weight
        hair = 1e-9 * (1 + np.abs(room))
        top, bottom = room + hair, room - hair
        whole = self.whole[variable]
        up, down = use & (weight > 0), use & (weight < 0)
        np.minimum.at(high, variable[up], np.where(whole, np.floor(top), top)[up])
        np.maximum.at(low, variable[down], np.where(whole, np.ceil(bottom), bottom)[down])

    def lists(self, variable: Ints, weight: Sequence[Fraction], constant: Fraction) -> bool:
        """Whether a property says that a sum of values, weights being for units, is below a
        constant."""
        digits = np.array(self.digits)[variable // self.records]
        values = [w * 10 ** int(d) for w, d in zip(weight, digits, strict=True)]
        p = self.properties
        there = np.flatnonzero((np.diff(p.start) == len(variable)) & (p.relation == BELOW))
        for place in there[self.variable[p.start[there]] == variable[0]].tolist():
            run = slice(int(p.start[place]), int(p.start[place + 1]))
            times = Fraction(int(p.coefficient[run][0])) / values[0]
            same = np.array_equal(self.variable[run], variable) and times > 0
            rows = zip(p.coefficient[run].tolist(), values, strict=True)
            if same and all(c == times * v for c, v in rows):
                return bool(int(p.constant[place]) <= times * constant)
        return False

    def bound(self, variable: Ints, weight: Sequence[Fraction], largest: bool) -> Fraction | None:
        """A proven bound on a sum of values, weights being for units; None if it is too much."""
        total = Fraction(0)
        common = max(
            map(abs, weight), default=Fraction(1)
        )  # near 1, the solver's weights are plain
        group = self._piece[variable]
        for piece in np.unique(group).tolist():
            here = np.flatnonzero(group == piece)
            mine = [weight[i] / common for i in here.tolist()]
            found = self._of_piece(piece, variable[here], mine, largest)
            if found is None:
                return None
            total += found
        return total * common

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
        limit = [int(c) * 10**finest - s for c, s in zip(part.constant, self.strict[rows].tolist())]
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
