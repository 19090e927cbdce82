"""A scale as a table of its nodes, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.core.errors import BadRelease
from sfumato.data.scale import Scale
from sfumato.data.schema import Kind

Ints = NDArray[np.int64]


def nodes_table(scale: Scale) -> pa.Table:
    """One row per node: what is above it, its label, and the values it stands for."""
    low, high = scale.present_ends
    none, shift = low > high, int(scale.has_missing)
    parent = scale.parent
    return pa.table(
        {
            "node": np.arange(len(scale), dtype=np.int32),
            "parent": pa.array(parent, pa.int32(), mask=parent < 0),
            "label": pa.array(scale.labels, pa.string()),
            "lower": _values(scale.values, low - shift, none),
            "upper": _values(scale.values, high - shift, none),
            "missing": scale.holds_missing,
        }
    )


def _values(values: pa.Array, place: Ints, none: NDArray[np.bool_]) -> pa.Array:
    return values.take(pa.array(np.where(none, 0, place), mask=none))


def node_types(value: pa.DataType) -> dict[str, pa.DataType]:
    """The columns of the table for a sensitive column of some type."""
    ends = {"lower": value, "upper": value, "missing": pa.bool_()}
    return {"node": pa.int32(), "parent": pa.int32(), "label": pa.string(), **ends}


def read_scale(nodes: pa.Table, column: dict[str, Any]) -> Scale:
    """The scale that `nodes_table` wrote; refused unless its nodes form the tree of a scale."""
    parent = _parents(nodes)
    children = np.bincount(parent[1:], minlength=len(parent)).astype(np.int32)
    first = np.where(children > 0, 1 + np.cumsum(children) - children, 0).astype(np.int32)
    values = _domain(nodes, _leaves(first, children))
    low, high = _places(nodes, values, column["missing"])
    scale = Scale(
        Kind(column["kind"]),
        values,
        column["missing"],
        low,
        high,
        first,
        children,
        tuple(_plain(nodes, "label").to_pylist()),
        column["gaps"],
    )
    _check_runs(scale)
    return scale


def _require(holds: Any, what: str) -> None:
    if not holds:
        raise BadRelease(f"data/nodes is damaged: {what}", "get it again")


def _plain(nodes: pa.Table, name: str) -> pa.Array:
    column = nodes.column(name).combine_chunks()
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _parents(nodes: pa.Table) -> Ints:
    """The node above each node, -1 for the root; children follow one another, level by level."""
    whole = all(nodes.column(name).null_count == 0 for name in ("node", "label", "missing"))
    _require(whole, "something is not given")
    parent = np.asarray(nodes.column("parent").fill_null(-1)).astype(np.int64)
    number = np.arange(len(parent))
    _require(np.array_equal(np.asarray(nodes.column("node")), number), "not numbered from 0 on")
    rest = parent[1:]
    tree = parent[0] == -1 and (rest >= 0).all() and (rest < number[1:]).all()
    _require(tree and (np.diff(rest) >= 0).all(), "its nodes do not form a tree, level by level")
    _require((np.bincount(rest) != 1).all(), "a node joins nothing")
    return parent


def _leaves(first: NDArray[np.int32], children: NDArray[np.int32]) -> list[int]:
    """All leaves in the order of the tree."""
    found, pending = [], [0]
    while pending:
        node = pending.pop()
        begin, many = int(first[node]), int(children[node])
        if many:
            pending.extend(range(begin + many - 1, begin - 1, -1))
        else:
            found.append(node)
    return found


def _domain(nodes: pa.Table, leaves: list[int]) -> pa.Array:
    """The ends of all leaves, each value once, in the order of the tree."""
    at = pa.array(np.repeat(leaves, 2))
    ends = pa.concat_arrays([_plain(nodes, "lower"), _plain(nodes, "upper")])
    shifted = np.asarray(at) + np.tile([0, nodes.num_rows], len(leaves))
    return pc.unique(ends.take(pa.array(shifted)).drop_null())


def _places(
    nodes: pa.Table, values: pa.Array, has_missing: bool
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """First and last place of every node."""
    missing = np.asarray(nodes.column("missing"))
    ends = [_plain(nodes, "lower"), _plain(nodes, "upper")]
    none = [np.asarray(end.is_null()) for end in ends]
    _require(missing[0] == has_missing, "it has another idea of missing than schema.json")
    fits = np.array_equal(none[0], none[1]) and (missing | ~none[0]).all()
    _require(fits, "a node stands for nothing, or half an interval")
    low, high = (
        np.asarray(pc.index_in(end, value_set=values).fill_null(-1)).astype(np.int32) + has_missing
        for end in ends
    )
    known = ((low >= has_missing) & (high >= has_missing)) | none[0]
    _require(known.all(), "a node ends at a value that no leaf has")
    _require((none[0] | ~missing | (low == 1)).all(), "missing is not the first value")
    return np.where(missing, 0, low), np.where(none[0], 0, high)


def _check_runs(scale: Scale) -> None:
    """Values ascend, and the runs of children follow one another and make up their parent's."""
    low, high, leaf = scale.low, scale.high, scale.is_leaf
    ordered = scale.kind is Kind.CATEGORY or _ascending(scale.values)
    _require(ordered and (low <= high).all(), "values do not ascend along the tree")
    _require(scale.gaps or (low == high)[leaf].all(), "a leaf stands for several values")
    inner = np.flatnonzero(~leaf)
    last = scale.first_child[inner] + scale.children[inner] - 1
    whole = np.array_equal(low[inner], low[scale.first_child[inner]])
    _require(whole and np.array_equal(high[inner], high[last]), "children do not make up a node")
    parent = scale.parent[1:]
    beside = parent[1:] == parent[:-1]
    step = low[2:] - high[1:-1]
    fits = (step >= 0) & (step <= 1) if scale.gaps else step == 1
    _require(fits[beside].all(), "siblings do not follow one another")


def _ascending(values: pa.Array) -> bool:
    return bool(pc.all(pc.less(values[:-1], values[1:])).as_py() is not False)
