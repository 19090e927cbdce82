"""Cutting a node of sets until nothing may be cut: a chain of parts taken out of what is left.

A chain cuts its node by one item after another. The rows listed for the item are taken out, their
items are subtracted from the counts, and the rest stays where it is. Only what was taken out is
built anew, as a node of its own with a chain of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.sets_choose import Rule, choose
from sfumato.kernels.sets_node import BLOCK, BLOCK_BITS, Lists, Node, lists_of, part_of


class Chain(NamedTuple):
    """A node while it is cut."""

    node: Node
    lists: Lists
    listed: NDArray[np.int64]  # (items,) rows of the rest listed for each
    live: NDArray[np.int64]  # items that may cut the rest, at the front
    rest: NDArray[np.uint8]  # (rows,) 1 for those not taken out yet
    state: NDArray[np.int64]  # LEFT, LIVE


LEFT, LIVE = 0, 1  # rows of the rest, items in `live`


@compiled
def chain_of(node: Node, lists: Lists, listed: NDArray[np.int64]) -> Chain:
    """A chain that has not begun."""
    rows, items = len(node.ids), len(listed)
    state = np.array([rows, items])
    return Chain(node, lists, listed, np.arange(items), np.ones(rows, np.uint8), state)


@compiled
def take_part(chain: Chain, rule: Rule, taken: NDArray[np.int32]) -> int:
    """Choose an item and take out a part: how many rows, 0 if nothing may be cut.

    Their places go to `taken`, ascending, and they leave `rest`; counts are not touched.
    """
    rows = chain.state[LEFT]
    if rows < 2 * rule.k:
        return 0
    node, live = chain.node, chain.live[: chain.state[LIVE]]
    item, chain.state[LIVE] = choose(rule, rows, node.worth, node.lacks, chain.listed, live)
    if item < 0:
        return 0
    size = _collect(chain, item, taken)
    holders = rows - size if node.lacks[item] else size
    if rows - holders < rule.k:
        size = _make_room(chain, node.lacks[item] == 1, rule.k, size, taken)
    chain.state[LEFT] -= size
    return size


@compiled
def _collect(chain: Chain, item: int, taken: NDArray[np.int32]) -> int:
    """Take the rows of the rest that are listed for an item."""
    items, size = len(chain.listed), 0
    for block in range((len(chain.rest) + BLOCK - 1) >> BLOCK_BITS):
        at = block * items + item
        for place in range(chain.lists.start[at], chain.lists.start[at + 1]):
            row = (block << BLOCK_BITS) + np.int64(chain.lists.place[place])
            taken[size] = row
            size += chain.rest[row]
            chain.rest[row] = 0
    return size


@compiled
def _make_room(chain: Chain, lacking: bool, k: int, size: int, taken: NDArray[np.int32]) -> int:
    """Fill up the part without the item to k rows: those of least utility that could still cut."""
    rest = chain.rest
    if lacking:  # the part without was taken out: holders join it
        pool = np.flatnonzero(rest).astype(np.int32)
        short = k - size
    else:
        pool = taken[:size].copy()
        short = k - (chain.state[LEFT] - size)
    order = np.argsort(_cut_utility(chain, pool), kind="mergesort")[:short]
    for at in order:
        rest[pool[at]] = 0 if lacking else 1
    if lacking:
        taken[size : size + short] = pool[order]
        size += short
        taken[:size] = np.sort(taken[:size])
        return size
    left = 0
    for row in pool:
        if not rest[row]:
            taken[left] = row
            left += 1
    return left


@compiled
def _cut_utility(chain: Chain, rows: NDArray[np.int32]) -> NDArray[np.float64]:
    """The utility of the items a row holds that may still cut the rest."""
    node = chain.node
    weight = np.zeros(len(node.worth))
    whole = 0.0
    for item in chain.live[: chain.state[LIVE]]:
        weight[item] = -node.worth[item] if node.lacks[item] else node.worth[item]
        whole -= min(weight[item], 0.0)
    total = np.full(len(rows), whole)
    for at in range(len(rows)):
        for place in range(node.begin[rows[at]], node.begin[rows[at] + 1]):
            total[at] += weight[node.items[place]]
    return total


@compiled
def subtract(chain: Chain, taken: NDArray[np.int32]) -> None:
    """Count out rows that were taken."""
    node, listed = chain.node, chain.listed
    for row in taken:
        for place in range(node.begin[row], node.begin[row + 1]):
            listed[node.items[place]] -= 1


@compiled
def subtract_and_count(chain: Chain, taken: NDArray[np.int32], count: NDArray[np.int64]) -> None:
    """Count out rows that were taken, and count their own items."""
    node, listed = chain.node, chain.listed
    count[:] = 0
    for row in taken:
        for place in range(node.begin[row], node.begin[row + 1]):
            item = node.items[place]
            listed[item] -= 1
            count[item] += 1


@compiled
def label(ids: NDArray[np.int32], taken: NDArray[np.int32], group: NDArray[np.int32]) -> None:
    """Make rows a group, named by its first row."""
    for place in taken:
        group[ids[place]] = ids[taken[0]]


@compiled
def grow(node: Node, listed: NDArray[np.int64], rule: Rule, group: NDArray[np.int32]) -> None:
    """Cut a node with its parts until nothing may be cut, and label the groups."""
    chain = chain_of(node, lists_of(node, listed), listed)
    taken = np.empty(len(node.ids), np.int32)
    count = np.empty(len(listed), np.int64)
    while True:
        size = take_part(chain, rule, taken)
        if size == 0:
            break
        own = taken[:size]
        if size < 2 * rule.k:
            subtract(chain, own)
            label(node.ids, own, group)
            continue
        subtract_and_count(chain, own, count)
        part, part_listed = part_of(node, own, count, rule.k, rule.least)
        if len(part_listed) == 0:
            label(node.ids, own, group)
        else:
            grow(part, part_listed, rule, group)
    label(node.ids, np.flatnonzero(chain.rest).astype(np.int32), group)


@compiled
def grow_parts(
    node: Node,
    taken: NDArray[np.int32],
    bounds: NDArray[np.int64],
    rule: Rule,
    group: NDArray[np.int32],
) -> None:
    """Cut parts of a node, part p being the rows taken[bounds[p] : bounds[p + 1]]."""
    count = np.empty(len(node.worth), np.int64)
    for at in range(len(bounds) - 1):
        own = taken[bounds[at] : bounds[at + 1]]
        count_rows(node, own, count)
        part, listed = part_of(node, own, count, rule.k, rule.least)
        if len(listed) == 0:
            label(node.ids, own, group)
        else:
            grow(part, listed, rule, group)


@compiled
def count_rows(node: Node, taken: NDArray[np.int32], count: NDArray[np.int64]) -> None:
    """Count the items of some rows."""
    count[:] = 0
    for row in taken:
        for place in range(node.begin[row], node.begin[row + 1]):
            count[node.items[place]] += 1


@compiled
def next_parts(
    chain: Chain, rule: Rule, taken: NDArray[np.int32], enough: int, group: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Take out parts of a large node until they hold `enough` rows: their bounds in `taken`.

    Parts too small to be cut are labelled at once. Fewer rows than `enough` means that the chain
    has ended, and that the rest was labelled as well.
    """
    bounds = [np.int64(0)]
    while bounds[-1] < enough:
        size = take_part(chain, rule, taken[bounds[-1] :])
        if size == 0:
            label(chain.node.ids, np.flatnonzero(chain.rest).astype(np.int32), group)
            break
        own = taken[bounds[-1] : bounds[-1] + size]
        subtract(chain, own)
        if size < 2 * rule.k:
            label(chain.node.ids, own, group)
        else:
            bounds.append(bounds[-1] + size)
    return np.array(bounds)


@compiled
def number_groups(group: NDArray[np.int32]) -> int:
    """Number groups named by their first row, in the order of those rows; returns how many."""
    groups = 0
    for row in range(len(group)):
        if group[row] == row:
            group[row] = groups
            groups += 1
        else:
            group[row] = group[group[row]]
    return groups
