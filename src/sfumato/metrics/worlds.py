"""How far possible worlds are from the truth, and how many there are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.answers import Answer, ResultTable, result_table
from sfumato.core.errors import Refused
from sfumato.core.run import Run
from sfumato.data.sets import Sets
from sfumato.kernels.distances import row_distances
from sfumato.metrics.base import Metric, found, scope_published
from sfumato.query import exact, prepare
from sfumato.query.writing import literal
from sfumato.releases.release import Evidence

FORMS = ("uncertain",)
THESIS = "Xue, thesis, National University of Singapore 2012, section 3.7"
QUERIES = 100  # of each type
PRESENT, ABSENT = 2, 4  # items asked for by default


def bit_errors(base: Sets, original: Sets, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Bits of each base that differ from an original, over the items of that original.

    NaN where the original has no items (errata S12). base row p is compared with original rows[p].
    """
    number = {name: place for place, name in enumerate(base.names.to_pylist())}
    names = original.names.to_pylist()
    place = np.array([number.get(name, -1) for name in names], np.int64).reshape(-1)
    apart = row_distances(base.held, original.held, rows, place, base.domain)
    length = original.lengths[rows]
    return np.where(length > 0, apart / np.maximum(length, 1), np.nan)


def _rate(evidence: Evidence, rows: NDArray[np.int64]) -> Answer:
    base, original = evidence.release.worlds.base, evidence.need("original").sets
    rates = bit_errors(base, original, rows)
    counted = int(np.count_nonzero(~np.isnan(rates)))
    if counted == 0:
        raise Refused("nobody has anything")
    empty = len(rates) - counted
    return found(float(np.nanmean(rates)), f"{counted:,} records; {empty:,} without items")


def _true_rate(evidence: Evidence) -> Answer:
    return _rate(evidence, evidence.need("ledger").rows)


def _own_rate(evidence: Evidence) -> Answer:
    evidence.release.worlds  # noqa: B018  (refuses other forms before the ledger is looked at)
    return _rate(evidence, np.asarray(_matches(evidence).column("own")).astype(np.int64))


def _matches(evidence: Evidence) -> pa.Table:
    matches = evidence.need("ledger").matches
    if matches is None:
        raise Refused("the ledger has no matches")
    return matches


def _open(evidence: Evidence) -> Answer:
    content = evidence.release.worlds
    return found(float(content.opened.mean()), scope_published(evidence.release))


def _threshold(evidence: Evidence) -> Answer:
    content = evidence.release.worlds
    return found(float(content.threshold.mean()), scope_published(evidence.release))


def _worlds(evidence: Evidence) -> Answer:
    content = evidence.release.worlds
    return found(float(np.median(content.log_worlds)), scope_published(evidence.release))


def _single(evidence: Evidence) -> Answer:
    content = evidence.release.worlds
    return found(float((content.log_worlds == 0).mean()), scope_published(evidence.release))


def _sums(evidence: Evidence) -> ResultTable:
    """The length of the ring after each step."""
    evidence.release.worlds  # noqa: B018
    sums = evidence.need("ledger").notes.get("ring")
    if not sums:
        raise Refused("the ledger has no sums of distances")
    first = next(iter(sums.values())) or 1
    lines = [
        {"after": step, "sum": float(length), "of the source's": length / first}
        for step, length in sums.items()
    ]
    return result_table("Hamming distances of neighbours", lines)


def _query_error(evidence: Evidence) -> ResultTable:
    """Random counts of items present (Type I), absent (Type II), and of both."""
    evidence.release.worlds  # noqa: B018
    original = evidence.published_original()
    names = [literal(name) for name in original.sets.names.to_pylist()]
    if len(names) < max(PRESENT, ABSENT):
        raise Refused("there are too few items to draw queries")
    rng, engine, lines = Run.seeded(1).rng("query-error"), prepare(evidence.release), []
    for title, present, absent in (
        ("I: items present", PRESENT, 0),
        ("II: items absent", 0, ABSENT),
        ("mixed", 1, 1),
    ):
        errors, widths, inside = [], [], []
        for _ in range(QUERIES):
            some = [f"has({names[i]})" for i in rng.choice(len(names), present + absent, False)]
            parts = some[:present] + [f"NOT {one}" for one in some[present:]]
            sql = f"SELECT COUNT(*) FROM release WHERE {' AND '.join(parts)}"
            answer, truth = engine.answer(sql)[0][1][0], exact(original, sql)[0][1][0].value or 0.0
            low, high = answer.bounds or (0.0, 0.0)
            errors.append(abs((answer.value or 0.0) - truth) / original.rows)
            widths.append(((high or 0.0) - (low or 0.0)) / original.rows)
            inside.append((low or 0.0) <= truth <= (high or 0.0))
        lines.append(
            {
                "type": title,
                "asked": QUERIES,
                "mean error": float(np.mean(errors)),
                "mean width of bounds": float(np.mean(widths)),
                "truth in bounds": float(np.mean(inside)),
            }
        )
    notes = [f"over all records; {PRESENT} items present, {ABSENT} absent, or one of each"]
    return result_table("query error", lines, notes)


bit_error_rate = Metric(
    "bit-error-rate",
    "bits of a record's base that are wrong, over the items of the person behind it",
    THESIS,
    _true_rate,
    needs=("original", "ledger"),
    forms=FORMS,
)
own_bit_error_rate = Metric(
    "own-bit-error-rate",
    "the same against the person whose place the record took, as the thesis has it",
    THESIS,
    _own_rate,
    needs=("original", "ledger"),
    forms=FORMS,
)
open_items = Metric(
    "open-items",
    "items in which a record may differ from its base, on average",
    "this project",
    _open,
    forms=FORMS,
)
threshold = Metric(
    "threshold",
    "items in which a record differs from its base at most, on average",
    "this project",
    _threshold,
    forms=FORMS,
)
worlds = Metric(
    "worlds",
    "possible worlds of a record, as a power of two, median over records",
    "this project",
    _worlds,
    lower_is_better=None,
    forms=FORMS,
)
certain_records = Metric(
    "certain-records",
    "share of records of which there is one world only",
    "this project",
    _single,
    lower_is_better=None,
    forms=FORMS,
)
hamming_sums = Metric(
    "hamming-sums",
    "sum of distances of neighbours on the ring, before and after each step",
    THESIS,
    _sums,
    needs=("ledger",),
    forms=FORMS,
)
query_error = Metric(
    "query-error",
    "error of random counts of items present and absent, over all records",
    THESIS,
    _query_error,
    needs=("original",),
    forms=FORMS,
)
