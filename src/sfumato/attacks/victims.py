"""Naming the victims once the planted nodes are found: by the links each victim was given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.evidence import pair_ratios
from sfumato.attacks.graph_plant import Embedded
from sfumato.data.graph import Graph, Nodes
from sfumato.releases.edge_law import EdgeLaw

UNNAMED = -1
Places = NDArray[np.int64]


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
    order = np.argsort(-score[victim, place], kind="stable")
    _take(named, nodes, victim[order], place[order])
    return named


def _take(named: Nodes, nodes: Nodes, victim: Places, place: Places) -> None:
    """Go through pairs in their order, taking each whose victim and node are both left.

    A pair that is the first of its victim and of its node is taken in any case, so that all of
    these are taken at once, again and again.
    """
    while len(victim):
        first = np.zeros((2, len(victim)), bool)
        for which, ends in enumerate((victim, place)):
            first[which, np.unique(ends, return_index=True)[1]] = True
        now = first.all(axis=0)
        named[victim[now]] = nodes[place[now]]
        left = ~np.isin(victim, victim[now]) & ~np.isin(place, place[now])
        victim, place = victim[left], place[left]


def _around(graph: Graph, placed: Nodes) -> tuple[Nodes, NDArray[np.bool_]]:
    """Nodes that know a placed one, and which of them each knows."""
    rows = [graph.row(int(node)) for node in placed]
    nodes = np.setdiff1d(np.concatenate(rows), placed).astype(np.int32)
    return nodes, np.array([np.isin(nodes, row) for row in rows]).T
