"""Questions answered the slow way: row by row, and over every table a release may stand for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from sfumato.query.plan import (
    Aggregate,
    AllOf,
    AnyOf,
    Compare,
    Condition,
    IsNull,
    Literal,
    Not,
    OneOf,
    Plan,
)
from sfumato.releases.cells import Intervals, Nodes, ValueSets
from sfumato.releases.recoded import Recoded

Row = dict[str, Any]
COMPARE = {
    "=": lambda one, two: one == two,
    "<": lambda one, two: one < two,
    "<=": lambda one, two: one <= two,
    ">": lambda one, two: one > two,
    ">=": lambda one, two: one >= two,
}


def truth(condition: Condition | None, row: Row) -> bool | None:
    """True, False or unknown (None), as SQL has it."""
    if condition is None:
        return True
    if isinstance(condition, IsNull):
        return row[condition.column] is None
    if isinstance(condition, Compare):
        return _compare(row[condition.column], condition.sign, condition.literal)
    if isinstance(condition, Not):
        inner = truth(condition.part, row)
        return None if inner is None else not inner
    if isinstance(condition, OneOf):
        parts = [_compare(row[condition.column], "=", one) for one in condition.literals]
        return _any(parts)
    parts = [truth(part, row) for part in condition.parts]
    if isinstance(condition, AnyOf):
        return _any(parts)
    assert isinstance(condition, AllOf)
    return False if False in parts else None if None in parts else True


def _any(parts: list[bool | None]) -> bool | None:
    return True if True in parts else None if None in parts else False


def _compare(value: Any, sign: str, literal: Literal) -> bool | None:
    if value is None or literal.value is None:
        return None
    return COMPARE[sign](value, literal.value)


def aggregate(wanted: Aggregate, rows: list[Row]) -> float | None:
    """One aggregate of the selected rows."""
    if wanted.column is None:
        return len(rows)
    values = [row[wanted.column] for row in rows if row[wanted.column] is not None]
    if wanted.function == "COUNT":
        return len(values)
    if not values:
        return None
    return {
        "SUM": sum,
        "AVG": lambda numbers: sum(numbers) / len(numbers),
        "MIN": min,
        "MAX": max,
    }[wanted.function](values)


def answers(plan: Plan, rows: list[Row]) -> list[float | None]:
    """Every aggregate of a plan without GROUP BY."""
    chosen = [row for row in rows if truth(plan.where, row) is True]
    return [aggregate(wanted, chosen) for wanted in plan.aggregates]


def worlds(content: Recoded) -> Iterator[list[Row]]:
    """Every table of whole numbers and texts that a release may stand for."""
    known = {n: c.to_arrow().to_pylist() for n, c in content.records.columns.items()}
    members = [[i for i, g in enumerate(content.group) if g == at] for at in range(content.groups)]
    columns = [
        list(_columns(cells, at, len(rows)))
        for at, rows in enumerate(members)
        for cells in content.cells.values()
    ]
    order = [i for rows in members for i in rows]
    for choice in product(*columns):
        each = iter(choice)
        rows: list[Row] = []
        for group in members:
            drawn = {name: next(each) for name in content.cells}
            rows += [{n: values[i] for n, values in drawn.items()} for i in range(len(group))]
        for row, i in zip(rows, order, strict=True):
            row.update({name: values[i] for name, values in known.items()})
        yield rows


def _columns(cells: Any, group: int, size: int) -> Iterator[tuple[Any, ...]]:
    """Every way the members of a group may have their values in one column."""
    values, needed = _possible(cells, group)
    for drawn in product(values, repeat=size):
        if not cells.tight or needed <= set(drawn):
            yield drawn


def _possible(cells: Any, group: int) -> tuple[list[Any], set[Any]]:
    """The values a member may have, and those that some member has if the cell is tight."""
    if isinstance(cells, Intervals):
        low, high = cells.lower[group].as_py(), cells.upper[group].as_py()
        missing = [None] if cells.missing[group] or low is None else []
        inside = [] if low is None else list(range(low, high + 1))
        return inside + missing, {*missing, *([] if low is None else [low, high])}
    if isinstance(cells, ValueSets):
        listed = cells.lists()[group].as_py()
        return listed, set(listed)
    assert isinstance(cells, Nodes)
    first, last = cells.hierarchy.spans[cells.node[group]]
    leaves = [
        None if leaf == 0 and cells.has_missing else cells.hierarchy.labels[leaf]
        for leaf in range(first, last + 1)
    ]
    return leaves, set(leaves)
