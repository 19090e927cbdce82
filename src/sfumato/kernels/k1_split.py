"""Large nodes of the top-down search of (k,1): who takes which item, and who supports them.

A node is some supporters, ascending, of whom those at home still look for their set; all of them
have the items that were taken on the way to the node. Where supporters are many times those at
home, an even sample of them is passed on: what k of a sample contain, k of all contain.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.rows import Rows


class Node(NamedTuple):
    """Supporters of what was taken so far, and which of them look for a set."""

    members: NDArray[np.int32]  # ascending
    home: NDArray[np.bool_]  # (members,)


@compiled
def count_items(rows: Rows, members: NDArray[np.int32], domain: int) -> NDArray[np.int64]:
    """Members by item. O(items of the members)."""
    count = np.zeros(domain, np.int64)
    for place in range(len(members)):
        for at in range(rows.start[members[place]], rows.start[members[place] + 1]):
            count[rows.items[at]] += 1
    return count


@compiled
def gains_of(
    count: NDArray[np.int64], size: int, k: int, steer: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Utility per nat of support given up, by item; 0 for what may not or need not be taken."""
    gains = np.zeros(len(count), np.float64)
    for item in range(len(count)):
        if k <= count[item] < size:
            gains[item] = steer[item] / (np.log(np.float64(size)) - np.log(np.float64(count[item])))
    return gains


@compiled
def best_items(rows: Rows, node: Node, gains: NDArray[np.float64]) -> NDArray[np.int32]:
    """The item of largest gain by member; -1 for none, -2 for those not at home."""
    choice = np.full(len(node.members), -2, np.int32)
    for place in range(len(node.members)):
        if node.home[place]:
            row = node.members[place]
            best, best_gain = np.int32(-1), 0.0
            for at in range(rows.start[row], rows.start[row + 1]):
                if gains[rows.items[at]] > best_gain:
                    best, best_gain = np.int32(rows.items[at]), gains[rows.items[at]]
            choice[place] = best
    return choice


@compiled
def takers_of(choice: NDArray[np.int32], domain: int) -> NDArray[np.int64]:
    """Members by the item they take."""
    takers = np.zeros(domain, np.int64)
    for place in range(len(choice)):
        if choice[place] >= 0:
            takers[choice[place]] += 1
    return takers


@compiled
def children_of(
    rows: Rows,
    node: Node,
    choice: NDArray[np.int32],
    quota: NDArray[np.int64],
    count: NDArray[np.int64],
) -> tuple[NDArray[np.int64], Node]:
    """The nodes below, one after the other: (start, members and home), by item ascending.

    Of the members with an item all takers go along, and of the others about quota[item], evenly;
    quota 0 means that nobody takes the item. O(items of the members).
    """
    start = np.zeros(len(quota) + 1, np.int64)
    takers = takers_of(choice, len(quota))
    for item in range(len(quota)):
        room = min(count[item], takers[item] + quota[item] + 1) if takers[item] else 0
        start[item + 1] = start[item] + room
    free = start[:-1].copy()
    seen = np.zeros(len(quota), np.int64)
    below = Node(np.empty(start[-1], np.int32), np.empty(start[-1], np.bool_))
    for place in range(len(node.members)):
        row = node.members[place]
        for at in range(rows.start[row], rows.start[row + 1]):
            item = rows.items[at]
            if takers[item]:
                home = choice[place] == item
                others = count[item] - takers[item]
                if home or _its_turn(seen, item, quota[item], others):
                    below.members[free[item]] = row
                    below.home[free[item]] = home
                    free[item] += 1
    return _closed_up(start, free, below)


@lean
def _its_turn(seen: NDArray[np.int64], item: Any, quota: int, others: int) -> Any:
    """Whether the next of `others` is among the `quota` that go along, evenly spread."""
    before = seen[item]
    seen[item] += 1
    return (before + 1) * quota // others > before * quota // others


@compiled
def _closed_up(
    start: NDArray[np.int64], end: NDArray[np.int64], below: Node
) -> tuple[NDArray[np.int64], Node]:
    """Move the nodes together where room was left over."""
    used = 0
    closed = np.zeros(len(start), np.int64)
    for item in range(len(end)):
        for place in range(start[item], end[item]):
            below.members[used] = below.members[place]
            below.home[used] = below.home[place]
            used += 1
        closed[item + 1] = used
    return closed, Node(below.members[:used], below.home[:used])


@compiled
def thinned(node: Node, size: int) -> Node:
    """All who look, and of the others an even sample, `size` together where there are that many."""
    home = np.int64(0)
    for looks in node.home:
        home += looks
    others = len(node.members) - home
    quota = min(max(np.int64(size) - home, np.int64(0)), others)
    keep = node.home.copy()
    seen = 0
    for place in range(len(keep)):
        if not keep[place]:
            keep[place] = (seen + 1) * quota // others > seen * quota // others
            seen += 1
    return Node(node.members[keep], node.home[keep])
