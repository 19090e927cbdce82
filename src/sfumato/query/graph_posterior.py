"""How likely a published edge is a true one, from the published graph and its law alone.

Pairs alike in what is seen of them (how many neighbours they share, and how many each has) are
taken together. Of n such pairs, e are connected; (e - b n) / (1 - a - b) is the unbiased number of
true edges t among them, and t (1 - a) / e the share of the e that is true. As t can't be negative,
the mean of what it may be is taken, given that e is off by its root. That makes too many true
edges, so odds are scaled until all shares add up to what all edges say.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.kernels.graph_common import shared_by_edges, tally_shared
from sfumato.releases.edge_law import EdgeLaw

# Levels of shared neighbours, by number, and of degrees, by upper bound: few where data is scarce.
LEVELS = np.array([0, 1, 2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7], np.int32)
DEGREES = np.array([1, 2, 3, 4, 6, 9, 13, 19, 28, 42, 64, 100, 160, 250, 500])
MOST = 50_000_000  # two-paths that are looked at; beyond, nodes are sampled

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Truth:
    """Probability of each published edge (u < v, ascending) that it is true; and by kind of pair:

    `missing` is the probability that a pair that is not connected lost its edge, by (level of
    shared neighbours, kind of one node, kind of the other); `kind` is that of every node.
    """

    edges: Floats
    missing: Floats
    kind: NDArray[np.int32]


def truth(graph: Graph, law: EdgeLaw, run: Run) -> Truth:
    """What is to be believed of the pairs of a published graph."""
    kind = np.searchsorted(DEGREES, graph.degrees).astype(np.int32)
    kind = np.unique(kind, return_inverse=True)[1].astype(np.int32).ravel()
    pairs = _pairs(graph, kind, run)
    u, v = graph.upper
    shared = shared_by_edges(graph.indptr, graph.targets)
    level = LEVELS[np.minimum(shared, len(LEVELS) - 1)]
    bins = np.ravel_multi_index((level, *_ordered(kind[u], kind[v])), pairs.shape)
    seen = np.bincount(bins, minlength=pairs.size).astype(float).reshape(pairs.shape)
    pairs = np.maximum(pairs, seen)
    true = _above_zero((seen - law.add * pairs) / law.gap, np.sqrt(seen))
    share = np.minimum(true * (1 - law.delete) / np.maximum(seen, 1), 1.0).ravel()[bins]
    lost = np.minimum(true * law.delete / np.maximum(pairs - seen, 1), 1.0)
    edges = np.clip(law.corrected(graph.edges, graph.pairs), 0.0, graph.pairs)
    return Truth(_scaled(share, min(edges * (1 - law.delete), graph.edges)), _both(lost), kind)


def _above_zero(number: Floats, error: Floats) -> Floats:
    """The means of normal numbers with some errors, given that they are above zero."""
    known = np.maximum(error, 1e-9)
    ratio = np.clip(number / known, -6.0, 40.0)
    below = np.array([math.erfc(-one / math.sqrt(2)) / 2 for one in ratio.ravel()])
    density = np.exp(-(ratio**2) / 2) / math.sqrt(2 * math.pi)
    mean = known * (ratio + density / below.reshape(ratio.shape))
    return np.where(error > 0, np.where(ratio < 40, mean, number), np.maximum(number, 0.0))


def _ordered(one: NDArray[np.int32], two: NDArray[np.int32]) -> tuple[NDArray[np.int32], ...]:
    return np.minimum(one, two), np.maximum(one, two)


def _both(table: Floats) -> Floats:
    """Numbers of pairs of kinds (lower, higher), for both orders."""
    return np.asarray(table + np.triu(table, 1).transpose(0, 2, 1))


def _pairs(graph: Graph, kind: NDArray[np.int32], run: Run) -> Floats:
    """Pairs by (level of shared neighbours, lower kind, higher kind)."""
    degrees = graph.degrees
    paths = float((degrees.astype(float) ** 2).sum())
    sample = np.arange(graph.nodes, dtype=np.int32)
    if paths > MOST:
        count = max(int(graph.nodes * MOST / paths), 1)
        sample = run.rng("truth").choice(sample, count, replace=False)
    table = tally_shared(graph.indptr, graph.targets, sample, kind, LEVELS).astype(float)
    table *= graph.nodes / max(len(sample), 1) / 2
    folded = np.triu(table + np.tril(table, -1).transpose(0, 2, 1))
    sizes = np.bincount(kind).astype(float)
    every = np.triu(np.outer(sizes, sizes))
    np.fill_diagonal(every, sizes * (sizes - 1) / 2)
    folded[0] = np.maximum(every - folded[1:].sum(axis=0), 0.0)
    return np.asarray(folded)


def _scaled(share: Floats, total: float) -> Floats:
    """Shares whose odds are multiplied by one number so that they add up to a total."""
    low, high = -30.0, 30.0
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (middle, high) if _odds(share, middle).sum() < total else (low, middle)
    return _odds(share, high)


def _odds(share: Floats, log: float) -> Floats:
    factor, share = np.exp(log), np.minimum(share, 1 - 1e-12)
    return np.asarray(share * factor / (share * factor + 1 - share))
