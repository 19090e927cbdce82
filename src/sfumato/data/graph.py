"""Who is connected to whom: an undirected simple graph, and what else is known of its nodes.

Rows are compressed: the neighbours of node u are `targets[indptr[u] : indptr[u + 1]]`, ascending,
each once, never u itself; every edge stands in the rows of both its ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.kernels.graph_rows import rows_of_pairs, upper_pairs

Nodes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes 0 to n - 1 and their neighbours.

    >>> square = Graph.of(4, [0, 1, 2, 3], [1, 2, 3, 0])
    >>> square.edges, square.degrees.tolist()
    (4, [2, 2, 2, 2])
    """

    indptr: NDArray[np.int64]
    targets: Nodes

    @classmethod
    def of(cls, nodes: int, u: object, v: object) -> Graph:
        """A graph of pairs in any order; each edge must be given once, and none be a loop."""
        one, two = (np.asarray(ends, np.int32) for ends in (u, v))
        return cls(*rows_of_pairs(one, two, nodes))

    @property
    def nodes(self) -> int:
        """Nodes, the isolated ones too."""
        return len(self.indptr) - 1

    @property
    def edges(self) -> int:
        """Edges."""
        return len(self.targets) // 2

    @property
    def pairs(self) -> int:
        """Pairs of nodes, connected or not."""
        return self.nodes * (self.nodes - 1) // 2

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Neighbours of every node."""
        return np.diff(self.indptr)

    @cached_property
    def upper(self) -> tuple[Nodes, Nodes]:
        """Every edge once, as (u, v) with u < v, ascending."""
        return upper_pairs(self.indptr, self.targets)

    def row(self, node: int) -> Nodes:
        """The neighbours of a node."""
        return self.targets[self.indptr[node] : self.indptr[node + 1]]

    def renumbered(self, number: Nodes) -> Graph:
        """The same graph with `number[u]` for every node u."""
        u, v = self.upper
        return Graph.of(self.nodes, number[u], number[v])


@dataclass(frozen=True, eq=False)
class Network:
    """A graph ready to be published: what a method for graphs gets.

    `names` are the nodes' own names, which are never published. `table` has the sensitive and kept
    columns of the nodes that the schema names, row by row.
    """

    graph: Graph
    names: pa.Array
    schema: Schema = field(default_factory=lambda: Schema(()))
    table: Table = field(default_factory=lambda: Table({}, 0))

    def __post_init__(self) -> None:
        if not self.table.columns:
            object.__setattr__(self, "table", Table({}, self.graph.nodes))

    @property
    def rows(self) -> int:
        """Nodes."""
        return self.graph.nodes

    def with_graph(self, graph: Graph) -> Network:
        """The same nodes, connected otherwise."""
        return replace(self, graph=graph)
