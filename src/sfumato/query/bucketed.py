"""Answering on a bucketed table: exact columns, and the entries of every bucket."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sfumato.core.answers import Answer
from sfumato.kernels.bitmaps import tally_codes
from sfumato.query import aggregates
from sfumato.query.aggregates import EXACT, OF_SELECTION
from sfumato.query.bucket_scope import BucketScope, BucketScopes
from sfumato.query.buckets import BucketedTable
from sfumato.query.exact import of_codes
from sfumato.query.normal import Leaf, Tree
from sfumato.query.plan import Aggregate
from sfumato.query.recoded import check_aggregate, with_unit
from sfumato.query.record_picks import RecordPicks
from sfumato.query.regions import PRESENT
from sfumato.query.selections import Selection
from sfumato.releases.release import Release

LEVEL, DEVIATIONS = 0.95, 1.959963984540054
ASSUMED = "if sensitive values are exchangeable inside a bucket"
STATED = f"hard bounds; estimate, and interval, which is not hard: {ASSUMED}"
STATED_END = f"hard bounds; estimate: {ASSUMED}"


def opened(release: Release) -> BucketScopes:
    """A bucketed table made ready for questions."""
    return BucketScopes(BucketedTable(release))


def answer_count(scopes: BucketScopes, tree: Tree, wanted: Aggregate) -> Answer:
    """COUNT(*), and COUNT(column): records that also have a value there."""
    if wanted.column is not None:
        tree = scopes.table.joined(tree, Leaf(wanted.column, PRESENT))
    found = scopes.of(tree).count
    answer = aggregates.count(wanted.name, found.least, found.most, found.expected, STATED)
    return _with_interval(answer, found.error)


def answer_number(scopes: BucketScopes, tree: Tree, wanted: Aggregate) -> Answer:
    """SUM and AVG of numbers, MIN and MAX of numbers, dates and times."""
    assert wanted.column is not None
    table = scopes.table
    reading = table.column(wanted.column).reading
    check_aggregate(wanted, reading)
    scope = scopes.of(table.joined(tree, Leaf(wanted.column, PRESENT)))
    if not table.known(wanted.column):
        return with_unit(_of_entries(scope, wanted), reading)
    if scope.settled:
        return _settled(scope, wanted)
    return with_unit(_of_records(scope, wanted), reading)


def _settled(scope: BucketScope, wanted: Aggregate) -> Answer:
    """An aggregate of records that are surely selected."""
    assert wanted.column is not None
    column = scope.table.records[wanted.column]
    each = tally_codes(scope.words, column.codes, column.column.size)
    answer = of_codes(column, each, wanted)
    basis = EXACT if answer.value is not None else answer.basis
    return replace(answer, bounds=(answer.value, answer.value), basis=basis)


def _of_entries(scope: BucketScope, wanted: Aggregate) -> Answer:
    """An aggregate of the sensitive column."""
    end = wanted.function in ("MIN", "MAX")
    answer = _closest(wanted, scope.entry_picks(end), STATED_END if end else STATED)
    number = sum(one.number for one in scope.expected)
    if end or answer.value is None or number <= 0:
        return answer
    level, share = (0.0, 1.0) if wanted.function == "SUM" else (answer.value, number)
    return _with_interval(answer, sum(one.error(level) for one in scope.expected) / share)


def _of_records(scope: BucketScope, wanted: Aggregate) -> Answer:
    """An aggregate of an exact column, where the sensitive one decides who is selected."""
    assert wanted.column is not None
    picks = RecordPicks(scope, wanted.column)
    found = picks.bounds()
    end = wanted.function in ("MIN", "MAX")
    answer = _closest(wanted, found, STATED_END if end else STATED)
    if end or answer.value is None or found[0].expected <= 0:
        return answer
    level, share = (0.0, 1.0) if wanted.function == "SUM" else (answer.value, found[0].expected)
    return _with_interval(answer, picks.error(level) / share)


def _closest(wanted: Aggregate, selections: Sequence[Selection], stated: str) -> Answer:
    """The first answer within the bounds of all: each holds."""
    if any(one.most == 0 for one in selections):
        return aggregates.nothing(wanted.name)
    answers = [OF_SELECTION[wanted.function](wanted.name, one, stated) for one in selections]
    first = answers[0]
    lows, highs = zip(*(one.bounds for one in answers if one.bounds), strict=True)
    low, high = max(lows), min(highs)
    basis = min((one.basis for one in answers), key=len)
    assert first.value is not None
    return replace(first, value=min(max(first.value, low), high), bounds=(low, high), basis=basis)


def _with_interval(answer: Answer, error: float) -> Answer:
    """The same answer with an interval of so many standard errors, where it is not exact."""
    assert answer.bounds is not None
    low, high = answer.bounds
    if answer.value is None or low is None or high is None or answer.basis == EXACT:
        return answer
    reach = DEVIATIONS * error
    interval = max(answer.value - reach, low), min(answer.value + reach, high)
    return replace(answer, interval=interval, level=LEVEL)
