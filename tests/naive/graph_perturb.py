"""Random edge perturbation, pair by pair."""

from __future__ import annotations

import numpy as np

from sfumato.data.graph import Graph
from sfumato.releases.edge_law import EdgeLaw


def perturbed(graph: Graph, law: EdgeLaw, rng: np.random.Generator) -> Graph:
    """Every edge disappears with probability `delete`; new ones are drawn until all are there."""
    u, v = (ends.astype(np.int64) for ends in graph.upper)
    here = u * graph.nodes + v
    kept = here[rng.random(len(here)) >= law.delete]
    wanted = rng.binomial(graph.pairs - graph.edges, law.add)
    new = np.zeros(0, np.int64)
    while len(new) < wanted:
        one, two = np.sort(rng.integers(0, graph.nodes, (2, 2 * (wanted - len(new)) + 8)), axis=0)
        drawn = (one * graph.nodes + two)[one < two]
        new = np.concatenate([new, np.setdiff1d(drawn, np.concatenate([here, new]))])
        new = rng.permutation(np.unique(new))
    both = np.concatenate([kept, new[:wanted]])
    return Graph.of(graph.nodes, both // graph.nodes, both % graph.nodes)
