"""A tree over leaves 0, 1, ..., as kernels see it, and how much lies below its nodes.

Node 0 is the root; the children of a node have consecutive numbers, larger than its own. A multiset
of leaves is kept as runs: the leaves that occur, ascending, and how many values lie at or before
each. What lies below a node then takes two binary searches, whatever the size of the tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined


class Tree(NamedTuple):
    """A tree of runs of leaves."""

    first_child: NDArray[np.int32]  # (nodes,)
    children: NDArray[np.int32]  # (nodes,) 0 for a leaf
    first: NDArray[np.int64]  # (nodes,) first leaf under a node
    last: NDArray[np.int64]  # (nodes,) last leaf under a node
    cost: NDArray[np.float64]  # (nodes,) what an entry at the node costs


class Runs(NamedTuple):
    """Multisets of leaves, one after another."""

    start: NDArray[np.int64]  # (multisets + 1,) where each begins
    leaf: NDArray[np.int32]  # the leaves of each, ascending
    upto: NDArray[np.int64]  # values of the multiset at or before the leaf


class Weights(NamedTuple):
    """Targets as weights of nodes among their siblings; nodes ascend inside a target."""

    start: NDArray[np.int64]  # (targets + 1,)
    node: NDArray[np.int32]
    weight: NDArray[np.int64]


class Case(NamedTuple):
    """A tree, the values of buckets, and the targets that they follow."""

    tree: Tree
    runs: Runs
    weights: Weights


@inlined
def cut(runs: Runs, begin: int, end: int, leaf: int) -> int:
    """The first place in [begin, end) of a leaf at or after a given one."""
    low, high = begin, end
    while low < high:
        middle = (low + high) >> 1
        if runs.leaf[middle] < leaf:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def before(runs: Runs, begin: int, end: int, leaf: int) -> Any:
    """Values of the multiset [begin, end) that lie before a leaf."""
    low = cut(runs, begin, end, leaf)
    return runs.upto[low - 1] if low > begin else np.int64(0)


@inlined
def below(tree: Tree, runs: Runs, begin: int, end: int, node: int) -> Any:
    """Values of the multiset [begin, end) under a node."""
    upto = before(runs, begin, end, tree.last[node] + 1)
    return upto - before(runs, begin, end, tree.first[node])


@inlined
def seek(weights: Weights, begin: int, end: int, node: int) -> int:
    """Where the first node at or after a given one stands in the target [begin, end)."""
    low, high = begin, end
    while low < high:
        middle = (low + high) >> 1
        if weights.node[middle] < node:
            low = middle + 1
        else:
            high = middle
    return low
