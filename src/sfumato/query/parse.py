"""From SQL text to a plan; whatever lies outside the grammar is refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Any

from sfumato.core.errors import Refused
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
    Writing,
    item_column,
)

SUPPORTED = (
    "supported: SELECT COUNT(*), COUNT, SUM, AVG, MIN or MAX of a column FROM release "
    "[WHERE =, <>, <, <=, >, >=, BETWEEN, IN, IS NULL between a column and literals, and of sets "
    "has('item'), joined by AND, OR, NOT] [GROUP BY columns]"
)
FUNCTIONS = {"Count": "COUNT", "Sum": "SUM", "Avg": "AVG", "Min": "MIN", "Max": "MAX"}
SIGNS = {"EQ": "=", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
MOST_DIGITS = 400  # a double ends at 10^308; beyond this a literal only wastes memory


class Names:
    """The columns a query may name, and whether it may ask who has an item."""

    def __init__(self, columns: tuple[str, ...], items: bool) -> None:
        self.columns, self.items = columns, items

    def find(self, node: Any) -> str:
        """The column an SQL name means; unquoted names may differ in case, as in SQL."""
        if type(node).__name__ != "Column":
            raise refusal(f"{_called(node)} stands where a column name is expected")
        if node.table and node.table.lower() != "release":
            raise Refused(f"there is no table '{node.table}'", "the only table is release")
        if node.name in self.columns:
            return str(node.name)
        alike = [name for name in self.columns if name.lower() == node.name.lower()]
        if len(alike) == 1 and not node.this.args.get("quoted"):
            return alike[0]
        raise Refused(f"there is no column '{node.name}'", f"columns: {', '.join(self.columns)}")


def refusal(what: str) -> Refused:
    """A refusal that ends with the grammar."""
    return Refused(what, SUPPORTED)


@lru_cache(maxsize=512)
def parse(sql: str, columns: tuple[str, ...], items: bool = False) -> Plan:
    """Read a query over the named columns.

    Names in the text are checked against `columns`; an unquoted name may differ in case. Column
    names that are not plain words go in double quotes, texts and dates in single quotes. With
    `items`, has('milk') asks who has an item. Raises `Refused` for anything outside the grammar.

    >>> plan = parse("SELECT COUNT(*) FROM release WHERE age BETWEEN 30 AND 39", ("age", "sex"))
    >>> plan.aggregates[0].name, [part.sign for part in plan.where.parts]
    ('COUNT(*)', ['>=', '<='])
    >>> parse("SELECT COUNT(*) FROM release WHERE size > 3", ("age", "sex"))
    Traceback (most recent call last):
    sfumato.core.errors.Refused: there is no column 'size'; columns: age, sex
    """
    try:
        return _plan(_select(sql), Names(columns, items))
    except RecursionError:
        raise refusal("the query is nested too deeply") from None


def _select(sql: str) -> Any:
    """The one SELECT statement of the text, with no clause that we do not know."""
    from sqlglot import parse as read
    from sqlglot.errors import SqlglotError

    if sql.strip()[:6].lower() != "select":
        raise refusal("the query does not begin with SELECT")
    try:
        statements = [statement for statement in read(sql) if statement is not None]
    except SqlglotError as error:
        raise refusal(f"the query cannot be read{_where(error)}") from None
    if len(statements) != 1 or type(statements[0]).__name__ != "Select":
        raise refusal("the text is not one SELECT query")
    _only(statements[0], {"expressions", "from_", "where", "group"}, "")
    return statements[0]


def _where(error: Exception) -> str:
    found = getattr(error, "errors", None)
    if not found or found[0].get("line") is None:
        return ""
    return f" (line {found[0]['line']}, column {found[0]['col']})"


def _only(node: Any, known: set[str], place: str) -> None:
    """Refuse a node that carries more than the parts we know."""
    for key, part in node.args.items():
        if part and key not in known:
            raise refusal(f"{key.strip('_').upper().replace('_', ' ')} is not supported{place}")


def _plan(select: Any, names: Names) -> Plan:
    _check_table(select.args.get("from_"))
    where, group = select.args.get("where"), select.args.get("group")
    by: tuple[str, ...] = ()
    if group:
        _only(group, {"expressions"}, " in GROUP BY")
        by = tuple(dict.fromkeys(names.find(node) for node in group.expressions))
    return Plan(
        _aggregates(select.expressions, names, by),
        condition(where.this, names) if where else None,
        by,
    )


def _check_table(source: Any) -> None:
    if source is None:
        raise refusal("the query has no FROM release")
    if type(source.this).__name__ != "Table":
        raise refusal("a query may only read FROM release")
    _only(source.this, {"this"}, " after FROM")
    if source.this.name.lower() != "release":
        raise Refused(f"there is no table '{source.this.name}'", "the only table is release")


def _aggregates(items: list[Any], names: Names, by: tuple[str, ...]) -> tuple[Aggregate, ...]:
    found = []
    for item in items:
        inner = item.this if type(item).__name__ == "Alias" else item
        if type(inner).__name__ != "Column":
            found.append(_aggregate(inner, names, item.alias if inner is not item else ""))
        elif names.find(inner) not in by:
            raise Refused(
                f"column '{inner.name}' is selected without an aggregate",
                "name it in GROUP BY, or take its COUNT, SUM, AVG, MIN or MAX",
            )
    if not found:
        raise refusal("the query selects no aggregate")
    return tuple(found)


def _aggregate(node: Any, names: Names, alias: str) -> Aggregate:
    function = FUNCTIONS.get(type(node).__name__)
    if function is None:
        raise refusal(f"{_called(node)} cannot be selected")
    _only(node, {"this", "big_int"}, f" in {function}")
    if function == "COUNT" and type(node.this).__name__ == "Star":
        return Aggregate(function, None, alias or "COUNT(*)")
    column = names.find(node.this)
    return Aggregate(function, column, alias or f"{function}({column})")


def condition(node: Any, names: Names) -> Condition:
    """One node of WHERE, by the table below."""
    kind = type(node).__name__
    if kind in SIGNS:
        return _compare(node, SIGNS[kind], names)
    if kind in _CONDITIONS:
        return _CONDITIONS[kind](node, names)
    raise refusal(f"{_called(node)} is not supported in WHERE")


def _compare(node: Any, sign: str, names: Names) -> Condition:
    left, right = node.this, node.expression
    if type(left).__name__ == "Column" and type(right).__name__ == "Column":
        raise refusal("two columns cannot be compared with each other")
    if type(left).__name__ == "Column":
        return Compare(names.find(left), sign, literal(right))
    return Compare(names.find(right), MIRRORED[sign], literal(left))


def _between(node: Any, names: Names) -> Condition:
    _only(node, {"this", "low", "high"}, " in BETWEEN")
    column = names.find(node.this)
    low, high = literal(node.args["low"]), literal(node.args["high"])
    return AllOf((Compare(column, ">=", low), Compare(column, "<=", high)))


def _one_of(node: Any, names: Names) -> Condition:
    _only(node, {"this", "expressions"}, " in IN")
    return OneOf(names.find(node.this), tuple(literal(part) for part in node.expressions))


def _is_null(node: Any, names: Names) -> Condition:
    if type(node.expression).__name__ != "Null":
        raise Refused("IS is only supported with NULL", "write column = TRUE for a boolean column")
    return IsNull(names.find(node.this))


def _has(node: Any, names: Names) -> Condition:
    """has('milk'): the item's column is not empty."""
    if node.name.lower() != "has":
        raise refusal(f"{_called(node)} is not supported in WHERE")
    if not names.items:
        raise Refused("has() asks for items, and there are none here", "it is for releases of sets")
    told = [literal(part) for part in node.expressions]
    if len(told) != 1 or told[0].writing is not Writing.TEXT:
        raise Refused("has() takes one item in single quotes", "such as has('milk')")
    return Not(IsNull(item_column(str(told[0].value))))


