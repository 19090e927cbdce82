"""How many neighbours two nodes share: of connected pairs, and tallied over all pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]


@compiled
def shared_by_edges(start: Ints, other: Nodes) -> Nodes:
    """Neighbours that the two ends share, of every edge (u, v), u < v, in the order of `other`.

    A row is marked once, and the shorter rows of its neighbours are looked up in it.
    """
    nodes = len(start) - 1
    place_of, shared = np.full(nodes, -1), np.zeros(len(other), np.int32)
    for u in range(nodes):
        size = start[u + 1] - start[u]
        for place in range(start[u], start[u + 1]):
            place_of[other[place]] = place
        for place in range(start[u], start[u + 1]):
            v = other[place]
            length = start[v + 1] - start[v]
            if length < size or (length == size and v > u):
                count, back = 0, 0
                for at in range(start[v], start[v + 1]):
                    count += place_of[other[at]] >= 0
                    if other[at] == u:
                        back = at
                shared[place] = count
                shared[back] = count
        for place in range(start[u], start[u + 1]):
            place_of[other[place]] = -1
    return _upper_part(start, other, shared)


@compiled
def _upper_part(start: Ints, other: Nodes, number: Nodes) -> Nodes:
    """Numbers of the places whose neighbour is above the node."""
    upper, size = np.empty(len(other) // 2, np.int32), 0
    for u in range(len(start) - 1):
        for place in range(start[u], start[u + 1]):
            if other[place] > u:
                upper[size] = number[place]
                size += 1
    return upper


@compiled
def tally_shared(start: Ints, other: Nodes, sources: Nodes, kind: Nodes, levels: Nodes) -> Ints:
    """Nodes with shared neighbours, by (level of how many, kind of the source, kind of the node).

    `levels` gives the level of a number of shared neighbours; more than it lists are like the last.
    """
    nodes, most = len(start) - 1, len(levels) - 1
    kinds = kind.max() + 1
    table = np.zeros((levels[most] + 1, kinds, kinds), np.int64)
    count, seen = np.zeros(nodes, np.int32), np.empty(nodes, np.int32)
    for u in sources:
        size = 0
        for place in range(start[u], start[u + 1]):
            middle = other[place]
            for at in range(start[middle], start[middle + 1]):
                v = other[at]
                if count[v] == 0:
                    seen[size] = v
                    size += 1
                count[v] += 1
        for at in range(size):
            v = seen[at]
            if v != u:
                table[levels[min(count[v], most)], kind[u], kind[v]] += 1
            count[v] = 0
    return table
