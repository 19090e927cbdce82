"""Which values are nearer: the complete set of localities of a sorted column, or a sample of it.

For i < j < k a locality compares the distances |d_j - d_i| and |d_k - d_j|: with AT_LEAST
2 d_j - d_i - d_k >= 0, with LESS it is below 0. For every i < j only the last k that is not farther
and the first k that is farther are listed; from these and the order of the values all others
follow. A locality whose k would not lie beyond j, or beyond the last value, says nothing and is
left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, lean

Ints = NDArray[np.int64]
AT_LEAST, LESS = 0, 1
SLOTS = 2  # a pair has at most one locality of each sort


@lean
def count_localities(values: Ints, first: int, last: int) -> int:
    """How many localities have j in [first, last), over ascending values. Cost: pairs."""
    n, found = len(values), 0
    for j in range(first, last):
        k = j
        for i in range(j - 1, -1, -1):
            reach = 2 * values[j] - values[i]
            while k + 1 < n and values[k + 1] <= reach:
                k += 1
            found += (k > j) + (k + 1 < n)
    return found


@lean
def fill_localities(values: Ints, first: int, last: int, out: NDArray[np.int32]) -> int:
    """Write them as rows (i, j, k, sort); returns how many. `out` has room for all."""
    n, found = len(values), 0
    for j in range(first, last):
        k = j
        for i in range(j - 1, -1, -1):
            reach = 2 * values[j] - values[i]
            while k + 1 < n and values[k + 1] <= reach:
                k += 1
            if k > j:
                _put(out, found, i, j, k, AT_LEAST)
                found += 1
            if k + 1 < n:
                _put(out, found, i, j, k + 1, LESS)
                found += 1
    return found


@lean
def _put(out: Any, place: int, i: int, j: int, k: int, sort: int) -> None:
    out[place, 0], out[place, 1], out[place, 2], out[place, 3] = i, j, k, sort


@lean
def _last_within(values: Any, first: int, reach: int) -> int:
    """The last place from `first` on whose value is at most `reach`."""
    low, high = first, len(values) - 1
    while low < high:
        middle = (low + high + 1) >> 1
        if values[middle] <= reach:
            low = middle
        else:
            high = middle - 1
    return low


@compiled
def pick_localities(values: Ints, slots: Ints) -> NDArray[np.int32]:
    """The localities in some slots; slot 2 p + sort belongs to pair p = j (j - 1) / 2 + i.

    Slots without a locality give nothing. Cost: slots times log of values.
    """
    n, found = len(values), 0
    out = np.empty((len(slots), 4), np.int32)
    for slot in slots:
        pair, sort = slot >> 1, slot & 1
        j = int((1.0 + np.sqrt(1.0 + 8.0 * pair)) / 2.0)
        while j * (j - 1) // 2 > pair:
            j -= 1
        while j * (j + 1) // 2 <= pair:
            j += 1
        i = pair - j * (j - 1) // 2
        k = _last_within(values, j, 2 * values[j] - values[i])
        if sort == AT_LEAST and k > j:
            _put(out, found, i, j, k, AT_LEAST)
            found += 1
        if sort == LESS and k + 1 < n:
            _put(out, found, i, j, k + 1, LESS)
            found += 1
    return out[:found]


def complete_localities(values: Ints) -> NDArray[np.int32]:
    """All of them as rows (i, j, k, sort), over ascending values.

    >>> complete_localities(np.array([0, 1, 2, 3])).tolist()
    [[0, 1, 2, 0], [0, 1, 3, 1], [1, 2, 3, 0], [0, 2, 3, 0]]
    """
    out = np.empty((count_localities(values, 1, len(values)), 4), np.int32)
    fill_localities(values, 1, len(values), out)
    return out


def sampled_localities(values: Ints, share: float, words: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Each of the complete set with probability `share`, without ever making the set.

    Steps from one kept slot to the next are geometric; `words` are random, as many as
    `words_for` says.
    """
    slots = len(values) * (len(values) - 1)
    if share >= 1:
        return complete_localities(values)
    if share <= 0 or slots == 0:
        return np.empty((0, 4), np.int32)
    even = ((words >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    steps = np.minimum(np.floor(np.log(even) / np.log1p(-share)), float(slots)) + 1
    kept = np.cumsum(steps).astype(np.int64) - 1
    return np.asarray(pick_localities(values, kept[kept < slots]))


def words_for(values: int, share: float) -> int:
    """Random words enough to sample so many values: ten standard deviations above the mean."""
    mean = values * (values - 1) * share
    return int(mean + 10 * np.sqrt(mean) + 20)
