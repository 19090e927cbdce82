"""The walk's ingredients, slow and plain: chords in fractions, and uniform draws by rejection."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

Row = tuple[dict[int, int], int]  # coefficients by variable, and the limit of their sum


def rows_of(localities: list, order: int) -> list[Row]:
    """Localities (i, j, k, sign), counted from 1, and the order of so many values, as rows."""
    found: list[Row] = []
    for i, j, k, sign in localities:
        times = 1 if sign == ">=" else -1
        found.append(({i - 1: times, j - 1: -2 * times, k - 1: times}, 0))
    return found + [({i: 1, i + 1: -1}, 0) for i in range(order - 1)]


def chord(rows: list[Row], bounds: tuple[Any, Any], x: list, step: list) -> tuple[Any, Any]:
    """The multiples of a direction that keep every row and end."""
    limits = [
        (
            sum(c * step[i] for i, c in row.items()),
            Fraction(limit) - sum(c * Fraction(x[i]) for i, c in row.items()),
        )
        for row, limit in rows
    ]
    for value, d in zip(x, step, strict=True):
        limits += [(d, Fraction(bounds[1]) - value), (-d, Fraction(value) - bounds[0])]
    most = min(left / slope for slope, left in limits if slope > 0)
    least = max(left / slope for slope, left in limits if slope < 0)
    return least, most


def keeps(rows: list[Row], x: Any) -> bool:
    """Whether a point keeps every row."""
    return all(sum(c * x[i] for i, c in row.items()) <= limit for row, limit in rows)


def whole_points(rows: list[Row], width: int, n: int) -> list[tuple[int, ...]]:
    """Every whole point between 0 and `width` that keeps all rows."""
    return [x for x in product(range(width + 1), repeat=n) if keeps(rows, x)]
