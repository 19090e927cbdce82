"""The table metrics, written from their definitions over lists of plain rows: the oracle.

A column is `Numbers`, `Categories` or `Tree`; `values[i]` is what record i really has (None is
missing), and `group[i]` its group. Dropped records are in no list, only counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any


@dataclass(frozen=True)
class Numbers:
    """Published as an interval over the present members, and whether some are missing."""

    values: Sequence[Any]

    def cell(self, members: Sequence[Any]) -> set[Any]:
        """Every whole number the cell stands for."""
        present = [v for v in members if v is not None]
        inside = set(range(min(present), max(present) + 1)) if present else set()
        return inside | ({None} if None in members else set())

    def domain(self) -> set[Any]:
        """The cell of everybody."""
        return self.cell(self.values)

    def loss(self, members: Sequence[Any]) -> float:
        """Length over length; mixing missing and present loses all."""
        present = [v for v in members if v is not None]
        everyone = [v for v in self.values if v is not None]
        if not present:
            return 0.0
        if len(present) < len(members):
            return 1.0
        length = max(everyone) - min(everyone)
        return (max(present) - min(present)) / length if length else 0.0

    def distance(self, one: Any, other: Any) -> float:
        """Difference over the range; missing is a whole range away."""
        if one is None or other is None:
            return float(one is not other)
        everyone = [v for v in self.values if v is not None]
        length = max(everyone) - min(everyone)
        return abs(one - other) / length if length else 0.0

    def covers(self, members: Sequence[Any], value: Any) -> bool:
        """Whether the cell of these members admits a value."""
        present = [v for v in members if v is not None]
        if value is None:
            return None in members
        return bool(present) and min(present) <= value <= max(present)


@dataclass(frozen=True)
class Categories:
    """Published as the set of the members' values."""

    values: Sequence[Any]

    def cell(self, members: Sequence[Any]) -> set[Any]:
        """The set."""
        return set(members)

    def domain(self) -> set[Any]:
        """Every value that occurs."""
        return set(self.values)

    def loss(self, members: Sequence[Any]) -> float:
        """(values in the set - 1) / (values - 1)."""
        return fraction_lost(len(self.cell(members)), len(self.domain()))

    def distance(self, one: Any, other: Any) -> float:
        """0 or 1."""
        return float(one != other)

    def covers(self, members: Sequence[Any], value: Any) -> bool:
        """Whether the set holds a value."""
        return value in members


@dataclass(frozen=True)
class Tree:
    """Published as the lowest node above the members; `paths[value]` leads from it to the root."""

    values: Sequence[Any]
    paths: dict[Any, tuple[str, ...]]

    def level(self, members: Sequence[Any]) -> int:
        """The lowest level at which all members stand under one node."""
        levels = range(len(next(iter(self.paths.values()))))
        return next(i for i in levels if len({self.paths[v][i] for v in members}) == 1)

    @property
    def top(self) -> int:
        """The level of the root."""
        return len(next(iter(self.paths.values()))) - 1

    def cell(self, members: Sequence[Any]) -> set[Any]:
        """Every value under the node."""
        level = self.level(members)
        node = self.paths[members[0]][level]
        return {value for value, path in self.paths.items() if path[level] == node}

    def domain(self) -> set[Any]:
        """Every value of the hierarchy."""
        return set(self.paths)

    def loss(self, members: Sequence[Any]) -> float:
        """(values under the node - 1) / (values - 1)."""
        return fraction_lost(len(self.cell(members)), len(self.domain()))

    def distance(self, one: Any, other: Any) -> float:
        """Level where the two meet over the level of the root."""
        return self.level([one, other]) / self.top if self.top else 0.0

    def covers(self, members: Sequence[Any], value: Any) -> bool:
        """Whether a value is under the node."""
        return value in self.cell(members)


Column = Numbers | Categories | Tree


def fraction_lost(values: int, domain: int) -> float:
    """(f - 1) / (g - 1), or 0."""
    return (values - 1) / (domain - 1) if domain > 1 else 0.0


def members(column: Column, group: Sequence[int], record: int) -> list[Any]:
    """The values of everyone in a record's group."""
    return [v for v, g in zip(column.values, group, strict=True) if g == group[record]]


