"""The door: SQL on a release, answers with bounds, and errors against the original."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from sfumato.core.answers import Answer, ResultTable
from sfumato.core.errors import Refused
from sfumato.data.sets import Holders
from sfumato.data.table import Table
from sfumato.query import bucketed, patterned, recoded, recoded_sets, redrawn, worlds
from sfumato.query.exact import Rows, exact
from sfumato.query.grouping import Grouped, Key, keys
from sfumato.query.moments import shown
from sfumato.query.normal import Tree
from sfumato.query.parse import parse
from sfumato.query.plan import Aggregate, Condition, Plan
from sfumato.releases.release import Release


class Conditioned(Grouped, Protocol):
    """A form's table as conditions see it."""

    columns: tuple[str, ...]
    items: bool  # whether has() may be asked

    def tree(self, condition: Condition | None) -> Tree:
        """A condition as regions of this table's columns."""

    def joined(self, *parts: Tree) -> Tree:
        """Several conditions at once."""


class Opened(Protocol):
    """A release of some form, made ready: its table, and what conditions select there."""

    @property
    def table(self) -> Any:
        """The table, as `Conditioned` has it."""

    def may_select(self, tree: Tree) -> bool:
        """Whether a condition may select anybody."""


Answering = Callable[[Any, Tree, Aggregate], Answer]

OPENING: dict[tuple[str, str], Callable[[Release], Opened]] = {
    ("recoded", "table"): recoded.opened,
    ("bucketed", "table"): bucketed.opened,
    ("recoded", "sets"): recoded_sets.opened,
    ("uncertain", "sets"): worlds.opened,
    ("patterned", "table"): patterned.opened,
    ("perturbed", "table"): redrawn.opened,
}

ANSWERING: dict[tuple[str, str, str], Answering] = {
    ("recoded", "table", "COUNT"): recoded.answer_count,
    ("recoded", "table", "SUM"): recoded.answer_number,
    ("recoded", "table", "AVG"): recoded.answer_number,
    ("recoded", "table", "MIN"): recoded.answer_number,
    ("recoded", "table", "MAX"): recoded.answer_number,
    ("bucketed", "table", "COUNT"): bucketed.answer_count,
    ("bucketed", "table", "SUM"): bucketed.answer_number,
    ("bucketed", "table", "AVG"): bucketed.answer_number,
    ("bucketed", "table", "MIN"): bucketed.answer_number,
    ("bucketed", "table", "MAX"): bucketed.answer_number,
    ("recoded", "sets", "COUNT"): recoded_sets.answer_count,
    ("uncertain", "sets", "COUNT"): worlds.answer_count,
    ("patterned", "table", "COUNT"): patterned.answer_count,
    ("patterned", "table", "SUM"): patterned.answer_number,
    ("patterned", "table", "AVG"): patterned.answer_number,
    ("patterned", "table", "MIN"): patterned.answer_number,
    ("patterned", "table", "MAX"): patterned.answer_number,
    ("perturbed", "table", "COUNT"): redrawn.answer_count,
    ("perturbed", "table", "SUM"): redrawn.answer_number,
    ("perturbed", "table", "AVG"): redrawn.answer_number,
    ("perturbed", "table", "MIN"): redrawn.answer_number,
    ("perturbed", "table", "MAX"): redrawn.answer_number,
}


class Engine:
    """A release made ready for many questions; make it with `prepare`."""

    def __init__(self, release: Release, as_published: bool = False) -> None:
        self._form, self._kind = release.form.lower(), release.kind.lower()
        if (self._form, self._kind) not in OPENING:
            raise Refused(
                f"queries on a {release.kind} of form {release.form} are not supported",
                f"supported: {', '.join(sorted(f'{k} of form {f}' for f, k in OPENING))}",
            )
        opening = OPENING[self._form, self._kind]
        if as_published:
            opening = redrawn.opened_as_published
        self._opened = opening(release)
        self._table: Conditioned = self._opened.table

    def plan(self, sql: str) -> Plan:
        """What a query asks for, its names checked."""
        return parse(sql, self._table.columns, self._table.items)

    def answer(self, sql: str) -> Rows:
        """Keys and answers of one query, a row per key; without GROUP BY one row, its key empty."""
        plan = self.plan(sql)
        where = self._table.tree(plan.where)
        rows: Rows = []
        for key, parts in keys(self._table, plan.by):
            tree = self._table.joined(where, *parts)
            if not plan.by or self._opened.may_select(tree):
                rows.append((key, [self._aggregate(tree, one) for one in plan.aggregates]))
        return rows

    def _aggregate(self, tree: Tree, wanted: Aggregate) -> Answer:
        place = (self._form, self._kind, wanted.function)
        if place not in ANSWERING:
            known = [function for *of, function in ANSWERING if of == [self._form, self._kind]]
            raise Refused(
                f"{wanted.function} is not supported on {self._kind} of form {self._form}",
                f"supported: {', '.join(known)}",
            )
        return ANSWERING[place](self._opened, tree, wanted)


