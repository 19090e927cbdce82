"""Optimal generalization: push as many values down the tree as the target's ratios allow.

Algorithm MinSumOfRange (Koudas, Srivastava, Yu, Zhang, VLDB 2009) by maximum allocation, with the
readings of zero weights and common factors that make it right.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.edge_weights import doubled
from sfumato.kernels.tree import Runs, Tree, Weights, below, seek

Entries = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]


@inlined
def allocation(
    tree: Tree, runs: Runs, bucket: int, weights: Weights, target: int, node: int, most: int
) -> tuple[Any, int, int]:
    """(c, where the children stand in the target, their end): every child gets c times its weight.

    c is the largest such that no child gets more than lies below it, and all together `most`.
    """
    begin, end = runs.start[bucket], runs.start[bucket + 1]
    first = tree.first_child[node]
    at = seek(weights, weights.start[target], weights.start[target + 1], first)
    stop, whole = at, np.int64(0)
    times = np.int64(most)
    while stop < weights.start[target + 1] and weights.node[stop] < first + tree.children[node]:
        weight = weights.weight[stop]
        whole += weight
        times = min(times, below(tree, runs, begin, end, weights.node[stop]) // weight)
        stop += 1
    return (min(times, most // whole) if whole else np.int64(0)), at, stop


@compiled
def push_down(tree: Tree, runs: Runs, weights: Weights, target: NDArray[np.int32]) -> Entries:
    """Entries of every bucket: (start, node, count), nodes ascending; exact targets.

    Linear in the nodes that are reached, with two binary searches in the bucket's leaves for each.
    """
    buckets = len(runs.start) - 1
    start = np.zeros(buckets + 1, np.int64)
    node, count = np.empty(64, np.int32), np.empty(64, np.int64)
    queue = np.empty(len(tree.children), np.int32)
    owed = np.empty(len(tree.children), np.int64)
    size = 0
    for bucket in range(buckets):
        begin, end = runs.start[bucket], runs.start[bucket + 1]
        queue[0], owed[0] = 0, runs.upto[end - 1] if end > begin else 0
        waiting, done = 1, 0
        while done < waiting:
            here, left = queue[done], owed[done]
            done += 1
            if tree.children[here]:
                times, at, stop = allocation(
                    tree, runs, bucket, weights, target[bucket], here, left
                )
                if times:
                    for i in range(at, stop):
                        queue[waiting] = weights.node[i]
                        owed[waiting] = times * weights.weight[i]
                        left -= owed[waiting]
                        waiting += 1
            if left:
                if size == len(node):
                    node, count = doubled(node, count, size + 1)
                node[size], count[size] = here, left
                size += 1
        start[bucket + 1] = size
    return start, node[:size].copy(), count[:size].copy()
