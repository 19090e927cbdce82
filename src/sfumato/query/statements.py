"""Statements about values of published records: implied true, implied false, or open."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import ResultTable
from sfumato.core.errors import Refused
from sfumato.data.decimals import decimals_of
from sfumato.data.linear_text import BELOW, EQUAL, Reference, Statement, parse_statements
from sfumato.data.table import Table
from sfumato.query.parse import parse
from sfumato.query.patterned import PatternedTable
from sfumato.releases.release import Release

Terms = list[tuple[int, int, Fraction]]  # column, record, weight
TRUE, FALSE = "exact: implied by the disclosed properties", "exact: its opposite is implied"
OPEN = "open: neither is implied; estimate from values drawn anew"


def is_statement(text: str) -> bool:
    """Whether a question is a statement rather than SQL."""
    return not text.lstrip().lower().startswith(("select", "with", "("))


def state(release: Release, text: str, original: Table | None = None) -> ResultTable:
    """Whether a statement was true of the original, such as `age[3] + age[9] <= 2 * age[5]`.

    Numbers in brackets are records as they are published, from 0 on; sum and avg take a condition
    on other columns as a text: `avg(pay["sex = 'f'"]) >= avg(pay)`. With the original, which must
    be the published rows in their order, the truth is shown too.
    """
    table = PatternedTable(release)
    lines = []
    for statement in parse_statements(text):
        terms = _terms(table, statement)
        plug_in = _holds(_value(table.content.records, table, terms), statement)
        sure = _implied(table, terms, statement)
        basis = OPEN if sure is None else TRUE if sure else FALSE
        line: tuple[object, ...] = (text, plug_in if sure is None else sure, basis)
        if original is not None:
            line = (*line, _holds(_value(original, table, terms), statement))
        lines.append(line)
    head = ("statement", "holds", "basis", *(("truth",) if original is not None else ()))
    return ResultTable(text, head, tuple(lines))


def _terms(table: PatternedTable, statement: Statement) -> Terms:
    names, found = list(table.content.replaced), []
    for reference, weight in statement.terms:
        if reference.column not in names:
            raise Refused(
                f"a statement is about '{reference.column}', which was not drawn anew",
                f"drawn anew: {', '.join(names)}",
            )
        rows = _rows(table, reference)
        each = weight / len(rows) if reference.how == "avg" else weight
        found += [(names.index(reference.column), int(row), each) for row in rows]
    return found


def _rows(table: PatternedTable, reference: Reference) -> NDArray[np.int64]:
    """Records that a reference stands for and that have a value."""
    rows = table.content.rows
    if reference.how == "value":
        if not reference.name.isdecimal() or int(reference.name) >= rows:
            raise Refused(
                f"'{reference.name}' is no record", f"records are 0 to {rows - 1}, as published"
            )
        chosen = np.array([int(reference.name)])
    else:
        chosen = _members(table, reference.name)
    column = table.content.records[reference.column]
    present = chosen[column.codes[chosen] >= column.has_missing]
    if not len(present):
        raise Refused(f"a statement is about values of '{reference.column}' that are missing")
    return np.asarray(present)


def _members(table: PatternedTable, condition: str) -> NDArray[np.int64]:
    if not condition:
        return np.arange(table.content.rows)
    plan = parse(f"SELECT COUNT(*) FROM release WHERE {condition}", table.columns, False)
    tree = table.tree(plan.where)
    sure = table.may(tree, surely=True)
    if (sure != table.may(tree, surely=False)).any():
        raise Refused(
            "a group is not known for certain", "give a condition on columns that are exact"
        )
    return np.flatnonzero(sure)


def _value(values: Table, table: PatternedTable, terms: Terms) -> Fraction:
    """The sum over some table's values, as they are written."""
    names = list(table.content.replaced)
    decimals = {place: decimals_of(values[names[place]]) for place, _, _ in terms}
    parts = (weight * decimals[place].true_value(row) for place, row, weight in terms)
    return sum(parts, Fraction(0))


def _holds(value: Fraction, statement: Statement) -> bool:
    if statement.relation == EQUAL:
        return value == statement.constant
    if statement.relation == BELOW:
        return value < statement.constant
    return value <= statement.constant


def _implied(table: PatternedTable, terms: Terms, statement: Statement) -> bool | None:
    """What follows for certain, if anything does."""
    polytope = table.polytope
    if polytope is None:
        return None
    total: dict[int, Fraction] = {}
    for place, row, weight in terms:
        name = place * table.content.rows + row
        unit = Fraction(1, 10 ** polytope.digits[place])
        total[name] = total.get(name, Fraction(0)) + weight * unit
    names = sorted(name for name, weight in total.items() if weight)
    weights = [total[name] for name in names]
    where = np.array(names, np.int64)
    most = polytope.bound(where, weights, largest=True) if names else Fraction(0)
    least = polytope.bound(where, weights, largest=False) if names else Fraction(0)
    sure = _settled(least, most, statement)
    if sure is None and statement.relation == BELOW and names:
        return polytope.lists(where, weights, statement.constant) or None
    return sure


def _settled(least: Fraction | None, most: Fraction | None, statement: Statement) -> bool | None:
    if least is None or most is None:
        return None
    constant = statement.constant
    if statement.relation == EQUAL:
        if least == most == constant:
            return True
        return False if most < constant or least > constant else None
    if most < constant or (most == constant and statement.relation != BELOW):
        return True
    if least > constant or (least == constant and statement.relation == BELOW):
        return False
    return None
