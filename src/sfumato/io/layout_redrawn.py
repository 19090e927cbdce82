"""Form Perturbed on disk, of a table: records, marginals to redraw from, and the law."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pydantic import Field

from sfumato.core.errors import BadJob
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Kind
from sfumato.data.table import Codes, Column, Table, smallest_unsigned, table_from_arrow
from sfumato.io.exact import ExactForm, exact_json, exact_kinds
from sfumato.io.forms import MOST_ROWS, Form, NoFacts, arrow_type, check_names, damaged
from sfumato.io.words import Extent, code
from sfumato.releases.redraw_law import MOST_COLUMNS, RedrawLaw
from sfumato.releases.redrawn_table import RedrawnTable
from sfumato.releases.release import Release

FILES = ("records", "marginals")
SOMETIMES: tuple[str, ...] = ()
MAY_BE_EMPTY: tuple[str, ...] = ()
GROUPS = "records"
LAW = "law.json"
COUNT = "_records"
CLOSE = 1e-9
Columns = Sequence[dict[str, Any]]


class RecordForm(ExactForm):
    """A column published as it is."""

    role: Literal["sensitive", "keep"]


class RedrawnForm(Form):
    """A column that may have been redrawn; with `bin`, numbers stand for bins of that width."""

    name: str
    role: Literal["quasi"]
    kind: Literal["number", "date", "category"]
    type: str
    cells: Literal["redrawn"]
    missing: bool
    bin: float | None = Field(gt=0)


class SchemaForm(Form):
    """`schema.json`."""

    inner = (RecordForm, RedrawnForm)

    columns: list[RecordForm | RedrawnForm]


class LawForm(Form):
    """`law.json`: how many columns of every record are redrawn, and how likely which."""

    redraw: int = Field(ge=1, le=MOST_COLUMNS)
    weights: dict[str, float]


SCHEMA: type[Form] = SchemaForm
FACTS: type[Form] = NoFacts
BESIDE: dict[str, type[Form]] = {LAW: LawForm}


def files(_columns: Columns) -> tuple[str, ...]:
    """The data files, whatever the columns are."""
    return FILES


def beside(release: Release) -> dict[str, dict[str, Any]]:
    """The law, but for the marginals."""
    law = release.redrawn.law
    return {LAW: {"redraw": law.redraw, "weights": dict(zip(law.names, law.weights, strict=True))}}


def tables(release: Release) -> dict[str, pa.Table]:
    """Every data file as a table."""
    content = release.redrawn
    columns = content.records.columns
    records = {name: column.to_arrow() for name, column in columns.items()}
    return {"records": pa.table(records), "marginals": _marginals(content)}


def _marginals(content: RedrawnTable) -> pa.Table:
    """Two columns a quasi-identifier, as long as the longest: its values, missing first, and how
    many original records had each."""
    longest = max(map(len, content.law.counts), default=0)
    found: dict[str, pa.Array] = {}
    for name, counts in zip(content.law.names, content.law.counts, strict=True):
        column, room = content.records[name], longest - len(counts)
        if name + COUNT in content.law.names:
            raise BadJob(f"schema: a release has a column '{name + COUNT}' of its own", "rename it")
        kind = column.values.type
        parts = [pa.nulls(int(column.has_missing), kind), column.values, pa.nulls(room, kind)]
        found[name] = pa.concat_arrays(parts)
        found[name + COUNT] = pa.concat_arrays([pa.array(counts), pa.nulls(room, pa.int64())])
    return pa.table(found)


def schema_json(release: Release) -> list[dict[str, Any]]:
    """What every published column is, for machines."""
    content = release.redrawn
    role = {field.name: field.role.value for field in release.schema.fields}
    return [
        {"name": name, "role": role[name], **_column_json(content, column)}
        for name, column in content.records.columns.items()
    ]


def _column_json(content: RedrawnTable, column: Column) -> dict[str, Any]:
    if column.name not in content.law.names:
        return exact_json(column)
    stated = exact_json(column) | {"cells": "redrawn"}
    return stated | {"bin": content.bins.get(column.name)}


def hierarchies(_release: Release) -> dict[str, Hierarchy]:
    """None."""
    return {}


def members(part: Callable[[str], pa.Table]) -> NDArray[np.int64]:
    """Every record stands for itself."""
    return np.arange(part("records").num_rows)


def with_tree(_columns: Columns) -> tuple[set[str], set[str]]:
    """No column has a hierarchy file."""
    return set(), set()


def redrawn(columns: Columns) -> list[dict[str, Any]]:
    """The columns that the law is about."""
    return [column for column in columns if column["cells"] == "redrawn"]


def check_columns(columns: Columns, where: str) -> None:
    """Refuse names that stand there twice or are taken, and kinds that do not fit."""
    check_names(columns, where)
    names = {column["name"] for column in redrawn(columns)}
    if any(name + COUNT in names for name in names):
        raise damaged(where, "its columns are not told apart by their names")
    for number, column in enumerate(columns):
        if column["kind"] not in exact_kinds(column):
            raise damaged(where, f"columns.{number}.kind does not fit its type")
        if column.get("bin") is not None and column["kind"] != Kind.NUMBER:
            raise damaged(where, f"columns.{number}.bin is for numbers")


def types(part: str, columns: Columns) -> dict[str, pa.DataType]:
    """Every column of a data file with its type, dictionaries aside."""
    if part == "records":
        return {column["name"]: arrow_type(column["type"]) for column in columns}
    found = {}
    for column in redrawn(columns):
        found[column["name"]] = arrow_type(column["type"])
        found[column["name"] + COUNT] = pa.int64()
    return found


def read(
    part: Callable[[str], pa.Table],
    columns: list[dict[str, Any]],
    _trees: dict[str, Hierarchy],
    beside: dict[str, Any],
) -> RedrawnTable:
    """The content that was written; `part` reads a data file."""
    records, marginals = part("records"), part("marginals")
    plain = table_from_arrow(records, {c["name"]: Kind(c["kind"]) for c in columns})
    found, counts = dict(plain.columns), []
    for column in redrawn(columns):
        name = column["name"]
        values, number = marginal(marginals, column)
        found[name] = _recoded(plain[name], values, column["missing"])
        counts.append(number)
    law = _law(beside[LAW], [column["name"] for column in redrawn(columns)], counts)
    bins = {c["name"]: c["bin"] for c in redrawn(columns) if c["bin"] is not None}
    return RedrawnTable(Table(found, plain.rows), law, bins)


def _law(told: dict[str, Any], names: list[str], counts: list[NDArray[np.int64]]) -> RedrawLaw:
    weights = told["weights"]
    if list(weights) != names:
        raise damaged(LAW, "its weights are not those of the redrawn columns")
    if min(weights.values()) < 0 or abs(sum(weights.values()) - 1) > CLOSE:
        raise damaged(LAW, "its weights are no probabilities that add up to 1")
    if sum(weight > 0 for weight in weights.values()) < told["redraw"]:
        raise damaged(LAW, "it redraws more columns than there are")
    if len({int(count.sum()) for count in counts}) > 1:
        raise damaged("data/marginals", "its columns are about different numbers of records")
    return RedrawLaw(tuple(names), tuple(weights.values()), told["redraw"], tuple(counts))


def marginal(table: pa.Table, column: dict[str, Any]) -> tuple[pa.Array, NDArray[np.int64]]:
    """The present values of a column in order, and the counts of all, missing first."""
    name, missing = column["name"], int(column["missing"])
    numbers = table.column(name + COUNT).combine_chunks()
    used = len(numbers) - numbers.null_count
    values = table.column(name).combine_chunks()
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    present, counts = values[missing:used], np.asarray(numbers[:used])
    shifted = present.null_count or values[:missing].null_count < missing
    if numbers[:used].null_count or shifted or values[used:].null_count < len(values) - used:
        raise damaged("data/marginals", "values and counts do not stand side by side")
    if used == 0 or counts.min() < 1 or counts.sum() > MOST_ROWS:
        raise damaged("data/marginals", "a count is out of range")
    if not pc.sort_indices(present).equals(pa.array(np.arange(len(present), dtype=np.uint64))):
        raise damaged("data/marginals", "values do not stand in order")
    if len(present.unique()) < len(present):
        raise damaged("data/marginals", "a value stands there twice")
    return present, counts


def _recoded(column: Column, values: pa.Array, missing: bool) -> Column:
    """The same column, coded over all values of the original."""
    if column.has_missing and not missing:
        raise damaged("data/records", f"'{column.name}' lacks values, which the law does not know")
    place = pc.index_in(column.values, value_set=values)
    if place.null_count:
        raise damaged("data/records", f"'{column.name}' has values that the law does not know")
    width = smallest_unsigned(len(values) + missing)
    codes = np.asarray(place).astype(np.int64) + missing
    codes = np.concatenate([np.zeros(int(column.has_missing), np.int64), codes])
    fresh: Codes = codes.astype(width)[column.codes]
    return Column(column.name, column.kind, fresh, values, missing, column.found)


def guide(columns: Columns, extent: Extent, ending: str) -> list[str]:
    """What the data dictionary says of the files."""
    names = ", ".join(code(column["name"]) for column in redrawn(columns))
    return [
        f"{extent.records:,} records; {extent.dropped:,} records of the original were left out.",
        "",
        f"- `data/records.{ending}`: one row per record. Some of {names} may have been redrawn at "
        "random, from the values that the original table has there; which ones is not published. "
        "All other columns are exact.",
        "- `law.json`: `redraw` of these columns were redrawn in every record; a set of columns "
        "was chosen with a probability in proportion to the product of its `weights`.",
        f"- `data/marginals.{ending}`: how many original records had each value of each of these "
        "columns: new values were drawn from this. A first line without a value is missing.",
        "- `claims.json`: what this release promises, for which columns, against whom.",
        "",
        "Counts of the records as they stand are biased; `law.json` and `marginals` are what it",
        "takes to undo this. The order of records follows from their published values alone.",
    ]


def explain(column: dict[str, Any]) -> tuple[str, str]:
    """The file that a column stands in, and what its values mean."""
    if column["cells"] == "exact":
        return "records", "exact, as in the original."
    text = "may have been redrawn, see `law.json`."
    if column["bin"] is not None:
        text += (
            f" A number stands for its bin of width {column['bin']:g}, of which it is the middle."
        )
    return "records", text + (" Missing is a value of its own." if column["missing"] else "")
