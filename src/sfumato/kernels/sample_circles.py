"""Circles of friends: people of a community who know about equally many, and mostly each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.regroup_random import draw_word

Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]
UNIT = 1.0 / 9007199254740992.0  # 2^-53


@compiled
def draw_circles(
    community: Ints, wanted: Ints, closeness: float, word: np.uint64
) -> tuple[Nodes, Nodes, Ints]:
    """(u, v, how many friends each has now); people come by community, then by `wanted` rising.

    The next people of a community who want d friends and more make a circle of d + 1. Each two of
    a circle are friends with a probability that falls from `closeness` as circles grow.
    """
    people = len(wanted)
    state = np.array([word], np.uint64)
    friends = np.zeros(people, np.int64)
    one, two = np.empty(max(people, 1), np.int32), np.empty(max(people, 1), np.int32)
    size, first = 0, 0
    while first < people:
        last = min(first + wanted[first] + 1, people)
        while community[last - 1] != community[first]:
            last -= 1
        chance = closeness / (1.0 + 0.01 * (last - first))
        for u in range(first, last):
            for v in range(u + 1, last):
                if np.float64(draw_word(state) >> np.uint64(11)) * UNIT < chance:
                    if size == len(one):
                        one, two = np.append(one, one), np.append(two, two)
                    one[size], two[size] = u, v
                    friends[u] += 1
                    friends[v] += 1
                    size += 1
        first = last
    return one[:size].copy(), two[:size].copy(), friends
