"""Rows of a polytope by row, by variable, and in pieces that have no variable in common."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Rows(NamedTuple):
    """Row r: sum of coefficient * x[variable] over [start[r], start[r + 1]) is at most limit[r]."""

    start: Ints
    variable: NDArray[np.int32]
    coefficient: Floats
    limit: Floats

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.limit)


@compiled
def by_variable(
    start: Ints, variable: NDArray[np.int32], coefficient: Floats, variables: int
) -> tuple[Ints, Ints, NDArray[np.int32], Floats]:
    """The same entries by variable: (start, middle, row, coefficient), those above 0 first."""
    rows = len(start) - 1
    begin = np.zeros(variables + 1, np.int64)
    above = np.zeros(variables, np.int64)
    for at in range(len(variable)):
        begin[variable[at] + 1] += 1
        above[variable[at]] += coefficient[at] > 0
    for i in range(variables):
        begin[i + 1] += begin[i]
    middle = begin[:-1] + above
    free, other = begin[:-1].copy(), middle.copy()
    row = np.empty(len(variable), np.int32)
    value = np.empty(len(variable), np.float64)
    for r in range(rows):
        for at in range(start[r], start[r + 1]):
            i = variable[at]
            if coefficient[at] > 0:
                place = free[i]
                free[i] += 1
            else:
                place = other[i]
                other[i] += 1
            row[place], value[place] = r, coefficient[at]
    return begin, middle, row, value


@compiled
def slacks(
    start: Ints, variable: NDArray[np.int32], coefficient: Floats, limit: Floats, x: Floats
) -> Floats:
    """What is left of every limit at x; exact for whole numbers below 2^53."""
    left = limit.copy()
    for r in range(len(limit)):
        for at in range(start[r], start[r + 1]):
            left[r] -= coefficient[at] * x[variable[at]]
    return left


def slack_of(rows: Rows, x: Any) -> Floats:
    """What is left of every limit at x."""
    return np.asarray(slacks(rows.start, rows.variable, rows.coefficient, rows.limit, x))


@compiled
def pieces(start: Ints, variable: NDArray[np.int32], group: Ints) -> Ints:
    """The piece of every variable: variables of one group or of one row are in one piece.

    `group` ascends from 0 without gaps; pieces are numbered by their first variable.
    """
    parent = np.empty(len(group), np.int64)
    for i in range(len(group)):
        parent[i] = i - 1 if i > 0 and group[i] == group[i - 1] else i
    for r in range(len(start) - 1):
        for at in range(start[r] + 1, start[r + 1]):
            one = _root(parent, variable[start[r]])
            other = _root(parent, variable[at])
            parent[max(one, other)] = min(one, other)
    number = np.full(len(group), -1, np.int64)
    found = 0
    for i in range(len(group)):
        root = _root(parent, i)
        if number[root] < 0:
            number[root] = found
            found += 1
        parent[i] = root
    return number[parent]


@compiled
def _root(parent: Ints, i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i
