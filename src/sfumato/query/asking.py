"""The door: SQL on a release, answers with bounds, and errors against the original."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from sfumato.core.answers import Answer, ResultTable
from sfumato.core.errors import Refused
from sfumato.data.table import Table
from sfumato.query.exact import Rows, exact
from sfumato.query.grouping import Key, keys
from sfumato.query.moments import shown
from sfumato.query.normal import Tree
from sfumato.query.parse import parse
from sfumato.query.plan import Aggregate, Plan
from sfumato.query.recoded import answer_count, answer_number, may_select
from sfumato.query.scope import Scopes
from sfumato.query.tables import RecodedTable
from sfumato.releases.release import Release

Answering = Callable[[Scopes, Tree, Aggregate], Answer]

ANSWERING: dict[tuple[str, str, str], Answering] = {
    ("recoded", "table", "COUNT"): answer_count,
    ("recoded", "table", "SUM"): answer_number,
    ("recoded", "table", "AVG"): answer_number,
    ("recoded", "table", "MIN"): answer_number,
    ("recoded", "table", "MAX"): answer_number,
}


class Engine:
    """A release made ready for many questions; make it with `prepare`."""

    def __init__(self, release: Release) -> None:
        self._form, self._kind = release.form.lower(), release.kind.lower()
        if not any(place[:2] == (self._form, self._kind) for place in ANSWERING):
            raise Refused(
                f"queries on a {release.kind} of form {release.form} are not supported",
                f"supported: {', '.join(sorted({f'{k} of form {f}' for f, k, _ in ANSWERING}))}",
            )
        self._table = RecodedTable(release)
        self._scopes = Scopes(self._table)

    def plan(self, sql: str) -> Plan:
        """What a query asks for, its names checked."""
        return parse(sql, self._table.columns)

    def answer(self, sql: str) -> Rows:
        """Keys and answers of one query, a row per key; without GROUP BY one row, its key empty."""
        plan = self.plan(sql)
        where = self._table.tree(plan.where)
        rows: Rows = []
        for key, parts in keys(self._table, plan.by):
            tree = self._table.joined(where, *parts)
            if not plan.by or may_select(self._scopes, tree):
                rows.append((key, [self._aggregate(tree, one) for one in plan.aggregates]))
        return rows

    def _aggregate(self, tree: Tree, wanted: Aggregate) -> Answer:
        return ANSWERING[self._form, self._kind, wanted.function](self._scopes, tree, wanted)


def prepare(release: Release) -> Engine:
    """A release made ready for many questions: its `answer(sql)` is `answer(release, sql)`, sooner.

    What a question had to sort or look up is kept for the next one. The release must not be changed
    meanwhile. An engine may be used by one thread at a time.
    """
    return Engine(release)


def answer(release: Release | Engine, sql: str) -> Rows:
    """Answer an aggregate query on a release, with hard bounds.

    Gives one (key, answers) pair per row of the result; the key holds the GROUP BY columns. Every
    answer has an estimate, which assumes that values are spread evenly inside a cell and that
    columns are independent inside a group, and bounds that contain the answer on the original rows
    that were published, whatever they are. The bounds of AVG, MIN and MAX hold if anybody is
    selected; `basis` says when that is open. MIN and MAX of a date count `unit`. Raises `Refused`
    for queries outside the grammar.

    `release` may also be the engine that `prepare` made of it.

    >>> import numpy as np, pyarrow as pa
    >>> from sfumato.data import schema, table
    >>> from sfumato.releases import cells, recoded
    >>> people = table.table_from_arrow(pa.table({"age": [20, 24, 30], "pay": [1, 2, 3]}))
    >>> one = np.zeros(3, np.int32)
    >>> ages = {"age": cells.cells_of(people["age"], one, 1)}
    >>> content = recoded.Recoded(ages, one, 1, people.select(("pay",)))
    >>> fields = schema.Schema.of(quasi=["age"], sensitive=["pay"])
    >>> published = Release("table", "Recoded", fields, content, ())
    >>> [(key, [count])] = answer(published, "SELECT COUNT(*) FROM release WHERE age < 25")
    >>> key, count.bounds
    ({}, (1.0, 2.0))
    """
    engine = release if isinstance(release, Engine) else prepare(release)
    return engine.answer(sql)


def as_table(release: Release | Engine, sql: str) -> ResultTable:
    """The answers as a table: key columns, aggregate, estimate, lower, upper, basis.

    One row per key and aggregate. Dates are shown as dates, whatever they count inside.
    """
    rows = answer(release, sql)
    head = ("aggregate", "estimate", "lower", "upper", "basis")
    lines = [
        (*key.values(), one.name, _show(one, one.value), *_bounds(one), one.basis)
        for key, answers in rows
        for one in answers
    ]
    return ResultTable(sql, (*_key_names(rows), *head), tuple(lines))


def compare(release: Release | Engine, published: Table, sql: str) -> ResultTable:
    """The answers next to the truth, for the owner: columns truth and relative error besides.

    `published` are the original rows that the release is about; for a release that dropped some,
    `original.take(ledger.rows)`. The relative error is |estimate - truth| / |truth|; it is empty
    where the truth is 0 or NULL, and those rows belong in no mean. The table gives the
    original away: it belongs to the ledger.
    """
    engine = release if isinstance(release, Engine) else prepare(release)
    truths = {_spelled(key): answers for key, answers in exact(published, sql)}
    nobody = [_of_nobody(wanted) for wanted in engine.plan(sql).aggregates]
    rows = engine.answer(sql)
    lines = []
    for key, answers in rows:
        truth = truths.get(_spelled(key), nobody)
        for one, true in zip(answers, truth, strict=True):
            numbers = (_show(one, one.value), *_bounds(one), _show(one, true.value))
            lines.append((*key.values(), one.name, *numbers, _error(one, true)))
    head = ("aggregate", "estimate", "lower", "upper", "truth", "relative error")
    return ResultTable(sql, (*_key_names(rows), *head), tuple(lines))


def _of_nobody(wanted: Aggregate) -> Answer:
    """The truth of a key that does not occur."""
    return Answer(wanted.name, 0.0 if wanted.function == "COUNT" else None)


def _error(one: Answer, true: Answer) -> float | None:
    if one.value is None or not true.value or one.unit:
        return None
    return math.fabs(one.value - true.value) / math.fabs(true.value)


def _key_names(rows: Rows) -> Sequence[str]:
    return tuple(rows[0][0]) if rows else ()


def _spelled(key: Key) -> tuple[str | None, ...]:
    """Keys as a hierarchy would spell them, so that labels and values meet."""
    return tuple(
        None if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        for value in key.values()
    )


def _bounds(one: Answer) -> tuple[Any, Any]:
    low, high = one.bounds or (None, None)
    return _show(one, low), _show(one, high)


def _show(one: Answer, number: float | None) -> Any:
    return shown(number, one.unit) if one.unit and number is not None else number
