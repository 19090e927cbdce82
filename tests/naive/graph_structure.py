"""Structure of graphs, slow and obvious: sums over all pairs, one search from every node."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from sfumato.data.graph import Graph
from sfumato.releases.edge_law import EdgeLaw


def linked(graph: Graph) -> np.ndarray:
    """The adjacency matrix."""
    table = np.zeros((graph.nodes, graph.nodes))
    table[graph.upper] = 1
    return table + table.T


def modularity(graph: Graph, groups: np.ndarray) -> float:
    """By its definition as a sum over ordered pairs."""
    table, total = linked(graph), 0.0
    degree, ends = table.sum(axis=0), table.sum()
    for u, v in product(range(graph.nodes), repeat=2):
        if groups[u] == groups[v]:
            total += table[u, v] / ends - degree[u] * degree[v] / ends**2
    return total


def all_graphs(nodes: int) -> list[tuple[list[int], Graph]]:
    """Every graph of some nodes, with 0 or 1 for each pair."""
    pairs = list(combinations(range(nodes), 2))
    found = []
    for bits in product((0, 1), repeat=len(pairs)):
        edges = [pair for pair, bit in zip(pairs, bits) if bit]
        found.append((list(bits), Graph.of(nodes, [u for u, _ in edges], [v for _, v in edges])))
    return found


def chance(of: list[int], given: list[int], law: EdgeLaw) -> float:
    """The probability that one graph is published of another."""
    chance = 1.0
    for published, true in zip(of, given):
        edge = 1 - law.delete if true else law.add
        chance *= edge if published else 1 - edge
    return chance


def distances(graph: Graph, sources: list[int]) -> list[int]:
    """Pairs by distance, from 0; by one search from each source."""
    counts: dict[int, int] = {}
    for source in sources:
        seen, now, far = {source}, [source], 0
        while now:
            counts[far] = counts.get(far, 0) + len(now)
            now = sorted({int(v) for u in now for v in graph.row(u)} - seen)
            seen |= set(now)
            far += 1
    return [counts.get(far, 0) for far in range(max(counts, default=0) + 1)]


def shared(graph: Graph, u: int, v: int) -> int:
    """Neighbours in common."""
    return len(set(graph.row(u).tolist()) & set(graph.row(v).tolist()))
