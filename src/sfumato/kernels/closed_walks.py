"""The closed walk of the thesis, and the backtracking walk that it replaced: for comparison.

Both begin with every record at its own place, and find cycles of unused edges until every record is
on one. A closed walk may come through a node again, and forgets the detour; the backtracking one
may not, and goes back where there is no way on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.matchings import Offsets, Places, Words, below

Ints = NDArray[np.int64]


class Cycles(NamedTuple):
    """The state of an extraction, as in `matchings`; `left` edges of every record are unused."""

    edges: Places
    place: NDArray[np.int32]  # of every record
    holder: NDArray[np.int32]  # of every place
    exit: NDArray[np.int32]  # the edge by which each record was left last
    spent: NDArray[np.int32]  # edges at the front of a record that this walk has used
    seen: Ints  # the walk that came to each place last
    settled: NDArray[np.bool_]  # records that are on a cycle
    path: NDArray[np.int32]  # records of a backtracking walk
    start: Ints
    at: Ints  # assignments done; records of the next one done; steps taken; walks made


def cycles(offset: Offsets, start: Ints) -> Cycles:
    """Every record at its own place; offsets as in `matchings`."""
    edges = (np.arange(len(offset))[:, None] + offset).astype(np.int32) % np.int32(len(offset))
    rows = len(edges)
    own = np.arange(rows, dtype=np.int32)
    return Cycles(
        edges,
        own,
        own.copy(),
        np.zeros(rows, np.int32),
        np.zeros(rows, np.int32),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.bool_),
        np.empty(rows, np.int32),
        start,
        np.zeros(4, np.int64),
    )


@compiled
def extract_cycles(state: Cycles, words: Words, found: Places, backtrack: bool) -> bool:
    """Find assignments while words last; False if they ran out, to be called again with more."""
    rows, degree = state.edges.shape
    used = 0
    while state.at[0] < degree:
        left = degree - state.at[0]
        while state.at[1] < rows:
            record = state.start[state.at[1]]
            if not state.settled[record]:
                state.at[3] += 1
                if backtrack:
                    steps = _trace(state, record, left, words[used:])
                else:
                    steps = _close(state, record, left, words[used:])
                if steps < 0:
                    return False
                used += steps
                state.at[2] += steps
                _update(state, record)
            state.at[1] += 1
        _put_away(state, left, found[state.at[0]])
        state.at[0] += 1
        state.at[1] = 0
    return True


@inlined
def _enter(state: Cycles, record: int) -> None:
    """A record that this walk comes to for the first time has spent nothing."""
    place = state.place[record]
    if state.seen[place] != state.at[3]:
        state.seen[place] = state.at[3]
        state.spent[record] = 0


@inlined
def _pick(state: Cycles, record: int, goal: int, left: int, word: np.uint64) -> int:
    """A random edge of a record to a place that is new to this walk, or its goal; -1 if none."""
    fresh = 0
    for edge in range(state.spent[record], left):
        place = state.edges[record, edge]
        fresh += place == goal or state.seen[place] != state.at[3]
    if fresh == 0:
        return -1
    wanted = below(word, fresh)
    for edge in range(state.spent[record], left):
        place = state.edges[record, edge]
        if place == goal or state.seen[place] != state.at[3]:
            if wanted == 0:
                return edge
            wanted -= 1
    return -1


@inlined
def _spend(state: Cycles, record: int, edge: int) -> int:
    """Move an edge to those that this walk has used; returns the place it leads to."""
    spent = state.spent[record]
    place = state.edges[record, edge]
    state.edges[record, edge] = state.edges[record, spent]
    state.edges[record, spent] = place
    state.exit[record] = place
    state.spent[record] += 1
    return int(place)


@inlined
def _close(state: Cycles, start: int, left: int, words: Words) -> int:
    """A closed walk from a record back to its place; words used, -1 if there were too few.

    No edge is used twice. In a regular graph such a walk can stop nowhere but at its start.
    """
    goal, record = state.place[start], start
    _enter(state, start)
    for step in range(len(words)):
        edge = _pick(state, record, goal, left, words[step])
        if edge < 0:  # all were visited: a detour that will be forgotten
            spent = state.spent[record]
            edge = spent + below(words[step], left - spent)
        place = _spend(state, record, edge)
        if place == goal:
            return step + 1
        record = state.holder[place]
        _enter(state, record)
    return -1


@inlined
def _trace(state: Cycles, start: int, left: int, words: Words) -> int:
    """The same without coming anywhere twice: where there is no way on, it goes back."""
    goal, depth = state.place[start], 0
    state.path[0] = start
    _enter(state, start)
    for step in range(len(words)):
        record = state.path[depth]
        edge = _pick(state, record, goal, left, words[step])
        if edge < 0:
            depth -= 1
            continue
        place = _spend(state, record, edge)
        if place == goal:
            return step + 1
        depth += 1
        state.path[depth] = state.holder[place]
        _enter(state, state.holder[place])
    return -1


@inlined
def _update(state: Cycles, start: int) -> None:
    """Give every record of the cycle the place it left for; by the old holders (errata S5)."""
    goal, record = state.place[start], start
    place = -1
    while place != goal:
        place = state.exit[record]
        after = state.holder[place]
        state.place[record] = place
        state.holder[place] = record
        state.settled[record] = True
        record = after


@inlined
def _put_away(state: Cycles, left: int, found: Places) -> None:
    for record in range(len(found)):
        found[record] = state.place[record]
        for edge in range(left):
            if state.edges[record, edge] == found[record]:
                state.edges[record, edge] = state.edges[record, left - 1]
                state.edges[record, left - 1] = found[record]
                break
        state.settled[record] = False
        state.place[record] = record
        state.holder[record] = record
