"""Form Uncertain of sets on disk: `worlds` of every record, `items` with names and utilities.

Base and open items are lists of numbers, so a file grows with what records have, not with the items
that there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.sets import Sets
from sfumato.data.table import Table
from sfumato.io.exact import ExactForm, exact_json, exact_kinds, exact_types, read_exact
from sfumato.io.forms import Form, NoFacts, check_names, damaged
from sfumato.io.item_lists import (
    ITEM_TYPES,
    ints,
    items_table,
    list_column,
    read_items,
    read_rows,
    require,
)
from sfumato.io.words import Extent
from sfumato.releases.release import Release
from sfumato.releases.uncertain import ITEMS, Uncertain

WORLDS, RECORDS = "worlds", "records"
FILES = (WORLDS, "items")
SOMETIMES = (RECORDS,)
MAY_BE_EMPTY = ("items",)  # nobody may have anything
GROUPS = WORLDS
BASE, OPEN, THRESHOLD = "base", "open", "threshold"


class ItemsForm(Form):
    """What worlds are about."""

    name: Literal["items"]
    role: Literal["quasi"]
    kind: Literal["category"]
    type: Literal["string"]
    cells: Literal["worlds"]
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
    """Every data file as a table; `records` has the rows of `worlds`, one by one."""
    content = release.worlds
    lists = {BASE: list_column(content.base.held), OPEN: list_column(content.open)}
    found = {
        WORLDS: pa.table(lists | {THRESHOLD: content.threshold}),
        "items": items_table(content.base),
    }
    if content.records.columns:
        columns = content.records.columns.items()
        found[RECORDS] = pa.table({name: column.to_arrow() for name, column in columns})
    return found


def beside(_release: Release) -> dict[str, dict[str, Any]]:
    """No JSON files of its own."""
    return {}


def schema_json(release: Release) -> list[dict[str, Any]]:
    """What every published column is, for machines."""
    role = {field.name: field.role.value for field in release.schema.fields}
    items = {"name": ITEMS, "role": "quasi", "kind": "category", "type": "string"}
    rest = release.worlds.records.columns.items()
    return [
        items | {"cells": "worlds", "missing": False},
        *({"name": name, "role": role[name], **exact_json(column)} for name, column in rest),
    ]


def hierarchies(_release: Release) -> dict[str, Hierarchy]:
    """None: items are shown as they are."""
    return {}


def members(part: Callable[[str], pa.Table]) -> NDArray[np.int64]:
    """Every record is published by itself."""
    return np.arange(part(WORLDS).num_rows)


def with_tree(columns: Columns) -> tuple[set[str], set[str]]:
    """No column needs a hierarchy; a claim about a sensitive one may."""
    return set(), {c["name"] for c in columns if c["role"] == "sensitive"}


def check_columns(columns: Columns, where: str) -> None:
    """Refuse other than one column of items, names that are taken, and kinds that do not fit."""
    check_names(columns, where)
    if [column["cells"] for column in columns].count("worlds") != 1:
        raise damaged(where, "it has other than one column of items")
    for number, column in enumerate(columns):
        if column["cells"] == "exact" and column["kind"] not in exact_kinds(column):
            raise damaged(where, f"columns.{number}.kind does not fit its type and cells")


def types(part: str, columns: Columns) -> dict[str, pa.DataType]:
    """Every column of a data file with its type, dictionaries aside."""
    items = pa.list_(pa.int32())
    return {
        WORLDS: {BASE: items, OPEN: items, THRESHOLD: pa.int32()},
        "items": ITEM_TYPES,
        RECORDS: exact_types(columns),
    }[part]


def read(
    part: Callable[[str], pa.Table],
    columns: list[dict[str, Any]],
    _trees: dict[str, Hierarchy],
    _beside: dict[str, Any],
) -> Uncertain:
    """The content that was written; `part` reads a data file."""
    worlds = part(WORLDS)
    names, utility = read_items(part("items"))
    base, opened = (read_rows(worlds, WORLDS, name, len(utility)) for name in (BASE, OPEN))
    threshold = ints(worlds, WORLDS, THRESHOLD)
    fits = (threshold >= 0) & (threshold <= np.diff(opened.start))
    require(fits.all(), WORLDS, "a threshold is not between 0 and the number of open items")
    rest = Table({}, len(threshold))
    if len(columns) > 1:
        table = part(RECORDS)
        require(table.num_rows == len(threshold), RECORDS, "other records than there are worlds")
        rest = read_exact(table, columns)
    return Uncertain(Sets(*base, names, utility), opened, threshold, rest)


def guide(columns: Columns, extent: Extent, ending: str) -> list[str]:
    """What the data dictionary says of the files."""
    lines = [
        f"{extent.records:,} records; {extent.dropped:,} records of the original were left out.",
        "",
        f"- `data/{WORLDS}.{ending}`: one row per record. `{BASE}` lists the items that it is "
        f"taken to have, `{OPEN}` those in which it may differ from that, and it differs in "
        f"`{THRESHOLD}` of these at most.",
        f"- `data/items.{ending}`: number, name and utility of every item that a record may have.",
    ]
    if len(columns) > 1:
        lines.append(
            f"- `data/{RECORDS}.{ending}`: the other columns, row by row those of "
            f"`data/{WORLDS}.{ending}`."
        )
    return [
        *lines,
        "- `claims.json`: what this release promises, for which columns, against whom.",
        "",
        "An item that is not open is certain: the record has it if the base has it, and else lacks",
        "it. The order of records follows from what is published alone.",
    ]


def explain(column: dict[str, Any]) -> tuple[str, str]:
    """The file that a column stands in, and what its values mean."""
    if column["cells"] == "exact":
        return RECORDS, "exact, of the person whose items are one of the worlds of the same row."
    return WORLDS, "a base, open items and a threshold: the possible sets of items of the person."
