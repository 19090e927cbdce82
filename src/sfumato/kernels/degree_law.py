"""How likely a node of one degree is published with another: two binomials, added.

The table is kept by columns. Column j belongs to the true degree `grid[j]`, and holds the published
degrees that are not out of its reach, which are neighbours among the ascending `seen`.
"""

from __future__ import annotations

from math import exp, lgamma, log, log1p, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
REACH = 9.0  # standard deviations to either side, and some; what lies beyond adds up to < 1e-15
SOME = 12


class Bands(NamedTuple):
    """Column j: chances `value[start[j] : start[j + 1]]` of `seen[first[j]]` and those after it."""

    first: Ints
    start: Ints
    value: Floats


@compiled
def binomial(trials: int, chance: float) -> tuple[int, Floats]:
    """(least, probabilities of least, least + 1, ...), as far as they matter."""
    spread = REACH * sqrt(trials * chance * (1.0 - chance)) + SOME
    low = max(0, int(trials * chance - spread))
    high = min(trials, int(trials * chance + spread))
    found = np.zeros(high - low + 1)
    if chance <= 0.0 or chance >= 1.0:
        found[int(trials * chance) - low] = 1.0
        return low, found
    whole, odds, off = lgamma(trials + 1.0), log(chance), log1p(-chance)
    for many in range(low, high + 1):
        ways = whole - lgamma(many + 1.0) - lgamma(trials - many + 1.0)
        found[many - low] = exp(ways + many * odds + (trials - many) * off)
    return low, found


@compiled
def degree_chances(seen: Ints, grid: Ints, others: int, delete: float, add: float) -> Bands:
    """The table for a graph in which a node has `others` that it may be connected with."""
    first, start = np.zeros(len(grid), np.int64), np.zeros(len(grid) + 1, np.int64)
    value = np.empty(1024)
    size = 0
    for column in range(len(grid)):
        kept_low, kept = binomial(grid[column], 1.0 - delete)
        new_low, new = binomial(others - grid[column], add)
        low = kept_low + new_low
        row = np.searchsorted(seen, low)
        first[column] = row
        while row < len(seen) and seen[row] <= low + len(kept) + len(new) - 2:
            if size == len(value):
                value = np.concatenate((value, np.empty(size)))
            value[size] = _together(kept, new, seen[row] - low)
            size += 1
            row += 1
        start[column + 1] = size
    return Bands(first, start, value[:size].copy())


@compiled
def _together(kept: Floats, new: Floats, total: int) -> float:
    found = 0.0
    for one in range(max(0, total - len(new) + 1), min(len(kept) - 1, total) + 1):
        found += kept[one] * new[total - one]
    return found


@compiled
def mixed(bands: Bands, share: Floats, basis: Floats, rows: int) -> tuple[Floats, Floats]:
    """(chance of every published degree, mean of the basis given it, times that chance)."""
    chance, mean = np.zeros(rows), np.zeros((rows, basis.shape[1]))
    for column in range(len(share)):
        row = bands.first[column]
        for place in range(bands.start[column], bands.start[column + 1]):
            weight = share[column] * bands.value[place]
            chance[row] += weight
            for one in range(basis.shape[1]):
                mean[row, one] += weight * basis[column, one]
            row += 1
    return chance, mean


@compiled
def given_back(bands: Bands, share: Floats, ratio: Floats) -> Floats:
    """Nodes of every true degree to be expected, `ratio` being nodes over chance by row."""
    found = np.zeros(len(share))
    for column in range(len(share)):
        row = bands.first[column]
        for place in range(bands.start[column], bands.start[column + 1]):
            found[column] += bands.value[place] * ratio[row]
            row += 1
        found[column] *= share[column]
    return found


@compiled
def weighted_products(rows: Floats, weight: Floats) -> Floats:
    """rows.T @ diag(weight) @ rows, in one thread.

    A linear algebra library shares so small a product between threads, and on a busy machine they
    wait for each other: measured, a fit took 0.2 to 4 s of CPU time.
    """
    size = rows.shape[1]
    found = np.zeros((size, size))
    for row in range(len(rows)):
        for one in range(size):
            scaled = weight[row] * rows[row, one]
            for two in range(one + 1):
                found[one, two] += scaled * rows[row, two]
    for one in range(size):
        for two in range(one):
            found[two, one] = found[one, two]
    return found
