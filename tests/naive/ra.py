"""Random anonymization by the book: every set of columns and every new value, in fractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any

Row = tuple[Any, ...]
Shares = list[dict[Any, Fraction]]


def shares_of(table: Sequence[Row]) -> Shares:
    """The distribution of every column."""
    columns = list(zip(*table, strict=True))
    return [{v: Fraction(c.count(v), len(c)) for v in dict.fromkeys(c)} for c in columns]


def sets_of(weights: Sequence[Fraction], redraw: int) -> dict[tuple[int, ...], Fraction]:
    """How likely each set of columns is redrawn."""
    sets = list(combinations(range(len(weights)), redraw))
    whole = sum(prod((weights[i] for i in chosen), start=Fraction(1)) for chosen in sets)
    return {s: prod((weights[i] for i in s), start=Fraction(1)) / whole for s in sets}


def even(columns: int) -> list[Fraction]:
    """Equal weights."""
    return [Fraction(1, columns)] * columns


def outcomes(
    row: Row, shares: Shares, weights: Sequence[Fraction], redraw: int
) -> Iterator[tuple[Row, Fraction]]:
    """Every way in which a record may be published; the same record may come several times."""
    for chosen, likely in sets_of(weights, redraw).items():
        for values in product(*(shares[i].items() for i in chosen)):
            new, chance = list(row), likely
            for i, (value, share) in zip(chosen, values, strict=True):
                new[i] = value
                chance *= share
            yield tuple(new), chance


def law_of(
    row: Row, shares: Shares, weights: Sequence[Fraction], redraw: int
) -> dict[Row, Fraction]:
    """How likely each published record is."""
    found: dict[Row, Fraction] = {}
    for new, chance in outcomes(row, shares, weights, redraw):
        found[new] = found.get(new, Fraction(0)) + chance
    return found


def transition(
    table: Sequence[Row], before: Row, after: Row, weights: Sequence[Fraction], redraw: int
) -> Fraction:
    """How likely one combination becomes another."""
    return law_of(before, shares_of(table), weights, redraw).get(after, Fraction(0))


def posterior(
    table: Sequence[Row], after: Row, weights: Sequence[Fraction], redraw: int
) -> list[Fraction]:
    """How likely each record is the one behind a published one, for who knows them all."""
    laws = [law_of(row, shares_of(table), weights, redraw) for row in table]
    likely = [law.get(after, Fraction(0)) for law in laws]
    return [one / sum(likely) for one in likely]


def relative_moments(
    table: Sequence[Row], q: dict[int, Any], weights: Sequence[Fraction], redraw: int
) -> tuple[Fraction, Fraction]:
    """Mean and variance of (published support - support) / support of a combination of values."""
    shares = shares_of(table)
    matching = [
        sum(c for new, c in outcomes(row, shares, weights, redraw) if _holds(new, q))
        for row in table
    ]
    support = sum(_holds(row, q) for row in table)
    mean = (sum(matching) - support) / Fraction(support)
    return mean, sum(p * (1 - p) for p in matching) / Fraction(support) ** 2


def _holds(row: Row, q: dict[int, Any]) -> bool:
    return all(row[i] == value for i, value in q.items())
