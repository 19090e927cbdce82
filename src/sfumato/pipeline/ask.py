"""Asking a release in SQL."""

from __future__ import annotations

from sfumato.core.answers import ResultTable
from sfumato.data.graph import Network
from sfumato.pipeline.evidence import Place, gather
from sfumato.query import as_table, compare, prepare
from sfumato.query.asking import Engine
from sfumato.query.graph_answers import statistic_table
from sfumato.query.statements import is_statement, state
from sfumato.releases.release import Release

GRAPH = "graph"


def query_release(
    release: Release | Place,
    *queries: str,
    against: Place | None = None,
    ledger: Place | None = None,
    as_published: bool = False,
) -> list[ResultTable]:
    """Answer SQL on a release, a table per query, with an estimate and hard bounds; of a graph,
    statistics by name, with an estimate and its error.

    Of a release whose values were drawn anew one may also ask whether a statement such as
    `age[3] <= age[9]` was true of the original: what the disclosed properties imply is exact.

    The truth on the original rows always lies inside the bounds. With `against`, the original, or
    with `ledger`, which knows where that lies and how it was read, the truth and the error of the
    estimate are shown too; such a table is the owner's. With `as_published` records of a
    redrawn table are counted as they stand, which is biased.
    """
    if isinstance(release, Release):
        if release.kind == GRAPH:
            return [statistic_table(release, asked) for asked in queries]
        engine = prepare(release, as_published)
        return [_asked(engine, release, sql) for sql in queries]
    evidence = gather(release, ledger, against)
    truth = evidence.original
    if evidence.release.kind == GRAPH:
        known = truth if isinstance(truth, Network) else None
        return [statistic_table(evidence.release, asked, known) for asked in queries]
    engine = prepare(evidence.release, as_published)
    if truth is None or isinstance(truth, Network):
        return [_asked(engine, evidence.release, sql) for sql in queries]
    return [compare(engine, truth, sql) for sql in queries]


def _asked(engine: Engine, release: Release, text: str) -> ResultTable:
    """An answer in SQL, or to a statement where a release has properties."""
    if release.form == "patterned" and is_statement(text):
        return state(release, text)
    return as_table(engine, text)
