"""Candidates for a cluster that grows: what each would leave of the set, and what that is worth.

A candidate's items that the cluster still has are bits over the items of the cluster's first row.
When the common set shrinks, a candidate's worth falls by the lost items it has, so that all growth
of a cluster costs one comparison of each candidate with the first row and a few words a step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import lean
from sfumato.kernels.rows import Rows

ONE = np.uint64(1)
SIZE = 0


class Pool(NamedTuple):
    """Candidates for one cluster. `level` holds their number."""

    rows: Rows
    worth: NDArray[np.float64]  # (domain,)
    weight: NDArray[np.float64]  # (domain,) utility of an item of the common set, 0 of others
    bit: NDArray[np.uint64]  # (domain,) bit of an item of the common set, 0 for others
    slot: NDArray[np.int32]  # (domain,) word of that bit
    common: NDArray[np.uint64]  # (words,) what all members have
    lost: NDArray[np.uint64]  # (words,) what the last member took away
    row: NDArray[np.int32]  # (most,)
    mask: NDArray[np.uint64]  # (most, words)
    score: NDArray[np.float64]  # (most,) utility of the common set with this candidate
    seen: NDArray[np.int32]  # (rows,) the last cluster for which a row was a candidate
    level: NDArray[np.int64]


def new_pool(rows: Rows, worth: NDArray[np.float64], most: int) -> Pool:
    """Room for so many candidates."""
    longest = int(np.diff(rows.start).max(initial=0))
    words = max(1, (longest + 63) // 64)
    bits = [np.zeros(words, np.uint64) for _ in range(2)]
    return Pool(
        rows,
        worth,
        np.zeros(len(worth)),
        np.zeros(len(worth), np.uint64),
        np.zeros(len(worth), np.int32),
        bits[0],
        bits[1],
        np.empty(most, np.int32),
        np.empty((most, words), np.uint64),
        np.empty(most, np.float64),
        np.full(len(rows.start) - 1, -1, np.int32),
        np.zeros(1, np.int64),
    )


@lean
def begin(pool: Pool, row: int) -> None:
    """Start a cluster with a row, without candidates."""
    for word in range(len(pool.common)):
        pool.common[word] = 0
    start = pool.rows.start[row]
    for place in range(pool.rows.start[row + 1] - start):
        item = pool.rows.items[start + place]
        pool.weight[item] = pool.worth[item]
        pool.slot[item] = place >> 6
        pool.bit[item] = ONE << np.uint64(place & 63)
        pool.common[place >> 6] |= pool.bit[item]
    pool.level[SIZE] = 0


@lean
def finish(pool: Pool, row: int) -> None:
    """End the cluster that began with a row."""
    for place in range(pool.rows.start[row], pool.rows.start[row + 1]):
        item = pool.rows.items[place]
        pool.weight[item] = 0.0
        pool.bit[item] = 0
        pool.slot[item] = 0


@lean
def common_worth(pool: Pool, row: Any) -> Any:
    """Utility of what a row has of the common set."""
    total = 0.0
    for place in range(pool.rows.start[row], pool.rows.start[row + 1]):
        total += pool.weight[pool.rows.items[place]]
    return total


@lean
def add(pool: Pool, row: int, cluster: int) -> None:
    """Make a row a candidate, unless it is one already or there is no room."""
    at = pool.level[SIZE]
    if pool.seen[row] == cluster or at == len(pool.row):
        return
    pool.seen[row] = cluster
    mask = pool.mask[at]
    for word in range(len(mask)):
        mask[word] = 0
    for place in range(pool.rows.start[row], pool.rows.start[row + 1]):
        item = pool.rows.items[place]
        mask[pool.slot[item]] |= pool.bit[item]
    pool.row[at], pool.score[at] = row, common_worth(pool, row)
    pool.level[SIZE] = at + 1


@lean
def take(pool: Pool, first: int) -> Any:
    """Take the best candidate into the cluster that began with row `first`.

    The best leaves the common set of most utility; of equals, the row with the lowest number.
    """
    size, best = pool.level[SIZE], 0
    for at in range(1, size):
        gain = pool.score[at] - pool.score[best]
        if gain > 0 or (gain == 0 and pool.row[at] < pool.row[best]):
            best = at
    row = np.int64(pool.row[best])
    some = False
    for word in range(len(pool.common)):
        pool.lost[word] = pool.common[word] & ~pool.mask[best, word]
        pool.common[word] &= pool.mask[best, word]
        some = some or pool.lost[word] != 0
    last = size - 1
    pool.row[best], pool.score[best] = pool.row[last], pool.score[last]
    for word in range(len(pool.common)):
        pool.mask[best, word] = pool.mask[last, word]
    pool.level[SIZE] = last
    if some:
        for at in range(last):
            _lose(pool, at, first)
        _forget(pool, first)
    return row


@lean
def narrow(pool: Pool, first: int, row: int) -> None:
    """Take in a row that need not be a candidate."""
    for word in range(len(pool.lost)):
        pool.lost[word] = pool.common[word]
    for place in range(pool.rows.start[row], pool.rows.start[row + 1]):
        item = pool.rows.items[place]
        pool.lost[pool.slot[item]] &= ~pool.bit[item]
    for word in range(len(pool.lost)):
        pool.common[word] &= ~pool.lost[word]
    _forget(pool, first)


@lean
def _forget(pool: Pool, first: int) -> None:
    """Let the lost items of the first row count no longer."""
    for place in range(pool.rows.start[first], pool.rows.start[first + 1]):
        item = pool.rows.items[place]
        if pool.lost[pool.slot[item]] & pool.bit[item]:
            pool.weight[item] = 0.0
            pool.bit[item] = 0


@lean
def _lose(pool: Pool, at: int, first: int) -> None:
    """Lower a candidate's worth by what it had of the lost items."""
    base = pool.rows.start[first]
    for word in range(len(pool.common)):
        gone = pool.mask[at, word] & pool.lost[word]
        pool.mask[at, word] &= pool.common[word]
        place = base + 64 * word
        while gone != 0:
            while (gone & np.uint64(0xFF)) == 0:
                gone >>= np.uint64(8)
                place += 8
            if gone & ONE:
                pool.score[at] -= pool.worth[pool.rows.items[place]]
            gone >>= ONE
            place += 1