def prepare(release: Release, as_published: bool = False) -> Engine:
    """A release made ready for many questions: its `answer(sql)` is `answer(release, sql)`, sooner.

    With `as_published` the records of a redrawn table are counted as they stand, which is biased.
    What a question had to sort or look up is kept for the next one. The release must not be changed
    meanwhile. An engine may be used by one thread at a time.
    """
    return Engine(release, as_published)


def answer(release: Release | Engine, sql: str) -> Rows:
    """Answer an aggregate query on a release, with hard bounds.

    Gives one (key, answers) pair per row of the result; the key holds the GROUP BY columns. Every
    answer has bounds that contain the answer on the original rows that were published, whatever
    they are, and an estimate whose assumption `basis` names: that values are spread evenly inside a
    cell and columns independent inside a group, or that sensitive values are exchangeable inside a
    bucket, which also gives an interval. The bounds of AVG, MIN and MAX hold if anybody is
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

    One row per key and aggregate. Dates are shown as dates, whatever they count inside. Where an
    answer has an interval, its ends stand in two columns before the basis, and before them its
    standard error where there is one.
    """
    rows = answer(release, sql)
    levels = {one.level for _, answers in rows for one in answers if one.level is not None}
    ends = tuple(f"{level:.0%} {end}" for level in sorted(levels) for end in ("from", "to"))
    errors = _error_column(rows)
    head = ("aggregate", "estimate", "lower", "upper", *errors, *ends, "basis")
    lines = []
    for key, answers in rows:
        for one in answers:
            inner = [end for level in sorted(levels) for end in _interval(one, level)]
            error = [one.error for _ in errors]
            numbers = (_show(one, one.value), *_bounds(one), *error, *inner)
            lines.append((*key.values(), one.name, *numbers, one.basis))
    return ResultTable(sql, (*_key_names(rows), *head), tuple(lines))


def compare(release: Release | Engine, published: Table | Holders, sql: str) -> ResultTable:
    """The answers next to the truth, for the owner: columns truth and relative error besides; and
    the standard error where there is one.

    `published` are the original rows that the release is about; for a release that dropped some,
    `original.take(ledger.rows)`. The relative error is |estimate - truth| / |truth|; it is empty
    where the truth is 0 or NULL, and those rows belong in no mean. The table gives the
    original away: it belongs to the ledger.
    """
    engine = release if isinstance(release, Engine) else prepare(release)
    truths = {_spelled(key): answers for key, answers in exact(published, sql)}
    nobody = [_of_nobody(wanted) for wanted in engine.plan(sql).aggregates]
    rows = engine.answer(sql)
    errors = _error_column(rows)
    lines = []
    for key, answers in rows:
        truth = truths.get(_spelled(key), nobody)
        for one, true in zip(answers, truth, strict=True):
            own = (_show(one, one.value), *_bounds(one), *(one.error for _ in errors))
            found = (*own, _show(one, true.value), _error(one, true))
            lines.append((*key.values(), one.name, *found))
    head = ("aggregate", "estimate", "lower", "upper", *errors, "truth", "relative error")
    return ResultTable(sql, (*_key_names(rows), *head), tuple(lines))


def _error_column(rows: Rows) -> tuple[str, ...]:
    """The column of standard errors, if any answer has one."""
    some = any(one.error is not None for _, answers in rows for one in answers)
    return ("standard error",) if some else ()


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


def _interval(one: Answer, level: float) -> tuple[Any, Any]:
    low, high = one.interval if one.interval and one.level == level else (None, None)
    return _show(one, low), _show(one, high)


def _show(one: Answer, number: float | None) -> Any:
    return shown(number, one.unit) if one.unit and number is not None else number
