"""Meet rules by merging groups that were formed without looking at sensitive values.

A group that breaks a rule is joined with the near group that costs the least loss, again and again,
until it obeys. Which groups join whom depends on quasi-identifiers alone; that a group had to join
depends on sensitive values, and is what this construction can leak. All rules are monotone, so
joining ends at the latest with the whole table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined, lean
from sfumato.kernels.grid import SET, Grid, span_loss
from sfumato.kernels.rules import Rules, rules_hold

WINDOW = 12  # near groups tried on either side
TIE = 1e-9  # prices this close are equal; the nearer group, and the one before, is taken
WORDS = 16  # a set column of more than 64 * WORDS codes is priced by its extreme codes


class Covers(NamedTuple):
    """What every group's cells cover, kept up to date while groups join."""

    low: NDArray[np.int64]  # (groups, columns) smallest code
    high: NDArray[np.int64]  # (groups, columns) largest code
    word: NDArray[np.int64]  # (columns,) where a set column's bits begin; -1: no bits
    bits: NDArray[np.uint64]  # (groups, words) codes present
    size: NDArray[np.int64]  # (groups,) rows
    before: NDArray[np.int64]  # (groups,) the living group before, -1 if none
    after: NDArray[np.int64]  # (groups,) the living group after, -1 if none
    first: NDArray[np.int64]  # (groups,) first row of the chain of members
    last: NDArray[np.int64]  # (groups,) last row of the chain
    following: NDArray[np.int64]  # (rows,) next row of the chain, -1 at its end


