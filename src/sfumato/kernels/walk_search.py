"""A path of nodes with given degrees and given edges among them: a search in depth.

At level i stands a node for planted node i. It must be a neighbour of the node before, of a degree
from `lowest[i]` to `highest[i]`, not on the path already, and the pairs with all nodes before must
be connected as `inside` says, but for `errors` pairs on the whole path.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import ones
from sfumato.kernels.compiled import compiled, lean

Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]
Words = NDArray[np.uint64]
ONE = np.uint64(1)


@compiled
def find_path(
    indptr: Ints, targets: Nodes, lowest: Ints, highest: Ints, inside: Words, errors: int, cap: int
) -> tuple[Nodes, int]:
    """The first full path, empty if there is none, and how many nodes were looked at.

    `inside[i]` has bit j set where planted nodes i and j know each other; up to 64 of them. What
    the nodes of the path know is kept as one word a node, so that checking a node against the
    whole path is one operation. The search ends after `cap` nodes looked at.
    """
    size = len(lowest)
    known = np.zeros(len(indptr) - 1, np.uint64)
    path, place = np.zeros(size, np.int32), np.zeros(size, np.int64)
    spent = np.zeros(size + 1, np.int64)
    looked = 0
    for start in range(len(indptr) - 1):
        looked += 1
        if not lowest[0] <= indptr[start + 1] - indptr[start] <= highest[0]:
            continue
        level = 1
        path[0], place[0] = start, indptr[start]
        _mark(indptr, targets, known, start, ONE)
        while level > 0:
            if level == size:
                return path, looked
            if looked >= cap:
                return path[:0], looked
            last = path[level - 1]
            if place[level - 1] == indptr[last + 1]:
                level -= 1
                _mark(indptr, targets, known, last, ONE << np.uint64(level))
                continue
            node = targets[place[level - 1]]
            place[level - 1] += 1
            looked += 1
            if not lowest[level] <= indptr[node + 1] - indptr[node] <= highest[level]:
                continue
            below = (ONE << np.uint64(level)) - ONE
            wrong = spent[level] + np.int64(ones((known[node] ^ inside[level]) & below))
            if wrong > errors or _is_on(path, level, node):
                continue
            path[level], place[level], spent[level + 1] = node, indptr[node], wrong
            _mark(indptr, targets, known, node, ONE << np.uint64(level))
            level += 1
    return path[:0], looked


@lean
def _mark(indptr: Ints, targets: Nodes, known: Words, node: int, bit: np.uint64) -> None:
    """Tell or untell all neighbours that they know the node of this level."""
    for place in range(indptr[node], indptr[node + 1]):
        known[targets[place]] ^= bit


@lean
def _is_on(path: Nodes, level: int, node: int) -> bool:
    for before in range(level):  # noqa: SIM110
        if path[before] == node:
            return True
    return False
