"""Form Patterned on disk: `records`, and where properties are disclosed in full `properties` and
their `terms`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field

from sfumato.core.errors import BadJob
from sfumato.data.decimals import MOST_DIGITS
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Kind
from sfumato.data.table import table_from_arrow
from sfumato.io.exact import ExactForm, exact_json, exact_kinds
from sfumato.io.forms import Form, NoFacts, arrow_type, check_names, damaged
from sfumato.io.property_tables import PROPERTIES, TERMS, TYPES, property_tables, read_properties
from sfumato.io.words import Extent, code
from sfumato.releases.patterned import FULL, KIND, Patterned, Replaced
from sfumato.releases.properties import KINDS
from sfumato.releases.release import Release

RECORDS, RECORD = "records", "record"
FILES = (RECORDS,)
SOMETIMES = (PROPERTIES, TERMS)
MAY_BE_EMPTY = (PROPERTIES, TERMS)
GROUPS = RECORDS


class KeptForm(Form):
    """A sort of properties, and which share of them was kept."""

    kind: str
    share: float = Field(gt=0, le=1)


class ReplacedForm(Form):
    """A column whose values were drawn anew."""

    name: str
    role: Literal["quasi", "sensitive", "keep"]
    kind: Literal["number", "date"]
    type: str
    cells: Literal["replaced"]
    missing: bool
    digits: int = Field(ge=0, le=MOST_DIGITS)
    disclosed: Literal["full", "kind", "none"]
    lower: int | None
    upper: int | None
    kept: list[KeptForm]


class RestForm(ExactForm):
    """A column published as it is."""

    role: Literal["sensitive", "keep"]


class SchemaForm(Form):
    """`schema.json`."""

    inner = (KeptForm, ReplacedForm, RestForm)

    columns: list[ReplacedForm | RestForm]


SCHEMA: type[Form] = SchemaForm
FACTS: type[Form] = NoFacts
BESIDE: dict[str, type[Form]] = {}
Columns = Sequence[dict[str, Any]]


def replaced(columns: Columns) -> list[dict[str, Any]]:
    """The columns whose values were drawn anew."""
    return [column for column in columns if column["cells"] == "replaced"]


def disclosed(columns: Columns) -> str:
    """What is said of the properties."""
    return str(replaced(columns)[0]["disclosed"])


def files(columns: Columns) -> tuple[str, ...]:
    """The data files of a release with these columns."""
    return (*FILES, *SOMETIMES) if disclosed(columns) == FULL else FILES


def beside(_release: Release) -> dict[str, dict[str, Any]]:
    """None: schema.json says it all."""
    return {}


def tables(release: Release) -> dict[str, pa.Table]:
    """Every data file as a table; records are numbered where properties name them."""
    content = release.patterned
    columns = {name: column.to_arrow() for name, column in content.records.columns.items()}
    if content.properties is None:
        return {RECORDS: pa.table(columns)}
    if RECORD in columns:
        raise BadJob(f"schema: a release has a column '{RECORD}' of its own", "rename yours")
    number = {RECORD: np.arange(content.rows, dtype=np.int32)}
    return {RECORDS: pa.table(number | columns), **property_tables(content.properties)}


def schema_json(release: Release) -> list[dict[str, Any]]:
    """What every published column is, for machines."""
    content = release.patterned
    role = {field.name: field.role.value for field in release.schema.fields}
    found = []
    for name, column in content.records.columns.items():
        told = {"name": name, "role": role[name], **exact_json(column)}
        if name in content.replaced:
            told |= _replaced_json(content.replaced[name], content.disclosed)
        told["missing"] = bool(column.has_missing and (column.codes == 0).any())
        found.append(told)
    return found


def _replaced_json(column: Replaced, said: str) -> dict[str, Any]:
    kept = [{"kind": kind, "share": share} for kind, share in column.kept]
    ends = {"lower": column.lower, "upper": column.upper}
    return {"cells": "replaced", "digits": column.digits, "disclosed": said, **ends, "kept": kept}


def hierarchies(_release: Release) -> dict[str, Hierarchy]:
    """None: values are single ones."""
    return {}


def members(part: Callable[[str], pa.Table]) -> NDArray[np.int64]:
    """Every record is published alone."""
    return np.arange(part(RECORDS).num_rows)


def with_tree(_columns: Columns) -> tuple[set[str], set[str]]:
    """No column has a hierarchy."""
    return set(), set()


def check_columns(columns: Columns, where: str) -> None:
    """Refuse columns of which none is replaced, and what does not fit together."""
    check_names(columns, where)
    drawn = replaced(columns)
    if not drawn or len({column["disclosed"] for column in drawn}) > 1:
        raise damaged(where, "its columns do not say together what is disclosed")
    said = disclosed(columns)
    for number, column in enumerate(columns):
        if column["kind"] not in exact_kinds(column):
            raise damaged(where, f"columns.{number}.kind does not fit its type and cells")
        if column["cells"] == "replaced" and not _fits(column, said):
            raise damaged(where, f"columns.{number} does not fit what is disclosed")
    if said == FULL and any(column["name"] == RECORD for column in columns):
        raise damaged(where, "its columns are not told apart by their names")


def _fits(column: dict[str, Any], said: str) -> bool:
    ends = (column["lower"], column["upper"])
    known = ends[0] is not None and ends[1] is not None and ends[0] <= ends[1]
    named = [kept["kind"] for kept in column["kept"]]
    sorts = set(named) <= set(KINDS) and len(set(named)) == len(named)
    whole = pa.types.is_floating(arrow_type(column["type"])) or column["digits"] == 0
    told = bool(named) <= (said in (FULL, KIND))
    return sorts and whole and told and (known if said == FULL else ends == (None, None))


def types(part: str, columns: Columns) -> dict[str, pa.DataType]:
    """Every column of a data file with its type, dictionaries aside."""
    if part != RECORDS:
        return TYPES[part]
    number = {RECORD: pa.int32()} if disclosed(columns) == FULL else {}
    return number | {column["name"]: arrow_type(column["type"]) for column in columns}


def read(
    part: Callable[[str], pa.Table],
    columns: list[dict[str, Any]],
    _trees: dict[str, Hierarchy],
    _beside: dict[str, Any],
) -> Patterned:
    """The content that was written; `part` reads a data file."""
    kinds: dict[str, Kind | None] = {c["name"]: Kind(c["kind"]) for c in columns}
    records = part(RECORDS)
    table = table_from_arrow(records.select(list(kinds)), kinds)
    drawn, said = {c["name"]: _read_replaced(c) for c in replaced(columns)}, disclosed(columns)
    if said != FULL:
        return Patterned(table, drawn, said)
    both = part(PROPERTIES), part(TERMS)
    found = read_properties(*both, tuple(drawn), table.rows, f"data/{PROPERTIES}")
    return Patterned(table, drawn, said, found)


def _read_replaced(column: dict[str, Any]) -> Replaced:
    kept = tuple((one["kind"], float(one["share"])) for one in column["kept"])
    return Replaced(column["digits"], column["lower"], column["upper"], kept)


SAYS = {
    FULL: "Every property that was kept is listed in `properties` and is true of the original.",
    KIND: "The sorts of properties that were kept are listed in `schema.json`, not each.",
    "none": "Which properties were kept is not published.",
}


def guide(columns: Columns, extent: Extent, ending: str) -> list[str]:
    """What the data dictionary says of the files."""
    names = ", ".join(code(column["name"]) for column in replaced(columns))
    said = disclosed(columns)
    lines = [
        f"{extent.records:,} records; {extent.dropped:,} records of the original were left out.",
        "",
        f"The values of {names} are not those of the original. They were drawn at random among all",
        "that keep certain linear properties of it. " + SAYS[said],
        "",
        f"- `data/{RECORDS}.{ending}`: one row per record; other columns are exact.",
    ]
    if said == FULL:
        lines += [
            f"- `data/{PROPERTIES}.{ending}`: one row per property: the sum of its terms stands in "
            "`relation` to `constant`, in the original as here.",
            f"- `data/{TERMS}.{ending}`: the terms: `coefficient` times the value of `record` in "
            "`column`.",
            "- `lower` and `upper` in `schema.json`, times 10 to the power of -`digits`, are the "
            "ends between which every value of a column lay.",
        ]
    return [
        *lines,
        "- `claims.json`: what this release promises, for which columns, against whom.",
        "",
        "The order of records follows from their published values alone.",
    ]


def explain(column: dict[str, Any]) -> tuple[str, str]:
    """The file that a column stands in, and what its values mean."""
    if column["cells"] == "exact":
        return RECORDS, "exact, as in the original."
    return RECORDS, f"drawn anew, with {column['digits']} digits after the point."
