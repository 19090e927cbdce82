"""Inspecting a source of a graph before anything is decided."""

from __future__ import annotations

from typing import Any

from sfumato.core.answers import ResultTable, result_table
from sfumato.core.errors import BadInput
from sfumato.core.run import Run
from sfumato.data.schema import Role, Schema
from sfumato.io.graph_sources import SIMPLIFY, GraphFrom, load_graph
from sfumato.io.sources import at_hand, column_names
from sfumato.pipeline.look import Look, text_of
from sfumato.study.node_risk import graph_facts, structure_risk

KIND = 'kind = "graph"'


def inspect_graph(source: Any, ends: list[str], delimiter: str | None = None) -> Look:
    """Facts of a graph, what is to be ironed out, and how easily nodes are found."""
    if len(ends) != 2:
        raise BadInput(
            f"--edges has {len(ends)} columns", "name two: the ends of an edge, as in person,friend"
        )
    source = at_hand(source)
    rest = [name for name in column_names(source, delimiter) if name not in ends]
    schema = Schema.of(drop=rest)
    oddities = _oddities(source, ends, schema, delimiter)
    how = GraphFrom(ends[0], ends[1], simplify=tuple(SIMPLIFY), delimiter=delimiter)
    graph = load_graph(source, how, schema, Run.secure().workers).graph
    tables = [graph_facts(graph), *_told(oddities), structure_risk(graph)]
    lines = (KIND, *(f"{key} = {text_of(name)}" for key, name in zip(("source", "target"), ends)))
    if oddities:
        lines += (f"simplify = [{', '.join(map(text_of, oddities))}]",)
    roles: dict[str, Role | None] = dict.fromkeys(rest, Role.DROP)
    return Look(tuple(tables), roles, {}, {}, {}, lines, "edge-perturbation")


def _oddities(source: Any, ends: list[str], schema: Schema, delimiter: str | None) -> list[str]:
    """What has to be ironed out, found by asking for one thing after the other."""
    asked: list[str] = []
    for word in SIMPLIFY:
        others = tuple(other for other in SIMPLIFY if other != word)
        how = GraphFrom(ends[0], ends[1], simplify=others, delimiter=delimiter)
        try:
            load_graph(source, how, schema)
        except BadInput as error:
            if f'"{word}"' not in error.hint:
                raise
            asked.append(word)
    return asked


def _told(oddities: list[str]) -> list[ResultTable]:
    rows = [{"there are": word, "in simplify it means": SIMPLIFY[word]} for word in oddities]
    return [result_table("to be ironed out", rows)] if rows else []
