"""Naming the victims once the planted nodes are found: by the links each victim was given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.evidence import pair_ratios
from sfumato.attacks.graph_plant import Embedded
from sfumato.data.graph import Graph, Nodes
from sfumato.releases.edge_law import EdgeLaw

UNNAMED = -1


def name_victims(graph: Graph, placed: Nodes, planted: Embedded, law: EdgeLaw) -> Nodes:
    """The published node of every victim, -1 where nothing speaks for any.

    A node that is no victim knows a planted one by a new edge only (or by chance, where planted
    nodes know others too). Pairs of victim and node are taken by falling likelihood, each node and
    each victim once.
    """
    named = np.full(len(planted.victims), UNNAMED, np.int32)
    nodes, knows = _around(graph, placed)
    if not len(nodes):
        return named
    outside = planted.degrees - planted.inside.sum(0) - planted.links.sum(0)
    rate = law.expected(float(outside.mean()) / graph.nodes, 1.0)
    ratio = pair_ratios(law, rate)
    wanted, there = planted.links.astype(float), knows.astype(float)
    gap = ratio[:, 1] - ratio[:, 0]
    score = wanted @ (there.T * gap[1] + ratio[1, 0]) + (1 - wanted) @ (
        there.T * gap[0] + ratio[0, 0]
    )
    victim, place = np.nonzero(score > 0)
    for at in np.argsort(-score[victim, place], kind="stable"):
        v, x = victim[at], place[at]
        if named[v] == UNNAMED and nodes[x] != UNNAMED:
            named[v], nodes[x] = nodes[x], UNNAMED
    return named


def _around(graph: Graph, placed: Nodes) -> tuple[Nodes, NDArray[np.bool_]]:
    """Nodes that know a placed one, and which of them each knows."""
    rows = [graph.row(int(node)) for node in placed]
    nodes = np.setdiff1d(np.concatenate(rows), placed).astype(np.int32)
    return nodes, np.array([np.isin(nodes, row) for row in rows]).T
