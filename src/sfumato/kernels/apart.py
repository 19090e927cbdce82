"""How far a distribution that entries imply is from its target, along the order of the leaves.

Under a node without entries below it the implied distribution is the target's, scaled. So what
entries imply is known from the nodes at which a walk ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.tree import Tree, Weights, seek


class Ground(NamedTuple):
    """How distance is measured: in total variation, or by the earth mover along the leaves.

    `reach` is the largest distance between two values under a node: 1 for total variation.
    """

    ordered: bool
    reach: NDArray[np.float64]  # (nodes,)
    mass: NDArray[np.float64]  # (leaves,) of the target, if ordered
    lead: NDArray[np.float64]  # (leaves,) implied less asked, while it is being gathered


@compiled
def ground_of(tree: Tree, ordered: bool) -> Ground:
    """Room to measure distances over a tree."""
    reach = np.ones(len(tree.children))
    leaves = tree.last[0] + 1
    if ordered:
        for node in range(len(reach)):
            reach[node] = (tree.last[node] - tree.first[node]) / max(leaves - 1, 1)
    return Ground(ordered, reach, np.zeros(leaves), np.zeros(leaves))


@compiled
def aim(ground: Ground, tree: Tree, weights: Weights, target: int) -> None:
    """Take the masses of a target's leaves. Linear in the nodes."""
    mass = np.zeros(len(tree.children))
    mass[0] = 1.0
    limit = weights.start[target + 1]
    ground.mass[:] = 0.0
    for node in range(len(mass)):
        if tree.children[node] == 0:
            ground.mass[tree.first[node]] += mass[node]
            continue
        first = tree.first_child[node]
        line = seek(weights, weights.start[target], limit, first)
        stop, whole = line, 0.0
        while stop < limit and weights.node[stop] < first + tree.children[node]:
            whole += weights.weight[stop]
            stop += 1
        for i in range(line, stop):
            mass[weights.node[i]] = mass[node] * weights.weight[i] / whole


@inlined
def clear(ground: Ground) -> None:
    """Nothing is implied yet."""
    for leaf in range(len(ground.mass)):
        ground.lead[leaf] = -ground.mass[leaf]


@inlined
def end_at(ground: Ground, tree: Tree, node: int, factor: float) -> None:
    """A node under which the implied distribution is the target's, times a factor."""
    for leaf in range(tree.first[node], tree.last[node] + 1):
        ground.lead[leaf] += ground.mass[leaf] * factor


@inlined
def moved(ground: Ground) -> float:
    """The earth mover's distance, once every end is known."""
    total, ahead = 0.0, 0.0
    for leaf in range(len(ground.lead) - 1):
        ahead += ground.lead[leaf]
        total += abs(ahead)
    return total / max(1, len(ground.lead) - 1)


@compiled
def target_mass(tree: Tree, weights: Weights, target: int) -> NDArray[np.float64]:
    """The masses of a target's leaves, (leaves,)."""
    ground = ground_of(tree, True)
    aim(ground, tree, weights, target)
    return ground.mass
