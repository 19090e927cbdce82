"""Sums and extremes over buckets of which only the number of entries selected is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import lean

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
BLOCK = 64


@lean
def total_at(table: Floats, first: Ints, selected: Ints) -> float:
    """The sum of table[first[b] + selected[b] - 1] over buckets with anybody selected.

    Plain inside blocks and compensated over them, so that its error does not grow with the number
    of buckets, and no addition waits for three others. O(buckets).
    """
    total = 0.0
    lost = 0.0
    for block in range(0, len(selected), BLOCK):
        part = 0.0
        for bucket in range(block, min(block + BLOCK, len(selected))):
            if selected[bucket] > 0:
                part += table[first[bucket] + selected[bucket] - 1]
        step = part - lost
        after = total + step
        lost = (after - total) - step
        total = after
    return total


@lean
def smallest_at(
    outer: Floats, inner: Floats, sign: float, first: Ints, selected: Ints, blank: Ints
) -> tuple[float, float]:
    """Bounds on the smallest of sign * value over all buckets, if anybody has a value.

    outer[b] bounds it in one bucket from below, and inner from above, by number selected; NaN where
    nobody can have a value. blank[b] entries of a bucket may have none. A bucket of which somebody
    surely has a value bounds the whole; without one, any bucket may be alone. O(buckets).
    """
    low = np.inf
    sure = np.inf
    alone = -np.inf
    for bucket in range(len(selected)):
        if selected[bucket] > 0 and outer[bucket] == outer[bucket]:
            high = sign * inner[first[bucket] + selected[bucket] - 1]
            low = min(low, sign * outer[bucket])
            alone = max(alone, high)
            if selected[bucket] > blank[bucket]:
                sure = min(sure, high)
    return low, sure if sure < np.inf else alone


@lean
def extreme_entries(
    start: Ints,
    order: Ints,
    value: Floats,
    missing: NDArray[np.bool_],
    count: Ints,
    blank: Ints,
    selected: Ints,
    level: float,
) -> tuple[float, int]:
    """The entries with the largest sum of (value - level): the sum of their values and number.

    order: per bucket its lines by value, largest first, those without any (NaN) last. Selected are
    selected[b] entries; blank[b] of the bucket may be missing, which counts as nothing. So entries
    above the level come first, then missing ones, then the rest. Compensated. O(lines).
    """
    total = 0.0
    lost = 0.0
    number = 0
    for bucket in range(len(selected)):
        left = selected[bucket]
        spare = blank[bucket]
        rest = start[bucket + 1]
        part = 0.0
        for place in range(start[bucket], start[bucket + 1]):
            line = order[place]
            if left == 0 or not value[line] > level:
                rest = place
                break
            picks = min(left, count[line])
            left -= picks
            spare -= picks * missing[line]
            part += picks * value[line]
            number += picks
        left -= min(left, spare)
        for place in range(rest, start[bucket + 1]):
            line = order[place]
            if left == 0:
                break
            if not missing[line]:
                picks = min(left, count[line])
                left -= picks
                part += picks * value[line]
                number += picks
        step = part - lost
        after = total + step
        lost = (after - total) - step
        total = after
    return total, number


@lean
def expected_at(moments: Floats, entries: Ints, one: Floats, two: Floats, out: Floats) -> None:
    """Expectation and variance of sums over people who hold entries of their bucket at random.

    moments[b]: means of f and g; variances and the covariance (ff, fg, gg) between entries, then of
    what all entries of a node share. one[b], two[b]: sums of the factors and of their squares over
    the people selected. out: sums of f and g to expect, then variances ff, fg, gg. O(buckets).
    """
    out[:] = 0.0
    for bucket in range(len(entries)):
        if two[bucket] == 0.0:
            continue
        square = one[bucket] * one[bucket]
        free = (entries[bucket] * two[bucket] - square) / max(entries[bucket] - 1, 1)
        out[0] += one[bucket] * moments[bucket, 0]
        out[1] += one[bucket] * moments[bucket, 1]
        for part in range(3):
            between, shared = moments[bucket, 2 + part], moments[bucket, 5 + part]
            out[2 + part] += between * free + shared * square
