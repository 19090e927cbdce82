"""What a release lost: every metric of the catalogue, and query error on a workload."""

from __future__ import annotations

from dataclasses import replace

from sfumato.core import catalogue
from sfumato.core.answers import Answer, ResultTable, result_table
from sfumato.core.errors import BadInput
from sfumato.core.run import Progress, Run
from sfumato.pipeline.evidence import Place, gather
from sfumato.pipeline.kinds import kind_of
from sfumato.releases.release import Evidence

MOST_QUERIES = 100_000


def measure_release(
    release: Place,
    ledger: Place | None = None,
    against: Place | None = None,
    *,
    queries: int = 200,
    seed: int = 1,
    progress: Progress | None = None,
) -> list[ResultTable]:
    """Every metric that the evidence at hand allows, and the error of a seeded workload.

    With the public half alone, only what everybody can compute; with the original (`against`, or
    found through the ledger) also what compares with it. Those results stay with the owner.
    """
    if not 1 <= queries <= MOST_QUERIES:
        raise BadInput(f"--queries is {queries}", f"use 1 to {MOST_QUERIES:,}")
    run = Run.seeded(seed) if progress is None else Run.seeded(seed, progress=progress)
    evidence = gather(release, ledger, against)
    numbers, tables = metrics_of(evidence)
    return [numbers, *tables, *kind_of(evidence.release.kind).workload(evidence, queries, run)]


def metrics_of(evidence: Evidence) -> tuple[ResultTable, list[ResultTable]]:
    """All metrics that can be computed: single numbers in one table, and tables by column.

    A metric that is refused has no value, and a note that says why.
    """
    lines, tables, lacking, notes = [], [], [], []
    for metric in catalogue.metrics(evidence.release.kind):
        if not metric.about(evidence.release.form):
            continue
        if any(getattr(evidence, piece) is None for piece in metric.needs):
            lacking.append(metric.name)
            continue
        result = metric.compute(evidence)
        if isinstance(result, Answer):
            better = {True: "lower", False: "higher", None: ""}[metric.lower_is_better]
            lines.append({"metric": metric.name, "value": result.value, "better": better})
            notes += [f"{metric.name} is refused: {result.basis}"] if result.refused else []
        else:
            tables.append(result)
    if lacking:
        names = ", ".join(lacking)
        notes.append(f"not computed, for want of the original or the ledger: {names}")
    return result_table("metrics", lines, notes), tables


def answered(table: ResultTable) -> ResultTable:
    """The metrics that have a value, for people; the notes name the others."""
    if "value" not in table.columns:
        return table
    place = table.columns.index("value")
    rows = tuple(row for row in table.rows if row[place] is not None)
    return replace(table, rows=rows)
