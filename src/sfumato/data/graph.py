"""Who is connected to whom: an undirected simple graph, and what else is known of its nodes.

Rows are compressed: the neighbours of node u are `targets[indptr[u] : indptr[u + 1]]`, ascending,
each once, never u itself; every edge stands in the rows of both its ends.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.kernels.edge_flips import count_below, fill_rows
from sfumato.kernels.graph_rows import rows_of_pairs, upper_pairs

Nodes = NDArray[np.int32]
SMALL = 1 << 19  # edges that one thread joins as fast
RANGES = 4


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


def symmetric(start: NDArray[np.int64], other: Nodes, workers: int = 1) -> Graph:
    """A graph of upper rows: those of node u are its neighbours above u, ascending."""
    nodes = len(start) - 1
    below = np.zeros(nodes, np.int64)
    borders = _borders(start, other)
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda ends: count_below(start, other, ends[0], ends[1], below), borders))
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(below + np.diff(start))])
        rows = np.empty(2 * len(other), np.int32)
        list(pool.map(lambda one: fill_rows(start, other, ends, one[0], one[1], rows), borders))
    return Graph(ends, rows)


def _borders(start: NDArray[np.int64], other: Nodes) -> list[tuple[int, int]]:
    """A few ranges of nodes with about as many edges below; a sample of edges is enough."""
    nodes = len(start) - 1
    if len(other) < SMALL:
        return [(0, nodes)]
    sample = np.sort(other[:: len(other) // 4096])
    inner = sample[np.linspace(0, len(sample) - 1, RANGES + 1).astype(int)[1:-1]].tolist()
    return list(pairwise(sorted({0, *inner, nodes})))


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
