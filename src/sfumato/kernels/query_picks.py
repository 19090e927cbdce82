"""Extreme sums over runs of sorted values of which only the number of picks is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, lean


@compiled
def running_sums(values: NDArray[np.float64], start: NDArray[np.int64]) -> NDArray[np.float64]:
    """Cumulative sums that begin anew in every run [start[i], start[i + 1]). O(values)."""
    sums = np.empty(len(values), np.float64)
    for run in range(len(start) - 1):
        total = 0.0
        for place in range(start[run], start[run + 1]):
            total += values[place]
            sums[place] = total
    return sums


@compiled
def split_runs(
    values: NDArray[np.float64],
    rows: NDArray[np.int64],
    start: NDArray[np.int64],
    shift: NDArray[np.int64],
    state: NDArray[np.uint8],
    wanted: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Two runs a group, still sorted: values of records in state 2, then of those in state 1.

    Group i owns the values [start[i, 0], start[i, 1]); values[p] belongs to the record whose state
    is state[rows[p] + shift[i]]; wanted[i] counts its records in state (2, 1). Returns the values
    kept, their cumulative sums inside runs, and the ends of runs, shape (2 groups, 2). O(values of
    groups with wanted records).
    """
    kept = np.empty(wanted.sum(), np.float64)
    sums = np.empty(len(kept), np.float64)
    ends = np.empty((2 * len(start), 2), np.int64)
    at = 0
    for group in range(len(start)):
        for part in range(2):
            ends[2 * group + part, 0] = at
            total = 0.0
            if wanted[group, part]:
                for place in range(start[group, 0], start[group, 1]):
                    if state[rows[place] + shift[group]] == 2 - part:
                        total += values[place]
                        kept[at] = values[place]
                        sums[at] = total
                        at += 1
            ends[2 * group + part, 1] = at
    return kept, sums, ends


@lean
def extreme_picks(
    values: NDArray[np.float64],
    sums: NDArray[np.float64],
    ends: NDArray[np.int64],
    limits: NDArray[np.int64],
    level: float,
    up: bool,
) -> tuple[float, int]:
    """The picks with the largest (or smallest) sum of (value - level): their sum and number.

    Run i holds the sorted values [ends[i, 0], ends[i, 1]); between limits[i, 0] and limits[i, 1] of
    them are picked. The sum is compensated, so that its error does not grow with the number of
    runs. O(values).
    """
    total = 0.0
    lost = 0.0
    number = 0
    for run in range(len(ends)):
        begin, end = ends[run, 0], ends[run, 1]
        least, most = limits[run, 0], limits[run, 1]
        picks = least
        if up:
            while picks < most and values[end - 1 - picks] > level:
                picks += 1
        else:
            while picks < most and values[begin + picks] < level:
                picks += 1
        if picks == 0:
            continue
        if not up:
            part = sums[begin + picks - 1]
        elif picks == end - begin:
            part = sums[end - 1]
        else:
            part = sums[end - 1] - sums[end - 1 - picks]
        step = part - lost
        after = total + step
        lost = (after - total) - step
        total = after
        number += picks
    return total, number
