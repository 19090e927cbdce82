"""Asking a release in SQL."""

from __future__ import annotations

from sfumato.core.answers import ResultTable
from sfumato.pipeline.evidence import Place, gather
from sfumato.query import as_table, compare, prepare
from sfumato.releases.release import Release


def query_release(
    release: Release | Place, *queries: str, against: Place | None = None
) -> list[ResultTable]:
    """Answer SQL on a release, a table per query, with an estimate and hard bounds.

    The truth on the original rows always lies inside the bounds. With `against`, the original, the
    truth and the error of the estimate are shown too; such a table is the owner's.
    """
    if isinstance(release, Release):
        return [as_table(engine, sql) for engine in [prepare(release)] for sql in queries]
    evidence = gather(release, against=against)
    engine = prepare(evidence.release)
    if evidence.original is None:
        return [as_table(engine, sql) for sql in queries]
    return [compare(engine, evidence.original, sql) for sql in queries]
