"""Random edge perturbation, slow and obvious: every pair of nodes is drawn by itself."""

from __future__ import annotations

import numpy as np

from sfumato.data.graph import Graph
from sfumato.releases.edge_law import EdgeLaw


def perturbed(graph: Graph, law: EdgeLaw, rng: np.random.Generator) -> Graph:
    """The graph with every edge lost by `law.delete`, every other pair joined by `law.add`."""
    u, v = graph.upper
    kept = rng.random(len(u)) >= law.delete
    present = u.astype(np.int64) * graph.nodes + v
    count = rng.binomial(graph.pairs, law.add)
    drawn: set[int] = set()
    while len(drawn) < count:
        pairs = rng.integers(0, max(graph.nodes, 1), (count - len(drawn), 2))
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        drawn.update((low * graph.nodes + high)[low < high].tolist())
    added = np.setdiff1d(np.array(sorted(drawn), np.int64), present)
    keys = np.concatenate([present[kept], added])
    return Graph.of(graph.nodes, keys // max(graph.nodes, 1), keys % max(graph.nodes, 1))
