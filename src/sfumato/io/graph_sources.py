"""Sources of graphs: edge lists as files or frames, and graphs of other libraries."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.core.errors import BadInput, BadJob
from sfumato.core.words import several
from sfumato.data.graph import Graph, Network
from sfumato.data.schema import Role, Schema
from sfumato.data.table import Table
from sfumato.io.graph_objects import EdgeList, edges_of_object
from sfumato.io.graph_text import read_plain
from sfumato.io.sources import at_hand, column_names, load_columns, read, source_name
from sfumato.kernels.graph_rows import count_strange, rows_of_pairs, without_repeats

MOST_NODES = (1 << 31) - 1
SIMPLIFY = {
    "loops": "edges from a node to itself are dropped",
    "repeats": "edges given several times count once",
    "directions": "u to v and v to u are one edge",
}
Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]


@dataclass(frozen=True)
class GraphFrom:
    """How a source tells who is connected to whom.

    `source` and `target` name the columns of an edge list; of format "plain" it is lines of two
    words without a header. `nodes` is a file with a line for every node, also those without edges;
    `node` its column of names. `simplify` says what may be ironed out, else it is refused.
    """

    source: str = "source"
    target: str = "target"
    format: str | None = None
    nodes: Any = None
    node: str | None = None
    simplify: Collection[str] = ()
    delimiter: str | None = None

    def check(self) -> None:
        """Refuse ways that contradict themselves."""
        if (self.nodes is None) != (self.node is None):
            raise BadJob(
                "source.nodes and source.node go together", "name the file of nodes and its column"
            )
        if self.source == self.target:
            raise BadJob(
                f"source.target is '{self.target}', as is source.source", "name two columns"
            )
        for word in self.simplify:
            if word not in SIMPLIFY:
                raise BadJob(f"source.simplify has '{word}'", f"it may have: {', '.join(SIMPLIFY)}")


def load_graph(source: Any, how: GraphFrom, schema: Schema, workers: int = 1) -> Network:
    """Read a graph and the columns of its nodes."""
    how.check()
    check_roles(schema, how)
    listed = _edge_list(source, how, schema)
    names, table = _listed_nodes(how, schema, listed, workers)
    names, u, v = _numbered(listed, names, how)
    if not 2 <= len(names) <= MOST_NODES:
        raise BadInput(
            f"{source_name(source)} has {several(len(names), 'node')}", "a graph has 2 or more"
        )
    graph = _simple(source_name(source), len(names), u, v, listed.directed, how)
    return Network(graph, names, schema, table)


def check_roles(schema: Schema, how: GraphFrom) -> None:
    """Refuse roles that nodes do not know."""
    if schema.quasi:
        raise BadJob(
            f"schema.quasi has '{schema.quasi[0]}', but what may be known of a node is its edges",
            "keep the column, drop it, or call it sensitive",
        )
    if schema.published and how.nodes is None:
        raise BadJob(
            f"schema publishes '{schema.published[0]}', but an edge list has no columns of nodes",
            "give source.nodes and source.node",
        )
    taken = [name for name in schema.published if name in ("node", "edges")]
    if taken:
        raise BadJob(f"schema: a release has '{taken[0]}' of its own", "rename yours, or drop it")


def _edge_list(source: Any, how: GraphFrom, schema: Schema) -> EdgeList:
    """The ends of all edges, as their source names them."""
    if not isinstance(source, str | Path):
        found = edges_of_object(source)
        if found is not None:
            return found
    if how.format == "plain":
        return EdgeList(*read_plain(Path(source)), None, False)
    source = at_hand(source)
    _cover(source, how, schema)
    data = read(source, [how.source, how.target], how.delimiter)
    if data.num_rows == 0 and how.nodes is None:
        raise BadInput(f"{source_name(source)} has no rows", "give a file with at least one edge")
    return EdgeList(data.column(how.source), data.column(how.target), None, False)


def _cover(source: Any, how: GraphFrom, schema: Schema) -> None:
    """Refuse columns that nobody said anything of."""
    there = column_names(source, how.delimiter)
    for key, name in (("source", how.source), ("target", how.target)):
        if name not in there:
            raise BadJob(
                f"source.{key} is '{name}', which is no column of {source_name(source)}",
                _hint(there),
            )
    dropped = schema.with_role(Role.DROP)
    rest = [name for name in there if name not in (how.source, how.target, *dropped)]
    if rest:
        raise BadJob(
            f"schema: column '{rest[0]}' of the edges has no role",
            "only who is connected to whom is published: list it under drop",
        )


def _hint(there: Sequence[str]) -> str:
    """What to do about columns that are not called as was said."""
    if there[0].startswith(("#", "%")):
        return 'its first line is a comment: lines of two names are read by format = "plain"'
    return f"name the two with the ends of an edge, source and target, of: {', '.join(there)}"


def _listed_nodes(
    how: GraphFrom, schema: Schema, listed: EdgeList, workers: int
) -> tuple[pa.Array | None, Table]:
    """Names and columns of the nodes as a file of nodes has them; else what the source lists."""
    if how.nodes is None or how.node is None:
        return listed.nodes, Table({}, 0)
    nodes = at_hand(how.nodes)
    there = column_names(nodes)
    if how.node not in there:
        raise BadJob(
            f"source.node is '{how.node}', which is no column of {source_name(nodes)}",
            f"it has: {', '.join(there)}",
        )
    unlisted = sorted(set(there) - {how.node} - {field.name for field in schema.fields})
    if unlisted:
        raise BadJob(
            f"schema: column '{unlisted[0]}' of the nodes has no role",
            "list each as identifier, sensitive, keep or drop",
        )
    names = read(nodes, [how.node]).column(how.node)
    kinds = {name: schema.kind(name) for name in schema.published}
    if not kinds:
        return names.combine_chunks(), Table({}, 0)
    return names.combine_chunks(), load_columns(nodes, schema.published, kinds, workers)


def _numbered(
    listed: EdgeList, nodes: pa.Array | None, how: GraphFrom
) -> tuple[pa.Array, Nodes, Nodes]:
    """All names, and the number of each edge's ends; listed nodes keep their order."""
    columns = [_plain(listed.u, "edges"), _plain(listed.v, "edges")]
    if nodes is not None:
        columns.append(_plain(pa.chunked_array([nodes]), "nodes"))
    if len({column.type for column in columns}) > 1:
        columns = [column.cast(pa.string()) for column in columns]
    ends = [np.asarray(part) for part in _codes(columns)]
    if nodes is None:
        return _in_order(columns, *ends)
    return _as_listed(columns[2], ends, how)


