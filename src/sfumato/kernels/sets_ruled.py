"""Meet rules by merging groups of sets that were formed without looking at sensitive values.

As `merge.py` does for tables: a group that breaks a rule is joined with the near group that costs
the least utility, again and again, until it obeys. What joined groups publish is what both had.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.row_order import row_ranks, taken
from sfumato.kernels.rows import Rows, common_items, members_of
from sfumato.kernels.rules import Rules, rules_hold

WINDOW = 24  # near groups tried on either side

Ints = NDArray[np.int64]


class Shown(NamedTuple):
    """What every group shows, kept up to date while groups join."""

    start: Ints  # (groups + 1,) where the items of a group begin
    length: Ints  # (groups,) how many it still shows
    items: NDArray[Any]
    worth: NDArray[np.float64]  # (groups,) utility of what it shows
    size: Ints  # (groups,) rows
    before: Ints  # (groups,) the living group before, -1 if none
    after: Ints  # (groups,) the living group after, -1 if none


def ordered_groups(
    rows: Rows, utility: NDArray[np.float64], group: NDArray[np.int32]
) -> tuple[NDArray[np.int32], Shown]:
    """Groups numbered so that those which show much the same are near, and what they show."""
    start, members = members_of(group, int(group.max()) + 1)
    common, size = common_items(rows, start, members), np.diff(start)
    groups = len(size)
    of = np.repeat(np.arange(groups), np.diff(common.start))
    mass = np.bincount(common.items, size[of], minlength=len(utility)) * utility
    place = np.argsort(np.argsort(-mass, kind="stable")).astype(common.items.dtype)
    ranked = place[common.items]
    ranked = ranked[np.lexsort([ranked, of])]
    order = np.argsort(row_ranks(Rows(common.start, ranked)), kind="stable")
    number = np.empty(groups, np.int32)
    number[order] = np.arange(groups, dtype=np.int32)
    sets = taken(common, order)
    length = np.diff(sets.start)
    of = np.repeat(np.arange(groups), length)
    worth = np.bincount(of, utility[sets.items], minlength=groups).astype(np.float64)
    before, after = np.arange(-1, groups - 1), np.append(np.arange(1, groups), -1)
    size = np.asarray(size[order], np.int64)
    return number[group], Shown(sets.start, length, sets.items, worth, size, before, after)


@inlined
def _shared(shown: Shown, utility: NDArray[np.float64], one: int, other: int) -> float:
    """Utility of what two groups both show. O(items shown)."""
    left, left_end = shown.start[one], shown.start[one] + shown.length[one]
    right, right_end = shown.start[other], shown.start[other] + shown.length[other]
    total = 0.0
    while left < left_end and right < right_end:
        if shown.items[left] == shown.items[right]:
            total += utility[shown.items[left]]
            left += 1
            right += 1
        elif shown.items[left] < shown.items[right]:
            left += 1
        else:
            right += 1
    return total


@inlined
def _partner(shown: Shown, utility: NDArray[np.float64], group: int, window: int) -> int:
    """The living group that costs least to join within `window` places on either side."""
    best, least = -1, np.inf
    for links in (shown.before, shown.after):
        other = links[group]
        for _ in range(window):
            if other < 0:
                break
            together = (shown.size[group] + shown.size[other]) * _shared(
                shown, utility, group, other
            )
            price = (
                shown.size[group] * shown.worth[group]
                + shown.size[other] * shown.worth[other]
                - together
            )
            if price < least:
                best, least = other, price
            other = links[other]
    return best


@inlined
def _join(shown: Shown, utility: NDArray[np.float64], group: int, other: int) -> None:
    """Keep what both show, for the rows of both; the other leaves the list of living groups."""
    kept, left = shown.start[group], shown.start[group]
    end = shown.start[group] + shown.length[group]
    right, right_end = shown.start[other], shown.start[other] + shown.length[other]
    worth = 0.0
    while left < end and right < right_end:
        if shown.items[left] == shown.items[right]:
            worth += utility[shown.items[left]]
            shown.items[kept] = shown.items[left]
            kept += 1
            left += 1
            right += 1
        elif shown.items[left] < shown.items[right]:
            left += 1
        else:
            right += 1
    shown.length[group] = kept - shown.start[group]
    shown.worth[group] = worth
    shown.size[group] += shown.size[other]
    shown.size[other] = 0
    if shown.before[other] >= 0:
        shown.after[shown.before[other]] = shown.after[other]
    if shown.after[other] >= 0:
        shown.before[shown.after[other]] = shown.before[other]


@compiled
def join_sets_until_ruled(
    shown: Shown,
    utility: NDArray[np.float64],
    group: NDArray[np.int32],
    rules: Rules,
    codes: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.bool_], Ints]:
    """Join groups until all obey: new labels, which groups broke a rule, and the joins in order.

    As `merge.join_until_ruled`; codes: int32 (rows, sensitive columns). Cost: for every join the
    items of WINDOW groups on either side and one look at the rules.
    """
    groups = len(shown.size)
    start, members = members_of(group, groups)
    broken, into = np.zeros(groups, np.bool_), np.arange(groups)
    joins, done = np.empty((groups, 2), np.int64), 0
    for one in range(groups):
        counts = np.zeros(rules.offset[-1], np.int64)
        _count(start, members, one, rules.offset, codes, counts)
        broken[one] = not rules_hold(rules, counts, shown.size[one])
    heads, next_part = np.arange(groups), np.full(groups, -1, np.int64)
    for one in range(groups):
        if shown.size[one] == 0 or not broken[one]:
            continue
        counts = np.zeros(rules.offset[-1], np.int64)
        part = np.int64(one)
        while part >= 0:
            _count(start, members, part, rules.offset, codes, counts)
            part = next_part[part]
        while not rules_hold(rules, counts, shown.size[one]):
            other = _partner(shown, utility, one, WINDOW)
            if other < 0:
                break
            part = np.int64(other)
            while part >= 0:
                _count(start, members, part, rules.offset, codes, counts)
                part = next_part[part]
            _join(shown, utility, one, other)
            next_part[heads[one]] = other  # the chain of the other follows ours
            heads[one] = heads[other]
            into[other] = one
            joins[done, 0], joins[done, 1] = one, other
            done += 1
    return _labels(group, into), broken, joins[:done]


@inlined
def _count(
    start: Ints,
    members: NDArray[np.int32],
    group: Any,
    offset: Ints,
    codes: NDArray[np.int32],
    counts: Ints,
) -> None:
    """Add the sensitive values of a group's rows, as it was before any join, to the counts."""
    for place in range(start[group], start[group + 1]):
        for column in range(codes.shape[1]):
            counts[offset[column] + codes[members[place], column]] += 1


@compiled
def _labels(group: NDArray[np.int32], into: Ints) -> NDArray[np.int32]:
    """Labels from 0 without gaps; a group lives where it was joined into, step by step."""
    number, living = np.full(len(into), -1, np.int32), 0
    for one in range(len(into)):
        if into[one] == one:
            number[one] = living
            living += 1
    label = np.empty(len(group), np.int32)
    for row in range(len(group)):
        part = np.int64(group[row])
        while into[part] != part:
            part = into[part]
        label[row] = number[part]
    return label
