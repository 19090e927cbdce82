"""Graphs as rows of neighbours, ascending, every edge in the rows of both its ends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]


@compiled
def rows_of_pairs(u: Nodes, v: Nodes, nodes: int) -> tuple[Ints, Nodes]:
    """(start, neighbours) of pairs in any order, each standing in both rows; O(pairs + nodes).

    Two passes of a counting sort: filling rows by ascending neighbour leaves them sorted. A pair
    given twice stands there twice; a node with itself stands there twice in its own row.
    """
    start = np.zeros(nodes + 1, np.int64)
    for place in range(len(u)):
        start[u[place] + 1] += 1
        start[v[place] + 1] += 1
    for node in range(nodes):
        start[node + 1] += start[node]
    free = start[:-1].copy()
    other = np.empty(2 * len(u), np.int32)
    for place in range(len(u)):
        one, two = u[place], v[place]
        other[free[one]] = two
        free[one] += 1
        other[free[two]] = one
        free[two] += 1
    return start, _transposed(start, other)


@compiled
def _transposed(start: Ints, other: Nodes) -> Nodes:
    """The same symmetric rows, each ascending: node after node is handed to its neighbours."""
    nodes = len(start) - 1
    free = start[:-1].copy()
    ordered = np.empty_like(other)
    for node in range(nodes):
        for place in range(start[node], start[node + 1]):
            row = other[place]
            ordered[free[row]] = node
            free[row] += 1
    return ordered


@compiled
def without_repeats(start: Ints, other: Nodes) -> tuple[Ints, Nodes]:
    """Rows without repeated neighbours and without nodes as their own; rows are ascending."""
    nodes = len(start) - 1
    left = np.zeros(nodes + 1, np.int64)
    kept = np.empty(len(other), np.int32)
    size = 0
    for node in range(nodes):
        last = -1
        for place in range(start[node], start[node + 1]):
            if other[place] != last and other[place] != node:
                kept[size] = other[place]
                size += 1
            last = other[place]
        left[node + 1] = size
    return left, kept[:size].copy()


@compiled
def count_strange(start: Ints, other: Nodes) -> tuple[int, int]:
    """(loops, repeated pairs) in ascending symmetric rows."""
    loops, repeats = 0, 0
    for node in range(len(start) - 1):
        last = -1
        for place in range(start[node], start[node + 1]):
            if other[place] == node:
                loops += 1
            elif other[place] == last:
                repeats += 1
            last = other[place]
    return loops // 2, repeats // 2


@compiled
def upper_pairs(start: Ints, other: Nodes) -> tuple[Nodes, Nodes]:
    """Every edge once, (u, v) with u < v, ascending by u, then v."""
    size = 0
    for node in range(len(start) - 1):
        for place in range(start[node], start[node + 1]):
            size += other[place] > node
    u, v = np.empty(size, np.int32), np.empty(size, np.int32)
    size = 0
    for node in range(len(start) - 1):
        for place in range(start[node], start[node + 1]):
            if other[place] > node:
                u[size], v[size] = node, other[place]
                size += 1
    return u, v