def _codes(columns: list[pa.ChunkedArray]) -> list[Ints]:
    """The columns as numbers that are equal where names are equal."""
    if pa.types.is_integer(columns[0].type):
        return [column.to_numpy() for column in columns]
    together = pa.chunked_array([chunk for column in columns for chunk in column.chunks])
    coded = together.dictionary_encode().combine_chunks()
    whole = np.asarray(coded.indices).astype(np.int64)
    return np.split(whole, np.cumsum([len(column) for column in columns])[:-1])


def _in_order(columns: list[pa.ChunkedArray], u: Ints, v: Ints) -> tuple[pa.Array, Nodes, Nodes]:
    """Nodes in the order of their names."""
    if not pa.types.is_integer(columns[0].type):
        names = pc.unique(pa.chunked_array([c for column in columns for c in column.chunks]))
        order = pc.sort_indices(names)
        rank = np.empty(len(names), np.int32)
        rank[np.asarray(order)] = np.arange(len(names), dtype=np.int32)
        return names.take(order), rank[u], rank[v]
    low = int(min(u.min(), v.min())) if len(u) else 0
    high = int(max(u.max(), v.max())) if len(u) else -1
    if high - low > 4 * len(u) + (1 << 20):
        values = np.unique(np.concatenate([u, v]))
        one, two = (np.searchsorted(values, end).astype(np.int32) for end in (u, v))
        return pa.array(values), one, two
    seen = np.zeros(high - low + 1, bool)  # measured: 20 times as fast as sorting
    seen[u - low] = True
    seen[v - low] = True
    rank = np.cumsum(seen, dtype=np.int32) - np.int32(1)
    return pa.array(np.flatnonzero(seen) + low), rank[u - low], rank[v - low]


