"""One way through all rows by linking near ones: the shortest links first, ends of ways only.

Candidates for links are rows that stand close in some of several sorted orders.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import Words
from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.gray import apart

Ints = NDArray[np.int64]


class Links(NamedTuple):
    """Ways under construction: the rows that each row is linked to (-1: none), and whose way."""

    beside: NDArray[np.int32]  # (rows, 2)
    way: NDArray[np.int32]  # a forest of ways joined; its roots name the ways


def no_links(rows: int) -> Links:
    """Every row a way of its own."""
    return Links(np.full((rows, 2), -1, np.int32), np.arange(rows, dtype=np.int32))


@inlined
def _root(way: NDArray[np.int32], row: int) -> int:
    while way[row] != row:
        way[row] = way[way[row]]
        row = way[row]
    return row


@compiled
def loose_rows(links: Links) -> Ints:
    """Rows that can take another link."""
    return np.flatnonzero(links.beside[:, 1] < 0)


@compiled
def near_pairs(
    bits: Words, links: Links, order: Ints, window: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """(one, other, distance) of rows of two ways, fewer than `window` + 1 places apart."""
    many = len(order) * window
    one, other = np.empty(many, np.int32), np.empty(many, np.int32)
    far = np.empty(many, np.int32)
    size = 0
    for place in range(len(order)):
        row = order[place]
        mine = _root(links.way, row)
        for ahead in range(place + 1, min(place + 1 + window, len(order))):
            if _root(links.way, order[ahead]) != mine:
                one[size], other[size] = row, order[ahead]
                far[size] = apart(bits, row, order[ahead])
                size += 1
    return one[:size], other[:size], far[:size]


@compiled
def nearest_first(far: NDArray[np.int32]) -> NDArray[np.int64]:
    """Pairs by how far apart they are, those of one length in their order; a counting sort."""
    most = np.int64(0)
    for pair in range(len(far)):
        most = max(most, far[pair])
    start = np.zeros(most + 2, np.int64)
    for pair in range(len(far)):
        start[far[pair] + 1] += 1
    for length in range(most + 1):
        start[length + 1] += start[length]
    ordered = np.empty(len(far), np.int64)
    for pair in range(len(far)):
        ordered[start[far[pair]]] = pair
        start[far[pair]] += 1
    return ordered


@compiled
def link_shortest(
    links: Links,
    one: NDArray[np.int32],
    other: NDArray[np.int32],
    far: NDArray[np.int32],
) -> int:
    """Link pairs, the nearest first, where both have room and no way would close; how many."""
    made = 0
    for nearest in nearest_first(far):
        first, second = int(one[nearest]), int(other[nearest])
        if links.beside[first, 1] < 0 and links.beside[second, 1] < 0:
            mine, its = _root(links.way, first), _root(links.way, second)
            if mine != its:
                links.way[mine] = its
                links.beside[first, 0 if links.beside[first, 0] < 0 else 1] = second
                links.beside[second, 0 if links.beside[second, 0] < 0 else 1] = first
                made += 1
    return made


@compiled
def followed(links: Links, sequence: Ints) -> Ints:
    """All ways one after the other, in the order in which `sequence` names an end of each."""
    rows = len(links.way)
    order = np.empty(rows, np.int64)
    done = np.zeros(rows, np.bool_)
    size = 0
    for row in sequence:
        if done[row]:
            continue
        before, at = -1, int(row)
        while at >= 0:
            order[size] = at
            done[at] = True
            size += 1
            after = links.beside[at, 0]
            if after == before or after < 0:
                after = links.beside[at, 1] if links.beside[at, 0] == before else -1
            before, at = at, after
    return order[:size]
