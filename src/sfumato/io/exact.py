"""Columns that are published as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import pyarrow as pa

from sfumato.data.schema import Kind
from sfumato.data.table import Column, Table, table_from_arrow
from sfumato.io.forms import Form, arrow_type, natural_kind

Columns = Sequence[dict[str, Any]]


class ExactForm(Form):
    """A column published as it is; each form says which roles such a column may have."""

    name: str
    kind: Literal["number", "date", "category"]
    type: str
    cells: Literal["exact"]
    missing: bool


def exact_json(column: Column) -> dict[str, Any]:
    """What a column is, its name and role aside."""
    kind = {"kind": column.kind.value, "type": str(column.values.type)}
    return kind | {"cells": "exact", "missing": column.has_missing}


def exact_types(columns: Columns) -> dict[str, pa.DataType]:
    """The types of all such columns."""
    return {c["name"]: arrow_type(c["type"]) for c in columns if c["cells"] == "exact"}


def exact_kinds(column: dict[str, Any]) -> tuple[Kind, ...]:
    """The kinds that such a column can have."""
    return (natural_kind(arrow_type(column["type"])), Kind.CATEGORY)


def read_exact(records: pa.Table, columns: Columns) -> Table:
    """All such columns of the records."""
    kinds: dict[str, Kind | None] = {
        c["name"]: Kind(c["kind"]) for c in columns if c["cells"] == "exact"
    }
    if not kinds:
        return Table({}, records.num_rows)
    return table_from_arrow(records.select(list(kinds)), kinds)
