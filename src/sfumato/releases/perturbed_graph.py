"""Form Perturbed for graphs: edges as a random mechanism left them, and its law.

Nodes have new numbers in a random order. Every pair of nodes was drawn by itself, so a published
edge may not have been there, and one that is not published may have been.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.releases.edge_law import EdgeLaw

EDGES = "edges"  # the column that a release of a graph is about
NO_ISOLATED_NODES = "no-isolated-nodes"  # a fact the owner may publish: every node had an edge
FACTS = (NO_ISOLATED_NODES,)


@dataclass(frozen=True, eq=False)
class PerturbedGraph:
    """`table` holds the sensitive and kept columns of the nodes, row by row, exact."""

    graph: Graph
    law: EdgeLaw
    table: Table

    @property
    def rows(self) -> int:
        """Nodes published."""
        return self.graph.nodes

    @property
    def groups(self) -> int:
        """As many as nodes: everyone is published alone."""
        return self.graph.nodes

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Nodes per group."""
        return np.ones(self.groups, np.int64)


def seal(content: PerturbedGraph) -> tuple[PerturbedGraph, NDArray[np.int64]]:
    """As it is: nodes got random numbers before edges were drawn, and edges stand by number."""
    return content, np.arange(content.rows, dtype=np.int64)
