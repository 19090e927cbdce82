"""The columns whose values are replaced: decimals, bounds, parts, and one variable a value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.errors import BadJob
from sfumato.core.run import Run
from sfumato.data.decimals import Decimals, as_fraction, decimals_of
from sfumato.data.schema import Kind
from sfumato.data.table import Column, Table

Ints = NDArray[np.int64]
WIDEST = float(1 << 52)  # of a scale, in units; sums of a few values stay exact in doubles


@dataclass(frozen=True, eq=False)
class Scale:
    """A column to replace: its values in units, and the ends that all values must lie between."""

    decimals: Decimals
    lower: int
    upper: int

    @property
    def name(self) -> str:
        """The column's name."""
        return self.decimals.column.name

    @property
    def digits(self) -> int:
        """Digits after the point that are published."""
        return self.decimals.digits


@dataclass(frozen=True, eq=False)
class Variables:
    """Values that move by themselves, ordered by column, part and size.

    `part` numbers the parts of all columns together; `row` is one record that has the value;
    `of[c]` is the variable of every record in column c, -1 where it has none.
    """

    column: Ints
    part: Ints
    unit: Ints
    row: Ints
    of: tuple[Ints, ...]


def scales_of(
    table: Table, names: Sequence[str], bounds: Mapping[str, Any], digits: Mapping[str, int]
) -> list[Scale]:
    """The columns with their bounds, all checked."""
    for key, stated in (("bounds", bounds), ("digits", digits)):
        unknown = sorted(set(stated) - set(names))
        if unknown:
            raise BadJob(
                f"method.{key} names '{unknown[0]}', which is not replaced",
                f"replaced: {', '.join(names)}",
            )
    return [_scale(table[name], bounds.get(name), digits.get(name)) for name in names]


def _scale(column: Column, bounds: Sequence[Any] | None, digits: int | None) -> Scale:
    if column.kind is Kind.CATEGORY:
        raise BadJob(
            f"column '{column.name}' is a category, and only numbers and dates can be replaced",
            "list it as keep, sensitive or drop",
        )
    decimals = decimals_of(column, digits)
    units = decimals.units
    if not len(units):
        return Scale(decimals, 0, 0)
    if bounds is None:
        lower, upper = _round_ends(int(units[0]), int(units[-1]))
    else:
        lower, upper = _stated_ends(column, bounds, decimals.digits)
    if lower > units[0] or upper < units[-1]:
        raise BadJob(
            f"method.bounds.{column.name} excludes {_outside(decimals, lower, upper)} of the data",
            "widen the bounds, or drop these records",
        )
    if upper - lower >= WIDEST:
        raise BadJob(
            f"column '{column.name}' spans more than 2^52 units of its last digit",
            "ask for fewer digits, or use another unit",
        )
    return Scale(decimals, lower, upper)


def _outside(decimals: Decimals, lower: int, upper: int) -> str:
    units = decimals.by_row[decimals.present]
    beyond = int(((units < lower) | (units > upper)).sum())
    return f"{beyond:,} values" if beyond > 1 else "1 value"


def _stated_ends(column: Column, bounds: Sequence[Any], digits: int) -> tuple[int, int]:
    if pa.types.is_temporal(column.values.type):
        ends = pa.array([str(end) for end in bounds]).cast(column.values.type)
        count = pa.int32() if ends.type.bit_width == 32 else pa.int64()
        low, high = ends.cast(count).to_pylist()
        return int(low), int(high)
    lowest, highest = (as_fraction(end) * 10**digits for end in bounds)
    return math.ceil(lowest), math.floor(highest)


def _round_ends(low: int, high: int) -> tuple[int, int]:
    """Round numbers around the data, so that they do not tell its ends; 0 stays an end.

    >>> _round_ends(17, 90), _round_ends(0, 99), _round_ends(5, 5)
    ((10, 100), (0, 100), (4, 6))
    """
    step = 10 ** (len(str(high - low)) - 1)
    lower, upper = low // step * step, -(-high // step) * step
    if lower == low and low != 0:
        lower -= step
    if upper == high and high != 0:
        upper += step
    if lower == upper:
        lower, upper = lower - step, upper + step
    return (0 if low >= 0 > lower else lower), (0 if high <= 0 < upper else upper)


def parts_of(
    table: Table, scale: Scale, partition: str, size: int, by: NDArray[np.int32] | None
) -> Ints:
    """The part of every record, from 0 without gaps; -1 where there is no value.

    Records stand in a secret random order. Parts of `rows` and of a column's values are cut from
    this order, `sorted` ones from the order of the values; all as even in size as can be.
    """
    present = scale.decimals.present
    part = np.full(table.rows, -1, np.int64)
    rows = np.flatnonzero(present)
    if partition == "sorted":
        rows = rows[np.argsort(scale.decimals.by_row[rows], kind="stable")]
    group = np.zeros(len(rows), np.int64) if by is None else by[rows].astype(np.int64)
    order = np.argsort(group, kind="stable")
    rows, group = rows[order], group[order]
    first = 0
    for begin, end in _runs(group):
        pieces = -(-(end - begin) // size) if size else 1
        part[rows[begin:end]] = first + np.arange(end - begin) * pieces // (end - begin)
        first += pieces
    return part


def _runs(group: Ints) -> list[tuple[int, int]]:
    if not len(group):
        return []
    cuts = np.flatnonzero(np.diff(group)) + 1
    return list(zip([0, *cuts.tolist()], [*cuts.tolist(), len(group)], strict=True))


def variables_of(scales: Sequence[Scale], parts: Sequence[Ints], merge: bool) -> Variables:
    """A variable for every value of a part, or with `merge` false for every record."""
    found, of, first, first_part = [], [], 0, 0
    for number, (scale, part) in enumerate(zip(scales, parts, strict=True)):
        rows = np.flatnonzero(part >= 0)
        unit = scale.decimals.by_row
        rows = rows[np.lexsort([unit[rows], part[rows]])]
        fresh = np.ones(len(rows), np.bool_)
        if merge:
            fresh[1:] = (np.diff(part[rows]) != 0) | (np.diff(unit[rows]) != 0)
        own = np.full(len(part), -1, np.int64)
        own[rows] = first + np.cumsum(fresh) - 1
        heads = rows[fresh]
        found.append((np.full(len(heads), number), first_part + part[heads], unit[heads], heads))
        of.append(own)
        first += len(heads)
        first_part += int(part.max(initial=-1)) + 1
    column, part, unit, row = (np.concatenate(p).astype(np.int64) for p in zip(*found, strict=True))
    return Variables(column, part, unit, row, tuple(of))


def in_secret_order(table: Table, run: Run) -> tuple[Table, Ints]:
    """The records in an order that nobody can foretell, and which record stands where."""
    order = np.argsort(run.words(table.rows, "rows"), kind="stable").astype(np.int64)
    return table.take(order), order


def widths(scales: Sequence[Scale]) -> NDArray[np.float64]:
    """The width of every scale in its own numbers."""
    return np.array([float(Fraction(s.upper - s.lower, 10**s.digits)) or 1.0 for s in scales])
