"""Cutting an order into segments where neighbours are close: dynamic programming."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Ints = NDArray[np.int64]


@compiled
def segment_ends(step: Ints, least: int, most: int) -> Ints:
    """Where segments of `least` to `most` rows begin and end, with the smallest sum of cut steps.

    step[p] is the distance of place p to place p + 1. Before the first row nothing is cut (errata
    S7). Where the rows are no sum of such sizes, as few as possible are in one shorter segment at
    the end; with fewer rows than `least` there is one segment. A cut is the latest among equally
    good ones. O(rows log most): the best of a sliding window is kept, not looked for.
    """
    rows = len(step)
    best = np.full(rows + 1, np.int64(1) << 60)
    last = np.zeros(rows + 1, np.int64)
    best[0] = 0
    queue = np.empty(rows + 1, np.int64)  # ends that may still be the best, costs ascending
    cost = np.empty(rows + 1, np.int64)
    head, tail = 0, 0
    for end in range(least, rows + 1):
        came = end - least
        worth = best[came] + (step[came - 1] if came else 0)
        if best[came] < np.int64(1) << 60:
            while tail > head and cost[tail - 1] >= worth:
                tail -= 1
            queue[tail], cost[tail] = came, worth
            tail += 1
        while head < tail and queue[head] < end - most:
            head += 1
        if head < tail:
            best[end], last[end] = cost[head], queue[head]
    end = rows  # of what can be reached, the furthest; the rest is the shorter segment
    while best[end] >= np.int64(1) << 60:
        end -= 1
    ends = [end]
    if end < rows:
        ends = [rows, end]
    while end > 0:
        end = last[end]
        ends.append(end)
    return np.array(ends[::-1], np.int64)
