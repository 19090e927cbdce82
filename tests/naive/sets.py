"""Classes of sets by definition: what they keep, and the best there can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.bool_]


def kept_utility(table: Table, utility: NDArray[np.float64], group: NDArray[np.int32]) -> float:
    """Utility that is published when each class publishes what all its rows hold."""
    total = 0.0
    for number in set(group.tolist()):
        own = table[group == number]
        total += len(own) * float(utility[own.all(axis=0)].sum())
    return total


def partitions(rows: int, k: int) -> Iterator[NDArray[np.int32]]:
    """All partitions into classes of at least k rows."""

    def place(group: Sequence[int], sizes: Sequence[int]) -> Iterator[NDArray[np.int32]]:
        left = rows - len(group)
        if sum(max(k - size, 0) for size in sizes) > left:
            return
        if not left:
            yield np.array(group, np.int32)
            return
        for number in range(len(sizes) + 1):
            grown = [*sizes, 0] if number == len(sizes) else list(sizes)
            grown[number] += 1
            yield from place([*group, number], grown)

    return place([], [])


def optimum(table: Table, utility: NDArray[np.float64], k: int) -> float:
    """The most utility that any classes of at least k rows keep."""
    return max(kept_utility(table, utility, group) for group in partitions(len(table), k))
