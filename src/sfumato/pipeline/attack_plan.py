"""A plan of attacks: a TOML file that says how a graph is published, and how it is attacked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from sfumato.attacks.graph_attack import GraphAttack
from sfumato.core import catalogue
from sfumato.core.errors import BadJob
from sfumato.core.parameters import build, known
from sfumato.data.schema import Schema
from sfumato.io.graph_sources import GraphFrom
from sfumato.methods.base import Method
from sfumato.pipeline.graph_source import check_graph, graph_from
from sfumato.pipeline.job import Columns, GraphSource, read_toml

DEFAULT = "likelihood-beam"  # the strongest here: a setting is judged by it


class PlanSource(GraphSource):
    """As the source of a job; the file itself is named when the plan is carried out."""

    path: str | None = Field(None, description="not used: name the file when you attack it")  # type: ignore[assignment]


class Often(BaseModel):
    """How many publications are attacked, and how sure the intervals are."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    runs: int = Field(20, ge=1, description="publications that are attacked")
    level: float = Field(0.95, gt=0, lt=1, description="how often intervals cover the true rate")


PARTS = ("source", "schema", "method", "attack", *Often.model_fields)


@dataclass(frozen=True)
class AttackPlan:
    """A checked plan. Where it says nothing of the source, the file speaks for itself."""

    method: Method
    attack: GraphAttack
    often: Often
    how: GraphFrom | None = None
    schema: Schema = field(default_factory=lambda: Schema(()))


def read_plan(path: Path | str) -> AttackPlan:
    """Read and check a plan; every complaint names the key, and its line."""
    return read_toml(Path(path), make_plan, "write a plan; see docs/attacks/graphs.md")


def make_plan(values: dict[str, Any], folder: Path) -> AttackPlan:
    """A plan from plain data; paths are relative to the folder."""
    for name, value in values.items():
        if name not in PARTS:
            raise BadJob(f"{name} is not a parameter here", f"known: {', '.join(PARTS)}")
        if name not in Often.model_fields and not isinstance(value, dict):
            raise BadJob(f"{name} should be a table", f"write [{name}], and its keys below")
    often = {name: values[name] for name in Often.model_fields if name in values}
    how, schema = _source(values, folder)
    return AttackPlan(
        _method(values.get("method")),
        make_attack(values.get("attack", {})),
        build(Often, often, ""),
        how,
        schema,
    )


def make_attack(values: Mapping[str, Any]) -> GraphAttack:
    """An attack on graphs from its name and parameters; without a name the strongest here."""
    name, rest = _named(values, DEFAULT)
    made: GraphAttack = build(catalogue.attack("graph", name), rest, "attack")
    return made


def _method(values: Mapping[str, Any] | None) -> Method:
    if values is None:
        raise BadJob("method is missing", "say how the graph is published, as in a job")
    if "name" not in values:
        raise BadJob("method.name is missing", "see: sfumato methods")
    name, rest = _named(values, "")
    made: Method = build(catalogue.method("graph", name), rest, "method")
    return made


def _named(values: Mapping[str, Any], default: str) -> tuple[str, dict[str, Any]]:
    rest = dict(values)
    return str(rest.pop("name", default)), rest


def _source(values: Mapping[str, Any], folder: Path) -> tuple[GraphFrom | None, Schema]:
    columns = build(Columns, values.get("schema", {}), "schema")
    roles = ("identifier", "quasi", "sensitive", "keep", "drop")
    stated = {role: getattr(columns, role) for role in roles}
    schema = Schema.of(kinds=dict(columns.types), **stated)
    if "source" not in values:
        return None, schema
    kind = values["source"].get("kind", "graph")
    if kind != "graph":
        raise BadJob(f"source.kind is {kind!r}, but attacks are on graphs", known(PlanSource))
    source = build(PlanSource, {"kind": "graph"} | values["source"], "source")
    check_graph(_without_path(source), folder, schema)
    return graph_from(_without_path(source), folder), schema


def _without_path(source: PlanSource) -> GraphSource:
    return GraphSource(**source.model_dump() | {"path": ""})
