"""The walk of the paper: random directions, and a step from where it is to the border or back.

In doubles, not on whole numbers. With one-sided steps its limit law is not uniform: on an interval
it is the arcsine law. With steps on the whole chord it is uniform, but in a hundred dimensions
thousands of steps are worth a few draws.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.lattice_rows import Rows

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]


@lean
def chord_along(
    slack: Floats, slope: Floats, x: Floats, step: Floats, lower: Floats, upper: Floats
) -> tuple[float, float]:
    """The multiples of a direction that keep every slack and every end: (least, most).

    Rows and ends that the direction runs along do not count.
    """
    low, high = -np.inf, np.inf
    for r in range(len(slack)):
        if slope[r] > 0:
            high = min(high, slack[r] / slope[r])
        elif slope[r] < 0:
            low = max(low, slack[r] / slope[r])
    for i in range(len(x)):
        if step[i] > 0:
            high = min(high, (upper[i] - x[i]) / step[i])
            low = max(low, (lower[i] - x[i]) / step[i])
        elif step[i] < 0:
            high = min(high, (lower[i] - x[i]) / step[i])
            low = max(low, (upper[i] - x[i]) / step[i])
    return low, high


@compiled
def walk_directions(
    rows: Rows, x: Floats, lower: Floats, upper: Floats, steps: int, words: Words, one_sided: bool
) -> None:
    """Take steps, changing x in place; a step takes len(x) + 2 words. Cost: all entries, a step."""
    n, m = len(x), len(rows.limit)
    slack, slope, step = np.empty(m), np.empty(m), np.empty(n)
    _measure(rows, x, slack)
    cursor = 0
    for _ in range(steps):
        size = 0.0
        for i in range(0, n, 2):
            radius = np.sqrt(-2.0 * np.log(_open(words[cursor + i])))
            angle = 2.0 * np.pi * _open(words[cursor + i + 1])
            step[i] = radius * np.cos(angle)
            if i + 1 < n:
                step[i + 1] = radius * np.sin(angle)
        for i in range(n):
            size += step[i] * step[i]
        size = np.sqrt(size)
        for i in range(n):
            step[i] /= size
        for r in range(m):
            slope[r] = 0.0
            for at in range(rows.start[r], rows.start[r + 1]):
                slope[r] += rows.coefficient[at] * step[rows.variable[at]]
        low, high = chord_along(slack, slope, x, step, lower, upper)
        low = 0.0 if one_sided else min(low, 0.0)
        high = max(high, 0.0)
        length = low + (high - low) * _open(words[cursor + n + 1])
        cursor += n + 2
        for i in range(n):
            x[i] = min(max(x[i] + length * step[i], lower[i]), upper[i])
        for r in range(m):
            slack[r] = max(slack[r] - length * slope[r], 0.0)


@lean
def _measure(rows: Any, x: Floats, slack: Floats) -> None:
    for r in range(len(slack)):
        slack[r] = rows.limit[r]
        for at in range(rows.start[r], rows.start[r + 1]):
            slack[r] -= rows.coefficient[at] * x[rows.variable[at]]


@lean
def _open(word: np.uint64) -> float:
    """A double strictly between 0 and 1."""
    return (np.float64(word >> np.uint64(12)) + 0.5) * 2.0**-52
