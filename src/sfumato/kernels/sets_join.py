"""Groups of sets that records join one by one: what they have in common, and what joining costs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.regroup_random import draw
from sfumato.kernels.rows import Rows, common_items, members_of


class Groups(NamedTuple):
    """Common sets, whose items only get fewer: the first length[g] items of group g."""

    rows: Rows
    worth: NDArray[np.float64]  # (domain,)
    common: Rows
    length: NDArray[np.int64]  # (groups,)
    value: NDArray[np.float64]  # (groups,) utility of the common set
    size: NDArray[np.int64]  # (groups,)
    marked: NDArray[np.bool_]  # (domain,) items of the record in hand


def new_groups(
    rows: Rows, worth: NDArray[np.float64], group: NDArray[np.int32], groups: int
) -> Groups:
    """The groups of a grouping that leaves some records out (-1)."""
    listed = np.where(group < 0, groups, group)
    start, members = members_of(listed.astype(np.int32), groups + 1)
    common = common_items(rows, start[:-1], members)
    value = np.zeros(groups)
    owner = np.repeat(np.arange(groups), np.diff(common.start))
    np.add.at(value, owner, worth[common.items])
    length, size = np.diff(common.start), np.diff(start[:-1])
    return Groups(rows, worth, common, length, value, size, np.zeros(len(worth), np.bool_))


@compiled
def join(
    groups: Groups, rest: NDArray[np.int32], group: NDArray[np.int32], state: NDArray[np.uint64]
) -> None:
    """Put each row of `rest` into the best group of all, in a random order."""
    for left in range(len(rest), 0, -1):
        chosen = draw(state, left)
        row = rest[chosen]
        rest[chosen] = rest[left - 1]
        mark(groups, row, True)
        best, target = -np.inf, 0
        for number in range(len(groups.size)):
            gained = gain(groups, number)
            if gained > best:
                best, target = gained, number
        enter_group(groups, target)
        mark(groups, row, False)
        group[row] = target


@lean
def mark(groups: Groups, row: int, on: bool) -> None:
    """Take a record in hand, or put it down."""
    for place in range(groups.rows.start[row], groups.rows.start[row + 1]):
        groups.marked[groups.rows.items[place]] = on


@lean
def gain(groups: Groups, number: int) -> Any:
    """How the utility of a group would change if the record in hand joined."""
    kept, start = 0.0, groups.common.start[number]
    for place in range(start, start + groups.length[number]):
        item = groups.common.items[place]
        if groups.marked[item]:
            kept += groups.worth[item]
    return (groups.size[number] + 1) * kept - groups.size[number] * groups.value[number]


@lean
def enter_group(groups: Groups, number: int) -> None:
    """Count the record in hand in, and leave in common what it has."""
    start, kept, value = groups.common.start[number], 0, 0.0
    for place in range(start, start + groups.length[number]):
        item = groups.common.items[place]
        if groups.marked[item]:
            groups.common.items[start + kept] = item
            kept += 1
            value += groups.worth[item]
    groups.length[number], groups.value[number] = kept, value
    groups.size[number] += 1
