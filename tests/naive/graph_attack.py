"""Attacks on graphs in the obvious way: recursion, sets of neighbours, every placement."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np


def neighbours(graph):
    """The neighbours of every node, as sets."""
    return [set(graph.row(node).tolist()) for node in range(graph.nodes)]


def walks(graph, lowest, highest, inside, errors):
    """Every path that interval-walk accepts, in the order in which it finds them."""
    knows, found = neighbours(graph), []

    def search(node, path, wrong):
        level = len(path)
        if not lowest[level] <= len(knows[node]) <= highest[level] or node in path:
            return
        wrong += sum((path[i] in knows[node]) != inside[level][i] for i in range(level))
        if wrong > errors:
            return
        if level + 1 == len(lowest):
            found.append([*path, node])
            return
        for other in sorted(knows[node]):
            search(other, [*path, node], wrong)

    for start in range(graph.nodes):
        search(start, [], 0)
    return found


def score(graph, placed, inside, chance, fit=None):
    """The score of a placement: pair by pair, and node by node."""
    knows, total = neighbours(graph), 0.0
    for i, node in enumerate(placed):
        total += 0.0 if fit is None else fit[i, len(knows[node])]
        for j in range(i):
            total += chance[int(inside[i, j]), int(placed[j] in knows[node])]
    return total


def posterior(graph, inside, chance, fit=None):
    """(likeliest placement, its probability), all placements weighed by their score."""
    many = len(inside)
    weights = {
        placed: math.exp(score(graph, placed, inside, chance, fit))
        for placed in permutations(range(graph.nodes), many)
    }
    best = max(weights, key=lambda placed: weights[placed])
    return best, weights[best] / sum(weights.values())


def extended(graph, beam, scores, wanted, chance, fit):
    """All placements with one more node, and their scores; `wanted` as flags."""
    knows, found = neighbours(graph), []
    for placed, before in zip(beam.tolist(), scores, strict=True):
        for node in range(graph.nodes):
            there = [other in knows[node] for other in placed]
            hits = sum(t and w for t, w in zip(there, wanted, strict=True))
            if node in placed or hits < 1 or 2 * hits < sum(wanted):
                continue
            worth = sum(chance[int(w), int(t)] for w, t in zip(wanted, there, strict=True))
            found.append((before + worth + fit[len(knows[node])], [*placed, node]))
    return sorted(found, key=lambda one: -one[0])


def random_graph(rng, nodes, density):
    """A graph of coins."""
    from sfumato.data.graph import Graph

    u, v = np.nonzero(np.triu(rng.random((nodes, nodes)) < density, 1))
    return Graph.of(nodes, u, v)
