"""A published graph perturbed once more, for an estimate; and edges as single numbers.

What is drawn here is not published, so that a statistical generator will do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.releases.edge_law import EdgeLaw

Keys = NDArray[np.int64]


def both(first: EdgeLaw, second: EdgeLaw) -> EdgeLaw:
    """The law of one perturbation after the other."""
    kept = (1 - first.delete) * (1 - second.delete) + first.delete * second.add
    return EdgeLaw(1 - kept, first.add * (1 - second.delete) + (1 - first.add) * second.add)


def flipped(graph: Graph, law: EdgeLaw, run: Run) -> Graph:
    """A graph perturbed for an estimate: nobody gets to see it. O(edges + flips)."""
    rng = run.rng("flipped")
    keys = keys_of(graph)
    kept = keys[rng.random(len(keys)) >= law.delete]
    drawn = _some_pairs(graph.nodes, int(rng.binomial(graph.pairs, law.add)), rng)
    added = drawn[~within(drawn, keys)]
    return of_keys(graph.nodes, np.concatenate([kept, added]))


def keys_of(graph: Graph) -> Keys:
    """Every edge as one number, ascending."""
    u, v = graph.upper
    return u.astype(np.int64) * graph.nodes + v


def of_keys(nodes: int, keys: Keys) -> Graph:
    """The graph of some edges, in any order."""
    return Graph.of(nodes, keys // max(nodes, 1), keys % max(nodes, 1))


def within(some: Keys, ascending: Keys) -> NDArray[np.bool_]:
    """Which numbers are listed."""
    if not len(ascending):
        return np.zeros(len(some), np.bool_)
    place = np.minimum(np.searchsorted(ascending, some), len(ascending) - 1)
    return np.asarray(ascending[place] == some)


def _some_pairs(nodes: int, count: int, rng: np.random.Generator) -> Keys:
    """So many different pairs, all alike likely: what is drawn first of what is drawn again."""
    drawn = np.empty(0, np.int64)
    while len(drawn) < count:
        one, two = rng.integers(0, nodes, (2, count - len(drawn) + 8))
        more = (np.minimum(one, two) * nodes + np.maximum(one, two))[one != two]
        together = np.concatenate([drawn, more])
        drawn = together[np.sort(np.unique(together, return_index=True)[1])]
    return drawn[:count]
