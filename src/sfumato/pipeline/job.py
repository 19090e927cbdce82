"""A job: one TOML file that says what to publish and how; checked with key and line."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from sfumato.core import catalogue
from sfumato.core.errors import BadInput, BadJob, SfumatoError
from sfumato.core.parameters import build, explain, first_problem, known, told
from sfumato.data.schema import Kind, Schema
from sfumato.methods.base import Method
from sfumato.models.base import Model, parse_model
from sfumato.pipeline.graph_source import check_graph
from sfumato.pipeline.sets_source import check_sets

Made = TypeVar("Made")


class Part(BaseModel):
    """A table of the job file; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


KINDS = "what the data is: table, sets or graph"


class TableSource(Part):
    """A table of people, a row each."""

    kind: Literal["table"] = Field(description=KINDS)
    path: str = Field(description="a CSV or Parquet file, relative to the job file")
    delimiter: str | None = Field(
        None, min_length=1, max_length=1, description="CSV only; default: found from the header"
    )


class SetsSource(TableSource):
    """Who has which items: lists in a column, two columns, or a format."""

    kind: Literal["sets"] = Field(description=KINDS)  # type: ignore[assignment]
    items: str | None = Field(None, description="a column of lists, a row per person")
    person: str | None = Field(None, description="with item: a row per person and item")
    item: str | None = Field(None, description="with person: a row per person and item")
    format: Literal["fimi", "one-hot", "columns"] | None = Field(
        None,
        description="fimi: lines of whole numbers; one-hot: a column per item; columns: every "
        "value of a column is an item",
    )
    buckets: dict[str, float] = Field(
        {}, description="format = columns: width of the ranges that numbers of a column fall into"
    )
    utility: str | None = Field(None, description="a file of two columns: item, what it is worth")
    label: str | None = Field(None, description="a sensitive column of the people")
    hierarchy: str | None = Field(
        None, description="a CSV in level form; what items are kinds of counts as items too"
    )


class GraphSource(TableSource):
    """Who is connected to whom: an edge list, and what is known of the nodes."""

    kind: Literal["graph"] = Field(description=KINDS)  # type: ignore[assignment]
    source: str = Field("source", description="the column with one end of every edge")
    target: str = Field("target", description="the column with the other end")
    format: Literal["plain"] | None = Field(
        None, description="plain: lines of two names without a header, after comments"
    )
    nodes: str | None = Field(
        None, description="a file with a row for every node, also for those without edges"
    )
    node: str | None = Field(None, description="with nodes: the column of their names")
    simplify: list[Literal["loops", "repeats", "directions"]] = Field(
        [], description="what to iron out: loops, repeats, directions; else it is refused"
    )


Source = Annotated[TableSource | SetsSource | GraphSource, Field(discriminator="kind")]


class Steps(Part):
    """A hierarchy stated in the job instead of a file."""

    model_config = ConfigDict(strict=True)

    breaks: list[list[float]] | None = Field(
        None, description="for numbers: ascending breakpoints per level, finest level first"
    )
    ordered: list[str] | None = Field(
        None,
        description="for categories: the values in order; neighbours are joined level by level",
    )
    fanout: int = Field(2, ge=2, description="with ordered: how many neighbours are joined")


def _stated_as(value: Any) -> str:
    return "steps" if isinstance(value, dict | Steps) else "file"


Stated = Annotated[
    Annotated[str, Tag("file")] | Annotated[Steps, Tag("steps")], Discriminator(_stated_as)
]


HIERARCHY = "per column: a CSV in level form (value, level 1, ..., top), or steps"


class Columns(Part):
    """What each column is."""

    identifier: list[str] = Field([], description="names people directly; never published")
    quasi: list[str] = Field([], description="may be known to an adversary; made coarser")
    sensitive: list[str] = Field([], description="nobody should learn it of a person")
    keep: list[str] = Field([], description="published as it is; count it as known")
    drop: list[str] = Field([], description="not published")
    undecided: list[str] = Field([], description="still to be given a role")
    types: dict[str, Kind] = Field({}, description="number, date or category, where unclear")
    hierarchies: dict[str, Stated] = Field({}, description=HIERARCHY)


class Output(Part):
    """Where the two halves go."""

    path: str = Field("release", description="the public half")
    ledger: str = Field("release-ledger", description="the owner's half, private to the user")
    format: Literal["parquet", "csv"] = Field("parquet", description="of the public data files")


