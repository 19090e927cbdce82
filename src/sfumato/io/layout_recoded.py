"""Form Recoded on disk: `groups` with their cells, `records`, and a flat view of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.core.errors import BadRelease
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import GROUP, PARTS, SIZE, Kind, Role, Schema
from sfumato.io.exact import ExactForm, exact_json, exact_kinds, exact_types, read_exact
from sfumato.io.forms import Form, NoFacts, arrow_type, check_names, damaged, natural_kind
from sfumato.io.words import Extent, code
from sfumato.releases.cells import Cells, Intervals, Nodes, ValueSets, distinct_sets
from sfumato.releases.recoded import Recoded
from sfumato.releases.release import Release

FILES = ("groups", "records", "flat")
SOMETIMES: tuple[str, ...] = ()
MAY_BE_EMPTY: tuple[str, ...] = ()
GROUPS = "groups"
CELLS = {Intervals: "interval", ValueSets: "set", Nodes: "node"}

TEXTS = {
    "interval": "an interval: the person's value lies from {lower} to {upper}, inclusive",
    "set": "a set: the person's value is one of {values}",
    "node": "a node of a hierarchy: the person's value is a leaf below it; {level} is its "
    "level, 0 for an exact value, in the hierarchy file of this column",
    "exact": "exact, as in the original",
}
ENDS = {True: " Every listed value, or both ends, occur in the group.", False: ""}


class CellsForm(Form):
    """A quasi-identifier: never exact."""

    name: str
    role: Literal["quasi"]
    kind: Literal["number", "date", "category"]
    type: str
    cells: Literal["interval", "set", "node"]
    tight: bool
    missing: bool


class RestForm(ExactForm):
    """Any other column: exact."""

    role: Literal["sensitive", "keep"]


class SchemaForm(Form):
    """`schema.json`."""

    inner = (CellsForm, RestForm)

    columns: list[CellsForm | RestForm]


SCHEMA: type[Form] = SchemaForm
FACTS: type[Form] = NoFacts
BESIDE: dict[str, type[Form]] = {}


def files(_columns: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """The data files of a release with these columns."""
    return FILES


def tables(release: Release) -> dict[str, pa.Table]:
    """Every data file as a table."""
    content = release.recoded
    return {
        "groups": groups_table(content),
        "records": records_table(content),
        "flat": flat_table(content),
    }


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


def beside(_release: Release) -> dict[str, dict[str, Any]]:
    """No JSON files of its own."""
    return {}


def schema_json(release: Release) -> list[dict[str, Any]]:
    """What every published column is, for machines."""
    schema = release.schema
    return [_column_json(name, schema, release.recoded) for name in schema.published]


def _column_json(name: str, schema: Schema, content: Recoded) -> dict[str, Any]:
    field = next(field for field in schema.fields if field.name == name)
    base = {"name": name, "role": field.role.value}
    if name in content.cells:
        return base | _cells_json(content.cells[name])
    return base | exact_json(content.records[name])


def _cells_json(cells: Cells) -> dict[str, Any]:
    form = {"cells": CELLS[type(cells)], "tight": cells.tight}
    if isinstance(cells, Intervals):
        values, missing = cells.lower.type, bool(cells.missing.any())
        kind = Kind.DATE if pa.types.is_temporal(values) else Kind.NUMBER
    elif isinstance(cells, ValueSets):
        values, missing, kind = cells.values.type, cells.has_missing, Kind.CATEGORY
    else:
        values, missing, kind = pa.string(), cells.has_missing, cells.kind
    return {"kind": kind.value, "type": str(values)} | form | {"missing": missing}


def hierarchies(release: Release) -> dict[str, Hierarchy]:
    """The trees that published nodes are read with, without the leaf for missing."""
    trees = {}
    for name, cells in release.recoded.cells.items():
        if isinstance(cells, Nodes):
            trees[name] = (
                _without_missing(cells.hierarchy) if cells.has_missing else cells.hierarchy
            )
    return trees


def _without_missing(tree: Hierarchy) -> Hierarchy:
    return Hierarchy(tree.labels[1:], tree.ladder[:, 1:] - np.int32(1))


def check_columns(columns: Sequence[dict[str, Any]], where: str) -> None:
    """Refuse columns that can't be told apart, and kinds that do not fit types and cells."""
    check_names(columns, where)
    for number, column in enumerate(columns):
        if column["kind"] not in _kinds(column):
            raise damaged(where, f"columns.{number}.kind does not fit its type and cells")