def _as_listed(
    names: pa.ChunkedArray, codes: list[Ints], how: GraphFrom
) -> tuple[pa.Array, Nodes, Nodes]:
    """Nodes in the order in which they are listed; every end of an edge must be."""
    u, v, own = codes
    order = np.argsort(own, kind="stable")
    ascending = own[order]
    if (ascending[1:] == ascending[:-1]).any():
        raise BadInput(
            f"{several(int((ascending[1:] == ascending[:-1]).sum()), 'node')} of source.nodes "
            "stand there more than once",
            "list every node once",
        )
    found = []
    for end in (u, v):
        place = np.minimum(np.searchsorted(ascending, end), max(len(own) - 1, 0))
        lacking = int((ascending[place] != end).sum()) if len(own) else len(end)
        if lacking:
            raise BadInput(
                f"{several(lacking, 'edge')} lead to nodes that source.nodes does not list",
                f"add them to the column '{how.node}', or leave source.nodes out",
            )
        found.append(order[place].astype(np.int32))
    return names.combine_chunks(), found[0], found[1]


def _plain(names: pa.ChunkedArray, where: str) -> pa.ChunkedArray:
    """Names as whole numbers or as texts; every one given."""
    kind = names.type
    if pa.types.is_dictionary(kind):
        names = names.cast(kind.value_type)
    if pa.types.is_floating(names.type):
        names = pc.if_else(pc.is_nan(names), pa.scalar(None, names.type), names)
    if names.null_count:
        raise BadInput(
            f"{several(names.null_count, 'name')} of the {where} are missing",
            "remove those rows, or name the nodes",
        )
    try:
        if pa.types.is_integer(names.type) or pa.types.is_floating(names.type):
            return names.cast(pa.int64())
        return names.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise BadInput(
            f"names of the {where} are no plain values", "use texts or whole numbers"
        ) from None


def _simple(name: str, nodes: int, u: Nodes, v: Nodes, directed: bool, how: GraphFrom) -> Graph:
    """A simple graph; what is not simple is ironed out only where that was asked for."""
    start, other = rows_of_pairs(u, v, nodes)
    loops, doubled = count_strange(start, other)
    both = _both_ways(u, v, doubled)
    found = {"loops": loops, "repeats": doubled - both, "directions": both}
    words = {"loops": "loop", "repeats": "repeated edge", "directions": "edge given both ways"}
    if directed and "directions" not in how.simplify:
        raise BadInput(f"{name} is directed", _asking("directions"))
    for word, count in found.items():
        if count and word not in how.simplify:
            raise BadInput(f"{name} has {_counted(count, words[word])}", _asking(word))
    if loops or doubled:
        start, other = without_repeats(start, other)
    return Graph(start, other)


def _counted(count: int, thing: str) -> str:
    first, _, rest = thing.partition(" given")
    return several(count, first) + (f" given{rest}" if rest else "")


def _asking(word: str) -> str:
    return f'add "{word}" to source.simplify, and {SIMPLIFY[word]}'


def _both_ways(u: Nodes, v: Nodes, doubled: int) -> int:
    """How many of the doubled pairs are not doubled in the same direction."""
    if not doubled:
        return 0
    pairs = (u.astype(np.int64) << 32 | v)[u != v]
    return doubled - (len(pairs) - len(np.unique(pairs)))
