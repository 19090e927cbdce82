"""Form Bucketed on disk: records, entries and buckets, the tree of nodes, targets, and bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.errors import BadJob, BadRelease
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Kind
from sfumato.io.exact import ExactForm, exact_json, exact_kinds, exact_types, read_exact
from sfumato.io.forms import MOST_ROWS, Form, NoFacts, arrow_type, check_names, damaged
from sfumato.io.scale_table import node_types, nodes_table, read_scale
from sfumato.io.words import Extent, code
from sfumato.kernels.entry_bounds import bounds_table
from sfumato.releases.bucketed import Bucketed, Targets
from sfumato.releases.release import Release

FILES = ("records", "entries", "buckets", "nodes", "targets")
BOUNDS = "bounds"
SOMETIMES = (BOUNDS,)
MAY_BE_EMPTY = ("targets",)  # a tree of one node has no edges
GROUPS = "buckets"
BUCKET = "bucket"
MOST = {"count": MOST_ROWS, "weight": (1 << 62) - 1}

PRESENT = ("present_lower", "present_upper")
VALUES = ("sum_lower", "sum_upper", "min_lower", "min_upper", "max_lower", "max_upper")


class RecordForm(ExactForm):
    """A column of the records."""

    role: Literal["quasi", "keep"]


class EntriesForm(Form):
    """The sensitive column; with gaps, a node stands for all between its ends."""

    name: str
    role: Literal["sensitive"]
    kind: Literal["number", "date", "category"]
    type: str
    cells: Literal["entries"]
    gaps: bool
    missing: bool


class SchemaForm(Form):
    """`schema.json`."""

    inner = (RecordForm, EntriesForm)

    columns: list[RecordForm | EntriesForm]


SCHEMA: type[Form] = SchemaForm
FACTS: type[Form] = NoFacts
BESIDE: dict[str, type[Form]] = {}
Columns = Sequence[dict[str, Any]]


def files(columns: Columns) -> tuple[str, ...]:
    """The data files of a release with these columns: numbers have bounds."""
    return (*FILES, BOUNDS) if sensitive(columns)["kind"] == Kind.NUMBER else FILES


def sensitive(columns: Columns) -> dict[str, Any]:
    """The column that entries are about."""
    return next(column for column in columns if column["cells"] == "entries")


def tables(release: Release) -> dict[str, pa.Table]:
    """Every data file as a table."""
    content = release.bucketed
    found = {
        "records": _records(content),
        "entries": pa.table(
            {BUCKET: content.entry_bucket, "node": content.node, "count": content.count}
        ),
        "buckets": _buckets(content),
        "nodes": nodes_table(content.scale),
        "targets": _targets(content.targets),
    }
    if content.scale.kind is Kind.NUMBER:
        found[BOUNDS] = _bounds(content)
    return found


def _records(content: Bucketed) -> pa.Table:
    if BUCKET in content.records.columns:
        raise BadJob(f"schema: a release has a column '{BUCKET}' of its own", "rename yours")
    columns = {name: column.to_arrow() for name, column in content.records.columns.items()}
    return pa.table({BUCKET: content.bucket, **columns})


def _buckets(content: Bucketed) -> pa.Table:
    return pa.table(
        {
            BUCKET: np.arange(content.groups, dtype=np.int32),
            "target": content.target,
            "records": content.sizes.astype(np.int32),
            "entries": content.entries,
        }
    )


def _targets(targets: Targets) -> pa.Table:
    number = np.repeat(np.arange(len(targets), dtype=np.int32), np.diff(targets.start))
    return pa.table({"target": number, "node": targets.node, "weight": targets.weight})


def _bounds(content: Bucketed) -> pa.Table:
    """What any SQL database needs to answer: bounds by bucket and number of records selected."""
    scale, sizes = content.scale, content.sizes
    first, last = scale.present_ends
    none = first > last
    low = np.where(none, np.nan, scale.numbers[np.minimum(first, last)])
    high = np.where(none, np.nan, scale.numbers[last])
    node = content.node
    bounds = bounds_table(
        content.start, low[node], high[node], scale.holds_missing[node], content.count, sizes
    )
    before = np.repeat(np.cumsum(sizes) - sizes, sizes)
    columns: dict[str, Any] = {
        BUCKET: np.repeat(np.arange(content.groups, dtype=np.int32), sizes),
        "selected": (np.arange(len(before)) - before + 1).astype(np.int32),
    }
    columns |= {name: _or_null(getattr(bounds, name)) for name in VALUES}
    if scale.has_missing:
        columns |= {name: getattr(bounds, name) for name in PRESENT}
    return pa.table(columns)


def _or_null(numbers: NDArray[np.float64]) -> pa.Array:
    return pa.array(numbers, mask=np.isnan(numbers))


def beside(_release: Release) -> dict[str, dict[str, Any]]:
    """No JSON files of its own."""
    return {}


def schema_json(release: Release) -> list[dict[str, Any]]:
    """What every published column is, for machines; records in the order of their columns."""
    content = release.bucketed
    role = {field.name: field.role.value for field in release.schema.fields}
    columns = content.records.columns.items()
    found = [{"name": name, "role": role[name], **_exact(column)} for name, column in columns]
    scale = content.scale
    kind = {"kind": scale.kind.value, "type": str(scale.values.type), "cells": "entries"}
    flags = {"gaps": scale.gaps, "missing": scale.has_missing}
    return [*found, {"name": content.sensitive, "role": "sensitive", **kind, **flags}]


def _exact(column: Any) -> dict[str, Any]:
    """As published: who was left out may have been the only one without a value."""
    return exact_json(column) | {"missing": bool(column.has_missing and (column.codes == 0).any())}


def hierarchies(_release: Release) -> dict[str, Hierarchy]:
    """None: the tree of the sensitive column lies in `nodes`."""
    return {}


def members(part: Callable[[str], pa.Table]) -> NDArray[np.int64]:
    """The group of every record."""
    return np.asarray(part("records").column(BUCKET).cast(pa.int64()))


def with_tree(_columns: Columns) -> tuple[set[str], set[str]]:
    """No column has a hierarchy file."""
    return set(), set()


def check_columns(columns: Columns, where: str) -> None:
    """Refuse other than one sensitive column, names that are taken, and kinds that do not fit."""
    check_names(columns, where)
    if sum(column["cells"] == "entries" for column in columns) != 1:
        raise damaged(where, "it has other than one sensitive column")
    if any(column["name"] == BUCKET for column in columns if column["cells"] == "exact"):
        raise damaged(where, "its columns are not told apart by their names")
    for number, column in enumerate(columns):
        gaps = column.get("gaps", False)
        if column["kind"] not in exact_kinds(column) or (gaps and column["kind"] == "category"):
            raise damaged(where, f"columns.{number}.kind does not fit its type and cells")


def types(part: str, columns: Columns) -> dict[str, pa.DataType]:
    """Every column of a data file with its type, dictionaries aside."""
    column, bucket = sensitive(columns), {BUCKET: pa.int32()}
    bounds = {"selected": pa.int32()} | dict.fromkeys(VALUES, pa.float64())
    if column["missing"]:
        bounds |= dict.fromkeys(PRESENT, pa.int64())
    return {
        "records": bucket | exact_types(columns),
        "entries": bucket | {"node": pa.int32(), "count": pa.int64()},
        "buckets": bucket | {"target": pa.int32(), "records": pa.int32(), "entries": pa.int64()},
        "nodes": node_types(arrow_type(column["type"])),
        "targets": {"target": pa.int32(), "node": pa.int32(), "weight": pa.int64()},
        BOUNDS: bucket | bounds,
    }[part]


def read(
    part: Callable[[str], pa.Table],
    columns: list[dict[str, Any]],
    _trees: dict[str, Hierarchy],
    _beside: dict[str, Any],
) -> Bucketed:
    """The content that was written; `part` reads a data file."""
    column, records = sensitive(columns), part("records")
    scale = read_scale(part("nodes"), column)
    bucket, target = _ints(records, "records", BUCKET), _target(part("buckets"))
    _require(_inside(bucket, 0, len(target)), "records", "a bucket does not exist")
    entries = _runs(part("entries"), "entries", (BUCKET, "count"), len(target), (0, len(scale)))
    _require((np.diff(entries[0]) > 0).all(), "entries", "a bucket has none")
    many = int(target.max(initial=-1)) + 1
    targets = _runs(part("targets"), "targets", ("target", "weight"), many, (1, len(scale)))
    rest = read_exact(records, columns)
    return Bucketed(rest, bucket, column["name"], scale, Targets(*targets), target, *entries)


def _require(holds: Any, part: str, what: str) -> None:
    if not holds:
        raise BadRelease(f"data/{part} is damaged: {what}", "get it again")


def _ints(table: pa.Table, part: str, name: str) -> NDArray[Any]:
    column = table.column(name)
    _require(column.null_count == 0, part, f"a {name} is not given")
    return np.asarray(column)


def _inside(numbers: NDArray[Any], first: int, end: int) -> bool:
    return len(numbers) == 0 or bool(first <= numbers.min() and numbers.max() < end)


def _target(buckets: pa.Table) -> NDArray[np.int32]:
    """The target of every bucket; all are followed by some bucket."""
    number = _ints(buckets, "buckets", BUCKET)
    _require(np.array_equal(number, np.arange(len(number))), "buckets", "not numbered from 0 on")
    target = _ints(buckets, "buckets", "target")
    _require(_inside(target, 0, len(target)), "buckets", "a target does not exist")
    return target


def _runs(
    table: pa.Table, part: str, names: tuple[str, str], runs: int, nodes: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Where each run of lines begins, and the node and number of every line."""
    run, counted = names
    of, node, number = (_ints(table, part, name) for name in (run, "node", counted))
    _require(_inside(of, 0, runs), part, f"a {run} does not exist")
    _require(_inside(node, *nodes), part, "a node does not exist")
    step = np.diff(of)
    in_order = (step >= 0).all() and (np.diff(node)[step == 0] > 0).all()
    _require(in_order, part, "its lines are not in order")
    _require(_inside(number, 1, MOST[counted] + 1), part, f"a {counted} is out of range")
    return np.searchsorted(of, np.arange(runs + 1)).astype(np.int64), node, number


