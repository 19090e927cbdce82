"""Disjoint assignments of records to published places, of which one is drawn to be the true one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.kernels.closed_walks import cycles, extract_cycles
from sfumato.kernels.matchings import Offsets, Places, Words, extract, matching, ring

Ints = NDArray[np.int64]
FEWEST = 1 << 16  # random words drawn at once


@dataclass(frozen=True, eq=False)
class Matches:
    """Who may be behind every published place.

    Place p was made of original[start[p] : start[p + 1]], in the order of the assignments; it took
    the place of the record `own`, and truly is the record `true`.
    """

    start: Ints
    original: NDArray[np.int32]
    own: Ints
    true: Ints

    def named(self, order: Ints) -> Matches:
        """The same with records called order[r] instead of r."""
        original = order[self.original].astype(np.int32)
        return Matches(self.start, original, order[self.own], order[self.true])


def drawn(many: int, run: Run, *path: str | int) -> int:
    """A number below `many`, each equally likely to within 2^-50, from the secure source."""
    return int(run.words(1, *path)[0]) * many >> 64


def assignments(offset: Offsets, run: Run, walk: str = "free") -> tuple[Places, int]:
    """As many disjoint assignments as a regular graph has degrees, and the steps walked.

    found[a, r] is the place of record r in assignment a. `offset` is used up.
    """
    found = np.empty(offset.shape[::-1], np.int32)
    start = np.argsort(run.words(len(offset), "walks", "start"), kind="stable").astype(np.int64)
    if walk == "free":
        free = matching(offset, start)
        _walked(lambda words: extract(free, words, found), free.at, len(offset), run)
        return found, int(free.at[2])
    state, backtrack = cycles(offset, start), walk == "backtracking"
    _walked(lambda w: extract_cycles(state, w, found, backtrack), state.at, len(offset), run)
    return found, int(state.at[2])


def _walked(go: Callable[[Words], bool], at: Ints, rows: int, run: Run) -> None:
    """Go on with fresh words until all assignments are found; `at` tells how far it has come."""
    many, number, before = max(FEWEST, 2 * rows), 0, (-1, -1)
    while not go(run.words(many, "walks", number)):
        now = (int(at[0]), int(at[1]))
        many *= 2 if now == before else 1  # one walk alone needs more words than that
        number, before = number + 1, now


def on_ring(rows: int, degree: int, run: Run, walk: str = "free") -> Matches:
    """Records linked to themselves and their successors on a ring; assignments by walks.

    One of them is drawn, each equally likely, so that whoever knows the graph takes every link of
    a record to be the true one with probability 1 / degree.
    """
    return of_graph(ring(rows, degree), run, walk)


def of_graph(offset: Offsets, run: Run, walk: str = "free") -> Matches:
    """The same of any regular graph."""
    rows, degree = offset.shape
    found, _ = assignments(offset, run, walk)
    behind = np.empty((rows, degree), np.int32)
    for number, place in enumerate(found):
        behind[place, number] = np.arange(rows, dtype=np.int32)
    true = behind[:, drawn(degree, run, "assignment")].astype(np.int64)
    return Matches(np.arange(rows + 1) * degree, behind.ravel(), np.arange(rows), true)


def in_chunks(ends: Ints, label: NDArray[np.int32], share: int, degree: int, run: Run) -> Matches:
    """Records of a line cut into chunks: sorted by label inside, assignments are shifts.

    Of a chunk of n records with shift d = n // share, record i is linked to i + s d + e for
    s < share and e < degree / share. A label is on d records in a row at most, so the records at
    s d, for all s, have different ones, whichever shift is drawn; each chunk draws its own. Works
    for all data in which no label is on more than 1 / share of the records.
    """
    sizes = np.diff(ends)
    begin = np.repeat(ends[:-1], sizes)
    chunk = np.repeat(np.arange(len(sizes)), sizes)
    line = np.lexsort((label, chunk))  # chunks stay where they are; inside, the order of the line
    shift = np.arange(share)[:, None] * (sizes // share)[None, :]
    shift = (shift[:, None, :] + np.arange(degree // share)[None, :, None]).reshape(degree, -1)
    within = np.arange(len(label)) - begin
    behind = np.empty((len(label), degree), np.int32)
    for number in range(degree):
        behind[:, number] = line[begin + (within - shift[number][chunk]) % sizes[chunk]]
    words = run.words(len(sizes), "assignment")
    draw = ((words >> np.uint64(32)) * np.uint64(degree)) >> np.uint64(32)
    true = behind[np.arange(len(label)), draw.astype(np.int64)[chunk]].astype(np.int64)
    return Matches(np.arange(len(label) + 1) * degree, behind.ravel(), line, true)


def dealt(members: Ints, ends: Ints, run: Run) -> Matches:
    """Every record of a group linked to every place of it; who has which is drawn at random.

    members[ends[g] : ends[g + 1]] are the records of group g. Assignments are shifts of the drawn
    one, so that each link is the true one equally often.
    """
    sizes = np.diff(ends)
    group = np.repeat(np.arange(len(sizes)), sizes)
    secret = np.lexsort((run.words(len(members), "assignment"), group))
    true, size = members[secret], sizes[group]
    start = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    place = np.repeat(np.arange(len(members)), size)
    ahead = np.arange(start[-1]) - start[place]
    at = ends[group[place]] + (place - ends[group[place]] + ahead) % size[place]
    return Matches(start, true[at].astype(np.int32), members, true.astype(np.int64))