def total_loss(columns: Sequence[Column], group: Sequence[int], dropped: int) -> float:
    """Sum over records and columns."""
    each = [c.loss(members(c, group, i)) for c in columns for i in range(len(group))]
    return math.fsum(each) + dropped * len(columns)


def mean_loss(
    columns: Sequence[Column], group: Sequence[int], dropped: int, weights: Sequence[float]
) -> float:
    """Mean over records of the weighted mean over columns."""
    each = [
        weight * total_loss([column], group, dropped)
        for column, weight in zip(columns, weights, strict=True)
    ]
    return math.fsum(each) / sum(weights) / (len(group) + dropped)


def suppressed(columns: Sequence[Column], group: Sequence[int], dropped: int) -> int:
    """Cells that are the whole domain, where that is more than one value."""
    cells = 0
    for column in columns:
        domain = column.domain()
        for record in range(len(group)):
            cell = column.cell(members(column, group, record))
            cells += cell == domain and len(domain) > 1
    return cells + dropped * len(columns)


def climb(columns: Sequence[Column], group: Sequence[int], dropped: int) -> float:
    """Levels climbed in all trees, mean over records."""
    trees = [column for column in columns if isinstance(column, Tree)]
    total = sum(t.level(members(t, group, i)) for t in trees for i in range(len(group)))
    return (total + dropped * sum(t.top for t in trees)) / (len(group) + dropped)


def discernibility(group: Sequence[int], dropped: int) -> int:
    """Every record costs the records it looks like; a dropped one costs all records."""
    return sum(group.count(each) for each in group) + dropped * (len(group) + dropped)


def classification(classes: Sequence[Any], group: Sequence[int], dropped: int) -> Fraction:
    """Share of records that are not of their group's commonest class, or dropped."""
    wrong = dropped
    for label in set(group):
        inside = Counter(c for c, g in zip(classes, group, strict=True) if g == label)
        wrong += sum(inside.values()) - max(inside.values())
    return Fraction(wrong, len(group) + dropped)


def ambiguity(columns: Sequence[Column], group: Sequence[int], dropped: int) -> float:
    """Mean over records of the number of combinations of values that the record may have."""
    total = dropped * math.prod(len(column.domain()) for column in columns)
    for record in range(len(group)):
        total += math.prod(len(c.cell(members(c, group, record))) for c in columns)
    return total / (len(group) + dropped)


def entropy(
    columns: Sequence[Column], originals: Sequence[Sequence[Any]], group: Sequence[int]
) -> float:
    """Mean over records and columns of H(X | cell); `originals` hold dropped records too."""
    total = 0.0
    dropped = len(originals[0]) - len(group)
    for column, original in zip(columns, originals, strict=True):
        total += dropped * bits(list(original))
        for record in range(len(group)):
            cell = members(column, group, record)
            total += bits([value for value in original if column.covers(cell, value)])
    return total / len(originals[0]) / len(columns)


def bits(values: Sequence[Any]) -> float:
    """Entropy of the values of a list."""
    shares = [count / len(values) for count in Counter(values).values()]
    return -math.fsum(share * math.log2(share) for share in shares)


def diameter(columns: Sequence[Column], group: Sequence[int]) -> float:
    """Sum over groups of size x largest distance of any pair."""
    total = 0.0
    for label in set(group):
        inside = [i for i, g in enumerate(group) if g == label]
        pairs = combinations(inside, 2)
        gaps = [sum(c.distance(c.values[i], c.values[j]) for c in columns) for i, j in pairs]
        total += len(inside) * max(gaps, default=0.0)
    return total


def distortion(columns: Sequence[Numbers], group: Sequence[int]) -> tuple[float | None, int]:
    """Mean relative error of the middles of intervals, and how many zeros were skipped."""
    errors, zeros = [], 0
    for column in columns:
        for record, value in enumerate(column.values):
            present = [v for v in members(column, group, record) if v is not None]
            if value == 0:
                zeros += 1
            elif value is not None:
                errors.append(abs(value - (min(present) + max(present)) / 2) / abs(value))
    return (math.fsum(errors) / len(errors) if errors else None), zeros
