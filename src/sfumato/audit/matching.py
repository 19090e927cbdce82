"""Values matched to entries that contain them, every entry once (definition 3.1)."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.buckets import Buckets, Ints, find, summed
from sfumato.data.scale import Scale


def overlapping(scale: Scale) -> bool:
    """Whether siblings share a value."""
    beside = scale.parent[2:] == scale.parent[1:-1]
    return bool((scale.low[2:] <= scale.high[1:-1])[beside].any())


def lowest(scale: Scale) -> Ints:
    """The lowest node around every position: 2p is the value at place p, 2p + 1 what follows it."""
    found = np.zeros(2 * scale.places, np.int64)
    for node, (low, high) in enumerate(zip(scale.low.tolist(), scale.high.tolist(), strict=True)):
        found[2 * low : 2 * high + 1] = node
    return found


def unmatched(buckets: Buckets, bucket: Ints, position: Ints, many: Ints) -> Ints:
    """How many values of every bucket find no entry; `many` values stand at each position."""
    if overlapping(buckets.scale):
        return _by_intervals(buckets, bucket, position, many)
    return _by_levels(buckets, bucket, lowest(buckets.scale)[position], many)


def _by_levels(buckets: Buckets, bucket: Ints, node: Ints, many: Ints) -> Ints:
    """From the leaves up: what finds no entry at its node looks for one at the node above."""
    content, nodes, depth = buckets.content, len(buckets.scale), buckets.depth
    entry = content.entry_bucket.astype(np.int64) * nodes + content.node
    key, left = summed(bucket * nodes + node, many)
    risen, rising = key[:0], left[:0]
    for level in range(int(depth.max()), -1, -1):
        here = depth[key % nodes] == level
        need, short = summed(
            np.concatenate([key[here], risen]), np.concatenate([left[here], rising])
        )
        line = find(entry, need)
        short = short - np.where(line >= 0, content.count[line], 0)
        need, rising = need[short > 0], short[short > 0]
        risen = need - need % nodes + buckets.parent[need % nodes]
    lacking = np.zeros(content.groups, np.int64)
    lacking[risen // nodes] = rising
    return lacking


def _by_intervals(buckets: Buckets, bucket: Ints, position: Ints, many: Ints) -> Ints:
    """Bucket by bucket: every value takes the entry that ends first."""
    content, scale = buckets.content, buckets.scale
    key, left = summed(bucket * 2 * scale.places + position, many)
    ends = np.searchsorted(key // (2 * scale.places), np.arange(content.groups + 1))
    low, high = 2 * scale.low.astype(np.int64), 2 * scale.high.astype(np.int64)
    lacking = np.zeros(content.groups, np.int64)
    for number in range(content.groups):
        lines, run = slice(*content.start[number : number + 2]), slice(*ends[number : number + 2])
        node = content.node[lines]
        spans = np.column_stack([low[node], high[node]])
        values = (key[run] % (2 * scale.places)).tolist(), left[run].tolist()
        lacking[number] = unserved(*values, spans, content.count[lines].tolist())
    return lacking


def unserved(
    values: Sequence[int], many: Sequence[Any], spans: NDArray[np.int64], room: Sequence[Any]
) -> Any:
    """How much of ascending values finds no room in spans that contain them."""
    order = np.argsort(spans[:, 0], kind="stable").tolist()
    begin, end = spans[:, 0].tolist(), spans[:, 1].tolist()
    waiting: list[list[Any]] = []
    place, lacking = 0, 0
    for value, left in zip(values, many, strict=True):
        while place < len(order) and begin[order[place]] <= value:
            heapq.heappush(waiting, [end[order[place]], room[order[place]]])
            place += 1
        while left > 0 and waiting:
            if waiting[0][0] < value:
                heapq.heappop(waiting)
                continue
            taken = min(left, waiting[0][1])
            left -= taken
            waiting[0][1] -= taken
            if waiting[0][1] <= 0:
                heapq.heappop(waiting)
        lacking += left
    return lacking
