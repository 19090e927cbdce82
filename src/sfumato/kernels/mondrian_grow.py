"""Splitting a node until nothing may be split, with an explicit stack.

Both kernels split at most `limit` times: once to share out a large node, without limit otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.mondrian_best import Prices, choose_best
from sfumato.kernels.mondrian_choose import NO_CUT, Work, choose_median
from sfumato.kernels.mondrian_lend import lend_rows, lend_secret, lend_table, lent
from sfumato.kernels.mondrian_node import BEGINS, Node, Options, Rows, Secret, Table, move_rows

# The smaller part is split first, so at most log2(rows) nodes wait: 64 is room for any table.
DEPTH = 64


@inlined
def close_or_push(
    rows: Rows, node: Node, cut: tuple[int, int, int, int], stack: NDArray[np.int64], waiting: int
) -> int:
    """Make a node a group, or move its rows and put its parts on the stack, the smaller on top.

    A group's start is flagged and its row ids brought to the first buffer. Returns the new height.
    """
    side, start, end = node
    if cut[0] < 0:
        rows.flags[BEGINS, start] = 1
        if side == 1:
            for place in range(start, end):
                rows.ids[0, place] = rows.ids[1, place]
        return waiting
    move_rows(rows, node, cut[3])
    middle = start + cut[3]
    small = waiting + 1 if 2 * cut[3] < end - start else waiting
    large = 2 * waiting + 1 - small
    stack[small, 0], stack[small, 1], stack[small, 2] = 1 - side, start, middle
    stack[large, 0], stack[large, 1], stack[large, 2] = 1 - side, middle, end
    return waiting + 2


@compiled
def grow_median(
    table: Table,
    rows: Rows,
    secret: Secret | None,
    work: Work,
    options: Options,
    node: Node,
    limit: int,
) -> NDArray[np.int64]:
    """Split at medians; nodes left over by the limit: int64 (left over, 3). O(n d) a level."""
    left_over = np.empty((DEPTH, 3), dtype=np.int64)
    table, rows, secret = lend_table(table), lend_rows(rows), lend_secret(secret)
    work, stack = Work(lent(work.spread), lent(work.key), lent(work.desk)), lent(left_over)
    stack[0, 0], stack[0, 1], stack[0, 2] = node
    waiting = 1
    while waiting > 0 and limit > 0:
        waiting -= 1
        limit -= 1
        node = (stack[waiting, 0], stack[waiting, 1], stack[waiting, 2])
        cut = NO_CUT
        if node[2] - node[1] >= 2 * options.k:
            cut = choose_median(table, rows, secret, work, options, node)
        waiting = close_or_push(rows, node, cut, stack, waiting)
    return left_over[:waiting]


@compiled
def grow_best(
    table: Table,
    rows: Rows,
    secret: Secret | None,
    work: Work,
    prices: Prices,
    k: int,
    node: Node,
    limit: int,
) -> NDArray[np.int64]:
    """Split by best cuts; nodes left over by the limit: int64 (left over, 3). O(n d^2) a level."""
    left_over = np.empty((DEPTH, 3), dtype=np.int64)
    table, rows, secret = lend_table(table), lend_rows(rows), lend_secret(secret)
    work, stack = Work(lent(work.spread), lent(work.key), lent(work.desk)), lent(left_over)
    prices = Prices(lent(prices.by_row), lent(prices.loss), lent(prices.codes))
    stack[0, 0], stack[0, 1], stack[0, 2] = node
    waiting = 1
    while waiting > 0 and limit > 0:
        waiting -= 1
        limit -= 1
        node = (stack[waiting, 0], stack[waiting, 1], stack[waiting, 2])
        cut = NO_CUT
        if node[2] - node[1] >= 2 * k:
            cut = choose_best(table, rows, secret, work, prices, k, node)
        waiting = close_or_push(rows, node, cut, stack, waiting)
    return left_over[:waiting]
