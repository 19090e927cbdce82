"""Better classes from classes: rows move to classes whose published set they hold.

A row that joins a class whose set it holds changes nothing there, and a class that a row leaves
can only come to publish more. So no move lowers the utility of anybody else.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.rows import Rows, common_items, members_of
from sfumato.kernels.sets_block import Block, Shape, keep_within, new_shape, rows_within, spread


class Offers(NamedTuple):
    """The two classes of most utility whose sets each row holds, -1 where there is none."""

    best: NDArray[np.int32]
    second: NDArray[np.int32]


@compiled
def move_rows(block: Block, k: int, group: NDArray[np.int32]) -> int:
    """Move rows one by one, then dissolve classes that gain by it; returns the classes left.

    In place; classes are numbered anew. O(classes * items published * rows / 64 + items).
    """
    classes = int(group.max()) + 1
    start, members = members_of(group, classes)
    worth, sets = _worth_of_sets(block, start, members)
    offers = _offers(block, sets, np.argsort(worth, kind="mergesort"))
    size = np.diff(start)
    _move_out_of_slack(k, group, worth, size, offers)
    start, members = members_of(group, classes)
    _dissolve(group, worth, size, offers, (start, members))
    return _number_anew(group, size)


@compiled
def _worth_of_sets(
    block: Block, start: NDArray[np.int64], members: NDArray[np.int32]
) -> tuple[NDArray[np.float64], Rows]:
    """What each class publishes, and its utility for one row."""
    sets = common_items(block.rows, start, members)
    worth = np.zeros(len(start) - 1)
    for number in range(len(worth)):
        for place in range(sets.start[number], sets.start[number + 1]):
            worth[number] += block.worth[sets.items[place]]
    return worth, sets


@compiled
def _offers(block: Block, sets: Rows, order: NDArray[np.int64]) -> Offers:
    """Offer every class, the best last, to all rows that hold its set."""
    rows = len(block.rows.start) - 1
    best, second = np.full(rows, -1, np.int32), np.full(rows, -1, np.int32)
    shape, found = new_shape(rows), np.empty(rows, np.int32)
    for number in order:
        first, end = sets.start[number], sets.start[number + 1]
        if first == end:
            second[:], best[:] = best, np.int32(number)
            continue
        for row in found[
            : rows_within(shape, _holders(block, sets.items[first:end], shape), found)
        ]:
            second[row], best[row] = best[row], number
    return Offers(best, second)


@compiled
def _holders(block: Block, items: NDArray[Any], shape: Shape) -> int:
    """Who holds all of some items; the rarest of them first."""
    rarest = items[0]
    for item in items:
        if block.held[item] < block.held[rarest]:
            rarest = item
    words = spread(block.bits[rarest], shape)
    for item in items:
        words = keep_within(shape, words, block.bits[item])
    return words


@compiled
def _move_out_of_slack(
    k: int,
    group: NDArray[np.int32],
    worth: NDArray[np.float64],
    size: NDArray[np.int64],
    offers: Offers,
) -> None:
    """Move rows out of classes of more than k, those who gain most first, while there is slack."""
    gain = worth[offers.best] - worth[group]
    for row in np.argsort(-gain, kind="mergesort"):
        if gain[row] <= 0:
            break
        own = group[row]
        if size[own] > k:
            group[row] = offers.best[row]
            size[own] -= 1
            size[offers.best[row]] += 1


@compiled
def _dissolve(
    group: NDArray[np.int32],
    worth: NDArray[np.float64],
    size: NDArray[np.int64],
    offers: Offers,
    listed: tuple[NDArray[np.int64], NDArray[np.int32]],
) -> None:
    """Dissolve classes whose members gain by it all together, the one of least utility first.

    A class that took members in, or whose offers are gone, stays.
    """
    start, members = listed
    changed = np.zeros(len(size), np.bool_)
    for number in np.argsort(worth, kind="mergesort"):
        own = members[start[number] : start[number + 1]]
        if changed[number] or len(own) == 0:
            continue
        gain, possible = 0.0, True
        for row in own:
            other = offers.second[row] if offers.best[row] == number else offers.best[row]
            if other < 0 or size[other] == 0:
                possible = False
                break
            gain += worth[other] - worth[number]
        if possible and gain > 0:
            for row in own:
                other = offers.second[row] if offers.best[row] == number else offers.best[row]
                group[row], changed[other] = other, True
                size[other] += 1
            size[number] = 0


@compiled
def _number_anew(group: NDArray[np.int32], size: NDArray[np.int64]) -> int:
    """Close the gaps of classes that are no more."""
    number = np.cumsum(size > 0) - 1
    for row in range(len(group)):
        group[row] = number[group[row]]
    return int(number[-1]) + 1
