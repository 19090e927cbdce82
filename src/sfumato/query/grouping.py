"""GROUP BY: every key as a condition of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import Refused
from sfumato.query.cells import CellColumn
from sfumato.query.intervals import IntervalCells
from sfumato.query.normal import Leaf, Tree
from sfumato.query.records import KnownColumn, Records

MOST_ROWS = 1_000
Key = dict[str, Any]


class Grouped(Protocol):
    """What GROUP BY needs of a table."""

    records: Records

    def known(self, name: str) -> bool:
        """Whether a column is published record by record."""

    def column(self, name: str) -> Any:
        """One column as conditions see it."""


def keys(table: Grouped, by: Sequence[str]) -> Iterator[tuple[Key, list[Tree]]]:
    """Every key that may occur, in order, with the conditions that say so; without BY, one."""
    exact = [name for name in by if table.known(name)]
    quasi = [name for name in by if not table.known(name)]
    classes = _classes(table.records, exact)
    domains = [_domain(name, table.column(name)) for name in quasi]
    _limit(by, math.prod([len(classes), *(len(domain) for domain in domains)]))
    for parts in ([*known, *rest] for known in classes for rest in product(*domains)):
        found = {leaf.column: shown for shown, leaf in parts}
        yield {name: found[name] for name in by}, [leaf for _, leaf in parts]


Part = tuple[Any, Leaf]


def _classes(records: Records, names: Sequence[str]) -> list[list[Part]]:
    """Combinations of values that occur in exact columns."""
    if not names:
        return [[]]
    key = tuple(names)
    if key not in records.combinations:
        records.combinations[key] = _combinations([records[name] for name in names])
    return [
        [_part(name, records[name], int(code)) for name, code in zip(names, row, strict=True)]
        for row in records.combinations[key]
    ]


def _combinations(columns: Sequence[KnownColumn]) -> NDArray[np.int64]:
    """Codes that occur together, a row each, in order; one column is folded in after another."""
    rows = np.zeros((1, 0), np.int64)
    which = np.zeros(len(columns[0].codes), np.int64)
    for column in columns:
        codes, dense = _dense(column.codes)
        _limit([one.column.name for one in columns], len(codes))
        pairs, which = _dense(which * len(codes) + dense)
        _limit([one.column.name for one in columns], len(pairs))
        rows = np.column_stack([rows[pairs // len(codes)], codes[pairs % len(codes)]])
    return rows


def _dense(codes: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The codes that occur, and of each record which of them it has."""
    used = np.flatnonzero(np.bincount(codes))
    place = np.zeros(int(used.max(initial=-1)) + 1, np.int64)
    place[used] = np.arange(len(used))
    return used, place[codes]


def _limit(names: Sequence[str], rows: int) -> None:
    if rows > MOST_ROWS:
        raise Refused(
            f"GROUP BY {', '.join(names)} would give up to {rows} rows",
            f"at most {MOST_ROWS} are supported; group by fewer columns, or use WHERE",
        )


def _part(name: str, column: KnownColumn, code: int) -> Part:
    region = column.values.region(code, column.reading)
    shown = column.column.values
    missing = column.column.has_missing
    return None if code < missing else shown[code - missing].as_py(), Leaf(name, region)


def _domain(name: str, column: CellColumn | KnownColumn) -> list[Part]:
    """Values that the cells of a column list; of a redrawn column, those of the original."""
    if isinstance(column, KnownColumn):
        return [_part(name, column, code) for code in range(column.column.size)]
    if isinstance(column, IntervalCells) or column.reading.is_ordered:
        raise Refused(
            f"GROUP BY {name}: its numbers or dates are not published record by record",
            f"ask for ranges one by one: WHERE {name} BETWEEN ... AND ...",
        )
    values = column.values()
    shown = [None] * column.has_missing + column.shown
    return [
        (shown[code], Leaf(name, values.region(code, column.reading)))
        for code in column.occurring()
    ]
