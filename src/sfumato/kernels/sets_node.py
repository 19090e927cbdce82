"""A node of Mondrian for sets: rows of the items that may still cut it, and who holds each.

An item may cut a node as long as k rows hold it and k do not. Both numbers only fall from a node
to its parts, so an item that cannot cut now never will: nodes forget it. An item that more than
half of a node holds is stored the other way about, by the rows that lack it. Thus no part that is
taken out is larger than half of its node, and no path is longer than log2(rows).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

BLOCK_BITS = 16  # places in a block fit 16 bits; a block's lists stay in the cache
BLOCK = 1 << BLOCK_BITS
GONE = -1  # an item that a node forgot; -2 - item is one stored the other way about


class Node(NamedTuple):
    """Rows of local items; local numbers ascend as the items do."""

    ids: NDArray[np.int32]  # (rows,) which row of the data, ascending
    begin: NDArray[np.int64]  # (rows + 1,)
    items: NDArray[Any]  # stored items of row r: items[begin[r] : begin[r + 1]], in no order
    worth: NDArray[np.float64]  # (local items,) utility
    lacks: NDArray[np.uint8]  # (local items,) 1 where the rows listed are those that lack it


class Lists(NamedTuple):
    """Who is listed for an item, by blocks of rows."""

    start: NDArray[np.int64]  # (blocks * local items + 1,)
    place: NDArray[np.uint16]  # row - block * BLOCK


@compiled
def part_of(
    node: Node, taken: NDArray[np.int32], count: NDArray[np.int64], k: int, least: int
) -> tuple[Node, NDArray[np.int64]]:
    """The node of some of a node's rows, and how many rows are listed for each of its items.

    taken: int32 (rows,) ascending places in the node; count: int64 (items of the node,) how often
    they list each item. A part without items cannot be cut,
    and its rows are not written. O(items of the rows taken).
    """
    rows = len(taken)
    to = np.empty(len(count), np.int64)
    kept = _number(node, count, (rows, k, least), to)
    worth, lacks = np.empty(kept, np.float64), np.empty(kept, np.uint8)
    listed, turned = np.empty(kept, np.int64), np.empty(kept, np.int64)
    total = turns = 0
    for item in range(len(count)):
        if to[item] != GONE:
            local, turn = to[item], to[item] < GONE
            if turn:
                local = -2 - local
                turned[turns] = local
                turns += 1
            worth[local], lacks[local] = node.worth[item], node.lacks[item] ^ np.uint8(turn)
            listed[local] = rows - count[item] if turn else count[item]
            total += listed[local]
    ids, begin = np.empty(rows, np.int32), np.empty(rows + 1, np.int64)
    part = Node(ids, begin, np.empty(total, node.items.dtype), worth, lacks)
    if kept > 0:
        _copy(node, taken, to, turned[:turns], part)
    return part, listed


@compiled
def _number(
    node: Node, count: NDArray[np.int64], bounds: tuple[int, int, int], to: NDArray[np.int64]
) -> int:
    """Number the items that may cut a part of (rows, k, least): GONE, number or -2 - number."""
    rows, k, least = bounds
    kept = 0
    for item in range(len(count)):
        listed = count[item]
        holders = rows - listed if node.lacks[item] else listed
        to[item] = GONE
        if holders >= k and rows - holders >= least:
            to[item] = -2 - kept if 2 * listed > rows else kept
            kept += 1
    return kept


@compiled
def _copy(
    node: Node,
    taken: NDArray[np.int32],
    to: NDArray[np.int64],
    turned: NDArray[np.int64],
    part: Node,
) -> None:
    """Write the rows of a part; an item stored the other way about is written where it is not."""
    seen = np.full(len(part.worth), -1, np.int64) if len(turned) else turned
    at = 0
    for row in range(len(taken)):
        source = taken[row]
        part.ids[row], part.begin[row] = node.ids[source], at
        for place in range(node.begin[source], node.begin[source + 1]):
            local = to[node.items[place]]
            if local >= 0:
                part.items[at] = local
                at += 1
            elif local < GONE:
                seen[-2 - local] = row
        for turn in range(len(turned)):
            if seen[turned[turn]] != row:
                part.items[at] = turned[turn]
                at += 1
    part.begin[len(taken)] = at


@compiled
def count_blocks(
    begin: NDArray[np.int64], items: NDArray[Any], first: int, counts: NDArray[np.int64]
) -> None:
    """Count the items of some blocks of rows, from the block `first` on: counts (blocks, items)."""
    for block in range(len(counts)):
        row = min((first + block) << BLOCK_BITS, len(begin) - 1)
        end = min(row + BLOCK, len(begin) - 1)
        for place in range(begin[row], begin[end]):
            counts[block, items[place]] += 1


@compiled
def fill_blocks(
    begin: NDArray[np.int64],
    items: NDArray[Any],
    first: int,
    free: NDArray[np.int64],
    lists: NDArray[np.uint16],
) -> None:
    """List the rows of some blocks: free (blocks, items) says where, and is moved along."""
    for block in range(len(free)):
        row = min((first + block) << BLOCK_BITS, len(begin) - 1)
        own = free[block]
        for place in range(min(BLOCK, len(begin) - 1 - row)):
            for at in range(begin[row + place], begin[row + place + 1]):
                item = items[at]
                lists[own[item]] = place
                own[item] += 1


@compiled
def lists_of(node: Node, listed: NDArray[np.int64]) -> Lists:
    """Who is listed for each item. listed: how many, over all rows. O(items of the node)."""
    rows, items = len(node.ids), len(listed)
    blocks = (rows + BLOCK - 1) >> BLOCK_BITS
    free = np.zeros((blocks, items), np.int64)
    if blocks == 1:
        free[0] = listed
    else:
        count_blocks(node.begin, node.items, 0, free)
    start = starts(free)
    place = np.empty(start[-1], np.uint16)
    fill_blocks(node.begin, node.items, 0, free, place)
    return Lists(start, place)


@compiled
def starts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each list begins and the last one ends; `counts` becomes the same but for that end."""
    blocks, items = counts.shape
    start = np.empty(blocks * items + 1, np.int64)
    total = np.int64(0)
    for block in range(blocks):
        for item in range(items):
            start[block * items + item] = total
            total += counts[block, item]
            counts[block, item] = start[block * items + item]
    start[-1] = total
    return start