CHOOSE = (
    "other values to try for parameters of the method, or for its name: every combination is made, "
    "and the release of the narrowest answers published"
)
MOST_CANDIDATES = 64


class JobFile(Part):
    """The whole file as it is written."""

    source: Source
    columns: Columns = Field(Columns(), alias="schema")
    method: dict[str, Any] = Field(description="name and parameters of the method")
    choose: dict[str, list[Any]] = Field({}, description=CHOOSE)
    require: list[dict[str, Any]] = Field([], description="privacy models that must hold")
    output: Output = Output()


@dataclass(frozen=True)
class Job:
    """A checked job, with paths resolved against the folder of the file."""

    file: JobFile
    folder: Path
    candidates: tuple[tuple[str, Method], ...]
    require: tuple[Model, ...]

    @property
    def method(self) -> Method:
        """The method, or the first of those that are compared."""
        return self.candidates[0][1]

    @property
    def schema(self) -> Schema:
        """Roles and kinds of all columns."""
        part = self.file.columns
        roles = ("identifier", "quasi", "sensitive", "keep", "drop")
        return Schema.of(kinds=dict(part.types), **{role: getattr(part, role) for role in roles})

    def path(self, name: str) -> Path:
        """A path of the job, relative to the job file."""
        return self.folder / name

    @property
    def source(self) -> Path:
        """The file to publish."""
        path = self.path(self.file.source.path)
        if path.is_dir():
            raise BadInput(f"{path} is a folder", "source.path names a CSV or Parquet file")
        if not path.is_file():
            raise BadInput(f"no file {path}", "check source.path; it is relative to the job file")
        return path

    def as_json(self) -> dict[str, Any]:
        """The job as plain data, for the ledger."""
        return self.file.model_dump(mode="json", by_alias=True, exclude_none=True)


def read_job(path: Path | str) -> Job:
    """Read and check a job file; every complaint names the key, and its line."""
    return read_toml(Path(path), make_job, "write one with: sfumato inspect people.csv")


