"""Placing planted nodes one after the other: many partial placements side by side, the best kept.

A placement's score is a sum over its pairs and its nodes. A pair counts `chance[wanted, there]`,
wanted and there being whether the planted nodes know each other, and whether an edge is published.
A node counts `fit[position, degree]`, degree being its published one.
"""

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
SWEEPS = 20


@compiled
def extend(
    indptr: Ints,
    targets: Nodes,
    beam: Nodes,
    scores: Floats,
    wanted: np.uint64,
    chance: Floats,
    fit: Floats,
    keep: int,
) -> tuple[Nodes, Floats]:
    """The best `keep` placements with one more node, best first; O(neighbours of all placements).

    `wanted` has bit j set where the new position knows the j-th placed one; at least half of these
    edges must be there, and one. `beam` is ordered best first, so that the search ends where no
    later placement can get in.
    """
    many, level = beam.shape
    known = np.zeros(len(indptr) - 1, np.uint64)
    touched = np.empty(len(indptr) - 1, np.int32)
    room = 4 * keep
    origin, node, score = np.empty(room, np.int64), np.empty(room, np.int32), np.empty(room)
    asked = np.int64(ones(wanted))
    nothing = asked * chance[1, 0] + (level - asked) * chance[0, 0]
    hit, stray = chance[1, 1] - chance[1, 0], chance[0, 1] - chance[0, 0]
    most = nothing + asked * max(hit, 0.0) + (level - asked) * max(stray, 0.0) + fit.max()
    filled, floor = 0, -np.inf
    for place in range(many):
        if scores[place] + most <= floor:
            break
        reached = _reach(indptr, targets, beam[place], wanted, known, touched)
        for at in range(reached):
            new = touched[at]
            word = known[new]
            known[new] = np.uint64(0)
            there = np.int64(ones(word & wanted))
            if 2 * there < asked:
                continue
            extra = np.int64(ones(word)) - there
            degree = indptr[new + 1] - indptr[new]
            total = scores[place] + nothing + there * hit + extra * stray + fit[degree]
            if total <= floor or _stands(beam[place], new):
                continue
            origin[filled], node[filled], score[filled] = place, new, total
            filled += 1
            if filled == room:
                floor, filled = _squeeze(origin, node, score, keep)
    return _grown(beam, origin[:filled], node[:filled], score[:filled], keep)


@lean
def _reach(
    indptr: Ints, targets: Nodes, placed: Nodes, wanted: np.uint64, known: Words, touched: Nodes
) -> int:
    """Nodes that know a wanted placed one, and for each of them which placed ones it knows."""
    reached = 0
    for j in range(len(placed)):
        if wanted >> np.uint64(j) & ONE:
            for at in range(indptr[placed[j]], indptr[placed[j] + 1]):
                other = targets[at]
                if known[other] == 0:
                    touched[reached] = other
                    reached += 1
                known[other] |= ONE << np.uint64(j)
    for j in range(len(placed)):
        if not wanted >> np.uint64(j) & ONE:
            for at in range(indptr[placed[j]], indptr[placed[j] + 1]):
                other = targets[at]
                if known[other] != 0:
                    known[other] |= ONE << np.uint64(j)
    return reached


@lean
def _stands(placed: Nodes, node: int) -> bool:
    for other in placed:  # noqa: SIM110
        if other == node:
            return True
    return False


@compiled
def _squeeze(origin: Ints, node: Nodes, score: Floats, keep: int) -> tuple[float, int]:
    """Keep the best of a full store; returns the score to beat, and how many are left."""
    floor = np.partition(score, len(score) - keep)[len(score) - keep]
    equal = keep - np.sum(score > floor)
    left = 0
    for at in range(len(score)):
        if score[at] == floor:
            equal -= 1
        if score[at] > floor or (score[at] == floor and equal >= 0):
            origin[left], node[left], score[left] = origin[at], node[at], score[at]
            left += 1
    return floor, left


@compiled
def _grown(
    beam: Nodes, origin: Ints, node: Nodes, score: Floats, keep: int
) -> tuple[Nodes, Floats]:
    level = beam.shape[1]
    best = np.argsort(-score)[:keep]
    grown = np.empty((len(best), level + 1), np.int32)
    for at in range(len(best)):
        grown[at, :level] = beam[origin[best[at]]]
        grown[at, level] = node[best[at]]
    return grown, score[best]


@compiled
def refine(
    indptr: Ints, targets: Nodes, placed: Nodes, inside: Words, chance: Floats, fit: Floats
) -> tuple[Nodes, float]:
    """Move one node after the other to its best place given all others, until none moves.

    Returns the placement and its score. `inside[i]` has bit j set where positions i and j know
    each other; `fit` has a row a position.
    """
    placed = placed.copy()
    size = len(placed)
    known = np.zeros(len(indptr) - 1, np.uint64)
    touched = np.empty(len(indptr) - 1, np.int32)
    every = ~np.uint64(0)
    for _ in range(SWEEPS):
        moved = False
        for i in range(size):
            reached = _reach(indptr, targets, placed, every, known, touched)
            best = _worth(indptr, i, known[placed[i]], placed[i], inside, chance, fit)
            choice = placed[i]
            for at in range(reached):
                new = touched[at]
                value = _worth(indptr, i, known[new], new, inside, chance, fit)
                if value > best + 1e-9 and not _stands(placed, new):
                    best, choice = value, new
            for at in range(reached):
                known[touched[at]] = np.uint64(0)
            moved = moved or choice != placed[i]
            placed[i] = choice
        if not moved:
            break
    return placed, _whole(indptr, targets, placed, inside, chance, fit)


@lean
def _worth(
    indptr: Ints,
    position: int,
    word: np.uint64,
    node: int,
    inside: Words,
    chance: Floats,
    fit: Floats,
) -> float:
    """What a node at a position adds to the score; `word` says which placed ones it knows."""
    others = ((ONE << np.uint64(len(inside))) - ONE) & ~(ONE << np.uint64(position))
    if len(inside) == 64:
        others = ~(ONE << np.uint64(position))
    wanted = inside[position] & others
    free = others & ~wanted
    there, extra = np.int64(ones(word & wanted)), np.int64(ones(word & free))
    absent, right = np.int64(ones(wanted)) - there, np.int64(ones(free)) - extra
    edges = there * chance[1, 1] + absent * chance[1, 0]
    gaps = extra * chance[0, 1] + right * chance[0, 0]
    found: float = edges + gaps + fit[position, indptr[node + 1] - indptr[node]]
    return found


@compiled
def _whole(
    indptr: Ints, targets: Nodes, placed: Nodes, inside: Words, chance: Floats, fit: Floats
) -> float:
    """The score of a full placement."""
    total = 0.0
    for i in range(len(placed)):
        total += fit[i, indptr[placed[i] + 1] - indptr[placed[i]]]
        row = targets[indptr[placed[i]] : indptr[placed[i] + 1]]
        for j in range(i):
            at = np.searchsorted(row, placed[j])
            there = at < len(row) and row[at] == placed[j]
            total += chance[np.int64(inside[i] >> np.uint64(j) & ONE), np.int64(there)]
    return total
