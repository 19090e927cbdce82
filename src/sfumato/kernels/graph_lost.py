"""Pairs that may have lost their edge: drawn among those that share neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.regroup_random import draw_word

Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]
UNIT = 1.0 / 9007199254740992.0  # 2^-53


@compiled
def draw_lost(
    start: Ints,
    other: Nodes,
    kind: Nodes,
    levels: Nodes,
    missing: NDArray[np.float64],
    word: np.uint64,
) -> tuple[Nodes, Nodes]:
    """Pairs (u, v), u < v, not connected but with a neighbour in common, each by its probability.

    `missing` has it by (level of shared neighbours, kind of one node, kind of the other).
    """
    nodes, most = len(start) - 1, len(levels) - 1
    state = np.array([word], np.uint64)
    count, seen = np.zeros(nodes, np.int32), np.empty(nodes, np.int32)
    one, two, size = np.empty(64, np.int32), np.empty(64, np.int32), 0
    for u in range(nodes):
        length = _shared(start, other, u, count, seen)
        for place in range(start[u], start[u + 1]):
            count[other[place]] = 0
        for at in range(length):
            v = seen[at]
            chance = missing[levels[min(count[v], most)], kind[u], kind[v]]
            lost = np.float64(draw_word(state) >> np.uint64(11)) * UNIT < chance
            if lost and count[v] > 0:
                if size == len(one):
                    one, two = np.append(one, one), np.append(two, two)
                one[size], two[size] = u, v
                size += 1
            count[v] = 0
    return one[:size].copy(), two[:size].copy()


@compiled
def _shared(start: Ints, other: Nodes, u: int, count: Nodes, seen: Nodes) -> int:
    """Count shared neighbours with the nodes above u, and list these; how many there are."""
    size = 0
    for place in range(start[u], start[u + 1]):
        middle = other[place]
        for at in range(start[middle + 1] - 1, start[middle] - 1, -1):
            v = other[at]
            if v <= u:
                break
            if count[v] == 0:
                seen[size] = v
                size += 1
            count[v] += 1
    return size
