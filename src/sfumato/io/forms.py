"""What the JSON files of a release may say: known keys, known types, roles that fit the cells.

Everything that reads a release reads it through here, so that none of them can be told something
that the others are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sfumato.core.errors import BadJob, BadRelease
from sfumato.data.schema import Kind, Schema
from sfumato.releases.claims import ADVERSARIES, Claim

MOST_ROWS = (1 << 31) - 1  # groups and sizes are numbers of 32 bits
FORMATS = ("parquet", "csv")
ALWAYS = ("schema.json", "claims.json", "dictionary.md")


class Form(BaseModel):
    """A part of a JSON file: all keys known, all types exact."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    inner: ClassVar[tuple[type[Form], ...]] = ()


class FileForm(Form):
    """A listed file."""

    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    rows: int | None = Field(None, ge=0, le=MOST_ROWS)


class NoFacts(Form):
    """Forms of releases that publish nothing besides the data."""


class ManifestForm(Form):
    """`manifest.json`; each form of release says which facts there may be besides the data."""

    inner = (FileForm,)

    format: str
    release_id: str = Field(pattern="^[0-9a-f]{0,64}$")
    kind: Literal["table", "sets", "graph"]
    form: str = Field(max_length=100)
    dropped: int = Field(ge=0, le=MOST_ROWS)
    facts: dict[str, Any]
    hierarchies: dict[str, str]
    files: dict[str, FileForm]


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

    inner = (ClaimForm,)

    claims: list[ClaimForm]


def check_form(form: type[Form], data: Any, where: str) -> None:
    """Refuse data that this version would not have written so."""
    try:
        form.model_validate(data)
    except ValidationError as error:
        path = error.errors(include_url=False, include_input=False)[0]["loc"]
        known = [str(p) for p in path if isinstance(p, int) or p in _keys(form)]
        at = ".".join(known) or "something in it"
        raise damaged(where, f"{at} is not as this version writes it") from None


def _keys(form: type[Form]) -> set[str]:
    return {name for part in (form, *form.inner) for name in part.model_fields}


def damaged(where: str, what: str) -> BadRelease:
    """The error for a file that is not as this version writes it."""
    return BadRelease(f"{where} is damaged: {what}", "get it again")


def check_listing(
    manifest: dict[str, Any],
    parts: Sequence[str],
    may_be_empty: Sequence[str],
    beside: Iterable[str],
    where: str,
) -> None:
    """Refuse a manifest that lists other files than these data files, the JSON files that the form
    has beside them, and what is always there."""
    files = manifest["files"]
    names = list(manifest["hierarchies"].items())
    if [file for _, file in names] != [tree_file(i, name) for i, (name, _) in enumerate(names, 1)]:
        raise damaged(where, "hierarchies are not named as this version names them")
    rest = {*ALWAYS, *beside, *manifest["hierarchies"].values()}
    data = {form: {f"data/{part}.{form}" for part in parts} for form in FORMATS}
    if not any(set(files) == rest | some for some in data.values()):
        raise damaged(where, "it lists other files than a release has")
    if any((name in rest) == ("rows" in facts) for name, facts in files.items()):
        raise damaged(where, "rows are given for other files than data")
    for part in set(parts) - set(may_be_empty):
        if files[f"data/{part}.{format_of(manifest)}"]["rows"] == 0:
            raise damaged(where, f"{part} has no rows")


def format_of(manifest: dict[str, Any]) -> str:
    """The format of the data files."""
    data = (name for name in manifest["files"] if name.startswith("data/"))
    return "csv" if any(name.endswith(".csv") for name in data) else "parquet"


def tree_file(number: int, name: str) -> str:
    """The file of a column's hierarchy."""
    return f"hierarchies/{number}-{safe_name(name)}.csv"


def safe_name(name: str) -> str:
    """A column's name as part of a file name."""
    return "".join(letter if letter.isalnum() else "_" for letter in name)[:60]


def check_names(columns: Sequence[dict[str, Any]], where: str) -> None:
    """Refuse names that stand there twice or are taken, and a release about nobody."""
    listed: dict[str, list[str]] = {"quasi": [], "sensitive": [], "keep": []}
    for column in columns:
        listed[column["role"]].append(column["name"])
    try:
        Schema.of(kinds=None, **listed)
    except BadJob:
        raise damaged(where, "its columns are not told apart by their names") from None
    if not listed["quasi"]:
        raise damaged(where, "it has no quasi-identifier")


def natural_kind(kind: pa.DataType) -> Kind:
    """The kind that values of a type have unless the owner says otherwise."""
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


def check_trees(names: Sequence[str], needed: set[str], useful: set[str], where: str) -> None:
    """Refuse hierarchies of columns that have no use for one, and columns that lack theirs."""
    if not needed <= set(names) <= needed | useful:
        raise damaged(where, "its hierarchies are not those of its columns")


def check_claim(claim: Claim, columns: Sequence[dict[str, Any]], where: str) -> None:
    """Refuse a claim about other columns than the schema's."""
    quasi = [c["name"] for c in columns if c["role"] == "quasi"]
    sensitive = [c["name"] for c in columns if c["role"] == "sensitive"]
    if sorted(claim.quasi) != sorted(quasi):
        raise damaged(where, "a claim is not about all quasi-identifiers")
    if claim.adversary not in ADVERSARIES:
        raise damaged(where, "a claim is against an adversary unknown to this version")
    if claim.sensitive is not None and claim.sensitive not in sensitive:
        raise damaged(where, "a claim is about a column that is not published as sensitive")
