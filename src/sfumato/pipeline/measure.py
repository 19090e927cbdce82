"""What a release lost: every metric of the catalogue, and query error on a workload."""

from __future__ import annotations

from sfumato.core import catalogue
from sfumato.core.answers import Answer, ResultTable, result_table
from sfumato.core.run import Run
from sfumato.data.table import Table
from sfumato.pipeline.evidence import Place, gather
from sfumato.releases.release import Evidence
from sfumato.study.workload import ask_all, draw_queries, query_error


def measure_release(
    release: Place,
    ledger: Place | None = None,
    against: Place | None = None,
    *,
    queries: int = 200,
    seed: int = 1,
) -> list[ResultTable]:
    """Every metric that the evidence at hand allows, and the error of a seeded workload.

    With the public half alone, only what everybody can compute; with the original (`against`, or
    found through the ledger) also what compares with it. Those results stay with the owner.
    """
    evidence = gather(release, ledger, against)
    numbers, tables = metrics_of(evidence)
    asked = ask_all(
        evidence.release,
        draw_queries(evidence.release, queries, Run.seeded(seed).rng("workload")),
        published_rows(evidence),
    )
    return [numbers, *tables, query_error(asked, evidence.release.content.rows)]


def metrics_of(evidence: Evidence) -> tuple[ResultTable, list[ResultTable]]:
    """All metrics that can be computed: single numbers in one table, and tables by column."""
    lines, tables, lacking = [], [], []
    for metric in catalogue.metrics(evidence.release.kind):
        if any(getattr(evidence, piece) is None for piece in metric.needs):
            lacking.append(metric.name)
            continue
        result = metric.compute(evidence)
        if isinstance(result, Answer):
            better = {True: "lower", False: "higher", None: ""}[metric.lower_is_better]
            value = f"refused: {result.basis}" if result.refused else result.value
            lines.append({"metric": metric.name, "value": value, "better": better})
        else:
            tables.append(result)
    notes = [f"not computed, for want of the original or the ledger: {', '.join(lacking)}"]
    return result_table("metrics", lines, notes if lacking else []), tables


def published_rows(evidence: Evidence) -> Table | None:
    """The original rows that were published: without a ledger all of them, if none was dropped."""
    if evidence.original is None or evidence.release.dropped == 0:
        return evidence.original
    return evidence.original.take(evidence.need("ledger").rows)
