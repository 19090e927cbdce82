"""Which stretches of an ordered column to make buckets of, for the least width of answers.

The bounds of a sum over s of the entries of a bucket are width(s) apart: the s largest upper ends
less the s smallest lower ends. Widths add up over buckets, so the best partition into stretches of
neighbours is an exact dynamic programme over all stretches.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def widths(low: Floats, high: Floats, count: Ints, room: Floats) -> int:
    """Fill room[s] with the width of s of the entries, s = 0, 1, ...; returns how many entries.

    Line i stands count[i] times for a value in [low[i], high[i]]. Sorts the lines.
    """
    up, down = np.argsort(low), np.argsort(-high)
    total = count.sum()
    i, j, left, right = 0, 0, count[up[0]], count[down[0]]
    room[0] = 0.0
    for s in range(1, total + 1):
        while left == 0:
            i += 1
            left = count[up[i]]
        while right == 0:
            j += 1
            right = count[down[j]]
        room[s] = room[s - 1] + high[down[j]] - low[up[i]]
        left -= 1
        right -= 1
    return int(total)


@compiled
def stretch_costs(
    ends: Ints,
    entries: tuple[Ints, NDArray[np.int32], Ints],
    low: Floats,
    high: Floats,
    upto: Ints,
    queries: Ints,
    weight: Floats,
) -> Floats:
    """What every stretch costs a workload of ranges, (stretches,).

    Stretch i covers the places ends[i, 0] .. ends[i, 1]; its entries are those of bucket i. low and
    high are the ends of nodes, upto[p] the records before place p. Query q selects the places
    queries[q, 0] .. queries[q, 1] and counts weight[q] times.
    """
    start, node, count = entries
    most = np.int64(0)
    for i in range(len(ends)):
        most = max(most, count[start[i] : start[i + 1]].sum())
    room, cost = np.empty(most + 1), np.zeros(len(ends))
    for i in range(len(ends)):
        lines = node[start[i] : start[i + 1]]
        widths(low[lines], high[lines], count[start[i] : start[i + 1]], room)
        for q in range(len(queries)):
            first = max(queries[q, 0], ends[i, 0])
            last = min(queries[q, 1], ends[i, 1])
            if first <= last:
                cost[i] += weight[q] * room[upto[last + 1] - upto[first]]
    return cost


@compiled
def best_stretches(ends: Ints, cost: Floats, places: int) -> Ints:
    """First places of the stretches of the cheapest partition of 0 .. places - 1, ascending.

    Stretches of infinite cost are not used; empty if none is left that covers all places.
    """
    least = np.full(places + 1, np.inf)
    last = np.zeros(places + 1, np.int64)
    least[0] = 0.0
    order = np.argsort(ends[:, 1])
    for i in order:
        first, end = ends[i, 0], ends[i, 1] + 1
        if least[first] + cost[i] < least[end]:
            least[end] = least[first] + cost[i]
            last[end] = first
    if least[places] == np.inf:
        return np.empty(0, np.int64)
    number, at = 0, places
    while at > 0:
        at = last[at]
        number += 1
    found, at = np.empty(number, np.int64), places
    while at > 0:
        at = last[at]
        number -= 1
        found[number] = at
    return found
