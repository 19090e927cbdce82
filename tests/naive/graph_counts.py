"""Counts of small shapes by looking at every set of nodes; moments by looking at every graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, permutations, product

import numpy as np

from sfumato.data.graph import Graph
from sfumato.releases.edge_law import EdgeLaw

Matrix = np.ndarray


def matrix_of(graph: Graph) -> Matrix:
    """Zeros and ones."""
    dense = np.zeros((graph.nodes, graph.nodes), int)
    for node in range(graph.nodes):
        dense[node, graph.row(node)] = 1
    return dense


def contained(matrix: Matrix, k: int, drawn: str) -> float:
    """Copies of a shape, other edges allowed: sets of pairs, with products of entries."""
    shape = [(int(edge[0]), int(edge[1])) for edge in drawn.split()]
    seen, total = set(), 0.0
    for chosen in combinations(range(len(matrix)), k):
        seen.clear()
        for order in permutations(chosen):
            seen.add(frozenset(tuple(sorted((order[u], order[v]))) for u, v in shape))
        total += sum(np.prod([matrix[u, v] for u, v in copy]) for copy in seen)
    return total


def induced(graph: Graph, k: int, drawn: str) -> int:
    """Sets of k nodes whose edges are exactly those of the shape."""
    shape = frozenset((int(edge[0]), int(edge[1])) for edge in drawn.split())
    dense, total = matrix_of(graph), 0
    for chosen in combinations(range(graph.nodes), k):
        total += any(
            all(
                dense[order[u], order[v]] == ((u, v) in shape or (v, u) in shape)
                for u, v in combinations(range(k), 2)
            )
            for order in permutations(chosen)
        )
    return total


def all_published(graph: Graph, law: EdgeLaw) -> Iterator[tuple[float, Graph]]:
    """Every graph that may be published, with its probability."""
    pairs = list(combinations(range(graph.nodes), 2))
    dense = matrix_of(graph)
    for bits in product((0, 1), repeat=len(pairs)):
        chance = 1.0
        for (u, v), bit in zip(pairs, bits):
            edge = 1 - law.delete if dense[u, v] else law.add
            chance *= edge if bit else 1 - edge
        chosen = [pair for pair, bit in zip(pairs, bits) if bit]
        ends = np.array(chosen, np.int32).reshape(-1, 2)
        yield chance, Graph.of(graph.nodes, ends[:, 0], ends[:, 1])


def moments(
    graph: Graph, law: EdgeLaw, of: Callable[[Graph], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariances of some numbers of the published graph, by its whole distribution."""
    weights, values = zip(*((p, of(drawn)) for p, drawn in all_published(graph, law)))
    weight, value = np.array(weights), np.array(values)
    mean = weight @ value
    return mean, (value - mean).T @ (weight[:, None] * (value - mean))
