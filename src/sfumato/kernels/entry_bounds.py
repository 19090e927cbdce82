"""Bounds on sums and extremes of some of the entries of a bucket, for every number of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Bounds(NamedTuple):
    """One item per bucket and number of entries selected, 1 .. sizes[bucket], bucket by bucket.

    Sums count missing values as nothing. MIN and MAX are bounded on condition that somebody
    selected has a value; they are NaN in a bucket whose entries can only be missing.
    """

    sum_lower: Floats
    sum_upper: Floats
    min_lower: Floats
    min_upper: Floats
    max_lower: Floats
    max_upper: Floats
    present_lower: Ints
    present_upper: Ints


def bounds_table(
    start: Ints, low: Floats, high: Floats, missing: NDArray[np.bool_], count: Ints, sizes: Ints
) -> Bounds:
    """Bounds that are attained, whichever entries of a bucket are the ones selected.

    Line i, start[b] <= i < start[b + 1], stands count[i] times in bucket b for a value in
    [low[i], high[i]], or for none: never if `missing` is not set, always if the ends are NaN.
    sizes[b] is at most the number of entries of b. O(lines log lines + sizes).
    """
    none = np.isnan(low)
    least = np.where(none, 0.0, np.where(missing, np.minimum(low, 0.0), low))
    most = np.where(none, 0.0, np.where(missing, np.maximum(high, 0.0), high))
    parts = (missing, count, sizes)
    down = _walk(start, by_bucket(np.argsort(least), start), least, low, *parts)
    up = _walk(start, by_bucket(np.argsort(-most), start), -most, -high, *parts)
    present = present_table(start, none, missing, count, sizes)
    return Bounds(
        *(down[0], 0.0 - up[0]), *(down[1], 0.0 - up[2]), *(down[2], 0.0 - up[1]), *present
    )


@compiled
def by_bucket(order: Ints, start: Ints) -> Ints:
    """An order of all lines as an order inside every bucket. O(lines)."""
    bucket = np.empty(len(order), np.int64)
    for place in range(len(start) - 1):
        bucket[start[place] : start[place + 1]] = place
    free = start.copy()
    lines = np.empty(len(order), np.int64)
    for line in order:
        lines[free[bucket[line]]] = line
        free[bucket[line]] += 1
    return lines


@compiled
def _walk(
    start: Ints,
    order: Ints,
    worth: Floats,
    value: Floats,
    missing: NDArray[np.bool_],
    count: Ints,
    sizes: Ints,
) -> tuple[Floats, Floats, Floats]:
    """Per bucket and number selected: least sum of worth, least value, least possible largest.

    Lines stand in order of worth, and those that cannot be missing so in order of value too. The
    largest value is least if all that can be missing are selected, and missing; if they suffice,
    one entry has a value. O(lines + sizes).
    """
    sums = np.full(sizes.sum(), np.nan)
    ends = np.full(len(sums), np.nan)
    others = np.full(len(sums), np.nan)
    first = 0
    for bucket in range(len(sizes)):
        size = sizes[bucket]
        best = np.nan
        summed, blank, total = 0, 0, 0.0
        for place in range(start[bucket], start[bucket + 1]):
            line = order[place]
            if not value[line] >= best:  # the first, or a smaller one
                best = value[line] if value[line] == value[line] else best
            blank += count[line] * missing[line]
            for _ in range(min(count[line], size - summed)):
                total += worth[line]
                sums[first + summed] = total
                summed += 1
        ends[first : first + size] = best
        found = min(blank, size)
        others[first : first + found] = best
        for place in range(start[bucket], start[bucket + 1]):
            line = order[place]
            if not missing[line]:
                more = min(count[line], size - found)
                others[first + found : first + found + more] = value[line]
                found += more
        first += size
    return sums, ends, others


@compiled
def present_table(
    start: Ints, none: NDArray[np.bool_], missing: NDArray[np.bool_], count: Ints, sizes: Ints
) -> tuple[Ints, Ints]:
    """Per bucket and number selected: the fewest and most that have a value. O(lines + sizes)."""
    fewest = np.empty(sizes.sum(), np.int64)
    most = np.empty(len(fewest), np.int64)
    first = 0
    for bucket in range(len(sizes)):
        blank, able = 0, 0
        for line in range(start[bucket], start[bucket + 1]):
            blank += count[line] * missing[line]
            able += count[line] * (not none[line])
        for selected in range(1, sizes[bucket] + 1):
            fewest[first] = max(selected - blank, 0)
            most[first] = min(selected, able)
            first += 1
    return fewest, most
