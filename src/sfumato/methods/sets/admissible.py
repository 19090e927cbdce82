"""A random choice among admissible sets, with a bound on what a published set tells of its owner.

Every record gets a list of `places` sets, each contained in at least k records and listed by at
least `candidates` of them. Lists follow from the data; the draw is the run's alone. Whoever knows
all records and all lists, and sees one published set, is left with its listers, all equally likely.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.kernels.k1_lists import Lists, deal, item_bits
from sfumato.kernels.row_order import taken
from sfumato.kernels.rows import Rows
from sfumato.kernels.rows_distinct import distinct_rows, joined_rows
from sfumato.methods.sets.top_down import Search, top_down


class Admissible(NamedTuple):
    """Record r publishes one of sets[listed[r]], each place as likely."""

    listed: NDArray[np.int32]  # (records, places)
    sets: Rows


@dataclass(frozen=True)
class Choice:
    """How much choice there is: places on a list, listers of a set, rounds of filling lists."""

    places: int = 4
    candidates: int = 10
    rounds: int = 12


def admissible(search: Search, choice: Choice, run: Run) -> Admissible:
    """Lists for all records; needs `choice.candidates` <= records.

    A round searches sets among the records whose lists have room, and deals them out by falling
    utility; a record takes what is worth a share of its own best, a share that falls from round
    to round. What stays open in the end publishes nothing. Memory: domain * records / 8 bytes.
    """
    count = len(search.rows.start) - 1
    bits = item_bits(search.rows, len(search.utility))
    lists = Lists(np.zeros((count, choice.places), np.int32), np.zeros(count, np.int32))
    pools = [Rows(np.zeros(2, np.int64), search.rows.items[:0])]
    base = 1
    for number in range(choice.rounds):
        room = np.flatnonzero(lists.filled < choice.places).astype(np.int32)
        if len(room) < choice.candidates:
            break
        which, sets = _offers(search, room, choice, run)
        worth = _worth(sets, search.utility)
        bar = np.zeros(count)
        bar[room] = worth[which] * (1 - number / max(choice.rounds - 1, 1))
        order = np.argsort(-worth, kind="stable")
        deal(bits, sets, (order, worth, base), lists, bar, (search.k, choice.candidates))
        pools.append(sets)
        base += len(sets.start) - 1
        run.step(number + 1, choice.rounds)
    named, sets = distinct_rows(joined_rows(pools, search.rows))
    listed = named[lists.listed]
    _hide_empty(listed, int(named[0]), _worth(sets, search.utility), choice.candidates)
    return Admissible(listed, sets)


def drawn(found: Admissible, run: Run) -> NDArray[np.int32]:
    """The set that every record publishes.

    What is drawn is public, and must not tell the other draws: it comes from a cryptographic
    stream (SHAKE-256) under 256 bits of the run's key. Uniform but for a bias under 2^-30 * places.
    """
    count, places = found.listed.shape
    key = np.array([run.word("admissible", "draw", part) for part in range(4)], np.uint64)
    stream = hashlib.shake_256(key.astype("<u8").tobytes()).digest(4 * count)
    words = np.frombuffer(stream, "<u4").astype(np.uint64)
    place = (words * np.uint64(places)) >> np.uint64(32)
    return found.listed[np.arange(count), place.astype(np.int64)]


def belief(found: Admissible, published: NDArray[np.int32]) -> NDArray[np.float64]:
    """How sure somebody is of the owner of each published set who knows all records and lists.

    Of all places that name the set, the share that is the owner's: Bayes' rule, records alike.
    """
    places = np.bincount(found.listed.ravel(), minlength=len(found.sets.start) - 1)
    own = (found.listed == published[:, None]).sum(axis=1)
    return np.asarray(own / places[published])


def _offers(
    search: Search, room: NDArray[np.int32], choice: Choice, run: Run
) -> tuple[NDArray[np.int32], Rows]:
    """The best sets of the records with room, among themselves; the fewer, the less support."""
    count = len(search.rows.start) - 1
    least = max(choice.candidates, round(search.k * len(room) / count))
    rows = taken(search.rows, room)
    return top_down(replace(search, rows=rows, k=least), run)


def _worth(sets: Rows, utility: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.concatenate(([0.0], np.cumsum(utility[sets.items])))
    return np.asarray(sums[sets.start[1:]] - sums[sets.start[:-1]])


def _hide_empty(
    listed: NDArray[np.int32], empty: int, worth: NDArray[np.float64], candidates: int
) -> None:
    """Let the empty set have places enough: the sets of least worth are given up for it."""
    while True:
        own = (listed == empty).sum(axis=1)
        if own.sum() >= candidates * own.max(initial=0):
            return
        used = np.unique(listed[listed != empty])
        if not len(used):
            return
        listed[listed == used[np.argmin(worth[used])]] = empty
