"""First phase of two-phase aggregation: drop items until every cluster has k records.

Clusters are sets of items, at first the rows themselves. The smallest joins a cluster that lies
one item below it, if there is one, and loses its cheapest item otherwise. Items are numbered by
falling weight (utility x records), so that the cheapest item of a set is its last one, and every
cluster is a prefix of the row that founded it: its name is that row, its set a length.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.rows import Rows
from sfumato.kernels.sets_index import NONE, Index, enter, find, item_words, leave, new_index

FIRST_IN, LAST_IN = 0, 1  # who is taken among equally small clusters


class Clusters(NamedTuple):
    """Clusters by founding row, and queues of those with fewer than k records by size."""

    rows: Rows
    worth: NDArray[np.float64]  # (domain,) utility of an item
    word: NDArray[np.uint64]  # (domain,)
    table: Index
    size: NDArray[np.int32]  # (rows,) records; 0 for rows that are in another's cluster
    length: NDArray[np.int32]  # (rows,) items left of the founding row
    alike: NDArray[np.int32]  # (rows,) items with which another founding row begins as well
    next: NDArray[np.int32]  # (rows,) the next record of the same cluster, or NONE
    last: NDArray[np.int32]  # (rows,) the last record of a cluster
    ends: NDArray[np.int32]  # (k, 2) first and last cluster of each size
    ahead: NDArray[np.int32]  # (rows,) who came before a cluster in its queue
    behind: NDArray[np.int32]  # (rows,)


def new_clusters(rows: Rows, worth: NDArray[np.float64], k: int) -> Clusters:
    """One cluster per different row, queued by size, in the order of the rows."""
    count = len(rows.start) - 1
    blank = [np.full(count, NONE, np.int32) for _ in range(4)]
    clusters = Clusters(
        rows,
        worth,
        item_words(len(worth)),
        new_index(count, count),
        np.zeros(count, np.int32),
        np.diff(rows.start).astype(np.int32),
        np.zeros(count, np.int32),
        blank[0],
        blank[1],
        np.full((k, 2), NONE, np.int32),
        blank[2],
        blank[3],
    )
    _found(clusters, k)
    _compare(clusters)
    return clusters


@compiled
def _found(clusters: Clusters, k: int) -> None:
    """Let the first of equal rows found a cluster, the others join it."""
    rows = clusters.rows
    for row in range(len(clusters.size)):
        key = np.uint64(0)
        for place in range(rows.start[row], rows.start[row + 1]):
            key ^= clusters.word[rows.items[place]]
        found = find(clusters.table, key)
        clusters.last[row] = row
        clusters.size[row] = 1
        if found == NONE:
            enter(clusters.table, row, key)
        else:
            _append(clusters, found, row)
    for row in range(len(clusters.size)):
        _queue(clusters, row, k)


@compiled
def _compare(clusters: Clusters) -> None:
    """Find how many first items each founding row has in common with another one, or more.

    Prefixes are counted in small counters by hash, length after length: what looks shared may not
    be, which costs look-ups, and never the other way round. O(items that are shared).
    """
    rows = clusters.rows
    counter = np.empty(4 * len(clusters.table.slot), np.uint8)
    mask = np.uint64(len(counter) - 1)
    key = np.zeros(len(clusters.size), np.uint64)
    active = np.flatnonzero(clusters.size).astype(np.int32)
    length = 0
    while len(active) > 0:
        counter[:] = 0
        left = 0
        for row in active:
            if rows.start[row] + length < rows.start[row + 1]:
                key[row] ^= clusters.word[rows.items[rows.start[row] + length]]
                place = key[row] & mask
                counter[place] = min(counter[place] + 1, 2)
                active[left] = row
                left += 1
        length += 1
        still = 0
        for row in active[:left]:
            if counter[key[row] & mask] == 2:
                clusters.alike[row] = length
                active[still] = row
                still += 1
        active = active[:still]


@compiled
def merge_some(clusters: Clusters, k: int, order: int, size: int, steps: int) -> int:
    """Take up to `steps` clusters, the smallest first; returns the size reached, k when done.

    `size` is what the last call returned, 1 at first: sizes only grow. O(length) look-ups a step.
    """
    for _ in range(steps):
        while size < k and clusters.ends[size, order] == NONE:
            size += 1
        if size >= k:
            return k
        cluster = clusters.ends[size, order]
        _unqueue(clusters, cluster)
        target = _target(clusters, cluster)
        if target != NONE:
            leave(clusters.table, cluster)
            _unqueue_small(clusters, target, k)
            _append(clusters, target, cluster)
            _queue(clusters, target, k)
        elif clusters.length[cluster] > 0:
            _drop_last(clusters, cluster)
            _queue(clusters, cluster, k)
    return size


@lean
def _target(clusters: Clusters, cluster: int) -> Any:
    """The cluster one item below this one whose union with it has most utility, or NONE.

    A set without the item at some place is a prefix of a row that begins like this one up to there:
    places beyond what is shared with any other row need no look-up. On 100,000 rows of 40 items
    that took the phase from 1.2 to 0.5 CPU s.
    """
    start, best, target = clusters.rows.start[cluster], -1.0, np.int64(NONE)
    end, worth = start + clusters.length[cluster], -1.0
    for place in range(start, min(end, start + clusters.alike[cluster] + 1)):
        item = clusters.rows.items[place]
        found = find(clusters.table, clusters.table.key[cluster] ^ clusters.word[item])
        if found != NONE:
            if worth < 0:
                worth = _worth(clusters, cluster)
            gain = (clusters.size[cluster] + clusters.size[found]) * (worth - clusters.worth[item])
            if gain > best:
                best, target = gain, found
    return target


@lean
def _worth(clusters: Clusters, cluster: int) -> Any:
    """Utility of a cluster's set."""
    start, worth = clusters.rows.start[cluster], 0.0
    for place in range(start, start + clusters.length[cluster]):
        worth += clusters.worth[clusters.rows.items[place]]
    return worth


