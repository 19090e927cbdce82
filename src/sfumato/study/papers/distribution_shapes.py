"""Shapes that a paper says its curves have, put to the test on tables of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sfumato.core.answers import ResultTable
from sfumato.study.findings import Statement

FLAT = 1.25  # the largest is at most so many times the smallest


def told(values: Sequence[float]) -> str:
    """Numbers as they are quoted.

    >>> told([0.12345, 12.3])
    '0.123, 12.3'
    """
    return ", ".join(f"{value:.3g}" for value in values)


def falls(paper: str, table: ResultTable, curve: str) -> Statement:
    """The curve ends at less than half of where it begins."""
    values = table.column(curve)
    text = f"{curve}: {told(values[:1])} to {told(values[-1:])}"
    return Statement(paper, values[-1] < values[0] / 2, text)


def is_flat(paper: str, table: ResultTable, curve: str) -> Statement:
    """The curve stays within a factor."""
    low, high = min(table.column(curve)), max(table.column(curve))
    return Statement(
        paper, high <= FLAT * low, f"{curve}: between {told([low])} and {told([high])}"
    )


def rises(paper: str, table: ResultTable, curve: str) -> Statement:
    """Never falls by more than a hundredth, and ends above where it begins."""
    values = table.column(curve)
    steady = all(b >= a * 0.99 for a, b in pairwise(values))
    return Statement(paper, steady and values[-1] > values[0], f"{curve}: {told(values)}")


def below(paper: str, table: ResultTable, curve: str, other: str) -> Statement:
    """One curve is below another everywhere."""
    apart = [a < b for a, b in zip(table.column(curve), table.column(other), strict=True)]
    return Statement(paper, all(apart), f"{curve} below {other} at {_points(apart)}")


def _points(apart: Sequence[bool]) -> str:
    return f"{sum(apart)} of {len(apart)} points"


def crosses(paper: str, table: ResultTable, curve: str, other: str) -> Statement:
    """One curve begins above another and ends below it."""
    one, two = table.column(curve), table.column(other)
    first, last = f"{curve} against {other}: {one[0]:.3g} against {two[0]:.3g}", one[-1] < two[-1]
    text = f"{first} at the narrowest, {one[-1]:.3g} against {two[-1]:.3g} at the widest"
    return Statement(paper, one[0] > two[0] and last, text)


def ordered(paper: str, table: ResultTable, curves: Sequence[str]) -> Statement:
    """Means of curves go down from the first curve to the last."""
    means = means_of(table, curves)
    falling = all(b < a for a, b in pairwise(means))
    return Statement(paper, falling, f"means of {', '.join(curves)}: {told(means)}")


def means_of(table: ResultTable, curves: Sequence[str]) -> list[float]:
    """The mean of every curve."""
    return [sum(table.column(curve)) / len(table) for curve in curves]
