"""How many nodes are told apart by how they are connected: by degree, and by that of others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import ResultTable, result_table
from sfumato.data.graph import Graph

Words = NDArray[np.uint64]
KNOWN = (
    "how many neighbours a person has",
    "also how many each neighbour has",
    "also how many theirs have",
)
CROWD = 5


def graph_facts(graph: Graph) -> ResultTable:
    """Sizes and degrees."""
    degrees = graph.degrees
    rows = [
        {"fact": "nodes", "value": graph.nodes},
        {"fact": "edges", "value": graph.edges},
        {"fact": "pairs that are connected", "value": graph.edges / graph.pairs},
        {"fact": "nodes without an edge", "value": int((degrees == 0).sum())},
        {"fact": "mean degree", "value": float(degrees.mean())},
        {"fact": "median degree", "value": float(np.median(degrees))},
        {"fact": "largest degree", "value": int(degrees.max())},
    ]
    return result_table("graph", rows)


def structure_risk(graph: Graph) -> ResultTable:
    """Of what somebody may know of a person's surroundings, how many nodes it leaves possible."""
    rows = []
    for known, label in zip(KNOWN, _labels(graph), strict=True):
        alike = np.unique(label, return_inverse=True, return_counts=True)
        crowd = alike[2][alike[1].ravel()]
        rows.append(
            {
                "somebody knows": known,
                "found for certain": float((crowd == 1).mean()),
                f"among at most {CROWD}": float((crowd <= CROWD).mean()),
            }
        )
    note = "share of the nodes, if the graph were published with new names only"
    return result_table("being found by one's edges", rows, [note])


def _labels(graph: Graph) -> list[Words]:
    """A word for each node that is equal where what is known is equal."""
    label = _mixed(graph.degrees.astype(np.uint64))
    labels = [label]
    for _ in KNOWN[1:]:
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(label[graph.targets])])
        around = sums[graph.indptr[1:]] - sums[graph.indptr[:-1]]
        label = _mixed(label * np.uint64(3) + around)
        labels.append(label)
    return labels


def _mixed(words: Words) -> Words:
    """Words spread so that sums of different ones differ (a finalizer of 64 bits)."""
    mixed = words + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
