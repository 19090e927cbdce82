"""Regular graphs of short links: links of a ring exchanged for shorter ones, two at a time.

Record i is linked to `degree` places, every place to as many records. Exchanging i-j and a-b for
i-b and a-j changes no degree, so the graph stays regular whatever is exchanged, and falls apart
into disjoint assignments as every regular graph does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import Words
from sfumato.kernels.compiled import compiled, inlined, lean
from sfumato.kernels.gray import apart
from sfumato.kernels.linking import nearest_first

Ints = NDArray[np.int64]
Places = NDArray[np.int32]


class Graph(NamedTuple):
    """Links from both sides, (rows, degree), and how far apart their ends are."""

    place: Places  # of every record
    away: Places
    record: Places  # of every place
    off: Places


@compiled
def ring_graph(bits: Words, degree: int) -> Graph:
    """Every row linked to the places around it on the ring of all rows: before, own, behind."""
    rows = len(bits)
    graph = Graph(
        np.empty((rows, degree), np.int32),
        np.empty((rows, degree), np.int32),
        np.empty((rows, degree), np.int32),
        np.empty((rows, degree), np.int32),
    )
    for row in range(rows):
        for edge in range(degree):
            place = (row + edge - degree // 2) % rows
            graph.place[row, edge] = place
            graph.record[place, edge] = row
            graph.away[row, edge] = graph.off[place, edge] = apart(bits, row, place)
    return graph


@compiled
def exchange(bits: Words, graph: Graph, one: Places, other: Places, far: Places, looks: int) -> int:
    """Try to link every pair both ways, nearest pairs first; returns by how much links shorten.

    The longest `looks` links of both ends are tried as partners. O(pairs (degree + looks^2)).
    """
    nearest = nearest_first(far)
    saved = 0
    looks = min(looks, graph.place.shape[1])
    long_out, long_in = np.empty(looks, np.int64), np.empty(looks, np.int64)
    for at in nearest:
        first, second, between = int(one[at]), int(other[at]), int(far[at])
        saved += _link(bits, graph, first, second, between, long_out, long_in)
        saved += _link(bits, graph, second, first, between, long_out, long_in)
    return saved


@inlined
def _linked(graph: Graph, record: int, place: int) -> bool:
    found = False
    for edge in range(graph.place.shape[1]):
        found |= bool(graph.place[record, edge] == place)
    return found


@inlined
def _longest(away: Places, row: int, found: Ints) -> None:
    """The edges of a row with the longest links, longest first."""
    many = 0
    for edge in range(away.shape[1]):
        if many == len(found) and away[row, edge] <= away[row, found[many - 1]]:
            continue
        place = min(many, len(found) - 1)
        while place > 0 and away[row, found[place - 1]] < away[row, edge]:
            found[place] = found[place - 1]
            place -= 1
        found[place] = edge
        many = min(many + 1, len(found))


@lean
def _link(
    bits: Words, graph: Graph, row: int, place: int, far: int, long_out: Ints, long_in: Ints
) -> int:
    """Link a record to a place if two links together become shorter; returns by how much."""
    if _linked(graph, row, place):
        return 0
    _longest(graph.away, row, long_out)
    _longest(graph.off, place, long_in)
    best, worst_out, worst_in, best_far = 0, -1, -1, 0
    for out in long_out:
        for into in long_in:
            room = int(graph.away[row, out]) + int(graph.off[place, into]) - far
            if room <= best:
                break
            left, freed = graph.record[place, into], graph.place[row, out]
            if left == row or freed == place or _linked(graph, left, freed):
                continue
            between = int(apart(bits, left, freed))
            if room - between > best:
                best, best_far = room - between, between
                worst_out, worst_in = int(out), int(into)
    if worst_out >= 0:
        _swap(graph, row, worst_out, place, worst_in, far, best_far)
    return best


@lean
def _swap(graph: Graph, row: int, out: int, place: int, into: int, far: int, between: int) -> None:
    """Put `row` to `place`, and the record that had been there to where `row` had been."""
    freed, left = graph.place[row, out], graph.record[place, into]
    back = front = 0
    while graph.record[freed, back] != row:
        back += 1
    while graph.place[left, front] != place:
        front += 1
    graph.place[row, out], graph.away[row, out] = place, far
    graph.record[place, into], graph.off[place, into] = row, far
    graph.place[left, front], graph.away[left, front] = freed, between
    graph.record[freed, back], graph.off[freed, back] = left, between
