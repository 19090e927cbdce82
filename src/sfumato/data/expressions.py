"""Expressions over columns, in SQL: how an owner states groups, such as LEFT(zip, 3).

An expression is evaluated once for every combination of values that occurs in the columns it names.
Missing makes everything missing but COALESCE, CASE and IS NULL, as in SQL.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import BadJob
from sfumato.data.plain import spell
from sfumato.data.table import Column, Table

Row = dict[str, Any]
MOST = 1_000_000
SUPPORTED = (
    "columns, numbers, 'texts', + - * / // %, = <> < <= > >=, AND OR NOT, IN, BETWEEN, IS NULL, "
    "CASE, LEFT, RIGHT, SUBSTR, UPPER, LOWER, CONCAT, LENGTH, FLOOR, CEIL, ROUND, ABS, YEAR, "
    "MONTH, COALESCE"
)


def classes(text: str, table: Table, allowed: Sequence[str]) -> NDArray[np.int32]:
    """The class of every row under an expression, numbered from 0 in order of first appearance."""
    names, evaluate = compile_expression(text, allowed)
    if not names:
        return np.zeros(table.rows, np.int32)
    columns = [table[name] for name in names]
    combination, rows = _combinations(columns)
    if len(rows) > MOST:
        raise BadJob(
            f"the groups '{text}' depend on {len(rows)} combinations of values",
            f"at most {MOST}; use fewer or coarser columns",
        )
    shown = [_values(column) for column in columns]
    known: dict[Any, int] = {}
    number = np.empty(len(rows), np.int32)
    for place, codes in enumerate(rows.tolist()):
        row = {n: values[c] for n, values, c in zip(names, shown, codes, strict=True)}
        number[place] = known.setdefault(_result(evaluate, row, text), len(known))
    return number[combination]


def labels(
    text: str, table: Table, allowed: Sequence[str], number: NDArray[np.int32]
) -> dict[str, int]:
    """What the expression gives for every class of `classes`, as text, and the class."""
    names, evaluate = compile_expression(text, allowed)
    first = np.unique(number, return_index=True)[1]
    shown = {name: _values(table[name]) for name in names}
    found = {}
    for place, row in enumerate(first.tolist()):
        values = {name: shown[name][int(table[name].codes[row])] for name in names}
        found[spell([_result(evaluate, values, text)])[0]] = place
    return found


def _result(evaluate: Callable[[Row], Any], row: Row, text: str) -> Any:
    try:
        return evaluate(row)
    except (TypeError, ValueError, ArithmeticError, AttributeError):
        raise BadJob(
            f"the groups '{text}' can't be computed for some row",
            "check that texts, numbers and dates are used as such",
        ) from None


def _values(column: Column) -> list[Any]:
    values: list[Any] = column.values.to_pylist()
    return [None] * column.has_missing + values


def _combinations(columns: Sequence[Column]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which combination of codes every row has, and the combinations."""
    which = np.zeros(len(columns[0].codes), np.int64)
    rows = np.zeros((1, 0), np.int64)
    for column in columns:
        pairs, which = np.unique(which * column.size + column.codes, return_inverse=True)
        rows = np.column_stack([rows[pairs // column.size], pairs % column.size])
    return which, rows


def compile_expression(text: str, allowed: Sequence[str]) -> tuple[list[str], Callable[[Row], Any]]:
    """The columns that an expression names, and a function of a row.

    >>> names, evaluate = compile_expression("LEFT(zip, 3)", ["zip", "age"])
    >>> names, evaluate({"zip": "91110"})
    (['zip'], '911')
    """
    import sqlglot
    from sqlglot import exp

    if text in allowed:
        return [text], lambda row: row[text]
    try:
        tree = sqlglot.parse_one(text, read="duckdb")
    except sqlglot.errors.SqlglotError:
        raise BadJob(f"the groups '{text}' are no expression", f"supported: {SUPPORTED}") from None
    names = list(dict.fromkeys(column.name for column in tree.find_all(exp.Column)))
    for name in names:
        if name not in allowed:
            raise BadJob(
                f"the groups '{text}' name '{name}', which is no quasi column",
                f"quasi: {', '.join(allowed)}; texts stand in single quotes",
            )
    return names, _compiled(tree, text)


def _compiled(node: Any, text: str) -> Callable[[Row], Any]:
    """A node of the parsed expression as a function of a row."""
    for kind, make in _makers():
        if type(node) is kind:
            return make(node, lambda part: _compiled(part, text))
    raise BadJob(f"the groups '{text}' use what is not supported", f"supported: {SUPPORTED}")


Part = Callable[[Row], Any]
Build = Callable[[Any], Part]
Maker = Callable[[Any, Build], Part]


def _strict(function: Callable[..., Any], *parts: Part) -> Part:
    """Missing if any part is."""

    def evaluate(row: Row) -> Any:
        values = [part(row) for part in parts]
        return None if any(value is None for value in values) else function(*values)

    return evaluate


def _pair(function: Callable[[Any, Any], Any]) -> Maker:
    return lambda node, build: _strict(function, build(node.this), build(node.expression))


def _single(function: Callable[[Any], Any]) -> Maker:
    return lambda node, build: _strict(function, build(node.this))


def _and(node: Any, build: Build) -> Part:
    one, other = build(node.this), build(node.expression)
    return lambda row: _three_valued(one(row), other(row), False)


def _or(node: Any, build: Build) -> Part:
    one, other = build(node.this), build(node.expression)
    return lambda row: _three_valued(one(row), other(row), True)


def _three_valued(one: Any, other: Any, decides: bool) -> Any:
    if one is decides or other is decides:
        return decides
    return None if one is None or other is None else not decides


def _literal(node: Any, _build: Build) -> Part:
    value = (
        node.this if node.is_string else float(node.this) if "." in node.this else int(node.this)
    )
    return lambda _row: value


def _column(node: Any, _build: Build) -> Part:
    name = node.name
    return lambda row: row[name]


def _in(node: Any, build: Build) -> Part:
    value, options = build(node.this), [build(part) for part in node.expressions]
    return _strict(lambda one, *listed: one in listed, value, *options)


def _between(node: Any, build: Build) -> Part:
    parts = [build(node.this), build(node.args["low"]), build(node.args["high"])]
    return _strict(lambda value, low, high: low <= value <= high, *parts)


def _is(node: Any, build: Build) -> Part:
    one, other = build(node.this), build(node.expression)
    return lambda row: one(row) is other(row)


def _case(node: Any, build: Build) -> Part:
    tests = [(build(_when(node, part)), build(part.args["true"])) for part in node.args["ifs"]]
    last = build(node.args["default"]) if node.args.get("default") else lambda _row: None

    def evaluate(row: Row) -> Any:
        return next((value(row) for test, value in tests if test(row)), last(row))

    return evaluate


def _when(node: Any, part: Any) -> Any:
    from sqlglot import exp

    return part.this if node.this is None else exp.EQ(this=node.this, expression=part.this)


def _coalesce(node: Any, build: Build) -> Part:
    parts = [build(node.this), *(build(part) for part in node.expressions)]
    return lambda row: next((v for v in (part(row) for part in parts) if v is not None), None)


def _concat(node: Any, build: Build) -> Part:
    parts = [build(part) for part in node.expressions]
    return lambda row: "".join(str(v) for v in (part(row) for part in parts) if v is not None)


def _substring(node: Any, build: Build) -> Part:
    start = build(node.args["start"]) if node.args.get("start") else lambda _row: 1
    length = build(node.args["length"]) if node.args.get("length") else lambda _row: 1 << 30
    return _strict(lambda t, a, n: t[max(0, a - 1) :][: max(0, n)], build(node.this), start, length)


def _round(node: Any, build: Build) -> Part:
    digits = build(node.args["decimals"]) if node.args.get("decimals") else lambda _row: 0
    return _strict(lambda value, places: round(value, int(places)), build(node.this), digits)


def _makers() -> Sequence[tuple[Any, Maker]]:
    from sqlglot import exp

    return [
        (exp.Column, _column),
        (exp.Literal, _literal),
        (exp.Boolean, lambda node, _build: lambda _row: node.this),
        (exp.Null, lambda _node, _build: lambda _row: None),
        (exp.Paren, lambda node, build: build(node.this)),
        (exp.Neg, _single(operator.neg)),
        (exp.Not, _single(operator.not_)),
        (exp.Add, _pair(operator.add)),
        (exp.Sub, _pair(operator.sub)),
        (exp.Mul, _pair(operator.mul)),
        (exp.Div, _pair(operator.truediv)),
        (exp.IntDiv, _pair(operator.floordiv)),
        (exp.Mod, _pair(operator.mod)),
        (exp.EQ, _pair(operator.eq)),
        (exp.NEQ, _pair(operator.ne)),
        (exp.LT, _pair(operator.lt)),
        (exp.LTE, _pair(operator.le)),
        (exp.GT, _pair(operator.gt)),
        (exp.GTE, _pair(operator.ge)),
        (exp.And, _and),
        (exp.Or, _or),
        (exp.In, _in),
        (exp.Between, _between),
        (exp.Is, _is),
        (exp.Case, _case),
        (exp.Coalesce, _coalesce),
        (exp.Concat, _concat),
        (exp.DPipe, _pair(lambda one, other: f"{one}{other}")),
        (exp.Left, _pair(lambda t, n: t[:n])),
        (exp.Right, _pair(lambda t, n: t[-n:] if n else "")),
        (exp.Substring, _substring),
        (exp.Upper, _single(str.upper)),
        (exp.Lower, _single(str.lower)),
        (exp.Length, _single(len)),
        (exp.Floor, _single(math.floor)),
        (exp.Ceil, _single(math.ceil)),
        (exp.Round, _round),
        (exp.Abs, _single(abs)),
        (exp.Year, _single(lambda day: day.year)),
        (exp.Month, _single(lambda day: day.month)),
    ]
