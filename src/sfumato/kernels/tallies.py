"""How often every leaf occurs in every bucket."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.tree import Runs

Codes = NDArray[np.int32]


@compiled
def tallied(bucket: Codes, leaf: Codes, buckets: int, leaves: int) -> Runs:
    """The values of every bucket as ascending leaves with running counts.

    Values are dealt out to buckets, then counted or sorted bucket by bucket. Linear in the values
    and in the leaves of buckets with more values than an eighth of the leaves; others are sorted.
    """
    start = np.zeros(buckets + 1, np.int64)
    for one in bucket:
        start[one + 1] += 1
    begins = np.cumsum(start)
    ends = begins[:-1].copy()
    dealt = np.empty(len(leaf), np.int32)
    for i in range(len(leaf)):
        dealt[ends[bucket[i]]] = leaf[i]
        ends[bucket[i]] += 1
    start[0] = 0
    found, upto = np.empty(len(leaf), np.int32), np.empty(len(leaf), np.int64)
    tally = np.zeros(leaves, np.int64)
    size = 0
    for b in range(buckets):
        own, first = dealt[begins[b] : begins[b + 1]], size
        total = np.int64(0)
        if 8 * len(own) < leaves:
            own.sort()
            for one in own:
                if size == first or found[size - 1] != one:
                    found[size] = one
                    size += 1
                total += 1
                upto[size - 1] = total
        else:
            for one in own:
                tally[one] += 1
            for one in range(leaves):
                if tally[one]:
                    total += tally[one]
                    found[size], upto[size] = one, total
                    tally[one] = 0
                    size += 1
        start[b + 1] = size
    return Runs(start, found[:size].copy(), upto[:size].copy())
