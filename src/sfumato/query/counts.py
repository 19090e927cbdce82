"""How many members of each group satisfy a condition: least, most, expected."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Counts(NamedTuple):
    """Per group: hard bounds, and the number expected if columns are independent in a group."""

    least: NDArray[np.int64]
    most: NDArray[np.int64]
    expected: NDArray[np.float64]

    def states(self, sizes: NDArray[np.int64]) -> NDArray[np.uint8]:
        """2 where every member satisfies it, 1 where some may, 0 where none."""
        return np.asarray((self.most > 0).astype(np.uint8) + (self.least == sizes), np.uint8)

    def within(self, number: NDArray[np.int64]) -> Counts:
        """The same, knowing how many records are surely in and how many are open, (groups, 2)."""
        least = np.maximum(self.least, number[:, 0])
        most = np.minimum(self.most, number.sum(axis=1))
        return Counts(least, most, np.clip(self.expected, least, most))


def exactly(number: NDArray[np.int64]) -> Counts:
    """Counts that are known."""
    return Counts(number, number, number.astype(np.float64))


def both(one: Counts, other: Counts, sizes: NDArray[np.int64]) -> Counts:
    """Members that satisfy both conditions, whatever the two have to do with each other."""
    least = np.maximum(one.least + other.least - sizes, 0)
    most = np.minimum(one.most, other.most)
    return Counts(least, most, np.clip(one.expected * other.expected / sizes, least, most))


def either(one: Counts, other: Counts, sizes: NDArray[np.int64]) -> Counts:
    """Members that satisfy at least one of two conditions."""
    least = np.maximum(one.least, other.least)
    most = np.minimum(one.most + other.most, sizes)
    joint = one.expected + other.expected - one.expected * other.expected / sizes
    return Counts(least, most, np.clip(joint, least, most))
