"""Shares that are Beta distributed over groups: the chance that all members of a group have it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Floats = NDArray[np.float64]
STEPS, CLOSE = 60, 1e-12
LEAST = -30.0  # logarithm of the smallest mean


@compiled
def all_have(sizes: NDArray[np.int64], mean: float, weight: float) -> Floats:
    """E[share ^ size] of every size, for a Beta law of a mean and a total weight."""
    found = np.ones(len(sizes), np.float64)
    alpha = mean * weight
    if alpha >= weight:
        return found
    ahead = math.lgamma(weight) - math.lgamma(alpha)
    for place in range(len(sizes)):
        size = sizes[place]
        found[place] = math.exp(math.lgamma(alpha + size) - math.lgamma(weight + size) + ahead)
    return found


@compiled
def mean_share(
    sizes: NDArray[np.int64], groups: NDArray[np.int64], wanted: float, weight: float
) -> float:
    """The mean under which all members have it in `wanted` groups, of groups[i] with sizes[i].

    By false position on logarithms, on which the law is nearly a line; 1 if none gives so many.
    """
    low, high = LEAST, 0.0
    below = _logarithm(sizes, groups, math.exp(low), weight) - math.log(wanted)
    above = math.log(groups.sum()) - math.log(wanted)
    if above <= 0.0:
        return 1.0
    side = 0
    for _ in range(STEPS):
        if below >= 0.0 or above < CLOSE or high - low < CLOSE:
            break
        middle = high - above * (high - low) / (above - below)
        error = _logarithm(sizes, groups, math.exp(middle), weight) - math.log(wanted)
        if error >= 0.0:
            below = below / 2 if side == 1 else below  # or one end would never move
            high, above, side = middle, error, 1
        else:
            above = above / 2 if side == -1 else above
            low, below, side = middle, error, -1
    return math.exp(high)


@compiled
def _logarithm(
    sizes: NDArray[np.int64], groups: NDArray[np.int64], mean: float, weight: float
) -> float:
    total = 0.0
    chances = all_have(sizes, mean, weight)
    for place in range(len(groups)):
        total += groups[place] * chances[place]
    return math.log(total)
