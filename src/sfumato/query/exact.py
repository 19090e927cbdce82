"""The same questions on an original table: the truth that a release's answers are held against."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer
from sfumato.data.sets import Holders
from sfumato.data.table import Table
from sfumato.query.aggregates import NOBODY
from sfumato.query.grouping import Key, keys
from sfumato.query.holding import KnownSets
from sfumato.query.normal import every, normal
from sfumato.query.parse import parse
from sfumato.query.plan import Aggregate, Literal
from sfumato.query.readings import Reading
from sfumato.query.recoded import check_aggregate, with_unit
from sfumato.query.records import KnownColumn, Records

Rows = list[tuple[Key, list[Answer]]]


class KnownTable:
    """A table of which everything is known: one group, and no cells."""

    items = False

    def __init__(self, table: Table) -> None:
        one = np.zeros(table.rows, np.int32)
        self.records = Records(table, one, np.array([table.rows], np.int64))
        self.columns = table.names

    def known(self, name: str) -> bool:
        """Every column is."""
        return True

    def column(self, name: str) -> KnownColumn:
        """One column as conditions see it."""
        return self.records[name]

    def read(self, name: str, literal: Literal) -> Reading:
        """How a literal makes the values of a column read."""
        return self.records[name].reading


def exact(table: Table | Holders, sql: str) -> Rows:
    """What a query gives on the rows themselves: keys and answers, without bounds.

    The table must be the rows that were published (for a release that dropped some,
    `original.take(ledger.rows)`), or the truth may lie outside a release's bounds.

    >>> import pyarrow as pa
    >>> from sfumato.data.table import table_from_arrow
    >>> people = table_from_arrow(pa.table({"age": [30, 40, None]}))
    >>> [(_, [answer])] = exact(people, "SELECT AVG(age) FROM release WHERE age > 30")
    >>> answer.name, answer.value
    ('AVG(age)', 40.0)
    """
    known = KnownSets(table) if isinstance(table, Holders) else KnownTable(table)
    plan = parse(sql, known.columns, known.items)
    where = normal(plan.where, known.read, known.known)
    rows: Rows = []
    for key, parts in keys(known, plan.by):
        mask = known.records.mask(every([where, *parts], known.known)).view(np.bool_)
        if not plan.by or mask.any():
            rows.append((key, [_answer(known, mask, wanted) for wanted in plan.aggregates]))
    return rows


def _answer(table: KnownTable | KnownSets, mask: NDArray[np.bool_], wanted: Aggregate) -> Answer:
    if wanted.column is None:
        return Answer(wanted.name, float(mask.sum()))
    column = table.column(wanted.column)
    each = np.bincount(column.codes[mask], minlength=column.column.size)
    return of_codes(column, each, wanted)


def of_codes(column: KnownColumn, each: NDArray[np.int64], wanted: Aggregate) -> Answer:
    """An aggregate of a column of whose selected records every code has `each`."""
    each = each[column.column.has_missing :]
    if wanted.function == "COUNT":
        return Answer(wanted.name, float(each.sum()))
    check_aggregate(wanted, column.reading)
    if not each.any():
        return Answer(wanted.name, None, basis=NOBODY)
    values = column.values.numbers()[column.column.has_missing :]
    value = _number(wanted.function, values, each)
    return with_unit(Answer(wanted.name, value), column.reading)


def _number(function: str, values: NDArray[np.float64], each: NDArray[np.int64]) -> float:
    if function in ("MIN", "MAX"):
        met = np.flatnonzero(each)
        return float(values[met[0] if function == "MIN" else met[-1]])
    amount = math.fsum(values * each)
    return amount if function == "SUM" else amount / int(each.sum())
