"""Attacks on a graph as it would be published: planted, published and attacked repeatedly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.attacks.base import Shown
from sfumato.core.answers import ResultTable
from sfumato.core.parameters import build
from sfumato.core.run import Run
from sfumato.data.graph import Graph, Network
from sfumato.io.graph_sources import load_graph
from sfumato.methods.base import Method
from sfumato.pipeline.attack_plan import DEFAULT, AttackPlan, Often, make_attack
from sfumato.pipeline.evidence import Place
from sfumato.pipeline.graph_kind import guessed
from sfumato.query.statistic import Published
from sfumato.releases.edge_law import EdgeLaw
from sfumato.study.structure_risk import risk_table
from sfumato.study.trial import Trial, trial


def attack_graph(
    people: Network,
    *,
    method: Method,
    attack: str = DEFAULT,
    runs: int = 20,
    level: float = 0.95,
    seed: int | None = None,
    **parameters: Any,
) -> Trial:
    """Plant nodes in a graph, publish it, and try to find them and their victims; repeatedly.

    Each run is made once more where nothing was planted: what the attacker then claims is false.
    The result says how often the attack succeeded, with an interval, and draws a conclusion only
    where it did better than chance and than its control. Even then it speaks of this attack with
    this budget: another one may find more. The default is the strongest attack there is here.
    `parameters` are those of the attack; `sfumato methods NAME` explains them.

    >>> import sfumato
    >>> ring = {"source": list(range(40)), "target": [(n + 1) % 40 for n in range(40)]}
    >>> people = sfumato.read_graph(ring)
    >>> method = sfumato.method("edge-perturbation", kind="graph", mu=0.0)
    >>> found = sfumato.attack_graph(
    ...     people, method=method, attack="walk-based", planted=8, victims=4, runs=3, seed=1)
    >>> found.success.hits, found.concludes
    (3, True)
    """
    made = make_attack({"name": attack} | parameters)
    often = build(Often, {"runs": runs, "level": level}, "")
    run = Run.secure() if seed is None else Run.seeded(seed)
    return attacked(people.graph, AttackPlan(method, made, often), run)


def attacked(graph: Graph, plan: AttackPlan, run: Run) -> Trial:
    """Carry out a plan on a graph."""
    runs, level = plan.often.runs, plan.often.level
    with run.phase("attack"):
        return trial(plan.attack, publisher(plan.method), graph, runs, run, level)


def publisher(method: Method) -> Any:
    """How a graph becomes what an attacker sees, and where each node went."""

    def publish(graph: Graph, run: Run) -> Shown:
        made = method.publish(Network(graph, pa.nulls(graph.nodes)), [], run).sealed()
        number = np.empty(graph.nodes, np.int32)
        number[made.ledger.rows] = np.arange(graph.nodes, dtype=np.int32)
        content = made.release.network
        return Shown(Published(content.graph, content.law), number)

    return publish


def read_attacked(source: Place, plan: AttackPlan, workers: int) -> Graph:
    """The graph of a file, read as the plan says, or as its columns show."""
    how = plan.how or guessed(source)
    return load_graph(Path(source), how, plan.schema, workers).graph


def attack_tables(graph: Graph, plan: AttackPlan, found: Trial) -> list[ResultTable]:
    """The trial, and what formulas say of the same setting."""
    return [found.table, risk_table(graph, law_of(plan, graph), plan.attack)]


def law_of(plan: AttackPlan, graph: Graph) -> EdgeLaw:
    """The law by which the plan would publish this graph."""
    method: Any = plan.method
    law: EdgeLaw = method.law(graph)
    return law