def guide(columns: Columns, extent: Extent, ending: str) -> list[str]:
    """What the data dictionary says of the files."""
    name = code(sensitive(columns)["name"])
    lines = [
        f"{extent.records:,} records in {extent.groups:,} buckets; {extent.dropped:,} records of "
        "the original were left out.",
        "",
        f"- `data/records.{ending}`: one row per record, exact but for {name}; `bucket` says which "
        "bucket it belongs to.",
        f"- `data/entries.{ending}`: what is published of {name} in every bucket: `count` times "
        "`node`. Every record of the bucket has its value in one of these entries, nobody else's; "
        "which one is not published. Entries beyond the records are fakes.",
        f"- `data/buckets.{ending}`: one row per bucket: its records, entries, and the target that "
        "its entries follow.",
        f"- `data/nodes.{ending}`: the tree of {name}: a node stands for values from `lower` to "
        "`upper`, inclusive; and for missing if `missing` says so.",
        f"- `data/targets.{ending}`: `weight` of each node among the children of the same parent; "
        "what is not listed has none.",
    ]
    if BOUNDS in files(columns):
        lines.append(
            f"- `data/bounds.{ending}`: bounds on sum, smallest and largest {name} of `selected` "
            "records of a bucket, whichever they are."
        )
    return [
        *lines,
        "- `claims.json`: what this release promises, for which columns, against whom.",
        "",
        "Join records, entries, buckets and bounds on `bucket`. The order of buckets, records and",
        "entries follows from their published values alone.",
    ]


def explain(column: dict[str, Any]) -> tuple[str, str]:
    """The file that a column stands in, and what its values mean."""
    if column["cells"] == "exact":
        return "records", "exact, as in the original."
    ends = "everything from `lower` to `upper`" if column["gaps"] else "the values of its leaves"
    text = f"nodes of the tree in `nodes`; a node stands for {ends}."
    return "entries", text + (" Missing is a value of its own." if column["missing"] else "")
