"""Random edge perturbation, pair by pair."""

from __future__ import annotations

import numpy as np

from sfumato.data.graph import Graph
from sfumato.releases.edge_law import EdgeLaw


def perturbed(graph: Graph, law: EdgeLaw, rng: np.random.Generator) -> Graph:
    """Every pair drawn anew by itself.

    Pairs that gain an edge are drawn as so many places among all pairs, so that graphs of tens of
    thousands of nodes are possible: a binomial number of them, each set as likely as any other.
    """
    u, v = graph.upper
    edges = place_of(u.astype(np.int64), v.astype(np.int64))
    kept = edges[rng.random(len(edges)) >= law.delete]
    count = rng.binomial(graph.pairs, law.add)
    drawn = distinct(rng, graph.pairs, count)
    gained = np.setdiff1d(drawn, edges, assume_unique=True)
    return Graph.of(graph.nodes, *pair_at(np.concatenate([kept, gained])))


def distinct(rng: np.random.Generator, pairs: int, count: int) -> np.ndarray:
    """`count` different places below `pairs`."""
    if 4 * count > pairs:
        return rng.permutation(pairs)[:count]
    found = np.unique(rng.integers(0, max(pairs, 1), count))
    while len(found) < count:
        more = rng.integers(0, pairs, count - len(found))
        found = np.unique(np.concatenate([found, more]))
    return found


def place_of(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The number of a pair u < v: pairs in order of v, then u."""
    return v * (v - 1) // 2 + u


def pair_at(place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pair of a number."""
    v = ((1 + np.sqrt(1 + 8 * place.astype(float))) / 2).astype(np.int64)
    v -= v * (v - 1) // 2 > place
    v += (v + 1) * v // 2 <= place
    return place - v * (v - 1) // 2, v


def random_graph(nodes: int, density: float, seed: int) -> Graph:
    """Every pair an edge with the same probability."""
    empty = Graph.of(nodes, [], [])
    return perturbed(empty, EdgeLaw(0.0, density), np.random.default_rng(seed))
