"""What lies around pairs of nodes: how many other nodes are of which kind, with how many edges.

A node is of kind 0, 1, 2 or 3 to a pair (i, j): 1 more if it is a neighbour of i, 2 more if of j.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]
Kinds = NDArray[np.uint8]
SELF = 4


@compiled
def around(start: Ints, other: Nodes, one: Nodes, two: Nodes) -> tuple[Ints, Ints]:
    """(nodes by kind, edges between kinds r <= s) for every pair, without the pair itself.

    Costs the degrees of the neighbours of both nodes.
    """
    nodes, edges = len(start) - 1, len(other) // 2
    kind = np.zeros(nodes, np.uint8)
    many, between = np.zeros((len(one), 4), np.int64), np.zeros((len(one), 4, 4), np.int64)
    for pair in range(len(one)):
        i, j = one[pair], two[pair]
        connected = _told_kinds(start, other, i, j, kind)
        seen, edge = many[pair], between[pair]
        _add_edges(start, other, i, 1, kind, seen, edge)
        _add_edges(start, other, j, 2, kind, seen, edge)
        seen[0] = nodes - 2 - seen.sum()
        for same in range(1, 4):
            edge[same, same] //= 2
        beside = start[i + 1] - start[i] + start[j + 1] - start[j] - connected
        edge[0, 0] = edges - beside - edge.sum()
        for at in range(start[i], start[i + 1]):
            kind[other[at]] = 0
        for at in range(start[j], start[j + 1]):
            kind[other[at]] = 0
        kind[i], kind[j] = 0, 0
    return many, between


@compiled
def _told_kinds(start: Ints, other: Nodes, i: int, j: int, kind: Kinds) -> bool:
    """Write the kind of every neighbour; are i and j neighbours?"""
    for at in range(start[i], start[i + 1]):
        kind[other[at]] += 1
    for at in range(start[j], start[j + 1]):
        kind[other[at]] += 2
    connected = bool(kind[j])
    kind[i], kind[j] = SELF, SELF
    return connected


@compiled
def _add_edges(
    start: Ints, other: Nodes, node: int, bit: int, kind: Kinds, many: Ints, between: Ints
) -> None:
    """Edges at the neighbours of a node; shared neighbours are looked at from i, not again from j.

    Edges between two kinds are written where the first is the lower; edges within a kind, and
    between kinds that are both looked at, are met from both ends.
    """
    for at in range(start[node], start[node + 1]):
        middle = other[at]
        own = kind[middle]
        if own == SELF or (bit == 2 and own == 3):
            continue
        many[own] += 1
        for beyond in range(start[middle], start[middle + 1]):
            far = kind[other[beyond]]
            if far != SELF and far <= own:
                between[far, own] += 1
