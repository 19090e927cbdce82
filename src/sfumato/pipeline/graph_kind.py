"""Graphs on the way through the pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sfumato.core.answers import ResultTable
from sfumato.core.errors import BadInput, BadJob
from sfumato.core.run import Run
from sfumato.data.graph import Network
from sfumato.data.schema import Schema
from sfumato.io.graph_sources import GraphFrom, load_graph
from sfumato.io.sources import column_names
from sfumato.methods.base import Cost, Shape
from sfumato.pipeline.graph_source import graph_from
from sfumato.pipeline.job import Job, make_job
from sfumato.pipeline.size import rows_of
from sfumato.query.graph_answers import every_statistic
from sfumato.releases.release import Evidence, Ledger, Release
from sfumato.study.choose import Scoring

USUAL = ("source", "target")
NODES_PER_EDGE = 0.2  # for the plan alone


def read(job: Job, workers: int = 1) -> Network:
    """The graph of a job."""
    if job.file.columns.hierarchies:
        raise BadJob("schema.hierarchies: columns of nodes are published as they are", "remove it")
    return load_graph(job.source, graph_from(job.file.source, job.folder), job.schema, workers)


def owned(data: Network) -> Network:
    """The graph itself."""
    return data


def original(release: Release, source: Path | str, ledger: Ledger | None) -> Network:
    """The original graph; the ledger's job says how to read it, else the file must speak."""
    if ledger is not None and ledger.job.get("source", {}).get("kind") == "graph":
        facts: dict[str, Any] = dict(ledger.job)
        job = make_job({k: v for k, v in facts.items() if k != "folder"}, Path(facts["folder"]))
        return load_graph(source, graph_from(job.file.source, job.folder), job.schema)
    if release.schema.published != ("edges",):
        raise BadInput(
            f"{Path(str(source)).name} has no columns of nodes",
            "give --ledger, which knows where they are",
        )
    return load_graph(source, guessed(source), Schema.of())


def guessed(source: Path | str) -> GraphFrom:
    """How an edge list is likely to be read: by its usual columns, or its only two."""
    names = column_names(source)
    if set(USUAL) == set(names):
        return GraphFrom()
    if len(names) == 2:
        return GraphFrom(*names)
    raise BadInput(
        f"{Path(str(source)).name} does not show which columns are the ends of edges",
        "keep two columns, or give --ledger, which knows how it was read",
    )


def scoring(_data: Network, _run: Run) -> Scoring:
    """Releases of a graph are not compared by one number."""
    raise BadJob(
        "choose is not for graphs: attacks, errors and density pull in different ways",
        "look at all three: sfumato attack --help",
    )


def check(_data: Network) -> None:
    """Anything can be published of a graph."""


def cost(job: Job) -> Cost:
    """What reading, publishing and writing are expected to take."""
    edges = rows_of(job.source)
    shape = Shape(round(edges * NODES_PER_EDGE) + 2, 1, 1 + len(job.schema.published), edges)
    costs = [method.cost(shape) for _, method in job.candidates]
    return Cost(
        sum(cost.seconds for cost in costs) + edges * 4e-7,
        max(cost.megabytes for cost in costs) + edges * 6e-5,
    )


def workload(evidence: Evidence, _queries: int, run: Run) -> Sequence[ResultTable]:
    """Every statistic that can be answered, beside the truth where it is at hand."""
    with run.phase("statistics"):
        return every_statistic(evidence, run)
