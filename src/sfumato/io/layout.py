"""How a recoded table lies on disk: which files, which columns, in plain Arrow tables and JSON."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core.errors import BadRelease
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import GROUP, SIZE, Field, Kind, Role, Schema
from sfumato.data.table import table_from_arrow
from sfumato.releases.cells import Cells, Intervals, Nodes, ValueSets, distinct_sets
from sfumato.releases.recoded import Recoded

FORMS = {Intervals: "interval", ValueSets: "set", Nodes: "node"}


def groups_table(content: Recoded) -> pa.Table:
    """One row per group: its number, its size, and its cells as labels and as usable values."""
    columns: dict[str, Any] = {
        GROUP: np.arange(content.groups, dtype=np.int32),
        SIZE: content.sizes.astype(np.int32),
    }
    for name, cells in content.cells.items():
        columns[name] = cells.labels()
        columns |= {f"{name}_{part}": values for part, values in _usable(cells).items()}
    return pa.table(columns)


def _usable(cells: Cells) -> dict[str, Any]:
    if isinstance(cells, Intervals):
        ends = {"lower": cells.lower, "upper": cells.upper}
        return ends | ({"missing": cells.missing} if cells.missing.any() else {})
    if isinstance(cells, ValueSets):
        return {"values": cells.lists()}
    return {"level": cells.hierarchy.height[cells.node].astype(np.int16)}


def records_table(content: Recoded) -> pa.Table:
    """One row per record: its group and its sensitive and kept values."""
    columns = {name: column.to_arrow() for name, column in content.records.columns.items()}
    return pa.table({GROUP: content.group, **columns})


def flat_table(content: Recoded) -> pa.Table:
    """One row per record with the labels of its group: for people who open one file."""
    columns: dict[str, Any] = {}
    for name, cells in content.cells.items():
        labels = cells.labels()
        place = np.asarray(labels.indices)[content.group]
        columns[name] = pa.DictionaryArray.from_arrays(pa.array(place), labels.dictionary)
    for name, column in content.records.columns.items():
        columns[name] = column.to_arrow()
    return pa.table(columns)


def schema_json(schema: Schema, content: Recoded) -> list[dict[str, Any]]:
    """What every published column is, for machines."""
    return [_column_json(name, schema, content) for name in schema.published]


def _column_json(name: str, schema: Schema, content: Recoded) -> dict[str, Any]:
    field = next(field for field in schema.fields if field.name == name)
    base = {"name": name, "role": field.role.value}
    if name in content.cells:
        return base | _cells_json(content.cells[name])
    column = content.records[name]
    kind = {"kind": column.kind.value, "type": str(column.values.type)}
    return base | kind | {"cells": "exact", "missing": column.has_missing}


def _cells_json(cells: Cells) -> dict[str, Any]:
    form = {"cells": FORMS[type(cells)], "tight": cells.tight}
    if isinstance(cells, Intervals):
        values, missing = cells.lower.type, bool(cells.missing.any())
        kind = Kind.DATE if pa.types.is_temporal(values) else Kind.NUMBER
    elif isinstance(cells, ValueSets):
        values, missing, kind = cells.values.type, cells.has_missing, Kind.CATEGORY
    else:
        values, missing, kind = pa.string(), cells.has_missing, cells.kind
    return {"kind": kind.value, "type": str(values)} | form | {"missing": missing}


def hierarchies_of(content: Recoded) -> dict[str, Hierarchy]:
    """The trees that published nodes are read with, without the leaf for missing."""
    trees = {}
    for name, cells in content.cells.items():
        if isinstance(cells, Nodes):
            trees[name] = (
                _without_missing(cells.hierarchy) if cells.has_missing else cells.hierarchy
            )
    return trees


def _without_missing(tree: Hierarchy) -> Hierarchy:
    return Hierarchy(tree.labels[1:], tree.ladder[:, 1:] - np.int32(1))


def schema_from_json(columns: list[dict[str, Any]]) -> Schema:
    """The schema that `schema_json` wrote."""
    return Schema(tuple(Field(c["name"], Role(c["role"]), Kind(c["kind"])) for c in columns))


def recoded_from_tables(
    groups: pa.Table,
    records: pa.Table,
    columns: list[dict[str, Any]],
    trees: dict[str, Hierarchy],
) -> Recoded:
    """The release that `groups_table` and `records_table` wrote."""
    cells = {c["name"]: _cells(groups, c, trees) for c in columns if c["cells"] != "exact"}
    exact = {c["name"]: Kind(c["kind"]) for c in columns if c["cells"] == "exact"}
    group = np.asarray(records.column(GROUP).combine_chunks().cast(pa.int32()))
    if len(group) and not 0 <= group.min() <= group.max() < groups.num_rows:
        raise BadRelease("records name a group that does not exist", "the release is damaged")
    rest = table_from_arrow(records.select(list(exact)), dict(exact))
    if not exact:
        rest = type(rest)({}, len(group))
    return Recoded(cells, group, groups.num_rows, rest)


def _cells(groups: pa.Table, column: dict[str, Any], trees: dict[str, Hierarchy]) -> Cells:
    name, tight = column["name"], column["tight"]
    if column["cells"] == "interval":
        return Intervals(
            _plain(groups, f"{name}_lower"),
            _plain(groups, f"{name}_upper"),
            _flags(groups, f"{name}_missing"),
            tight,
        )
    if column["cells"] == "set":
        return _sets(_plain(groups, f"{name}_values"), column)
    tree = trees[name].with_missing() if column["missing"] else trees[name]
    labels = groups.column(name).cast(pa.string()).to_pylist()
    levels = groups.column(f"{name}_level").to_pylist()
    node = [tree.node_of[level, label] for level, label in zip(levels, labels, strict=True)]
    kind = Kind(column["kind"])
    return Nodes(np.array(node, np.int32), tree, column["missing"], tight, kind)


def _plain(groups: pa.Table, name: str) -> pa.Array:
    values = groups.column(name).combine_chunks()
    return values if isinstance(values, pa.Array) else pa.concat_arrays(values.chunks)


def _flags(groups: pa.Table, name: str) -> Any:
    if name not in groups.column_names:
        return np.zeros(groups.num_rows, bool)
    return np.asarray(_plain(groups, name))


def _sets(lists: pa.ListArray, column: dict[str, Any]) -> ValueSets:
    inner, missing = lists.flatten(), column["missing"]
    if lists.null_count or (inner.null_count and not missing):
        raise BadRelease(f"cells of '{column['name']}' are not sets", "the release is damaged")
    distinct = pc.unique(inner.drop_null())
    values = distinct.take(pc.sort_indices(distinct))
    place = pc.index_in(inner, value_set=values).cast(pa.int64()).fill_null(-1)
    codes = (np.asarray(place) + missing).astype(np.int32)
    sizes = np.asarray(lists.value_lengths())
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    which, starts, runs = distinct_sets(offsets, codes)
    return ValueSets(which, starts, runs, values, missing, column["tight"])
