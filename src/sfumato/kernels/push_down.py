"""Optimal generalization: push as many values down the tree as the target's ratios allow.

Algorithm MinSumOfRange (Koudas, Srivastava, Yu, Zhang, VLDB 2009) by maximum allocation, with the
readings of zero weights and common factors that make it right.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.edge_weights import doubled
from sfumato.kernels.tree import Case, Runs, Tree, Weights, cut, seek

Entries = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]


class Queue(NamedTuple):
    """Nodes that are reached, in the order of their numbers."""

    node: NDArray[np.int32]
    owed: NDArray[np.int64]  # entries at or below it
    low: NDArray[np.int64]  # where the leaves under it begin in the bucket's run
    high: NDArray[np.int64]  # their end


@inlined
def _onward(weights: Weights, begin: int, end: int, node: int) -> int:
    """Where the first node at or after a given one stands in [begin, end), most likely soon."""
    low, high, step = begin, begin, 1
    while high < end and weights.node[high] < node:
        low = high + 1
        high += step
        step *= 2
    return seek(weights, low, min(high, end), node)


@inlined
def _upto(runs: Runs, begin: int, place: int) -> Any:
    """Values of the multiset that begins at `begin` before a place."""
    return runs.upto[place - 1] if place > begin else np.int64(0)


@inlined
def _allocation(
    case: Case, begin: int, at: int, limit: int, queue: Queue, done: int, waiting: int
) -> tuple[Any, int]:
    """(c, the end of the children in the target): every child gets c times its weight.

    c is the largest such that no child gets more than lies below it, and all together no more than
    the node is owed. The children's places go to the end of the queue.
    """
    tree, runs, weights = case
    here, place = queue.node[done], queue.low[done]
    last = tree.first_child[here] + tree.children[here]
    stop, whole = at, np.int64(0)
    times = queue.owed[done]
    while stop < limit and weights.node[stop] < last:
        child, weight = weights.node[stop], weights.weight[stop]
        low = cut(runs, place, queue.high[done], tree.first[child])
        place = cut(runs, low, queue.high[done], tree.last[child] + 1)
        queue.low[waiting + stop - at], queue.high[waiting + stop - at] = low, place
        whole += weight
        times = min(times, (_upto(runs, begin, place) - _upto(runs, begin, low)) // weight)
        stop += 1
    return (min(times, queue.owed[done] // whole) if whole else np.int64(0)), stop


@inlined
def _descend(case: Case, bucket: int, target: int, queue: Queue) -> int:
    """Push one bucket down; what is owed at a node is left there. Returns how many are reached."""
    tree, runs, weights = case
    begin, end = runs.start[bucket], runs.start[bucket + 1]
    first_line, limit = weights.start[target], weights.start[target + 1]
    queue.node[0], queue.low[0], queue.high[0] = 0, begin, end
    queue.owed[0] = _upto(runs, begin, end)
    waiting, done, line = 1, 0, first_line
    while done < waiting:
        here = queue.node[done]
        if tree.children[here]:
            first = tree.first_child[here]
            behind = line > first_line and weights.node[line - 1] >= first
            line = _onward(weights, first_line if behind else line, limit, first)
            times, stop = _allocation(case, begin, line, limit, queue, done, waiting)
            if times:
                for i in range(line, stop):
                    queue.node[waiting] = weights.node[i]
                    queue.owed[waiting] = times * weights.weight[i]
                    queue.owed[done] -= queue.owed[waiting]
                    waiting += 1
            line = stop
        done += 1
    return waiting


@compiled
def push_down(tree: Tree, runs: Runs, weights: Weights, target: NDArray[np.int32]) -> Entries:
    """Entries of every bucket: (start, node, count), nodes ascending; exact targets.

    Linear in the nodes that are reached, with two binary searches for each, in the leaves that the
    bucket has under its parent.
    """
    buckets, nodes = len(runs.start) - 1, len(tree.children)
    start = np.zeros(buckets + 1, np.int64)
    node, count = np.empty(64, np.int32), np.empty(64, np.int64)
    queue = Queue(
        np.empty(nodes, np.int32),
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
    )
    size = 0
    for bucket in range(buckets):
        reached = _descend(Case(tree, runs, weights), bucket, target[bucket], queue)
        if size + reached > len(node):
            node, count = doubled(node, count, size + reached)
        for i in range(reached):
            if queue.owed[i]:
                node[size], count[size] = queue.node[i], queue.owed[i]
                size += 1
        start[bucket + 1] = size
    return start, node[:size].copy(), count[:size].copy()
