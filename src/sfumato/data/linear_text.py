"""Linear statements as text: `score[a] + score[b] <= score[c]`, `avg(pay[women]) >= 2 * pay[x]`.

A value is a column and, in brackets, the name of a row; `sum` and `avg` take the name of a group,
or none for everybody. A column whose name is no plain word stands in quotes. Numbers are decimals.
Relations are <=, <, >=, > and =, also in chains such as 0 <= pay[x] <= pay[y].
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from sfumato.core.errors import BadJob

AT_MOST, BELOW, EQUAL = range(3)
HINT = "such as score[a] + score[b] <= score[c], or avg(pay[women]) >= 0.9 * avg(pay[men])"
RELATIONS = {
    ast.LtE: (1, AT_MOST),
    ast.Lt: (1, BELOW),
    ast.GtE: (-1, AT_MOST),
    ast.Gt: (-1, BELOW),
    ast.Eq: (1, EQUAL),
}


@dataclass(frozen=True)
class Reference:
    """What a coefficient belongs to: a value, or the sum or average of a column over a group."""

    column: str
    name: str  # of a row or group; empty for everybody
    how: str  # value, sum or avg


Linear = dict[Reference | None, Fraction]  # None stands for the constant


@dataclass(frozen=True)
class Statement:
    """The sum of coefficients times references stands in a relation to a constant."""

    text: str
    terms: tuple[tuple[Reference, Fraction], ...]
    relation: int
    constant: Fraction


def parse_statements(text: str) -> list[Statement]:
    """The statements of a text, one for every relation in it.

    >>> [one] = parse_statements("2 * age[a] < age[b] - 0.5")
    >>> [(r.name, int(c)) for r, c in one.terms], one.constant
    ([('a', 2), ('b', -1)], Fraction(-1, 2))
    """
    try:
        body = ast.parse(re.sub(r"(?<![<>=!])=(?!=)", "==", text.strip()), mode="eval").body
    except (SyntaxError, ValueError):
        raise _wrong(text, "can't be read") from None
    if not isinstance(body, ast.Compare) or not all(type(op) in RELATIONS for op in body.ops):
        raise _wrong(text, "is no inequality or equality")
    sides = [_linear(part, text) for part in (body.left, *body.comparators)]
    found = []
    for (one, other), op in zip(pairwise(sides), body.ops, strict=True):
        sign, relation = RELATIONS[type(op)]
        found.append(_statement(text, _added(one, other, Fraction(-1)), sign, relation))
    return found


def _statement(text: str, total: Linear, sign: int, relation: int) -> Statement:
    terms = tuple((r, sign * c) for r, c in total.items() if r is not None and c)
    if not terms:
        raise _wrong(text, "names no value")
    return Statement(text, terms, relation, -sign * total.get(None, Fraction(0)))


def _wrong(text: str, what: str) -> BadJob:
    return BadJob(f"the property '{text}' {what}", f"write it {HINT}")


def _added(one: Linear, other: Linear, times: Fraction) -> Linear:
    total = dict(one)
    for reference, number in other.items():
        total[reference] = total.get(reference, Fraction(0)) + times * number
    return total


def _linear(node: ast.expr, text: str) -> Linear:
    if isinstance(node, ast.BinOp):
        return _binary(node, text)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        sign = Fraction(-1 if isinstance(node.op, ast.USub) else 1)
        return _added({}, _linear(node.operand, text), sign)
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return {None: Fraction(repr(node.value))}
    return {_reference(node, text): Fraction(1)}


def _binary(node: ast.BinOp, text: str) -> Linear:
    one, other = _linear(node.left, text), _linear(node.right, text)
    if isinstance(node.op, ast.Add | ast.Sub):
        return _added(one, other, Fraction(1 if isinstance(node.op, ast.Add) else -1))
    if isinstance(node.op, ast.Mult) and one.keys() <= {None}:
        return _added({}, other, one.get(None, Fraction(0)))
    if isinstance(node.op, ast.Mult | ast.Div) and other.keys() <= {None}:
        number = other.get(None, Fraction(0))
        if isinstance(node.op, ast.Mult):
            return _added({}, one, number)
        if number:
            return _added({}, one, 1 / number)
    raise _wrong(text, "is not linear")


def _reference(node: ast.expr, text: str) -> Reference:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        how = node.func.id.lower()
        if how in ("sum", "avg") and not node.keywords:
            column, name = _place(node.args[0], text)
            return Reference(column, name, how)
    column, name = _place(node, text)
    if not name:
        raise _wrong(text, f"does not say whose '{column}' it means")
    return Reference(column, name, "value")


def _place(node: ast.expr, text: str) -> tuple[str, str]:
    if isinstance(node, ast.Subscript):
        return _word(node.value, text), _word(node.slice, text)
    return _word(node, text), ""


def _word(node: ast.expr, text: str) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and type(node.value) in (int, str):
        return str(node.value)
    raise _wrong(text, "can't be read")


def columns_of(statements: Sequence[Statement]) -> list[str]:
    """The columns that statements name, each once."""
    return list(dict.fromkeys(r.column for one in statements for r, _ in one.terms))
