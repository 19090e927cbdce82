"""Graphs that the original may have been: published edges kept, lost ones put back, by chance.

Kept edges are drawn by how likely each is true, given that no node with a published edge is left
without one: that everybody had an edge is taken for granted. Drawn without this condition, nodes
of few edges came apart from the rest, and path lengths on wiki-Vote 4 to 7 % too short.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.kernels.graph_kept import keep_covering
from sfumato.kernels.graph_lost import draw_lost
from sfumato.query.graph_flips import Keys, keys_of, of_keys, within
from sfumato.query.graph_posterior import LEVELS, Truth

SWEEPS = 30
SURE = 1e-9  # odds are not taken of probabilities nearer to 0 or 1


def likely_graph(graph: Graph, believed: Truth, run: Run, draw: int) -> Graph:
    """One draw of a graph that the published one may have come from."""
    keys = keys_of(graph)
    kept = keys[_kept(graph, believed, run, draw)]
    back = np.unique(np.concatenate([_near(graph, believed, run, draw), _far(believed, run, draw)]))
    return of_keys(graph.nodes, np.concatenate([kept, back[~within(back, keys)]]))


def _kept(graph: Graph, believed: Truth, run: Run, draw: int) -> NDArray[np.bool_]:
    chance = np.clip(believed.edges, SURE, 1 - SURE)
    odds, word = chance / (1 - chance), run.word("kept", draw)
    total = float(believed.edges.sum())
    return keep_covering(graph.nodes, *graph.upper, odds, total, SWEEPS, word)


def _near(graph: Graph, believed: Truth, run: Run, draw: int) -> Keys:
    """Lost edges of pairs that share neighbours."""
    word = run.word("near", draw)
    rows = graph.indptr, graph.targets, believed.kind
    u, v = draw_lost(*rows, LEVELS, believed.missing, word)
    return u.astype(np.int64) * graph.nodes + v


def _far(believed: Truth, run: Run, draw: int) -> Keys:
    """Lost edges of the others: so many between two kinds of nodes, anywhere."""
    rng, nodes = run.rng("far", draw), len(believed.kind)
    sizes = np.bincount(believed.kind)
    order, first = np.argsort(believed.kind, kind="stable"), np.cumsum(sizes) - sizes
    one, two = np.triu_indices(len(sizes))
    pairs = np.where(one == two, sizes[one] * (sizes[one] - 1) / 2, 1.0 * sizes[one] * sizes[two])
    count = rng.poisson(pairs * believed.missing[0, one, two])
    one, two = np.repeat(one, count), np.repeat(two, count)
    u, v = (order[first[of] + rng.integers(0, sizes[of])] for of in (one, two))
    return np.asarray((np.minimum(u, v) * nodes + np.maximum(u, v))[u != v], np.int64)