def covers(grid: Grid, group: NDArray[np.int32], groups: int) -> Covers:
    """Covers of the groups as they stand; labels from 0, near groups near in number."""
    rows, columns = grid.codes.shape
    word = np.full(columns, -1, np.int64)
    words = 0
    for column in range(columns):
        need = -(-int(grid.size[column]) // 64)
        if grid.kind[column] == SET and need <= WORDS:
            word[column], words = words, words + need
    made = Covers(
        np.full((groups, columns), np.iinfo(np.int64).max, np.int64),
        np.full((groups, columns), -1, np.int64),
        word,
        np.zeros((groups, words), np.uint64),
        np.zeros(groups, np.int64),
        np.arange(-1, groups - 1),
        np.append(np.arange(1, groups), -1),
        np.full(groups, -1, np.int64),
        np.full(groups, -1, np.int64),
        np.full(rows, -1, np.int64),
    )
    _fill(grid, group, made)
    return made


@lean
def _fill(grid: Grid, group: NDArray[np.int32], made: Covers) -> None:
    rows, columns = grid.codes.shape
    for row in range(rows):
        place = group[row]
        made.size[place] += 1
        if made.first[place] < 0:
            made.first[place] = row
        else:
            made.following[made.last[place]] = row
        made.last[place] = row
        for column in range(columns):
            code = np.int64(grid.codes[row, column])
            made.low[place, column] = min(made.low[place, column], code)
            made.high[place, column] = max(made.high[place, column], code)
            if made.word[column] >= 0:
                bit = np.uint64(1) << np.uint64(code & 63)
                made.bits[place, made.word[column] + (code >> 6)] |= bit


@inlined
def _count_bits(word: np.uint64) -> int:
    count = 0
    while word:
        word &= word - np.uint64(1)
        count += 1
    return count


@inlined
def _joint_loss(grid: Grid, made: Covers, one: int, other: int) -> float:
    """Loss of a row of the two groups joined (of one group if both are the same). O(columns)."""
    total = 0.0
    for column in range(grid.codes.shape[1]):
        low = min(made.low[one, column], made.low[other, column])
        high = max(made.high[one, column], made.high[other, column])
        base = made.word[column]
        if base >= 0:
            present = 0
            for word in range(base, base + (grid.size[column] + 63) // 64):
                present += _count_bits(made.bits[one, word] | made.bits[other, word])
            total += grid.weight[column] * (present - 1) * grid.step[column]
        elif grid.kind[column] == SET:
            total += grid.weight[column] * (high - low) * grid.step[column]
        else:
            total += grid.weight[column] * span_loss(grid, column, low, high)
    return total


@inlined
def _price(grid: Grid, made: Covers, one: int, other: int) -> float:
    """Loss that joining two groups adds, over all their rows."""
    together = (made.size[one] + made.size[other]) * _joint_loss(grid, made, one, other)
    apart = made.size[one] * _joint_loss(grid, made, one, one)
    return float(together - apart - made.size[other] * _joint_loss(grid, made, other, other))


@inlined
def _partner(grid: Grid, made: Covers, group: int, window: int) -> int:
    """The cheapest living group to join within `window` places on either side."""
    best, least = -1, np.inf
    for links in (made.before, made.after):
        other = links[group]
        for _ in range(window):
            if other < 0:
                break
            price = _price(grid, made, group, other)
            if price < least - TIE:
                best, least = other, price
            other = links[other]
    return best


@inlined
def _join(made: Covers, group: int, other: int) -> None:
    """Take the other group's rows and cover; it leaves the list of living groups."""
    made.following[made.last[group]] = made.first[other]
    made.last[group] = made.last[other]
    made.size[group] += made.size[other]
    made.size[other] = 0
    for column in range(made.low.shape[1]):
        made.low[group, column] = min(made.low[group, column], made.low[other, column])
        made.high[group, column] = max(made.high[group, column], made.high[other, column])
    for word in range(made.bits.shape[1]):
        made.bits[group, word] |= made.bits[other, word]
    if made.before[other] >= 0:
        made.after[made.before[other]] = made.after[other]
    if made.after[other] >= 0:
        made.before[made.after[other]] = made.before[other]


@inlined
def _count(
    made: Covers, group: int, offset: NDArray[np.int64], codes: NDArray[Any], counts: NDArray[Any]
) -> None:
    """Add the sensitive values of a group's rows to the counts."""
    row = made.first[group]
    while row >= 0:
        for column in range(codes.shape[1]):
            counts[offset[column] + codes[row, column]] += 1
        row = made.following[row]


@compiled
def join_until_ruled(
    grid: Grid, made: Covers, rules: Rules, codes: NDArray[np.int32], window: int
) -> tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.int64]]:
    """Join groups until all obey.

    Returns the new label of every row (from 0 without gaps, order kept), which groups broke a rule
    as they stood, and the joins in order as (who took, who was taken), int64 (joins, 2).
    codes: int32 (rows, sensitive columns). Cost: for every join O(window columns) and one look at
    the rules.
    """
    groups = len(made.size)
    broken = np.zeros(groups, np.bool_)
    for group in range(groups):
        counts = np.zeros(rules.offset[-1], np.int64)
        _count(made, group, rules.offset, codes, counts)
        broken[group] = not rules_hold(rules, counts, made.size[group])
    joins = np.empty((groups, 2), np.int64)
    done = 0
    for group in range(groups):
        if made.size[group] == 0 or not broken[group]:
            continue
        counts = np.zeros(rules.offset[-1], np.int64)
        _count(made, group, rules.offset, codes, counts)
        while not rules_hold(rules, counts, made.size[group]):
            other = _partner(grid, made, group, window)
            if other < 0:
                break
            _count(made, other, rules.offset, codes, counts)
            _join(made, group, other)
            joins[done, 0], joins[done, 1] = group, other
            done += 1
    return _labels(made), broken, joins[:done]


@compiled
def _labels(made: Covers) -> NDArray[np.int32]:
    label = np.empty(len(made.following), np.int32)
    living = 0
    for group in range(len(made.size)):
        if made.size[group] == 0:
            continue
        row = made.first[group]
        while row >= 0:
            label[row] = living
            row = made.following[row]
        living += 1
    return label
