"""A question as plain data: what to compute, of whom, and by which columns.

Nothing here knows tables, releases or SQL. An item that people may have is a column of its own. A
plan over graph statistics would add kinds of aggregates, not another plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class Writing(StrEnum):
    """How a literal was written."""

    NUMBER = "number"
    TEXT = "text"
    DATE = "date"
    TRUTH = "true or false"
    NULL = "NULL"


@dataclass(frozen=True)
class Literal:
    """A value in a query; numbers are kept exactly as written."""

    writing: Writing
    value: Fraction | str | bool | None = None


@dataclass(frozen=True)
class Compare:
    """`column sign literal`, the sign one of =, <, <=, >, >=."""

    column: str
    sign: str
    literal: Literal


@dataclass(frozen=True)
class OneOf:
    """`column IN (literals)`."""

    column: str
    literals: tuple[Literal, ...]


@dataclass(frozen=True)
class IsNull:
    """`column IS NULL`."""

    column: str


@dataclass(frozen=True)
class Not:
    """The opposite; of unknown it is unknown."""

    part: Condition


@dataclass(frozen=True)
class AllOf:
    """Conditions joined by AND."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    """Conditions joined by OR."""

    parts: tuple[Condition, ...]


Condition = Compare | OneOf | IsNull | Not | AllOf | AnyOf
ITEM = "\0item "  # no column's name can begin so


def item_column(item: str) -> str:
    """An item as a column: who has it has a value there, who has not lacks one."""
    return ITEM + item


def item_of(column: str) -> str | None:
    """The item that a column stands for, if it is one."""
    return column.removeprefix(ITEM) if column.startswith(ITEM) else None


@dataclass(frozen=True)
class Aggregate:
    """COUNT, SUM, AVG, MIN or MAX of a column; `column` is None for COUNT(*)."""

    function: str
    column: str | None
    name: str


@dataclass(frozen=True)
class Plan:
    """One query, checked against the names of the columns."""

    aggregates: tuple[Aggregate, ...]
    where: Condition | None = None
    by: tuple[str, ...] = ()


def columns_of(condition: Condition) -> Iterator[str]:
    """Every column a condition names, with repetitions."""
    if isinstance(condition, AllOf | AnyOf):
        for part in condition.parts:
            yield from columns_of(part)
    elif isinstance(condition, Not):
        yield from columns_of(condition.part)
    else:
        yield condition.column
