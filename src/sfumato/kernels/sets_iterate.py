"""Iterative clustering of sets: break up the classes that lose most, place their records anew.

A pass (1) breaks up a share of the classes, those that lose most utility per record, (2) begins new
ones with random records until there are rows / k, (3) puts each record into the class where the
release loses least, (4) breaks up classes with fewer than k records and (5) places theirs. Passes
go on while they keep more than the best solution so far, then the share falls by 1 / `shares`.

What the source leaves open is settled thus. Each share starts from the best solution seen, and that
is what is returned. Records are placed in a random order. Hashed candidates of a record are the
classes of the records in its buckets, as many as the queries, and drawn classes make up for fewer;
hash functions are drawn once. Of equal classes, the first that was looked at is taken.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.regroup_random import draw
from sfumato.kernels.rows import Rows
from sfumato.kernels.sets_cluster import ALL, HASHED, Candidates, Step
from sfumato.kernels.sets_common import retained, values
from sfumato.kernels.sets_hash import Buckets, hash_bits, new_buckets
from sfumato.kernels.sets_index import NONE
from sfumato.kernels.sets_join import Groups, enter_group, gain, mark, new_groups


class Placing(NamedTuple):
    """A grouping in the making."""

    groups: Groups
    group: NDArray[np.int32]  # (rows,) NONE while a record is in no class
    seen: NDArray[np.int32]  # (classes,) the last record that looked at a class
    state: NDArray[np.uint64]


def iterate(
    rows: Rows,
    utility: NDArray[np.float64],
    k: int,
    candidates: Candidates,
    word: int,
    shares: int = 4,
    step: Step | None = None,
) -> NDArray[np.int32]:
    """Group of every row, (rows,), each of at least k <= rows records; the best solution seen.

    A pass costs rows x classes for all candidates, rows x queries for others.
    """
    state = np.array([word], np.uint64)
    count = len(rows.start) - 1
    buckets = _buckets(rows, candidates, state)
    looks = (candidates.kind == ALL, candidates.queries(count, 1))
    value = values(rows, utility)
    best, most = np.full(count, NONE, np.int32), -1.0
    for share in range(shares - 1, 0, -1):
        gained = True
        while gained:
            group = _one_pass(
                (rows, utility, value), (best, share / shares, k), (buckets, looks), state
            )
            kept = retained(rows, utility, group, int(group.max()) + 1)
            gained = kept > most
            if gained:
                best, most = group, kept
            if step is not None:
                step(shares - share - gained, shares - 1)
    return best


def _buckets(rows: Rows, candidates: Candidates, state: NDArray[np.uint64]) -> Buckets:
    """All rows by hash key, in no table unless they are asked for."""
    count = len(rows.start) - 1
    tables = candidates.tables if candidates.kind == HASHED else 0
    bits = candidates.bits or hash_bits(count, candidates.tables, candidates.constant)
    return new_buckets(rows, np.arange(count, dtype=np.int32), tables, bits, state)


def _one_pass(
    data: tuple[Rows, NDArray[np.float64], NDArray[np.float64]],
    now: tuple[NDArray[np.int32], float, int],
    looks: tuple[Buckets, tuple[bool, int]],
    state: NDArray[np.uint64],
) -> NDArray[np.int32]:
    """A new grouping, numbered without gaps, from (grouping, share to break up, k)."""
    (rows, utility, value), (before, share, k) = data, now
    group = _without_worst(rows, utility, value, before, share)
    _seed(group, len(group) // k, state)
    placing = _placing(rows, utility, group, state)
    _place(placing, *looks)
    _break_small(placing, k)
    placing = _placing(rows, utility, _numbered(placing.group), state)
    _place(placing, *looks)
    return placing.group


def _without_worst(
    rows: Rows,
    utility: NDArray[np.float64],
    value: NDArray[np.float64],
    group: NDArray[np.int32],
    share: float,
) -> NDArray[np.int32]:
    """The grouping without the share of classes that lose most utility per record, renumbered."""
    groups = int(group.max()) + 1
    if groups == 0:
        return group.copy()
    state = new_groups(rows, utility, group, groups)
    lost = np.bincount(group, value, groups) / state.size - state.value
    gone = np.zeros(groups, np.bool_)
    gone[np.argsort(-lost, kind="stable")[: round(share * groups)]] = True
    return _numbered(np.where(gone[group], NONE, group).astype(np.int32))


def _numbered(group: NDArray[np.int32]) -> NDArray[np.int32]:
    """Numbers without gaps, in the same order; NONE stays."""
    used = np.zeros(int(group.max()) + 2, np.int32)
    used[group + 1] = 1
    used[0] = 0
    number = np.cumsum(used, dtype=np.int32) - 1
    number[0] = NONE
    return np.asarray(number[group + 1], np.int32)


def _placing(
    rows: Rows, utility: NDArray[np.float64], group: NDArray[np.int32], state: NDArray[np.uint64]
) -> Placing:
    """Classes as they are now."""
    groups = int(group.max()) + 1
    seen = np.full(groups, NONE, np.int32)
    return Placing(new_groups(rows, utility, group, groups), group, seen, state)


@compiled
def _seed(group: NDArray[np.int32], wanted: int, state: NDArray[np.uint64]) -> None:
    """Begin classes with random records that are in none, while there are any and too few."""
    rest = np.flatnonzero(group == NONE)
    left, classes = len(rest), group.max() + 1
    for number in range(classes, min(wanted, classes + left)):
        chosen = draw(state, left)
        group[rest[chosen]] = number
        left -= 1
        rest[chosen] = rest[left]


@compiled
def _place(placing: Placing, buckets: Buckets, looks: tuple[bool, int]) -> None:
    """Put every record that is in no class into one."""
    rest = np.flatnonzero(placing.group == NONE)
    for left in range(len(rest), 0, -1):
        chosen = draw(placing.state, left)
        row = rest[chosen]
        rest[chosen] = rest[left - 1]
        mark(placing.groups, row, True)
        target = _choose(placing, buckets, row, looks)
        enter_group(placing.groups, target)
        mark(placing.groups, row, False)
        placing.group[row] = target


@lean
def _choose(placing: Placing, buckets: Buckets, row: int, looks: tuple[bool, int]) -> Any:
    """The class where the release loses least if the record in hand joins, of those looked at."""
    everyone, queries = looks
    best, target, looked = -np.inf, np.int64(NONE), 0
    if everyone:
        for number in range(len(placing.seen)):
            best, target = _better(placing, number, best, target)
        return target
    for table in range(len(buckets.order)):
        key = buckets.key[table, row]
        start = buckets.begin[table, key]
        size = buckets.end[table, key] - start
        share = min(size, queries // len(buckets.order) + 1)
        offset = draw(placing.state, size)
        for at in range(offset, offset + share):
            number = placing.group[buckets.order[table, start + at % size]]
            if number >= 0 and placing.seen[number] != row:
                placing.seen[number] = row
                looked += 1
                best, target = _better(placing, number, best, target)
    for _ in range(min(queries, len(placing.seen)) - looked):
        number = draw(placing.state, len(placing.seen))
        best, target = _better(placing, number, best, target)
    return target


@lean
def _better(placing: Placing, number: Any, best: Any, target: Any) -> Any:
    """The best (gain, class) after a look at another class."""
    gained = gain(placing.groups, number)
    if gained > best:
        return gained, np.int64(number)
    return best, np.int64(target)


@compiled
def _break_small(placing: Placing, k: int) -> None:
    """Take records out of classes that have fewer than k."""
    for row in range(len(placing.group)):
        if placing.groups.size[placing.group[row]] < k:
            placing.group[row] = NONE
