"""Sets of items on the way through the pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sfumato.core.answers import ResultTable
from sfumato.core.errors import BadInput, BadJob
from sfumato.core.run import Run
from sfumato.data.hierarchy import fit
from sfumato.data.schema import Schema
from sfumato.data.sets import Holders
from sfumato.io.batches import ROWS
from sfumato.io.set_look import SourceSize, guess_way, measure_source
from sfumato.io.set_sources import SetsFrom, load_sets
from sfumato.methods.base import Cost, Shape
from sfumato.pipeline.job import Job, make_job
from sfumato.pipeline.sets_source import sets_from
from sfumato.pipeline.table_kind import tree_of
from sfumato.releases.release import Evidence, Ledger, Release
from sfumato.study.choose import Scoring, by_utility
from sfumato.study.set_workload import AUDIENCE, draw_set_queries
from sfumato.study.workload import ask_all, query_error


def read(job: Job, workers: int = 1) -> Holders:
    """The sets of a job, with hierarchies of sensitive columns for models that need them."""
    found = load_sets(job.source, how(job), job.schema, workers)
    trees = {}
    for name, stated in job.file.columns.hierarchies.items():
        if name not in found.schema.sensitive:
            raise BadJob(
                f"schema.hierarchies.{name} is for a column that is not sensitive",
                "a hierarchy of items is source.hierarchy",
            )
        trees[name] = tree_of(job, found.table[name], stated)
        fit(trees[name], found.table[name])
    return Holders(found.sets, found.schema, found.table, trees)


def how(job: Job) -> SetsFrom:
    """How the source of a job says who has what."""
    return sets_from(job.file.source, job.folder)


def owned(data: Holders) -> Holders:
    """The sets themselves."""
    return data


def original(release: Release, source: Path | str, ledger: Ledger | None) -> Holders:
    """The original sets; the ledger's job says how to read them, else the file must speak."""
    if ledger is not None and ledger.job.get("source", {}).get("kind") == "sets":
        facts: dict[str, Any] = dict(ledger.job)
        job = make_job({k: v for k, v in facts.items() if k != "folder"}, Path(facts["folder"]))
        return load_sets(source, how(job), job.schema)
    published = release.schema.sensitive + release.schema.keep
    way = guess_way(source, published)
    if way is None:
        raise BadInput(
            f"{Path(str(source)).name} does not show who has which items",
            "give --ledger, which knows how it was read",
        )
    return load_sets(source, way.how, Schema.of(keep=published, drop=way.rest))


def scoring(data: Holders, _run: Run) -> Scoring:
    """By the utility that is kept."""
    return by_utility(data)


def check(data: Holders) -> None:
    """Anything can be published of sets."""


def cost(job: Job) -> Cost:
    """What reading, publishing and writing are expected to take, from a look at the file."""
    way = how(job)
    size = measure_source(job.source, way)
    shape = Shape(size.rows, 1, 1 + len(job.schema.published), size.items, size.domain)
    costs = [method.cost(shape) for _, method in job.candidates]
    seconds = sum(cost.seconds for cost in costs) + size.items * 6e-8 + size.rows * 4e-7
    return Cost(seconds, max(cost.megabytes for cost in costs) + _reading(size, way))


def _reading(size: SourceSize, way: SetsFrom) -> float:
    """Megabytes for what was read, and for what is at hand meanwhile: a batch, or all pairs.

    Measured on 4 and 16 million items: within 5 % of what the whole run took.
    """
    batch = ROWS * size.items / max(1, size.rows)
    at_hand = size.items if way.person is not None else min(size.items, batch)
    return 100 + size.items * 6e-6 + at_hand * 2e-5


def workload(evidence: Evidence, queries: int, run: Run) -> list[ResultTable]:
    """Random audience counts: one item, pairs, and items that people lack."""
    drawn = draw_set_queries(evidence.release, queries, run.rng("workload"))
    with run.phase("queries"):
        asked = ask_all(evidence.release, drawn, evidence.published_original(), run.step)
    return [query_error(asked, evidence.release.content.rows, AUDIENCE)]
