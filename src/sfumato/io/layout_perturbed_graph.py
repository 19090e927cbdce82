"""Form Perturbed of graphs on disk: `nodes`, `edges`, and the law in `law.json`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field

from sfumato.core.errors import BadRelease
from sfumato.core.run import cores
from sfumato.data.graph import Graph, symmetric
from sfumato.data.hierarchy import Hierarchy
from sfumato.io.exact import ExactForm, exact_json, exact_kinds, exact_types, read_exact
from sfumato.io.forms import Form, check_names, damaged
from sfumato.io.words import Extent
from sfumato.kernels.edge_flips import upper_rows
from sfumato.releases.edge_law import EdgeLaw
from sfumato.releases.perturbed_graph import EDGES, PerturbedGraph
from sfumato.releases.perturbed_graph import FACTS as KNOWN_FACTS
from sfumato.releases.release import Release

NODES = "nodes"
FILES = (NODES, EDGES)
SOMETIMES = ()
MAY_BE_EMPTY = (EDGES,)
GROUPS = NODES
NODE, SOURCE, TARGET = "node", "source", "target"
LAW = "law.json"


class EdgesForm(Form):
    """What the release is about."""

    name: Literal["edges"]
    role: Literal["quasi"]
    kind: Literal["category"]
    type: Literal["pairs of nodes"]
    cells: Literal["edges"]
    missing: Literal[False]


class RestForm(ExactForm):
    """A column of the nodes."""

    role: Literal["sensitive", "keep"]


class SchemaForm(Form):
    """`schema.json`."""

    inner = (EdgesForm, RestForm)

    columns: list[EdgesForm | RestForm]


class LawForm(Form):
    """`law.json`: how every pair of nodes was drawn."""

    law: Literal["edges by pairs"]
    delete: float = Field(ge=0, lt=1)
    add: float = Field(ge=0, lt=1)


class FactsForm(Form):
    """What the owner says of the original besides."""

    stated: list[Literal["no-isolated-nodes"]] = Field([], max_length=len(KNOWN_FACTS))


SCHEMA: type[Form] = SchemaForm
FACTS: type[Form] = FactsForm
BESIDE: dict[str, type[Form]] = {LAW: LawForm}
Columns = Sequence[dict[str, Any]]


def files(_columns: Columns) -> tuple[str, ...]:
    """The data files, the same for all columns."""
    return FILES


def tables(release: Release) -> dict[str, pa.Table]:
    """Every data file as a table; an edge once, by its lower end, then by the other."""
    content = release.network
    start, other = upper_rows(content.graph.indptr, content.graph.targets)
    source = np.repeat(np.arange(content.rows, dtype=np.int32), np.diff(start))
    columns = {name: column.to_arrow() for name, column in content.table.columns.items()}
    number = np.arange(content.rows, dtype=np.int32)
    return {
        NODES: pa.table({NODE: number, **columns}),
        EDGES: pa.table({SOURCE: source, TARGET: other}),
    }


def beside(release: Release) -> dict[str, dict[str, Any]]:
    """The law."""
    law = release.network.law
    return {LAW: {"law": "edges by pairs", "delete": law.delete, "add": law.add}}


def schema_json(release: Release) -> list[dict[str, Any]]:
    """What every published column is, for machines."""
    role = {field.name: field.role.value for field in release.schema.fields}
    edges = {"name": EDGES, "role": "quasi", "kind": "category", "type": "pairs of nodes"}
    rest = release.network.table.columns.items()
    return [
        edges | {"cells": "edges", "missing": False},
        *({"name": name, "role": role[name], **exact_json(column)} for name, column in rest),
    ]


def hierarchies(_release: Release) -> dict[str, Hierarchy]:
    """None: edges are shown or not."""
    return {}


def members(part: Callable[[str], pa.Table]) -> NDArray[np.int64]:
    """Every node is published alone."""
    return np.arange(part(NODES).num_rows)


def with_tree(_columns: Columns) -> tuple[set[str], set[str]]:
    """No column has a hierarchy."""
    return set(), set()


def check_columns(columns: Columns, where: str) -> None:
    """Refuse other than one column of edges, names that are taken, and kinds that do not fit."""
    check_names(columns, where)
    if [column["cells"] for column in columns].count("edges") != 1:
        raise damaged(where, "it has other than one column of edges")
    for number, column in enumerate(columns):
        if column["cells"] == "exact" and column["kind"] not in exact_kinds(column):
            raise damaged(where, f"columns.{number}.kind does not fit its type and cells")


def types(part: str, columns: Columns) -> dict[str, pa.DataType]:
    """Every column of a data file with its type, dictionaries aside."""
    return {
        NODES: {NODE: pa.int32()} | exact_types(columns),
        EDGES: {SOURCE: pa.int32(), TARGET: pa.int32()},
    }[part]


def read(
    part: Callable[[str], pa.Table],
    columns: list[dict[str, Any]],
    _trees: dict[str, Hierarchy],
    beside: dict[str, Any],
) -> PerturbedGraph:
    """The content that was written; `part` reads a data file."""
    nodes, law = part(NODES), beside[LAW]
    _require(law["delete"] + law["add"] < 1, LAW, "its probabilities leave nothing to be undone")
    number = _ints(nodes, NODES, NODE)
    _require(np.array_equal(number, np.arange(len(number))), NODES, "not numbered from 0 on")
    graph = _graph(part(EDGES), len(number))
    return PerturbedGraph(graph, EdgeLaw(law["delete"], law["add"]), read_exact(nodes, columns))


def _graph(edges: pa.Table, nodes: int) -> Graph:
    """Edges ascend by their ends, each once, the lower end first."""
    source, target = _ints(edges, EDGES, SOURCE), _ints(edges, EDGES, TARGET)
    fits = (source >= 0) & (source < target) & (target < nodes)
    _require(fits.all(), EDGES, "an edge does not lead from a node to a higher one")
    rising = (source[1:] > source[:-1]) | (source[1:] == source[:-1]) & (target[1:] > target[:-1])
    _require(rising.all(), EDGES, "edges do not ascend")
    ends = np.cumsum(np.bincount(source, minlength=nodes))
    return symmetric(np.concatenate([[0], ends]).astype(np.int64), target, cores())


def _ints(table: pa.Table, part: str, name: str) -> NDArray[Any]:
    column = table.column(name)
    _require(column.null_count == 0, part, f"a {name} is not given")
    return np.asarray(column.to_numpy())


def _require(holds: Any, part: str, what: str) -> None:
    if not holds:
        place = part if part == LAW else f"data/{part}"
        raise BadRelease(f"{place} is damaged: {what}", "get it again")


def guide(columns: Columns, extent: Extent, ending: str) -> list[str]:
    """What the data dictionary says of the files."""
    more = ", with columns that are exact" if len(columns) > 1 else ""
    return [
        f"A graph of {extent.records:,} nodes, whose edges were drawn anew.",
        "",
        f"- `data/{NODES}.{ending}`: one row per node{more}. Numbers of nodes are random.",
        f"- `data/{EDGES}.{ending}`: one row per edge; `{SOURCE}` is lower than `{TARGET}`.",
        f"- `{LAW}`: an edge of the original was lost with the probability `delete`, two nodes "
        "that were not connected got an edge with the probability `add`; every pair of nodes was "
        "drawn by itself.",
        "- `claims.json`: what this release promises, against whom.",
        "",
        "Of e edges published among m pairs of nodes, (e - add m) / (1 - delete - add) is an",
        "unbiased estimate of the edges that were there. Counting on the published graph without",
        "such a correction is wrong.",
    ]


def explain(column: dict[str, Any]) -> tuple[str, str]:
    """The file that a column stands in, and what its values mean."""
    if column["cells"] == "exact":
        return NODES, "exact, as in the original."
    return EDGES, "drawn by the law; single edges are not to be trusted."
