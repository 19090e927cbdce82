"""A job: one TOML file that says what to publish and how; checked with key and line."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sfumato.core import catalogue
from sfumato.core.errors import BadJob, SfumatoError
from sfumato.core.parameters import build, explain
from sfumato.data.schema import Kind, Schema
from sfumato.methods.base import Method
from sfumato.models.base import Model, parse_model


class Part(BaseModel):
    """A table of the job file; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Source(Part):
    """Where the data comes from."""

    kind: Literal["table"] = Field(description="what the data is: table")
    path: str = Field(description="a CSV or Parquet file, relative to the job file")
    delimiter: str | None = Field(
        None, min_length=1, max_length=1, description="CSV only; default: found from the header"
    )


class Steps(Part):
    """A hierarchy stated in the job instead of a file."""

    breaks: list[list[float]] | None = Field(
        None, description="for numbers: breakpoints per level, finest level first"
    )
    ordered: list[str] | None = Field(
        None,
        description="for categories: the values in order; neighbours are joined level by level",
    )
    fanout: int = Field(2, ge=2, description="with ordered: how many neighbours are joined")


class Columns(Part):
    """What each column is."""

    identifier: list[str] = Field([], description="names people directly; never published")
    quasi: list[str] = Field([], description="may be known to an adversary; made coarser")
    sensitive: list[str] = Field([], description="nobody should learn it of a person")
    keep: list[str] = Field([], description="published as it is; count it as known")
    drop: list[str] = Field([], description="not published")
    undecided: list[str] = Field([], description="still to be given a role")
    types: dict[str, Kind] = Field({}, description="number, date or category, where unclear")
    hierarchies: dict[str, str | Steps] = Field(
        {}, description="per column: a CSV in level form (value, level 1, ..., top), or steps"
    )


class Output(Part):
    """Where the two halves go."""

    path: str = Field("release", description="the public half")
    ledger: str = Field("release-ledger", description="the owner's half, private to the user")
    format: Literal["parquet", "csv"] = Field("parquet", description="of the public data files")


class JobFile(Part):
    """The whole file as it is written."""

    source: Source
    columns: Columns = Field(alias="schema")
    method: dict[str, Any] = Field(description="name and parameters of the method")
    require: list[dict[str, Any]] = Field([], description="privacy models that must hold")
    output: Output = Output()


@dataclass(frozen=True)
class Job:
    """A checked job, with paths resolved against the folder of the file."""

    file: JobFile
    folder: Path
    method: Method
    require: tuple[Model, ...]

    @property
    def schema(self) -> Schema:
        """Roles and kinds of all columns."""
        part = self.file.columns
        roles = ("identifier", "quasi", "sensitive", "keep", "drop")
        return Schema.of(kinds=dict(part.types), **{role: getattr(part, role) for role in roles})

    def path(self, name: str) -> Path:
        """A path of the job, relative to the job file."""
        return self.folder / name

    def as_json(self) -> dict[str, Any]:
        """The job as plain data, for the ledger."""
        return self.file.model_dump(mode="json", by_alias=True, exclude_none=True)


def read_job(path: Path | str) -> Job:
    """Read and check a job file; every complaint names the key, and its line."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except FileNotFoundError:
        raise BadJob(f"no file {path}", "write one with: sfumato inspect people.csv") from None
    except UnicodeDecodeError:
        raise BadJob(f"{path.name} is not UTF-8", "save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        what = re.sub(r"\(at (.*)\)$", r"at \1", str(error))
        raise BadJob(f"{path.name} is not TOML: {what[0].lower()}{what[1:]}") from None
    try:
        return make_job(values, path.resolve().parent)
    except SfumatoError as error:
        line = line_of(text, error.what)
        where = f"{path.name} line {line}: " if line else f"{path.name}: "
        raise type(error)(where + error.what, error.hint) from None


def make_job(values: dict[str, Any], folder: Path) -> Job:
    """A job from plain data."""
    try:
        file = JobFile(**values)
    except ValidationError as error:
        raise BadJob(*_explain(error)) from None
    if file.columns.undecided:
        names = ", ".join(f"'{name}'" for name in file.columns.undecided)
        raise BadJob(
            f"schema.undecided still lists {names}",
            "move each to identifier, quasi, sensitive, keep or drop",
        )
    if not file.columns.quasi:
        raise BadJob("schema.quasi is empty", "list the columns that somebody may know of a person")
    job = Job(file, folder, _method(file), _models(file))
    job.schema  # noqa: B018, checks the roles
    return job


def _method(file: JobFile) -> Method:
    values = dict(file.method)
    name = values.pop("name", None)
    if name is None:
        raise BadJob("method.name is missing", "see: sfumato methods")
    made: Method = build(catalogue.method(file.source.kind, str(name)), values, "method")
    return made


def _models(file: JobFile) -> tuple[Model, ...]:
    models = []
    for values in file.require:
        rest = dict(values)
        name = rest.pop("model", None)
        if name is None:
            raise BadJob("require.model is missing", f"models: {', '.join(catalogue.MODELS)}")
        models.append(parse_model(str(name), rest, "require"))
    return tuple(models)


def _explain(error: ValidationError) -> tuple[str, str]:
    """The first problem, with the meaning of the key where it is known."""
    path = [part for part in error.errors()[0]["loc"] if isinstance(part, str)]
    if path[:2] == ["source", "kind"]:
        return "source.kind must be 'table'", "this version publishes tables"
    parts: dict[str, type[BaseModel]] = {"source": Source, "schema": Columns, "output": Output}
    what, hint = explain(error, JobFile, "")
    if len(path) > 1 and path[0] in parts:
        field = parts[path[0]].model_fields.get(path[1])
        known = f"known: {', '.join(parts[path[0]].model_fields)}"
        hint = field.description or "" if field else known
    return what, hint


def line_of(text: str, what: str) -> int | None:
    """The line of the key that a message begins with, None if it names none in this file.

    >>> line_of("[method]\\nname = 'regroup'\\nk = 0\\n", "method.k is 0, but ...")
    3
    """
    match = re.match(r"([a-z_]+)(?:\.([\w-]+))?", what)
    if not match:
        return None
    table, key = match.groups()
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[\[?\s*([^\]]+?)\s*\]\]?", line)
        if header and "=" not in line.split("#")[0]:
            inside = header[1] == table or header[1] == f"{table}.{key}"
            if inside and (key is None or header[1] == f"{table}.{key}"):
                return number
        elif inside and key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number
    return None


def job_schema() -> dict[str, Any]:
    """The JSON Schema of a job file, so that editors complete and check it."""
    schema = JobFile.model_json_schema(by_alias=True)
    methods = [
        _named(catalogue.load(place), "name", name)
        for (_, name), place in catalogue.METHODS.items()
    ]
    models = [
        _named(catalogue.load(place), "model", name) for name, place in catalogue.MODELS.items()
    ]
    schema["properties"]["method"] = {"oneOf": methods}
    schema["properties"]["require"]["items"] = {"oneOf": models}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "sfumato job",
    }


def _named(kind: type[BaseModel], key: str, name: str) -> dict[str, Any]:
    """The schema of one method or model, recognised by its name."""
    own = kind.model_json_schema()
    own["properties"] = {key: {"const": name}, **own["properties"]}
    own["required"] = [key, *own.get("required", [])]
    summary: str = kind.summary  # type: ignore[attr-defined]
    return own | {"description": summary, "title": name}
