"""From properties to polytopes: rows over variables counted from their lower ends, in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import BadJob
from sfumato.kernels.lattice_rows import Rows, pieces
from sfumato.methods.tables.patterns_columns import Scale, Variables
from sfumato.releases.properties import BELOW, EQUAL, Properties

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
MOST = float(1 << 53)


@dataclass(frozen=True, eq=False)
class Piece:
    """Variables that have no row in common with any others.

    `member` are their numbers among all. `x` is where they start, counted from the lower ends of
    their columns; 0 <= x <= `width`. `block` numbers the part and column of each. Row r comes from
    property `origin[r]`; `equal` says which rows are equalities.
    """

    number: int
    member: Ints
    x: Floats
    width: Floats
    block: Ints
    rows: Rows
    equal: NDArray[np.bool_]
    origin: Ints


def pieces_of(
    properties: Properties, variables: Variables, scales: Sequence[Scale]
) -> Iterator[Piece]:
    """All pieces, ordered by their first variables."""
    rows, equal, origin = rows_of(properties, variables, scales)
    of = pieces(rows.start, rows.variable, variables.part - variables.part.min(initial=0))
    order = np.argsort(of, kind="stable")
    local = np.empty(len(of), np.int64)
    ends = np.cumsum(np.bincount(of))
    local[order] = np.arange(len(of)) - np.repeat(ends - np.bincount(of), np.bincount(of))
    lower = np.array([scale.lower for scale in scales], np.int64)[variables.column]
    width = np.array([s.upper - s.lower for s in scales], np.float64)[variables.column]
    start = (variables.unit - lower).astype(np.float64)
    sizes = np.diff(rows.start)
    row_of = of[rows.variable[rows.start[:-1]]] if len(sizes) else np.empty(0, np.int64)
    row_order = np.argsort(row_of, kind="stable")
    row_ends = np.searchsorted(row_of[row_order], np.arange(len(ends)), side="right")
    for number, (begin, end) in enumerate(zip([0, *ends[:-1].tolist()], ends.tolist())):
        member = order[begin:end]
        mine = row_order[row_ends[number - 1] if number else 0 : row_ends[number]]
        yield Piece(
            number,
            member,
            start[member],
            width[member],
            variables.part[member],
            _some(rows, mine, local),
            equal[mine],
            origin[mine],
        )


def _some(rows: Rows, which: Ints, local: Ints) -> Rows:
    """Some rows, about variables under other numbers."""
    begin = rows.start[which]
    sizes = rows.start[which + 1] - begin
    start = np.zeros(len(which) + 1, np.int64)
    np.cumsum(sizes, out=start[1:])
    terms = np.arange(start[-1]) + np.repeat(begin - start[:-1], sizes)
    return Rows(
        start,
        local[rows.variable[terms]].astype(np.int32),
        rows.coefficient[terms],
        rows.limit[which],
    )


def rows_of(
    properties: Properties, variables: Variables, scales: Sequence[Scale]
) -> tuple[Rows, NDArray[np.bool_], Ints]:
    """Rows in whole numbers, which of them are equalities, and the property of each.

    A strict relation of whole numbers leaves at least 1. Entries of one variable are added up: ties
    cancel, and make no row.
    """
    variable = np.empty(len(properties.record), np.int64)
    for number, of in enumerate(variables.of):
        here = properties.column == number
        variable[here] = of[properties.record[here]]
    limit, times = _limits(properties, scales)
    value = properties.coefficient * times
    of_term = properties.of_term
    order = np.lexsort([variable, of_term])
    new = np.ones(len(order), np.bool_)
    new[1:] = (np.diff(of_term[order]) != 0) | (np.diff(variable[order]) != 0)
    heads = np.flatnonzero(new)
    total = np.add.reduceat(value[order].astype(np.float64), heads) if len(heads) else value[:0]
    kept = total != 0
    term, owner = order[heads[kept]], of_term[order[heads[kept]]]
    counts = np.bincount(owner, minlength=len(properties))
    some = np.flatnonzero(counts)
    start = np.concatenate([[0], np.cumsum(counts[some])]).astype(np.int64)
    coefficient = total[kept].astype(np.float64)
    width = np.array([float(s.upper - s.lower) for s in scales])[properties.column[term]]
    _check_size(np.abs(coefficient) * width, owner, limit, len(properties))
    rows = Rows(start, variable[term].astype(np.int32), coefficient, limit[some].astype(np.float64))
    return rows, properties.relation[some] == EQUAL, some


def _limits(properties: Properties, scales: Sequence[Scale]) -> tuple[Any, Ints]:
    """Constants in units counted from lower ends, and by what the coefficient of a term grows."""
    digits = np.array([scale.digits for scale in scales], np.int64)
    own = digits[properties.column]
    most = np.zeros(len(properties), np.int64)
    np.maximum.at(most, properties.of_term, own)
    times = 10 ** (most[properties.of_term] - own)
    lower = np.array([scale.lower for scale in scales], np.int64)
    shifted = properties.coefficient.astype(object) * times * lower[properties.column]
    if not (properties.constant.any() or lower.any()):
        limit = np.zeros(len(properties), object)
    else:
        limit = properties.constant.astype(object) * 10 ** most.astype(object)
        some = np.diff(properties.start) > 0
        limit[some] -= np.add.reduceat(shifted, properties.start[:-1][some])
    return limit - (properties.relation == BELOW), times


def _check_size(sizes: Floats, owner: Ints, limit: Any, properties: int) -> None:
    total = np.bincount(owner, sizes, minlength=properties) + np.abs(limit.astype(np.float64))
    if (total >= MOST).any():
        raise BadJob(
            "a property adds up numbers beyond 2^53 units of their last digit",
            "ask for fewer method.digits, narrower bounds or smaller groups",
        )