def read_toml(path: Path, make: Callable[[dict[str, Any], Path], Made], hint: str) -> Made:
    """What a TOML file says, made from its values and its folder; complaints name the line."""
    try:
        text = path.read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except FileNotFoundError:
        raise BadJob(f"no file {path}", hint) from None
    except IsADirectoryError:
        raise BadJob(f"{path} is a folder", "name a TOML file") from None
    except UnicodeDecodeError:
        raise BadJob(f"{path.name} is not UTF-8", "save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        what = re.sub(r"\(at (.*)\)$", r"at \1", str(error))
        raise BadJob(f"{path.name} is not TOML: {what[0].lower()}{what[1:]}") from None
    try:
        return make(values, path.resolve().parent)
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
    candidates = tuple(_candidates(file))
    if file.source.kind == "table" and not file.columns.quasi:
        raise BadJob("schema.quasi is empty", "list the columns that somebody may know of a person")
    job = Job(file, folder, candidates, _models(file))
    schema = job.schema  # which checks the roles
    if isinstance(file.source, SetsSource):
        check_sets(file.source, folder, schema)
    if isinstance(file.source, GraphSource):
        check_graph(file.source, folder, schema)
    return job


def _candidates(file: JobFile) -> Iterator[tuple[str, Method]]:
    """Every combination of values under [choose], with what sets it apart."""
    for name, values in file.choose.items():
        if not values:
            raise BadJob(f"choose.{name} is empty", "list values to try, or leave it out")
    number = math.prod(map(len, file.choose.values()))
    if number > MOST_CANDIDATES:
        raise BadJob(f"choose has {number} combinations", f"at most {MOST_CANDIDATES}")
    for picked in product(*file.choose.values()):
        tried = dict(zip(file.choose, picked, strict=True))
        shown = ", ".join(f"{name} = {_shown(value)}" for name, value in tried.items())
        yield shown, _method(file, dict(file.method) | tried, "choose" if tried else "method")


def _shown(value: Any) -> str:
    return json.dumps(value)


def _method(file: JobFile, values: dict[str, Any], where: str) -> Method:
    name = values.pop("name", None)
    if name is None:
        raise BadJob("method.name is missing", "see: sfumato methods")
    made: Method = build(catalogue.method(file.source.kind, str(name)), values, where)
    return made


def _models(file: JobFile) -> tuple[Model, ...]:
    models = []
    for values in file.require:
        rest = dict(values)
        name = rest.pop("model", None)
        if name is None:
            raise BadJob("require.model is missing", f"models: {', '.join(catalogue.MODELS)}")
        models.append(_model(str(name), rest))
    return tuple(models)


def _model(name: str, values: dict[str, Any]) -> Model:
    """One model; a misspelt key is named before the one that is therefore missing."""
    kind = catalogue.model(name)
    for key in values:
        if key not in kind.model_fields:
            raise BadJob(f"require.{key} is not a parameter here", known(kind))
    return parse_model(name, values, "require")


SOURCES: dict[str, type[BaseModel]] = {
    "table": TableSource,
    "sets": SetsSource,
    "graph": GraphSource,
}
TABLES: dict[str, type[BaseModel]] = {"schema": Columns, "output": Output}


def _explain(error: ValidationError) -> tuple[str, str]:
    """The first problem, with the meaning of the key where it is known."""
    problem = first_problem(error)
    path = [str(part) for part in problem["loc"]]
    if path[0] == "source":
        return _explain_source(problem, path[1:])
    if path[:2] == ["schema", "hierarchies"] and len(path) > 3:
        del path[3]  # which of the two ways to state a hierarchy it is
        what = told(problem, ".".join(path))
        return what, known(Steps) if problem["type"] == "extra_forbidden" else HIERARCHY
    what, hint = explain(error, JobFile, "")
    if len(path) > 1 and path[0] in TABLES:
        field = TABLES[path[0]].model_fields.get(path[1])
        hint = field.description or "" if field else known(TABLES[path[0]])
    return what, hint


def _explain_source(problem: Any, path: list[str]) -> tuple[str, str]:
    """A problem of the source; the kind of data says which keys there are."""
    if problem["type"] == "missing" and not path:
        return "source is missing", "say kind and path"
    if not path:
        return f"source.kind must be one of: {', '.join(SOURCES)}", "it says what the data is"
    form = SOURCES[path[0]]
    what = told(problem, ".".join(["source", *path[1:]]))
    field = form.model_fields.get(path[1]) if len(path) > 1 else None
    return what, field.description or "" if field else known(form)


def line_of(text: str, what: str) -> int | None:
    """The line of the key that a message begins with, None if it names none in this file.

    >>> line_of("[method]\\nname = 'regroup'\\nk = 0\\n", "method.k is 0, but ...")
    3
    """
    best, place = "", None
    for number, key in _keys(text):
        if len(key) > len(best) and what.startswith(key) and what[len(key) :][:1] in SEPARATORS:
            best, place = key, number
    return place


SEPARATORS = ("", " ", ".", ":", ",")


def _keys(text: str) -> Iterator[tuple[int, str]]:
    """Every line that names a table or a key, with the whole dotted name."""
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[\[?([^\[\]=]+)\]\]?\s*(#.*)?$", line)
        key = re.match(r"""\s*("[^"]+"|'[^']+'|[\w.-]+)\s*=""", line)
        if header:
            table = _bare(header[1])
            yield number, table
        elif key:
            yield number, f"{table}.{_bare(key[1])}" if table else _bare(key[1])


def _bare(name: str) -> str:
    """A dotted name without quotes."""
    return ".".join(part.strip().strip("\"'") for part in name.split("."))


def job_schema() -> dict[str, Any]:
    """The JSON Schema of a job file, so that editors complete and check it."""
    schema = JobFile.model_json_schema(by_alias=True)
    models = [
        _named(catalogue.load(place), "model", name) for name, place in catalogue.MODELS.items()
    ]
    schema["properties"]["require"]["items"] = {"oneOf": models}
    schema["allOf"] = [_methods_of(kind) for kind in SOURCES]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "sfumato job",
    }


def _methods_of(kind: str) -> dict[str, Any]:
    """The methods there are if the source is of a kind."""
    methods = [
        _named(catalogue.load(place), "name", name)
        for (of, name), place in catalogue.METHODS.items()
        if of == kind
    ]
    stated = {"source": {"properties": {"kind": {"const": kind}}}}
    return {
        "if": {"properties": stated},
        "then": {"properties": {"method": {"oneOf": methods}}},
    }


def _named(kind: type[BaseModel], key: str, name: str) -> dict[str, Any]:
    """The schema of one method or model, recognised by its name."""
    own = kind.model_json_schema()
    own["properties"] = {key: {"const": name}, **own["properties"]}
    own["required"] = [key, *own.get("required", [])]
    summary: str = kind.summary  # type: ignore[attr-defined]
    return own | {"description": summary, "title": name}
