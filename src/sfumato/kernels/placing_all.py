"""Every placement of planted nodes, weighed: for graphs so small that all can be gone through."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import ones
from sfumato.kernels.compiled import compiled, lean

Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]
Words = NDArray[np.uint64]
Floats = NDArray[np.float64]
ONE = np.uint64(1)


@compiled
def weigh_all(
    indptr: Ints, targets: Nodes, inside: Words, chance: Floats, fit: Floats, top: float
) -> tuple[Nodes, float, float]:
    """(best placement, its score, sum over all placements of exp(score - top)).

    The score of a placement is the sum of `chance[wanted, there]` over its pairs and of
    `fit[position, degree]` over its nodes; `top` is at least the highest there can be. O(1) a
    placement: nodes to the power of planted ones in all.
    """
    size, nodes = len(inside), len(indptr) - 1
    known = np.zeros(nodes, np.uint64)
    path, score = np.full(size, -1, np.int32), np.zeros(size + 1)
    best, highest, total = np.zeros(size, np.int32), -np.inf, 0.0
    level = 0
    while level >= 0:
        if path[level] >= 0:
            _mark(indptr, targets, known, path[level], ONE << np.uint64(level))
        path[level] = _next_free(path, level, nodes)
        if path[level] < 0:
            level -= 1
            continue
        word = known[path[level]]
        degree = indptr[path[level] + 1] - indptr[path[level]]
        worth = _value(word, inside[level], level, chance) + fit[level, degree]
        score[level + 1] = score[level] + worth
        _mark(indptr, targets, known, path[level], ONE << np.uint64(level))
        if level < size - 1:
            level += 1
            continue
        total += np.exp(score[size] - top)
        if score[size] > highest:
            highest = score[size]
            best[:] = path
    return best, highest, total


@lean
def _next_free(path: Nodes, level: int, nodes: int) -> int:
    """The next node for a level that stands at no earlier one, -1 after the last."""
    for node in range(path[level] + 1, nodes):
        free = True
        for before in range(level):
            free = free and path[before] != node
        if free:
            return node
    return -1


@lean
def _value(word: np.uint64, inside: np.uint64, level: int, chance: Floats) -> float:
    """The pairs of one node with those before it."""
    below = (ONE << np.uint64(level)) - ONE
    wanted, free = inside & below, ~inside & below
    there, extra = np.int64(ones(word & wanted)), np.int64(ones(word & free))
    absent, right = np.int64(ones(wanted)) - there, np.int64(ones(free)) - extra
    edges = there * chance[1, 1] + absent * chance[1, 0]
    found: float = edges + extra * chance[0, 1] + right * chance[0, 0]
    return found


@lean
def _mark(indptr: Ints, targets: Nodes, known: Words, node: int, bit: np.uint64) -> None:
    """Tell or untell all neighbours that they know the node of this level."""
    for place in range(indptr[node], indptr[node + 1]):
        known[targets[place]] ^= bit
