"""Answering on a recoded table: what its cells and its exact columns say together."""

from __future__ import annotations

from dataclasses import replace

from sfumato.core.answers import Answer
from sfumato.core.errors import Refused
from sfumato.query import aggregates
from sfumato.query.normal import Leaf, Tree
from sfumato.query.plan import Aggregate
from sfumato.query.readings import Reading
from sfumato.query.regions import PRESENT
from sfumato.query.scope import Scopes
from sfumato.query.tables import RecodedTable
from sfumato.releases.release import Release


def opened(release: Release) -> Scopes:
    """A recoded table made ready for questions."""
    return Scopes(RecodedTable(release))


def answer_count(scopes: Scopes, tree: Tree, wanted: Aggregate) -> Answer:
    """COUNT(*), and COUNT(column): records that also have a value there."""
    if wanted.column is not None:
        tree = scopes.table.joined(tree, Leaf(wanted.column, PRESENT))
    found = scopes.of(tree).count
    return aggregates.count(
        wanted.name, int(found.least.sum()), int(found.most.sum()), float(found.expected.sum())
    )


def answer_number(scopes: Scopes, tree: Tree, wanted: Aggregate) -> Answer:
    """SUM and AVG of numbers, MIN and MAX of numbers, dates and times."""
    assert wanted.column is not None
    table = scopes.table
    reading = table.column(wanted.column).reading
    check_aggregate(wanted, reading)
    if not table.known(wanted.column):  # of an exact column missing values are simply skipped
        tree = table.joined(tree, Leaf(wanted.column, PRESENT))
    selected = scopes.of(tree).selection(wanted.column)
    answered = aggregates.OF_SELECTION[wanted.function](wanted.name, selected, aggregates.ESTIMATED)
    return with_unit(answered, reading)


def check_aggregate(wanted: Aggregate, reading: Reading) -> None:
    """Refuse to add up what is no number, and to order what has no order."""
    additive = wanted.function in ("SUM", "AVG")
    if reading.is_number or (reading.is_moment and not additive):
        return
    raise Refused(
        f"{wanted.function} of column '{wanted.column}', which holds {reading.name}",
        "SUM and AVG need numbers; MIN and MAX need numbers, dates or times; COUNT takes any",
    )


def with_unit(answer: Answer, reading: Reading) -> Answer:
    """The same answer, saying what its number counts if that is no plain number."""
    return replace(answer, unit=reading.unit_name) if reading.is_moment else answer
