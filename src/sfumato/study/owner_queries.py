"""Questions that an owner expects analysts to ask: aggregates of sensitive columns by ranges."""

from __future__ import annotations

import numpy as np

from sfumato.data.people import People
from sfumato.data.schema import Kind
from sfumato.data.table import Column
from sfumato.query.writing import literal, name_of

WIDTHS = (0.03, 0.08, 0.16, 0.32, 0.48, 0.64, 0.8, 0.95)  # of a column's values


def owner_queries(people: People, number: int, rng: np.random.Generator) -> list[str]:
    """Random queries on one or two quasi columns, drawn from the original.

    They ask for the average of a sensitive column of numbers, and for how many people have one
    value of another; without a sensitive column, for how many people there are.
    """
    quasi = [people.table[name] for name in people.schema.quasi]
    asked = [column for column in quasi if column.values]
    return [_query(people, asked, place, rng) for place in range(number)] if asked else []


def _query(people: People, quasi: list[Column], place: int, rng: np.random.Generator) -> str:
    wide = 1 + int(len(quasi) > 1 and rng.random() < 0.5)
    chosen = [quasi[i] for i in rng.permutation(len(quasi))[:wide]]
    parts = [_condition(column, rng) for column in chosen]
    what = "COUNT(*)"
    names = people.schema.sensitive
    about = people.table[names[place % len(names)]] if names else None
    if about is not None and about.kind is Kind.NUMBER:
        what = f"AVG({name_of(about.name)})"
    elif about is not None and about.values:
        parts.append(f"{name_of(about.name)} = {_some_value(about, rng)}")
    return f"SELECT {what} FROM release WHERE {' AND '.join(parts)}"


def _some_value(column: Column, rng: np.random.Generator) -> str:
    """A value, as likely as it is frequent."""
    counts = column.counts()[int(column.has_missing) :]
    return literal(column.values[int(rng.choice(len(counts), p=counts / counts.sum()))].as_py())


def _condition(column: Column, rng: np.random.Generator) -> str:
    """A range of neighbouring values, narrow to wide; for categories, a few of them."""
    many = len(column.values)
    width = min(many, max(1, round(float(rng.choice(WIDTHS)) * many)))
    name = name_of(column.name)
    if column.kind is Kind.CATEGORY:
        some = column.values.take(sorted(rng.permutation(many)[: max(1, width // 2)].tolist()))
        return f"{name} IN ({', '.join(map(literal, some.to_pylist()))})"
    first = int(rng.integers(many - width + 1))
    low, high = column.values[first].as_py(), column.values[first + width - 1].as_py()
    return f"{name} BETWEEN {literal(low)} AND {literal(high)}"
