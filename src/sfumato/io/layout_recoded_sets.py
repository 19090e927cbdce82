"""Form Recoded of sets on disk: `groups` with their items, `items` with names and utilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.errors import BadRelease
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import GROUP, SIZE
from sfumato.data.sets import Sets, item_type
from sfumato.data.table import Table
from sfumato.io.exact import ExactForm, exact_json, exact_kinds, exact_types, read_exact
from sfumato.io.forms import MOST_ROWS, Form, NoFacts, check_names, damaged
from sfumato.io.words import Extent
from sfumato.releases.recoded_sets import ITEMS, RecodedSets
from sfumato.releases.release import Release

FILES = ("groups", "items")
RECORDS = "records"
SOMETIMES = (RECORDS,)
MAY_BE_EMPTY = ("items",)  # nothing may be left to show
GROUPS = "groups"
ITEM, NAME, UTILITY = "item", "name", "utility"


class ItemsForm(Form):
    """What groups are about."""

    name: Literal["items"]
    role: Literal["quasi"]
    kind: Literal["category"]
    type: Literal["string"]
    cells: Literal["items"]
    tight: bool
    missing: Literal[False]


class RestForm(ExactForm):
    """A column of the records."""

    role: Literal["sensitive", "keep"]


class SchemaForm(Form):
    """`schema.json`."""

    inner = (ItemsForm, RestForm)

    columns: list[ItemsForm | RestForm]


SCHEMA: type[Form] = SchemaForm
FACTS: type[Form] = NoFacts
BESIDE: dict[str, type[Form]] = {}
Columns = Sequence[dict[str, Any]]


def files(columns: Columns) -> tuple[str, ...]:
    """The data files of a release with these columns; records are left out if they say nothing."""
    return (*FILES, RECORDS) if len(columns) > 1 else FILES


def tables(release: Release) -> dict[str, pa.Table]:
    """Every data file as a table."""
    content = release.sets
    found = {"groups": _groups(content), "items": _items(content.sets)}
    if content.records.columns:
        columns = {name: column.to_arrow() for name, column in content.records.columns.items()}
        found[RECORDS] = pa.table({GROUP: content.group, **columns})
    return found


def _groups(content: RecodedSets) -> pa.Table:
    """One row per group: its number, its size, and the items shown, ascending."""
    sets = content.sets
    items = pa.ListArray.from_arrays(
        pa.array(sets.indptr.astype(np.int32)), pa.array(sets.items.astype(np.int32))
    )
    number = np.arange(content.groups, dtype=np.int32)
    return pa.table({GROUP: number, SIZE: content.sizes.astype(np.int32), ITEMS: items})


def _items(sets: Sets) -> pa.Table:
    """One row per item that some group shows."""
    number = np.arange(sets.domain, dtype=np.int32)
    return pa.table({ITEM: number, NAME: sets.names, UTILITY: sets.utility})


def beside(_release: Release) -> dict[str, dict[str, Any]]:
    """No JSON files of its own."""
    return {}


def schema_json(release: Release) -> list[dict[str, Any]]:
    """What every published column is, for machines."""
    content = release.sets
    role = {field.name: field.role.value for field in release.schema.fields}
    first = {"name": ITEMS, "role": "quasi", "kind": "category", "type": "string"}
    items = first | {"cells": "items", "tight": content.tight, "missing": False}
    rest = content.records.columns.items()
    return [
        items,
        *({"name": name, "role": role[name], **exact_json(column)} for name, column in rest),
    ]


def hierarchies(_release: Release) -> dict[str, Hierarchy]:
    """None: items are shown as they are."""
    return {}


def members(part: Callable[[str], pa.Table]) -> NDArray[np.int64]:
    """The group of every record."""
    sizes = np.asarray(part("groups").column(SIZE))
    return np.repeat(np.arange(len(sizes)), sizes)


def with_tree(columns: Columns) -> tuple[set[str], set[str]]:
    """No column needs a hierarchy; a claim about a sensitive one may."""
    return set(), {c["name"] for c in columns if c["role"] == "sensitive"}


def check_columns(columns: Columns, where: str) -> None:
    """Refuse other than one column of items, names that are taken, and kinds that do not fit."""
    check_names(columns, where)
    if [column["cells"] for column in columns].count("items") != 1:
        raise damaged(where, "it has other than one column of items")
    for number, column in enumerate(columns):
        if column["cells"] == "exact" and column["kind"] not in exact_kinds(column):
            raise damaged(where, f"columns.{number}.kind does not fit its type and cells")


def types(part: str, columns: Columns) -> dict[str, pa.DataType]:
    """Every column of a data file with its type, dictionaries aside."""
    return {
        "groups": {GROUP: pa.int32(), SIZE: pa.int32(), ITEMS: pa.list_(pa.int32())},
        "items": {ITEM: pa.int32(), NAME: pa.string(), UTILITY: pa.float64()},
        RECORDS: {GROUP: pa.int32()} | exact_types(columns),
    }[part]


def read(
    part: Callable[[str], pa.Table],
    columns: list[dict[str, Any]],
    _trees: dict[str, Hierarchy],
    _beside: dict[str, Any],
) -> RecodedSets:
    """The content that was written; `part` reads a data file."""
    groups, items = part("groups"), part("items")
    sets = _sets(groups, items)
    sizes = _ints(groups, "groups", SIZE)
    _require(len(sizes) == 0 or sizes.min() > 0, "groups", "a group has no records")
    _require(int(sizes.sum()) <= MOST_ROWS, "groups", "there are too many records")
    group = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    rest = Table({}, len(group))
    if len(columns) > 1:
        table = part(RECORDS)
        _require(np.array_equal(_ints(table, RECORDS, GROUP), group), RECORDS, "other groups")
        rest = read_exact(table, columns)
    return RecodedSets(sets, group, columns[0]["tight"], rest)


def _sets(groups: pa.Table, items: pa.Table) -> Sets:
    """The sets of all groups; items ascend and exist."""
    utility = np.asarray(items.column(UTILITY))
    number = _ints(items, "items", ITEM)
    _require(np.array_equal(number, np.arange(len(number))), "items", "not numbered from 0 on")
    _require(items.column(NAME).null_count == 0, "items", "an item has no name")
    fine = items.column(UTILITY).null_count == 0 and np.isfinite(utility).all()
    _require(fine and (utility >= 0).all(), "items", "a utility is no number from 0 up")
    _require(groups.column(ITEMS).null_count == 0, "groups", "a group has no list of items")
    lists = groups.column(ITEMS).combine_chunks()
    inner = lists.flatten()
    _require(inner.null_count == 0, "groups", "an item is not given")
    held = np.asarray(inner)
    fits = len(held) == 0 or (held.min() >= 0 and held.max() < len(number))
    _require(fits, "groups", "an item does not exist")
    lengths = np.asarray(lists.value_lengths())
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    names = items.column(NAME).combine_chunks()
    return Sets(start, held.astype(item_type(len(number))), names, utility)


def _ints(table: pa.Table, part: str, name: str) -> NDArray[Any]:
    column = table.column(name)
    _require(column.null_count == 0, part, f"a {name} is not given")
    return np.asarray(column)


def _require(holds: Any, part: str, what: str) -> None:
    if not holds:
        raise BadRelease(f"data/{part} is damaged: {what}", "get it again")


def guide(columns: Columns, extent: Extent, ending: str) -> list[str]:
    """What the data dictionary says of the files."""
    lines = [
        f"{extent.records:,} records, of which {extent.groups:,} different sets are shown; "
        f"{extent.dropped:,} records of the original were left out.",
        "",
        f"- `data/groups.{ending}`: one row per set shown; `{SIZE}` is the number of records it "
        f"stands for, `{ITEMS}` lists numbers of items.",
        f"- `data/items.{ending}`: number, name and utility of every item that some set shows.",
    ]
    if len(columns) > 1:
        lines.append(f"- `data/{RECORDS}.{ending}`: one row per record and the set shown of it.")
    return [
        *lines,
        "- `claims.json`: what this release promises, for which columns, against whom.",
        "",
        "Everybody has all items of the set shown of them. An item that is not shown is unknown,",
        "not absent. The order of groups and records follows from what is published alone.",
    ]


def explain(column: dict[str, Any]) -> tuple[str, str]:
    """The file that a column stands in, and what its values mean."""
    if column["cells"] == "exact":
        return RECORDS, "exact, as in the original."
    text = "items that the person has for certain; they may have others."
    tight = " Of every item not shown, some member of the group has none." * column["tight"]
    return "groups", text + tight
