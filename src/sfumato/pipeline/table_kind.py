"""Tables on the way through the pipeline."""

from __future__ import annotations

from pathlib import Path

from sfumato.core.answers import ResultTable
from sfumato.core.errors import BadJob
from sfumato.core.run import Run
from sfumato.data.hierarchy import Hierarchy, fit, from_breaks, from_ordered, spell
from sfumato.data.level_file import read_levels
from sfumato.data.people import People
from sfumato.data.schema import PUBLISHED
from sfumato.data.table import Column, Table
from sfumato.io.sources import load_columns, load_table
from sfumato.methods.base import Cost, Shape
from sfumato.pipeline.job import Job, Steps
from sfumato.pipeline.size import rows_of
from sfumato.releases.release import Evidence, Ledger, Release
from sfumato.study.choose import Scoring, by_width
from sfumato.study.workload import ask_all, draw_queries, query_error


def read(job: Job, workers: int = 1) -> People:
    """The table of a job with its hierarchies, all checked before anything runs."""
    delimiter = job.file.source.delimiter
    table = load_table(job.source, job.schema, workers, delimiter)
    trees = {}
    for name, stated in job.file.columns.hierarchies.items():
        if name not in job.schema.with_role(*PUBLISHED):
            raise BadJob(
                f"schema.hierarchies.{name} is for a column that is not published",
                "remove it, or give the column a role",
            )
        trees[name] = tree_of(job, table[name], stated)
        fit(trees[name], table[name])
    return People(table, job.schema, trees)


def tree_of(job: Job, column: Column, stated: str | Steps) -> Hierarchy:
    """A hierarchy as the job states it."""
    if isinstance(stated, str):
        return read_levels(column.name, job.path(stated), spell(column.values.to_pylist()))
    if stated.breaks is not None:
        return from_breaks(column, stated.breaks)
    if stated.ordered is not None:
        return from_ordered(column.name, stated.ordered, stated.fanout)
    raise BadJob(
        f"schema.hierarchies.{column.name} states nothing", "give a file, breaks or ordered"
    )


def owned(data: People) -> Table:
    """The table itself."""
    return data.table


def original(release: Release, source: Path | str, _ledger: Ledger | None) -> Table:
    """The published columns of the original, of the kinds the release gives them."""
    schema = release.schema
    kinds = {name: schema.kind(name) for name in schema.published}
    return load_columns(source, schema.published, kinds)


def scoring(data: People, run: Run) -> Scoring:
    """By the width of bounds."""
    return by_width(data, run)


def check(data: People) -> None:
    """Refuse a table that nobody is found by."""
    if not data.schema.quasi:
        raise BadJob("schema.quasi is empty", "list the columns somebody may know of a person")


def cost(job: Job) -> Cost:
    """What reading, publishing and writing are expected to take."""
    schema, rows = job.schema, rows_of(job.source)
    columns = len(schema.published)
    shape = Shape(rows, len(schema.quasi), columns)
    costs = [method.cost(shape) for _, method in job.candidates]
    seconds = sum(cost.seconds for cost in costs) + rows * columns * 8e-8
    most = max(cost.megabytes for cost in costs)
    return Cost(seconds, most + rows * columns * 8e-6)


def workload(evidence: Evidence, queries: int, run: Run) -> list[ResultTable]:
    """Random counting queries over the published domains."""
    drawn = draw_queries(evidence.release, queries, run.rng("workload"))
    with run.phase("queries"):
        asked = ask_all(evidence.release, drawn, evidence.published_original(), run.step)
    return [query_error(asked, evidence.release.content.rows)]
