"""Graphs of NetworkX, igraph and SciPy, told by what they can do: none of them is imported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.core.errors import BadInput


@dataclass(frozen=True, eq=False)
class EdgeList:
    """Names of the ends of all edges; `nodes` names all nodes, where the source lists them."""

    u: pa.ChunkedArray
    v: pa.ChunkedArray
    nodes: pa.Array | None
    directed: bool


def edges_of_object(source: Any) -> EdgeList | None:
    """The edges of a graph of another library, None if it is none."""
    if hasattr(source, "get_edgelist") and hasattr(source, "vs"):
        return _igraph(source)
    if hasattr(source, "is_directed") and hasattr(source, "adj"):
        return _networkx(source)
    if hasattr(source, "tocoo") and hasattr(source, "nnz"):
        return _matrix(source)
    return None


def _igraph(graph: Any) -> EdgeList:
    ends = np.asarray(graph.get_edgelist(), np.int64).reshape(-1, 2)
    names = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
    nodes = _names(list(names))
    return EdgeList(*_taken(nodes, ends), nodes, bool(graph.is_directed()))


def _networkx(graph: Any) -> EdgeList:
    listed = list(graph.nodes)
    place = {name: number for number, name in enumerate(listed)}
    ends = np.asarray([(place[u], place[v]) for u, v in graph.edges()], np.int64).reshape(-1, 2)
    nodes = _names(listed)
    return EdgeList(*_taken(nodes, ends), nodes, bool(graph.is_directed()))


def _matrix(matrix: Any) -> EdgeList:
    """A square sparse matrix; entries other than 0 are edges, a symmetric one has each twice."""
    pairs = matrix.tocoo()
    if pairs.shape[0] != pairs.shape[1]:
        raise BadInput(
            f"the matrix has {pairs.shape[0]:,} rows and {pairs.shape[1]:,} columns",
            "an adjacency matrix is square",
        )
    held = np.asarray(pairs.data) != 0
    u, v = (np.asarray(ends, np.int64)[held] for ends in (pairs.row, pairs.col))
    directed = not _symmetric(u, v)
    if not directed:
        once = u <= v
        u, v = u[once], v[once]
    nodes = pa.array(np.arange(pairs.shape[0]))
    return EdgeList(
        pa.chunked_array([pa.array(u)]), pa.chunked_array([pa.array(v)]), nodes, directed
    )


def _symmetric(u: Any, v: Any) -> bool:
    one, two = np.lexsort((u, v)), np.lexsort((v, u))
    return bool(np.array_equal(u[one], v[two]) and np.array_equal(v[one], u[two]))


def _names(listed: list[Any]) -> pa.Array:
    """Whole numbers as they are; anything else as text, which must tell nodes apart."""
    if all(isinstance(name, int | np.integer) and not isinstance(name, bool) for name in listed):
        return pa.array([int(name) for name in listed], pa.int64())
    texts = [str(name) for name in listed]
    if len(set(texts)) < len(texts):
        raise BadInput("different nodes have names of the same text", "rename them")
    return pa.array(texts, pa.string())


def _taken(nodes: pa.Array, ends: Any) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    one, two = (nodes.take(pa.array(ends[:, side])) for side in (0, 1))
    return pa.chunked_array([one]), pa.chunked_array([two])
