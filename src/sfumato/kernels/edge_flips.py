"""Random edge perturbation by skipping: the cost is that of the edges and flips, not of all pairs.

Edges stand as upper rows: those of node u are its neighbours above u, ascending. Pairs are counted
row by row in the same order, so that the place of a pair says its row. Of edges and of pairs, the
next to be flipped is found by one draw: with probability p each, log(x) / log(1 - p) are skipped.
An addition that meets an edge is void; that edge was drawn by the deletions.
"""

from __future__ import annotations

from math import log, log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined

Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]
Words = NDArray[np.uint64]
FAR = 1 << 62


class Flipped(NamedTuple):
    """Upper rows of the published graph for nodes first to last; `ends` of each row in `other`.

    `short` says that the words ran out: nothing else is to be used.
    """

    ends: Ints
    other: Nodes
    deleted: int
    added: int
    short: bool


@inlined
def _skipped(word: np.uint64, scale: float) -> int:
    """How many are left as they are until the next flip; `scale` is 1 / log(1 - p), 0 if p is."""
    if scale == 0.0:
        return FAR
    gap = log((float(word >> np.uint64(11)) + 0.5) * 2.0**-53) * scale
    return FAR if gap > 4e18 else int(gap)


@compiled
def flip_rows(
    start: Ints,
    other: Nodes,
    first: int,
    last: int,
    law: tuple[float, float],
    words: tuple[Words, Words],
) -> Flipped:
    """Flip the pairs of the rows first to last - 1 of a graph in upper rows; law is (a, b).

    words[0] steers deletions, words[1] additions. O(rows + edges + flips).
    """
    nodes = len(start) - 1
    begin = start[first]
    drop = 1.0 / log1p(-law[0]) if law[0] > 0.0 else 0.0
    join = 1.0 / log1p(-law[1]) if law[1] > 0.0 else 0.0
    ends = np.empty(last - first, np.int64)
    kept = np.empty(start[last] - begin + len(words[1]), np.int32)
    size, deleted, added = 0, 0, 0
    drops, joins = 1, 1  # words used
    gone = begin + _skipped(words[0][0], drop)  # the next edge to go
    come = _skipped(words[1][0], join)  # the next pair to get an edge, counted from row `first`
    origin = 0  # the first pair of the row
    for node in range(first, last):
        wide = nodes - 1 - node
        place, end = start[node], start[node + 1]
        while True:
            fresh = node + 1 + come - origin if come < origin + wide else nodes
            held = other[place] if place < end else nodes
            if fresh == nodes and held == nodes:
                break
            if held <= fresh:
                if place == gone:
                    deleted += 1
                    if drops == len(words[0]):
                        return Flipped(ends, kept, deleted, added, True)
                    gone += 1 + _skipped(words[0][drops], drop)
                    drops += 1
                else:
                    kept[size] = held
                    size += 1
                place += 1
            if fresh <= held:
                if fresh < held:
                    kept[size] = fresh
                    size += 1
                    added += 1
                if joins == len(words[1]):
                    return Flipped(ends, kept, deleted, added, True)
                come += 1 + _skipped(words[1][joins], join)
                joins += 1
        origin += wide
        ends[node - first] = size
    return Flipped(ends, kept[:size].copy(), deleted, added, False)


@compiled
def shuffled(words: Words) -> Nodes:
    """A random order of so many nodes: Fisher and Yates, a word a node.

    Of the multiply-and-shift that makes a word a place, no place is likelier than another by more
    than nodes / 2**64.
    """
    order = np.arange(len(words)).astype(np.int32)
    for place in range(len(words) - 1, 0, -1):
        bound = np.uint64(place + 1)
        low = (words[place] & np.uint64(0xFFFFFFFF)) * bound
        high = (words[place] >> np.uint64(32)) * bound
        at = int((high + (low >> np.uint64(32))) >> np.uint64(32))
        order[place], order[at] = order[at], order[place]
    return order


@compiled
def upper_rows(start: Ints, other: Nodes) -> tuple[Ints, Nodes]:
    """The upper rows of a graph in symmetric rows: every edge once, in the row of its lower end."""
    nodes = len(start) - 1
    above = np.zeros(nodes + 1, np.int64)
    kept = np.empty(len(other) // 2, np.int32)
    size = 0
    for node in range(nodes):
        for place in range(start[node], start[node + 1]):
            if other[place] > node:
                kept[size] = other[place]
                size += 1
        above[node + 1] = size
    return above, kept


@inlined
def _first_from(other: Nodes, begin: int, end: int, node: int) -> int:
    """The first place of an ascending row whose neighbour is not below a node."""
    while begin < end:
        middle = (begin + end) >> 1
        if other[middle] < node:
            begin = middle + 1
        else:
            end = middle
    return begin


@compiled
def count_below(start: Ints, other: Nodes, low: int, high: int, counts: Ints) -> None:
    """Of upper rows, how often each node from low to high - 1 is somebody's neighbour above."""
    for node in range(high):
        place = _first_from(other, start[node], start[node + 1], low)
        while place < start[node + 1] and other[place] < high:
            counts[other[place]] += 1
            place += 1


@compiled
def fill_rows(start: Ints, other: Nodes, ends: Ints, low: int, high: int, rows: Nodes) -> None:
    """Symmetric rows, ascending, of the nodes low to high - 1, from upper rows.

    `ends` are those of the symmetric rows. Several calls may fill different nodes at once.
    """
    free = ends[low : high + 1].copy()
    for node in range(high):
        place = _first_from(other, start[node], start[node + 1], low)
        while place < start[node + 1] and other[place] < high:
            above = other[place] - low
            rows[free[above]] = node
            free[above] += 1
            place += 1
    for node in range(low, high):
        at = free[node - low]
        for place in range(start[node], start[node + 1]):
            rows[at] = other[place]
            at += 1


@compiled
def rows_of_numbered(start: Ints, other: Nodes, number: Nodes) -> tuple[Ints, Nodes]:
    """The symmetric rows of the same graph with number[u] for node u, ascending again.

    Row after row, in the new order, is handed to its neighbours. O(nodes + edges).
    """
    nodes = len(start) - 1
    old = np.empty(nodes, np.int32)
    for node in range(nodes):
        old[number[node]] = node
    ends = np.zeros(nodes + 1, np.int64)
    for node in range(nodes):
        ends[node + 1] = ends[node] + start[old[node] + 1] - start[old[node]]
    free = ends[:-1].copy()
    rows = np.empty(len(other), np.int32)
    for node in range(nodes):
        for place in range(start[old[node]], start[old[node] + 1]):
            row = number[other[place]]
            rows[free[row]] = node
            free[row] += 1
    return ends, rows