def _kinds(column: dict[str, Any]) -> tuple[Kind, ...]:
    """The kinds that a column of this type with these cells can have."""
    natural = natural_kind(arrow_type(column["type"]))
    if column["cells"] == "exact":
        return exact_kinds(column)
    if column["cells"] == "set":
        return (Kind.CATEGORY,)
    if column["cells"] == "node":
        return tuple(Kind) if column["type"] == "string" else ()
    return (natural,) if natural is not Kind.CATEGORY else ()


def members(part: Callable[[str], pa.Table]) -> NDArray[np.int64]:
    """The group of every record."""
    return np.asarray(part("records").column(GROUP).cast(pa.int64()))


def with_tree(columns: Sequence[dict[str, Any]]) -> tuple[set[str], set[str]]:
    """Columns that can't be read without a hierarchy, and those that a claim may need one of."""
    needed = {c["name"] for c in columns if c["cells"] == "node"}
    return needed, {c["name"] for c in columns if c["role"] == "sensitive"}


def types(part: str, columns: Sequence[dict[str, Any]]) -> dict[str, pa.DataType]:
    """Every column of a data file with its type, dictionaries aside."""
    cells = [column for column in columns if column["cells"] != "exact"]
    if part == "flat":
        return {column["name"]: pa.string() for column in cells} | exact_types(columns)
    if part == "records":
        return {GROUP: pa.int32()} | exact_types(columns)
    found = {GROUP: pa.int32(), SIZE: pa.int32()}
    for column in cells:
        found |= _cell_types(column)
    return found


def _cell_types(column: dict[str, Any]) -> dict[str, pa.DataType]:
    name, value = column["name"], arrow_type(column["type"])
    labels = {name: pa.string()}
    if column["cells"] == "set":
        return labels | {f"{name}_values": pa.list_(value)}
    if column["cells"] == "node":
        return labels | {f"{name}_level": pa.int16()}
    ends = {f"{name}_lower": value, f"{name}_upper": value}
    return labels | ends | ({f"{name}_missing": pa.bool_()} if column["missing"] else {})


def read(
    part: Callable[[str], pa.Table],
    columns: list[dict[str, Any]],
    trees: dict[str, Hierarchy],
    _beside: dict[str, Any],
) -> Recoded:
    """The content that was written; `part` reads a data file."""
    return recoded_from_tables(part("groups"), part("records"), columns, trees)


def recoded_from_tables(
    groups: pa.Table,
    records: pa.Table,
    columns: list[dict[str, Any]],
    trees: dict[str, Hierarchy],
) -> Recoded:
    """The content that `groups_table` and `records_table` wrote."""
    cells = {c["name"]: _cells(groups, c, trees) for c in columns if c["cells"] != "exact"}
    group = np.asarray(records.column(GROUP).combine_chunks().cast(pa.int32()))
    if len(group) and not 0 <= group.min() <= group.max() < groups.num_rows:
        raise BadRelease("records name a group that does not exist", "the release is damaged")
    return Recoded(cells, group, groups.num_rows, read_exact(records, columns))


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


def guide(_columns: Sequence[dict[str, Any]], extent: Extent, ending: str) -> list[str]:
    """What the data dictionary says of the files."""
    return [
        f"{extent.records:,} records in {extent.groups:,} groups; {extent.dropped:,} records of "
        "the original were left out.",
        "",
        f"- `data/groups.{ending}`: one row per group; `group_size` is the number of its records.",
        f"- `data/records.{ending}`: one row per record; `group` says which group it belongs to.",
        f"- `data/flat.{ending}`: both joined, with labels only, for a first look.",
        "- `hierarchies/`: one file per column published as nodes, from values to the top.",
        "- `claims.json`: what this release promises, for which columns, against whom.",
        "",
        "Join groups and records on `group`. The order of groups and records follows from their",
        "published values alone.",
    ]


def explain(column: dict[str, Any]) -> tuple[str, str]:
    """The file that a column stands in, and what its values mean."""
    name = column["name"]
    text = TEXTS[column["cells"]].format(**{part: code(f"{name}_{part}") for part in PARTS}) + "."
    text += ENDS[bool(column.get("tight"))]
    if column["missing"] and column["cells"] != "exact":
        text += " Missing is a value of its own."
    return "records" if column["role"] in (Role.SENSITIVE, Role.KEEP) else "groups", text
