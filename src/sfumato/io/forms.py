"""What the JSON files of a release may say: known keys, known types, roles that fit the cells.

Everything that reads a release reads it through here, so that none of them can be told something
that the others are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sfumato.core.errors import BadJob, BadRelease
from sfumato.data.schema import GROUP, SIZE, Kind, Schema
from sfumato.releases.claims import KNOWS_QUASI, Claim

MOST_ROWS = (1 << 31) - 1  # groups and sizes are numbers of 32 bits
PARTS = ("groups", "records", "flat")
FORMATS = ("parquet", "csv")
ALWAYS = ("schema.json", "claims.json", "dictionary.md")


class Form(BaseModel):
    """A part of a JSON file: all keys known, all types exact."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class FileForm(Form):
    """A listed file."""

    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    rows: int | None = Field(None, ge=1, le=MOST_ROWS)


class ManifestForm(Form):
    """`manifest.json`; this version publishes no facts besides the data."""

    format: str
    release_id: str = Field(pattern="^[0-9a-f]{0,64}$")
    kind: Literal["table"]
    form: Literal["recoded"]
    dropped: int = Field(ge=0, le=MOST_ROWS)
    facts: dict[str, Any] = Field(max_length=0)
    hierarchies: dict[str, str]
    files: dict[str, FileForm]


class CellsForm(Form):
    """A quasi-identifier: never exact."""

    name: str
    role: Literal["quasi"]
    kind: Literal["number", "date", "category"]
    type: str
    cells: Literal["interval", "set", "node"]
    tight: bool
    missing: bool


class ExactForm(Form):
    """A column published as it is: never a quasi-identifier."""

    name: str
    role: Literal["sensitive", "keep"]
    kind: Literal["number", "date", "category"]
    type: str
    cells: Literal["exact"]
    missing: bool


class SchemaForm(Form):
    """`schema.json`."""

    columns: list[CellsForm | ExactForm]


class ClaimForm(Form):
    """One claim; against one adversary, and without free text."""

    model: str = Field(max_length=100)
    parameters: dict[str, Any]
    quasi: list[str]
    sensitive: str | None
    adversary: str
    steered: bool
    notes: list[str] = Field(max_length=0)


class ClaimsForm(Form):
    """`claims.json`."""

    claims: list[ClaimForm]


def check_form(form: type[Form], data: Any, where: str) -> None:
    """Refuse data that this version would not have written so."""
    try:
        form.model_validate(data)
    except ValidationError as error:
        path = error.errors(include_url=False, include_input=False)[0]["loc"]
        known = [str(p) for p in path if isinstance(p, int) or p in _keys(form)]
        at = ".".join(known) or "something in it"
        raise _damaged(where, f"{at} is not as this version writes it") from None


def _keys(form: type[Form]) -> set[str]:
    forms: dict[type[Form], tuple[type[Form], ...]] = {
        ManifestForm: (FileForm,),
        SchemaForm: (CellsForm, ExactForm),
        ClaimsForm: (ClaimForm,),
    }
    return {name for part in (form, *forms.get(form, ())) for name in part.model_fields}


def _damaged(where: str, what: str) -> BadRelease:
    return BadRelease(f"{where} is damaged: {what}", "get it again")


def check_listing(manifest: dict[str, Any], where: str) -> None:
    """Refuse a manifest that lists other files than a release has, or in two formats."""
    files = manifest["files"]
    data = {form: {f"data/{part}.{form}" for part in PARTS} for form in FORMATS}
    names = list(manifest["hierarchies"].items())
    if [file for _, file in names] != [tree_file(i, name) for i, (name, _) in enumerate(names, 1)]:
        raise _damaged(where, "hierarchies are not named as this version names them")
    rest = {*ALWAYS, *manifest["hierarchies"].values()}
    if not any(set(files) == rest | some for some in data.values()):
        raise _damaged(where, "it lists other files than a release has")
    if any((name in rest) == ("rows" in facts) for name, facts in files.items()):
        raise _damaged(where, "rows are given for other files than data")


def format_of(manifest: dict[str, Any]) -> str:
    """The format of the data files."""
    return "csv" if "data/groups.csv" in manifest["files"] else "parquet"


def tree_file(number: int, name: str) -> str:
    """The file of a column's hierarchy."""
    return f"hierarchies/{number}-{safe_name(name)}.csv"


