"""Names and values as a query spells them."""

from __future__ import annotations

from typing import Any

HUGEST, TINIEST = 1e300, 1e-290  # a query takes no other numbers


def name_of(column: str) -> str:
    """A column's name, quoted.

    >>> name_of("age"), len(name_of('"'))
    ('"age"', 4)
    """
    return '"' + column.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """A value as a literal.

    >>> literal(True), literal(0.5), literal("x")
    ('TRUE', '0.5', "'x'")
    """
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return repr(_written(value))
    if isinstance(value, int):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def _written(value: float) -> float:
    """The nearest number that a query can hold."""
    return 0.0 if abs(value) < TINIEST else max(-HUGEST, min(HUGEST, value))