def _joined(kind: type[AllOf] | type[AnyOf]) -> Callable[[Any, Names], Condition]:
    return lambda node, names: kind(tuple(condition(part, names) for part in node.flatten()))


_CONDITIONS: dict[str, Callable[[Any, Names], Condition]] = {
    "Paren": lambda node, names: condition(node.this, names),
    "Not": lambda node, names: Not(condition(node.this, names)),
    "NEQ": lambda node, names: Not(_compare(node, "=", names)),
    "And": _joined(AllOf),
    "Or": _joined(AnyOf),
    "Between": _between,
    "In": _one_of,
    "Is": _is_null,
    "Anonymous": _has,
}


def literal(node: Any) -> Literal:
    """A number, text, date, TRUE, FALSE or NULL as written."""
    kind = type(node).__name__
    if kind == "Literal":
        return Literal(Writing.TEXT, node.name) if node.is_string else _number(node.name)
    if kind == "Neg" and type(node.this).__name__ in ("Literal", "Neg", "Paren"):
        inner = literal(node.this)
        if isinstance(inner.value, Fraction):
            return Literal(Writing.NUMBER, -inner.value)
    if kind == "Paren":
        return literal(node.this)
    if kind == "Boolean":
        return Literal(Writing.TRUTH, bool(node.this))
    if kind == "Null":
        return Literal(Writing.NULL)
    if kind == "Cast" and _is_date(node):
        return Literal(Writing.DATE, node.this.name)
    raise refusal(f"{_called(node)} stands where a literal is expected")


def _is_date(cast: Any) -> bool:
    text = type(cast.this).__name__ == "Literal" and cast.this.is_string
    return text and cast.args["to"].this.name in ("DATE", "TIMESTAMP", "DATETIME", "TIME")


def _number(text: str) -> Literal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise refusal(f"{text} is not a number") from None
    if not number.is_finite() or (number and abs(number.adjusted()) > MOST_DIGITS // 4 * 3):
        raise Refused(f"the number {text} is too large or too small", "use up to 300 digits")
    return Literal(Writing.NUMBER, Fraction(number))


def _called(node: Any) -> str:
    """What a person would call a piece of SQL."""
    kind = type(node).__name__
    if kind in ("Add", "Sub", "Mul", "Div", "Mod"):
        return 'arithmetic (put names such as "marital-status" in double quotes)'
    if kind in ("Subquery", "Select", "Exists"):
        return "a subquery"
    if kind == "Column":
        return f"the bare name '{node.name}' (texts go in single quotes)"
    if kind == "Anonymous":
        return f"the function {node.name}"
    return kind.upper()
