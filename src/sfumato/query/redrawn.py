"""Answering on a redrawn table: the law undone on average, with the error that remains."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer
from sfumato.core.errors import Refused
from sfumato.query import aggregates
from sfumato.query.aggregates import EXACT
from sfumato.query.exact import of_codes
from sfumato.query.normal import Leaf, Tree
from sfumato.query.plan import Aggregate
from sfumato.query.recoded import check_aggregate, with_unit
from sfumato.query.redrawn_number import Moments, number_moments
from sfumato.query.redrawn_scope import RedrawnScopes, RedrawnView, Scope
from sfumato.query.regions import PRESENT
from sfumato.query.shrinking import Shrinking
from sfumato.releases.release import Release

Floats = NDArray[np.float64]
LEVEL, DEVIATIONS = 0.95, 1.959963984540054
PRECISE = 0.1  # of the estimate: with a smaller standard error it is given as it is
AMPLIFIED = 5.0  # and where undoing enlarges no part by more than this; chosen on Adult
UNBIASED = "unbiased: the redraw undone on average; hard bounds"
SHRUNK = (
    "shrunk: undoing the redraw alone would be off by {share:.0%} (one standard error), so what "
    "several columns have to do with one another is taken for less; hard bounds, and the interval "
    "of the unbiased estimate"
)
CUT = (
    "shrunk: what more than {most} redrawn columns have to do with one another is lost, and taken "
    "for none; hard bounds, no error can be given"
)
CUT_NUMBER = (
    "what more than {most} redrawn columns have to do with one another is lost, and taken for "
    "none; no error can be given"
)
AS_PUBLISHED = "records as they stand: biased towards independence"
NOISE = "too few are selected to tell an average from chance"


class Opened(RedrawnScopes):
    """A redrawn table made ready for questions."""

    def __init__(self, release: Release, as_published: bool = False) -> None:
        super().__init__(RedrawnView(release))
        self.shrinking = Shrinking(self.table)
        self.as_published = as_published


def opened(release: Release) -> Opened:
    """A redrawn table made ready for questions."""
    return Opened(release)


def opened_as_published(release: Release) -> Opened:
    """The same, to count records as they stand."""
    return Opened(release, as_published=True)


def answer_count(scopes: Opened, tree: Tree, wanted: Aggregate) -> Answer:
    """COUNT(*), and COUNT(column): records that also have a value there."""
    if wanted.column is not None:
        tree = scopes.table.joined(tree, Leaf(wanted.column, PRESENT))
    scope = scopes.of[tree]
    low, high = scope.limits
    bounds = float(low), float(high)
    if low == high:
        return Answer(wanted.name, float(low), bounds, basis=EXACT)
    if scopes.as_published:
        return Answer(wanted.name, direct_count(scope), bounds, basis=AS_PUBLISHED)
    value, error = unbiased_count(scope)
    if not scope.inversion.whole:
        basis = CUT.format(most=_most(scope))
        shrunk = _within(scopes.shrinking.estimate(scope), bounds)
        return Answer(wanted.name, shrunk, bounds, basis=basis)
    interval = _interval(value, error, bounds)
    basis = UNBIASED
    if noisy(scope, value, error):
        share = error / max(value, 1.0)
        value, basis = scopes.shrinking.estimate(scope), SHRUNK.format(share=share)
    return Answer(
        wanted.name, _within(value, interval), bounds, interval, LEVEL, basis, error=error
    )


def unbiased_count(scope: Scope) -> tuple[float, float]:
    """The count with the redraw undone, and its standard error.

    What a record counts as has the mean 1 or 0, which is its own square: so the sum of squares,
    less the sum, is the variance on average.
    """
    weights = scope.inversion.weights(scope.selected.astype(np.float64))
    estimate = float((scope.counts * weights).sum())
    variance = float((scope.counts * (weights * weights - weights)).sum())
    return estimate, math.sqrt(max(variance, 0.0))


def noisy(scope: Scope, value: float, error: float) -> bool:
    """Whether undoing amplifies noise too much to be taken at its word."""
    return scope.inversion.amplification > AMPLIFIED and error > PRECISE * max(value, 1.0)


def direct_count(scope: Scope) -> float:
    """The count of published records as they stand: the reading of the source."""
    return float(scope.counts[scope.selected].sum())


def _most(scope: Scope) -> int:
    """Of how many of these columns a relation is kept."""
    law, columns = scope.view.law, scope.inversion.columns
    return next(k for k in range(len(columns), -1, -1) if law.kept(columns[:k]) > 0)


def _interval(value: float, error: float, bounds: tuple[float, float]) -> tuple[float, float]:
    reach = DEVIATIONS * error
    return _within(value - reach, bounds), _within(value + reach, bounds)


def _within(value: float, ends: tuple[float, float]) -> float:
    return min(max(value, ends[0]), ends[1])


def answer_number(scopes: Opened, tree: Tree, wanted: Aggregate) -> Answer:
    """SUM and AVG of numbers; MIN and MAX where they are known."""
    assert wanted.column is not None
    table = scopes.table
    reading = table.column(wanted.column).reading
    check_aggregate(wanted, reading)
    tree = table.joined(tree, Leaf(wanted.column, PRESENT))
    scope = scopes.of[tree]
    exact = _exact_counts(scope, wanted.column)
    if exact is not None:
        answer = of_codes(table.column(wanted.column), exact, wanted)
        basis = EXACT if answer.value is not None else answer.basis
        return replace(answer, bounds=(answer.value, answer.value), basis=basis)
    if scopes.as_published:
        return _as_published(scope, wanted)
    if wanted.function in ("MIN", "MAX"):
        raise Refused(
            f"{wanted.function} under a condition on redrawn columns can't be told",
            "ask for counts of ranges, or for AVG",
        )
    if scope.limits[1] == 0:
        return aggregates.nothing(wanted.name)
    return with_unit(_estimated(scope, wanted), reading)


def _as_published(scope: Scope, wanted: Aggregate) -> Answer:
    """An aggregate of the records as they stand."""
    assert wanted.column is not None
    column = scope.view.column(wanted.column)
    mask = scope.view.records.mask(scope.tree).view(np.bool_)
    each = np.bincount(column.codes[mask], minlength=column.column.size)
    answer = of_codes(column, each, wanted)
    return replace(answer, bounds=(None, None), basis=AS_PUBLISHED)


def _exact_counts(scope: Scope, name: str) -> NDArray[np.int64] | None:
    """How many have each value of a column among those selected, where that is published."""
    view = scope.view
    if not scope.axes:
        mask = view.records.mask(scope.tree).view(np.bool_)
        codes = view.column(name).codes
        return np.bincount(codes[mask], minlength=view.column(name).column.size)
    alone = isinstance(scope.tree, Leaf) and scope.tree.column == name
    if not alone or not view.complete:
        return None
    counts = view.law.counts[view.law.names.index(name)]
    return np.where(view.column(name).values.codes(scope.tree.region), counts, 0)  # type: ignore[union-attr]


def _estimated(scope: Scope, wanted: Aggregate) -> Answer:
    assert wanted.column is not None
    moments = number_moments(scope, wanted.column)
    if wanted.function == "SUM":
        return _stated(scope, wanted.name, moments.total, moments.error(0.0))
    count, off = unbiased_count(scope)
    if count <= max(1.0, DEVIATIONS * off):
        return Answer(wanted.name, None, basis=NOISE, refused=True)
    mean = moments.total / count
    answer = _stated(scope, wanted.name, mean, moments.error(mean) / count)
    return _among_values(scope, wanted.column, answer)


def _stated(scope: Scope, name: str, value: float, error: float) -> Answer:
    if not scope.inversion.whole:
        return Answer(name, value, (None, None), basis=CUT_NUMBER.format(most=_most(scope)))
    reach = DEVIATIONS * error
    interval = value - reach, value + reach
    basis = "unbiased: the redraw undone on average"
    return Answer(name, value, (None, None), interval, LEVEL, basis, error=error)


def _among_values(scope: Scope, name: str, answer: Answer) -> Answer:
    """An average lies between the ends of what occurs."""
    numbers = scope.view.column(name).values.numbers()
    ends = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    changed: dict[str, Any] = {"value": _within(answer.value or 0.0, ends), "bounds": ends}
    if answer.interval is not None:
        changed["interval"] = tuple(_within(end, ends) for end in answer.interval)
    return replace(answer, **changed)


__all__ = ["Moments", "answer_count", "answer_number", "direct_count", "opened", "unbiased_count"]
