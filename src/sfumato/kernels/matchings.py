"""Disjoint assignments out of a regular graph, by random walks that may end anywhere unmatched.

Every record has `degree` possible places, every place as many records. A walk starts at a record
without a place, takes a random unused edge, and goes on from the record that has the place it came
to, until it comes to a place that nobody has; loops are dropped by remembering only the last exit
of every record. In a regular graph the walk of the n-th record from the end takes 2 + rows / n
steps on average (Goel, Kapralov, Khanna 2010), so an assignment takes O(rows log rows).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined

Ints = NDArray[np.int64]
Places = NDArray[np.int32]
Offsets = NDArray[Any]  # of 8 or 16 bits, signed
Words = NDArray[np.uint64]


class Matching(NamedTuple):
    """The state of an extraction; what is done stays done when it is called again.

    Record r may have place r + offset, around the ring; offset[r, :left] are its unused edges, of
    which number chosen[r] is taken (-1: none yet); holder[p] is the record of place p. Offsets keep
    the graph of 50,000 records and degree 64 in the caches: half the time of whole numbers.
    """

    offset: Offsets  # (rows, degree)
    chosen: NDArray[np.int32]
    holder: NDArray[np.int32]
    exit: NDArray[np.int32]
    start: Ints  # the records in the order in which they are matched
    at: Ints  # assignments done; records of the next one done; steps taken


def matching(offset: Offsets, start: Ints) -> Matching:
    """Nothing matched yet; `offset` is used up."""
    rows = len(offset)
    nobody = np.full(rows, -1, np.int32)
    return Matching(
        offset, nobody, nobody.copy(), np.zeros(rows, np.int32), start, np.zeros(3, np.int64)
    )


@inlined
def below(word: np.uint64, many: int) -> np.int64:
    """A number below `many` out of a random word; biased by less than many / 2^32."""
    return np.int64(((word >> np.uint64(32)) * np.uint64(many)) >> np.uint64(32))


@inlined
def _place(state: Matching, record: int, edge: int) -> int:
    """Where an edge leads."""
    rows = len(state.holder)
    place = record + np.int64(state.offset[record, edge])
    if place >= rows:
        place -= rows
    elif place < 0:
        place += rows
    return int(place)


@compiled
def extract(state: Matching, words: Words, found: Places) -> bool:
    """Find assignments, found[a, r] being the place of record r, while words last.

    False if they ran out; a walk that was under way begins anew with the next words.
    """
    rows, degree = state.offset.shape
    used = 0
    while state.at[0] < degree:
        left = degree - state.at[0]
        while state.at[1] < rows:
            record = state.start[state.at[1]]
            steps = _walk(state, record, left, words[used:])
            if steps < 0:
                return False
            used += steps
            state.at[2] += steps
            _turn(state, record)
            state.at[1] += 1
        _put_away(state, left, found[state.at[0]])
        state.at[0] += 1
        state.at[1] = 0
    return True


@inlined
def _walk(state: Matching, record: int, left: int, words: Words) -> int:
    """Words used until an unmatched place was reached, -1 if there were too few."""
    for step in range(len(words)):
        taken = state.chosen[record]
        if taken < 0:
            edge = below(words[step], left)
        else:
            edge = below(words[step], left - 1)
            edge += edge >= taken
        state.exit[record] = edge
        record = state.holder[_place(state, record, int(edge))]
        if record < 0:
            return step + 1
    return -1


@inlined
def _turn(state: Matching, record: int) -> None:
    """Give every record on the way the place it left for last."""
    while record >= 0:
        place = _place(state, record, state.exit[record])
        after = state.holder[place]
        state.chosen[record] = state.exit[record]
        state.holder[place] = record
        record = after


@inlined
def _put_away(state: Matching, left: int, found: Places) -> None:
    """Note a complete assignment, and move its edges behind those that are unused."""
    for record in range(len(found)):
        edge = state.chosen[record]
        found[record] = _place(state, record, int(edge))
        taken = state.offset[record, edge]
        state.offset[record, edge] = state.offset[record, left - 1]
        state.offset[record, left - 1] = taken
        state.chosen[record] = -1
        state.holder[record] = -1


def ring(rows: int, degree: int) -> Offsets:
    """Every record linked to its own place and the degree - 1 that follow on the ring."""
    kind = np.int8 if degree <= 128 else np.int16 if degree <= 1 << 15 else np.int32
    return np.tile(np.arange(degree, dtype=kind), (rows, 1))