def safe_name(name: str) -> str:
    """A column's name as part of a file name."""
    return "".join(letter if letter.isalnum() else "_" for letter in name)[:60]


def check_columns(columns: Sequence[dict[str, Any]], where: str) -> None:
    """Refuse names that stand there twice or are taken, and kinds that do not fit their types."""
    listed: dict[str, list[str]] = {"quasi": [], "sensitive": [], "keep": []}
    for column in columns:
        listed[column["role"]].append(column["name"])
    try:
        Schema.of(kinds=None, **listed)
    except BadJob:
        raise _damaged(where, "its columns are not told apart by their names") from None
    if not listed["quasi"]:
        raise _damaged(where, "it has no quasi-identifier")
    for number, column in enumerate(columns):
        if column["kind"] not in _kinds(column):
            raise _damaged(where, f"columns.{number}.kind does not fit its type and cells")


def _kinds(column: dict[str, Any]) -> tuple[Kind, ...]:
    """The kinds that a column of this type with these cells can have."""
    natural = _natural_kind(arrow_type(column["type"]))
    if column["cells"] == "exact":
        return (natural, Kind.CATEGORY)
    if column["cells"] == "set":
        return (Kind.CATEGORY,)
    if column["cells"] == "node":
        return tuple(Kind) if column["type"] == "string" else ()
    return (natural,) if natural is not Kind.CATEGORY else ()


def _natural_kind(kind: pa.DataType) -> Kind:
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return Kind.NUMBER
    return Kind.DATE if pa.types.is_temporal(kind) else Kind.CATEGORY


def arrow_type(text: str) -> pa.DataType:
    """The Arrow type that `str` printed."""
    if text.startswith("timestamp["):
        unit, _, zone = text[len("timestamp[") : -1].partition(", tz=")
        return pa.timestamp(unit, zone or None)
    plain = {"date32[day]": "date32", "date64[ms]": "date64", "double": "float64"}
    return pa.type_for_alias(plain.get(text, text))


def check_trees(names: Sequence[str], columns: Sequence[dict[str, Any]], where: str) -> None:
    """Refuse hierarchies of columns that have no use for one, and nodes without one."""
    needed = {c["name"] for c in columns if c["cells"] == "node"}
    useful = needed | {c["name"] for c in columns if c["role"] == "sensitive"}
    if not needed <= set(names) <= useful:
        raise _damaged(where, "its hierarchies are not those of its columns")


def check_claim(claim: Claim, columns: Sequence[dict[str, Any]], where: str) -> None:
    """Refuse a claim about other columns than the schema's."""
    quasi = [c["name"] for c in columns if c["role"] == "quasi"]
    sensitive = [c["name"] for c in columns if c["role"] == "sensitive"]
    if sorted(claim.quasi) != sorted(quasi):
        raise _damaged(where, "a claim is not about all quasi-identifiers")
    if claim.adversary != KNOWS_QUASI:
        raise _damaged(where, "a claim is against an adversary unknown to this version")
    if claim.sensitive is not None and claim.sensitive not in sensitive:
        raise _damaged(where, "a claim is about a column that is not published as sensitive")


def types_of(part: str, columns: Sequence[dict[str, Any]]) -> dict[str, pa.DataType]:
    """Every column of a data file with its type, dictionaries aside."""
    exact = {c["name"]: arrow_type(c["type"]) for c in columns if c["cells"] == "exact"}
    cells = [column for column in columns if column["cells"] != "exact"]
    if part == "flat":
        return {column["name"]: pa.string() for column in cells} | exact
    if part == "records":
        return {GROUP: pa.int32()} | exact
    types = {GROUP: pa.int32(), SIZE: pa.int32()}
    for column in cells:
        types |= _cell_types(column)
    return types


def _cell_types(column: dict[str, Any]) -> dict[str, pa.DataType]:
    name, value = column["name"], arrow_type(column["type"])
    labels = {name: pa.string()}
    if column["cells"] == "set":
        return labels | {f"{name}_values": pa.list_(value)}
    if column["cells"] == "node":
        return labels | {f"{name}_level": pa.int16()}
    ends = {f"{name}_lower": value, f"{name}_upper": value}
    return labels | ends | ({f"{name}_missing": pa.bool_()} if column["missing"] else {})
