"""From masses of leaves to coprime weights of siblings, exact or rounded to small sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.tree import Runs, Tree, Weights, below

Lines = tuple[NDArray[np.int32], NDArray[np.int64]]


@inlined
def _common(one: int, other: int) -> int:
    """Greatest common divisor."""
    while other:
        one, other = other, one % other
    return one


@inlined
def _reduce(mass: NDArray[np.int64], weight: NDArray[np.int64], size: int) -> None:
    """Divide masses by what they have in common."""
    common: Any = np.int64(0)
    for i in range(size):
        common = _common(mass[i], common)
    for i in range(size):
        weight[i] = mass[i] // max(common, 1)


@inlined
def _deal(mass: NDArray[np.int64], weight: NDArray[np.int64], size: int, total: int) -> float:
    """Deal `total` units out by mass, one at least wherever there is mass; returns how far the
    worst share is off."""
    whole, given = 0.0, 0
    for i in range(size):
        whole += mass[i]
    for i in range(size):
        weight[i] = max(np.int64(mass[i] > 0), np.int64(mass[i] * total / whole))
        given += weight[i]
    while given != total:
        best, at = -np.inf, 0
        for i in range(size):
            lack = mass[i] * total / whole - weight[i]
            worth = lack if given < total else -lack
            if worth > best and mass[i] > 0 and (given < total or weight[i] > 1):
                best, at = worth, i
        if best == -np.inf:
            return np.inf
        step = 1 if given < total else -1
        weight[at] += step
        given += step
    worst = 0.0
    for i in range(size):
        worst = max(worst, abs(weight[i] / total - mass[i] / whole))
    return worst


@inlined
def _round(mass: NDArray[np.int64], weight: NDArray[np.int64], size: int, most: int) -> None:
    """The weights of least sum, at most `most`, whose shares come nearest to those of the mass."""
    kinds = 0
    for i in range(size):
        kinds += mass[i] > 0
    best, chosen = np.inf, max(kinds, 1)
    for total in range(max(kinds, 1), max(most, kinds) + 1):
        worst = _deal(mass, weight, size, total)
        if worst < best - 1e-12:
            best, chosen = worst, total
    _deal(mass, weight, size, chosen)


@compiled
def edge_weights(tree: Tree, masses: Runs, most: int) -> Weights:
    """Weights of all nodes of positive mass, target by target.

    `most` bounds the sum of the weights of siblings; 0 keeps the exact ratios. Linear in the nodes
    that have mass, times `most` where they are rounded.
    """
    targets = len(masses.start) - 1
    start = np.zeros(targets + 1, np.int64)
    node, weight = np.empty(64, np.int32), np.empty(64, np.int64)
    queue = np.empty(len(tree.children), np.int32)
    widest = max(1, tree.children.max())
    mass, found = np.empty(widest, np.int64), np.empty(widest, np.int64)
    size = 0
    for target in range(targets):
        begin, end = masses.start[target], masses.start[target + 1]
        queue[0] = 0
        waiting, done = 1, 0
        while done < waiting:
            here = queue[done]
            done += 1
            many, first = tree.children[here], tree.first_child[here]
            for i in range(many):
                mass[i] = below(tree, masses, begin, end, first + i)
            if most:
                _round(mass, found, many, most)
            else:
                _reduce(mass, found, many)
            if size + many > len(node):
                node, weight = doubled(node, weight, size + many)
            for i in range(many):
                if found[i]:
                    node[size], weight[size] = first + i, found[i]
                    size += 1
                    queue[waiting] = first + i
                    waiting += 1
        start[target + 1] = size
    return Weights(start, node[:size].copy(), weight[:size].copy())


@compiled
def doubled(one: NDArray[Any], other: NDArray[Any], least: int) -> tuple[Any, Any]:
    """The same arrays with room for more."""
    room = max(2 * len(one), least)
    more_one, more_other = np.empty(room, one.dtype), np.empty(room, other.dtype)
    more_one[: len(one)] = one
    more_other[: len(other)] = other
    return more_one, more_other
