"""Redrawing some columns of every record from given marginals, by words of a key stream.

A record takes 1 + redraw words: the first says which columns are redrawn, each other one the new
value of one of them, in the order of the columns. Whatever is drawn is within 2**-30 of its
probability.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined

Codes = NDArray[Any]
Words = NDArray[np.uint64]
UNIT = 2.0**-53


class Alias(NamedTuple):
    """A table to draw from counts in constant time (Walker 1977, Vose 1991), in whole numbers.

    Place v is drawn evenly, then a number below `total` evenly: below keep[v] the value is v,
    otherwise other[v].
    """

    keep: NDArray[np.int64]
    other: NDArray[np.int64]
    total: int


@compiled
def alias_of(counts: NDArray[np.int64]) -> Alias:
    """The table of some counts whose sum is below 2**31. O(values)."""
    values, total = len(counts), int(counts.sum())
    keep, other = np.empty(values, np.int64), np.arange(values)
    poor, rich = np.empty(values, np.int64), np.empty(values, np.int64)
    poorer, richer = 0, 0
    for value in range(values):
        keep[value] = counts[value] * values
        if keep[value] < total:
            poor[poorer] = value
            poorer += 1
        else:
            rich[richer] = value
            richer += 1
    while poorer > 0 and richer > 0:
        poorer -= 1
        taker, giver = poor[poorer], rich[richer - 1]
        other[taker] = giver
        keep[giver] -= total - keep[taker]
        if keep[giver] < total:
            richer -= 1
            poor[poorer] = giver
            poorer += 1
    return Alias(keep, other, total)


@compiled
def symmetric_sums(weights: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """sums[i, r]: the elementary symmetric sum of order r of weights i, i + 1, ...; O(m * most)."""
    sums = np.zeros((len(weights) + 1, most + 1))
    sums[:, 0] = 1.0
    for i in range(len(weights) - 1, -1, -1):
        for r in range(1, most + 1):
            sums[i, r] = sums[i + 1, r] + weights[i] * sums[i + 1, r - 1]
    return sums


@compiled
def pick_columns(
    words: Words, weights: NDArray[np.float64], sums: NDArray[np.float64]
) -> NDArray[np.uint64]:
    """Which columns of every record are redrawn, as bits: a set with the probability of its product
    of weights. words: (records, 1 + redraw); the first of each is used. O(records * columns)."""
    columns, redraw = len(weights), sums.shape[1] - 1
    picked = np.empty(len(words), np.uint64)
    for row in range(len(words)):
        at = np.float64(words[row, 0] >> np.uint64(11)) * UNIT * sums[0, redraw]
        left, bits = redraw, np.uint64(0)
        for column in range(columns):
            if left == 0:
                break
            here = weights[column] * sums[column + 1, left - 1]
            if at < here or columns - column == left:
                bits |= np.uint64(1) << np.uint64(column)
                at = at / weights[column] if weights[column] > 0 else 0.0
                left -= 1
            else:
                at -= here
        picked[row] = bits
    return picked


@inlined
def _drawn(word: np.uint64, alias: Alias) -> np.int64:
    """A value by the counts that a table was made of."""
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    place = np.int64(((word >> half) * np.uint64(len(alias.keep))) >> half)
    inside = np.int64(((word & low) * np.uint64(alias.total)) >> half)
    return place if inside < alias.keep[place] else alias.other[place]


@compiled
def pick_listed(words: Words, sets: Words, alias: Alias) -> NDArray[np.uint64]:
    """The same from a list of all sets: sets[i] as bits, drawn by a table. O(records)."""
    picked = np.empty(len(words), np.uint64)
    for row in range(len(words)):
        picked[row] = sets[_drawn(words[row, 0], alias)]
    return picked


@inlined
def _ones(bits: np.uint64) -> np.int64:
    """How many bits are set."""
    number = 0
    while bits != np.uint64(0):
        bits &= bits - np.uint64(1)
        number += 1
    return np.int64(number)


@compiled
def redraw_column(
    codes: Codes, picked: NDArray[np.uint64], words: Words, column: int, alias: Alias, out: Codes
) -> None:
    """One column of some records, redrawn where it was picked. O(records)."""
    bit = np.uint64(1) << np.uint64(column)
    for row in range(len(codes)):
        if picked[row] & bit == np.uint64(0):
            out[row] = codes[row]
        else:
            word = words[row, 1 + _ones(picked[row] & (bit - np.uint64(1)))]
            out[row] = _drawn(word, alias)
