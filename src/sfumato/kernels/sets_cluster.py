"""Greedy clustering of sets: a record far from the last one, then k - 1 that cost it least.

`cluster` is the single pass. Who may join is looked for among all records, among a few drawn anew
for each member, or among those that share a bucket with the first member in a few hash tables.

What the source leaves open is settled thus. Two records are as far apart as the utility of what
only one of them has; for drawn and hashed candidates the far one is sought among as many drawn
records as there are queries. Hashed candidates are gathered once for a cluster, more of them for
large k: at k = 100 ten times as many kept 17 % more on Adult and 3 times as much on BMS-1. Hash
functions are drawn anew whenever half of the records are gone, or buckets would run dry; where they
hold fewer than the queries, drawn records make up for it. The last records, fewer than k, join the
class where the release loses least, in a random order, and for that all classes are looked at. Of
equals, the record with the lowest number is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.regroup_random import draw
from sfumato.kernels.rows import Rows
from sfumato.kernels.sets_cluster_pool import (
    SIZE,
    Pool,
    add,
    begin,
    common_worth,
    finish,
    narrow,
    new_pool,
    take,
)
from sfumato.kernels.sets_common import values
from sfumato.kernels.sets_hash import Buckets, hash_bits, leave_buckets, new_buckets
from sfumato.kernels.sets_index import NONE
from sfumato.kernels.sets_join import join, new_groups

Step = Callable[[int, int], None]
ALL, DRAWN, HASHED = 0, 1, 2
ROOM = 4  # a cluster looks at no more hashed candidates than this, or k, times the queries
CLUSTERS = 1 << 12  # between two calls of `step`


class Candidates(NamedTuple):
    """Where to look for members: a kind, and how many to look at.

    Queries are constant x ln(records); for hashed ones k / 10 times that above k = 10, as they
    are gathered once for all members of a cluster. `bits` of a hash key: 0 for as many as make
    even buckets hold the queries.
    """

    kind: int = HASHED
    constant: float = 50.0
    tables: int = 5
    bits: int = 0

    def reach(self, k: int) -> float:
        """The constant for clusters of k."""
        return self.constant * max(1.0, k / 10) if self.kind == HASHED else self.constant

    def queries(self, rows: int, k: int) -> int:
        """Candidates to look at."""
        return max(1, math.ceil(self.reach(k) * math.log(max(rows, 2))))


class Search(NamedTuple):
    """Records not yet in a cluster, the first `level[0]` of `left`, and what they are worth."""

    pool: Pool
    value: NDArray[np.float64]  # (rows,) utility of a record
    left: NDArray[np.int32]  # (rows,) the waiting ones first
    where: NDArray[np.int32]  # (rows,) where a row stands in `left`
    group: NDArray[np.int32]  # (rows,)
    state: NDArray[np.uint64]  # of the generator
    level: NDArray[np.int64]  # records left, clusters made, first record of the last cluster


def cluster(
    rows: Rows,
    utility: NDArray[np.float64],
    k: int,
    candidates: Candidates,
    word: int,
    step: Step | None = None,
) -> NDArray[np.int32]:
    """Group of every row, (rows,), each of at least k <= rows records.

    All candidates: O(rows^2 / k) comparisons. Others: rows x queries for drawn ones, rows / k x
    queries for hashed ones.
    """
    queries = candidates.queries(len(rows.start) - 1, k)
    search = _new_search(rows, utility, candidates, k, word)
    count = len(search.left)
    buckets = _no_buckets()
    fresh = 0  # records left when hash functions were last drawn
    while search.level[0] >= k:
        if candidates.kind == HASHED and (fresh == 0 or search.level[0] <= fresh // 2):
            fresh = int(search.level[0])
            buckets = _buckets(search, candidates, k, fresh)
        grow_some(search, buckets, (k, candidates.kind, queries), max(k, fresh // 2 + 1))
        if step is not None:
            step(count - int(search.level[0]), count)
    _join_the_rest(search)
    return search.group


def _new_search(
    rows: Rows, utility: NDArray[np.float64], candidates: Candidates, k: int, word: int
) -> Search:
    """Nobody in a cluster; a random record to begin with."""
    count = len(rows.start) - 1
    hashed = max(min(ROOM, k) * candidates.queries(count, k), candidates.tables)
    most = {ALL: count, DRAWN: 1, HASHED: hashed}[candidates.kind]
    state = np.array([word], np.uint64)
    return Search(
        new_pool(rows, utility, most),
        values(rows, utility),
        np.arange(count, dtype=np.int32),
        np.arange(count, dtype=np.int32),
        np.full(count, NONE, np.int32),
        state,
        np.array([count, 0, draw(state, max(count, 1))], np.int64),
    )


def _buckets(search: Search, candidates: Candidates, k: int, left: int) -> Buckets:
    """Those that are left by hash key."""
    bits = candidates.bits or hash_bits(left, candidates.tables, candidates.reach(k))
    listed = np.sort(search.left[:left])
    return new_buckets(search.pool.rows, listed, candidates.tables, bits, search.state)


def _no_buckets() -> Buckets:
    narrow, wide = np.empty((0, 0), np.int32), np.empty((0, 0), np.uint32)
    return Buckets(wide, narrow, narrow, narrow, narrow)


@compiled
def grow_some(search: Search, buckets: Buckets, options: tuple[int, int, int], least: int) -> None:
    """Make clusters while at least `least` records are left, up to CLUSTERS of them.

    options: (k, kind of candidates, queries).
    """
    k, kind, queries = options
    for _ in range(CLUSTERS):
        if search.level[0] < least:
            return
        number = np.int64(search.level[1])
        first = _far(search, search.level[2], kind, queries)
        begin(search.pool, first)
        _settle(search, buckets, first)
        for size in range(1, k):
            if kind == DRAWN:
                row = _best_drawn(search, queries)
                narrow(search.pool, first, row)
            else:
                if search.pool.level[SIZE] == 0:
                    _gather(search, buckets, first, (kind, queries, number * k + size))
                row = take(search.pool, first)
            _settle(search, buckets, row)
        finish(search.pool, first)
        search.level[1] = number + 1
        search.level[2] = first


@lean
def _far(search: Search, last: int, kind: int, queries: int) -> Any:
    """A record far from the one that began the last cluster."""
    pool = search.pool
    begin(pool, last)
    tries = search.level[0] if kind == ALL else min(queries, search.level[0])
    best, chosen = -1.0, np.int64(NONE)
    for turn in range(tries):
        at = turn if kind == ALL else draw(search.state, search.level[0])
        row = np.int64(search.left[at])
        apart = search.value[row] + search.value[last] - 2 * common_worth(pool, row)
        if apart > best or (apart == best and row < chosen):
            best, chosen = apart, row
    finish(pool, last)
    return chosen


@lean
def _best_drawn(search: Search, queries: int) -> Any:
    """Of a few drawn records the one that leaves most in common."""
    best, chosen = -1.0, np.int64(NONE)
    for _ in range(queries):
        row = np.int64(search.left[draw(search.state, search.level[0])])
        score = common_worth(search.pool, row)
        if score > best or (score == best and row < chosen):
            best, chosen = score, row
    return chosen


@lean
def _gather(search: Search, buckets: Buckets, first: int, options: Any) -> None:
    """Fill the pool with candidates for the next member; `mark` is new for every call.

    Of a bucket that holds more than its share, a stretch from a random place on is looked at.
    """
    kind, queries, mark = options
    pool, left = search.pool, search.level[0]
    if kind == ALL:
        for at in range(left):
            add(pool, search.left[at], mark)
        return
    for table in range(len(buckets.order)):
        key = buckets.key[table, first]
        start = buckets.begin[table, key]
        size = buckets.end[table, key] - start
        share = min(size, len(pool.row) // len(buckets.order))
        offset = draw(search.state, size) if share < size else 0
        for at in range(offset, offset + share):
            add(pool, buckets.order[table, start + at % size], mark)
    for _ in range(min(queries, left) - pool.level[SIZE]):
        add(pool, search.left[draw(search.state, left)], mark)


@lean
def _settle(search: Search, buckets: Buckets, row: int) -> None:
    """Put a row into the cluster in hand, and out of everything else."""
    search.group[row] = search.level[1]
    search.level[0] -= 1
    at, last = search.where[row], search.level[0]
    moved = search.left[last]
    search.left[at], search.where[moved] = moved, at
    search.left[last], search.where[row] = row, last
    leave_buckets(buckets, row)


def _join_the_rest(search: Search) -> None:
    """Put those that are left into the classes where the release loses least."""
    rest = np.sort(search.left[: search.level[0]])
    groups = new_groups(search.pool.rows, search.pool.worth, search.group, int(search.level[1]))
    join(groups, rest, search.group, search.state)