@lean
def _drop_last(clusters: Clusters, cluster: int) -> None:
    """Take the cheapest item off a set that has one; nobody else may have the smaller set."""
    clusters.length[cluster] -= 1
    place = clusters.rows.start[cluster] + clusters.length[cluster]
    key = clusters.table.key[cluster] ^ clusters.word[clusters.rows.items[place]]
    leave(clusters.table, cluster)
    enter(clusters.table, cluster, key)


@lean
def _append(clusters: Clusters, target: int, cluster: int) -> None:
    """Give all records of a cluster to another."""
    clusters.next[clusters.last[target]] = cluster
    clusters.last[target] = clusters.last[cluster]
    clusters.size[target] += clusters.size[cluster]
    clusters.size[cluster] = 0


@lean
def _queue(clusters: Clusters, cluster: int, k: int) -> None:
    """Put a cluster that is too small at the end of the queue of its size."""
    size = clusters.size[cluster]
    if size == 0 or size >= k:
        return
    ends = clusters.ends[size]
    clusters.ahead[cluster], clusters.behind[cluster] = ends[1], NONE
    if ends[1] == NONE:
        ends[0] = cluster
    else:
        clusters.behind[ends[1]] = cluster
    ends[1] = cluster


@lean
def _unqueue_small(clusters: Clusters, cluster: int, k: int) -> None:
    """Take a cluster out of its queue if it is in one: the empty set may have been set aside."""
    size = clusters.size[cluster]
    if size < k and (clusters.ahead[cluster] != NONE or clusters.ends[size, 0] == cluster):
        _unqueue(clusters, cluster)


@lean
def _unqueue(clusters: Clusters, cluster: int) -> None:
    """Take a cluster out of the queue of its size."""
    ends = clusters.ends[clusters.size[cluster]]
    ahead, behind = clusters.ahead[cluster], clusters.behind[cluster]
    if ahead == NONE:
        ends[0] = behind
    else:
        clusters.behind[ahead] = behind
    if behind == NONE:
        ends[1] = ahead
    else:
        clusters.ahead[behind] = ahead
    clusters.ahead[cluster] = clusters.behind[cluster] = NONE


@compiled
def settle(clusters: Clusters, k: int) -> None:
    """Join the empty set, if it has too few records, with the cluster that loses least by it.

    Nothing else is too small once `merge_some` is done. One pass over the clusters.
    """
    empty = find(clusters.table, np.uint64(0))
    if empty == NONE or clusters.size[empty] >= k:
        return
    best, cheapest = np.inf, NONE
    for cluster in range(len(clusters.size)):
        if clusters.size[cluster] >= k:
            lost = clusters.size[cluster] * _worth(clusters, cluster)
            if lost < best:
                best, cheapest = lost, cluster
    _append(clusters, empty, cheapest)
