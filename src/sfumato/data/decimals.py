"""Numbers as the decimals they are written as, counted in units of their last digit."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.errors import BadInput, BadJob
from sfumato.data.table import Column

Ints = NDArray[np.int64]
MOST_DIGITS = 15  # of a double, which gives every decimal of so many digits back as it was written
PRECISE = 400  # digits of intermediate results: more than any double can need
FINE = 9  # digits of the range, where a column has more than can be kept


@dataclass(frozen=True, eq=False)
class Decimals:
    """A column of numbers or dates in units of 10^-digits; dates count in their own unit.

    `units` belong to the distinct values, ascending. They are rounded where the column has more
    digits than that; `exact` says that none was.
    """

    column: Column
    digits: int
    units: Ints
    exact: bool

    @cached_property
    def by_row(self) -> Ints:
        """Units of every row; of a missing value 0."""
        filled = np.concatenate([np.zeros(int(self.column.has_missing), np.int64), self.units])
        return filled[self.column.codes]

    @property
    def present(self) -> NDArray[np.bool_]:
        """Rows that have a value."""
        codes: NDArray[np.bool_] = self.column.codes >= self.column.has_missing
        return codes

    def true_value(self, row: int) -> Fraction:
        """The value of a row as it is written, which the units may be rounded from."""
        value = self.column.values[int(self.column.codes[row]) - self.column.has_missing]
        if pa.types.is_floating(self.column.values.type):
            return Fraction(repr(value.as_py()))
        return Fraction(value.cast(_count_type(self.column.values.type)).cast(pa.int64()).as_py())


def decimals_of(column: Column, digits: int | None = None) -> Decimals:
    """A column in units of its last digit, or of the digit asked for."""
    kind = column.values.type
    if not pa.types.is_floating(kind):
        if digits:
            raise BadJob(
                f"method.digits.{column.name} is {digits}, but the column is whole", "leave it out"
            )
        counts = column.values.cast(_count_type(kind)).cast(pa.int64())
        return Decimals(column, 0, np.asarray(counts), True)
    written = [Decimal(repr(value)) for value in column.values.to_pylist()]
    if not all(value.is_finite() for value in written):
        raise BadInput(f"column '{column.name}' has infinite values", "clean the column")
    chosen = _digits(column.name, written) if digits is None else digits
    units, exact = _rounded(column.name, written, chosen)
    return Decimals(column, chosen, units, exact)


def _count_type(kind: pa.DataType) -> pa.DataType:
    short = pa.types.is_date32(kind) or pa.types.is_time32(kind)
    return pa.int32() if short else pa.int64()


def _digits(name: str, written: list[Decimal]) -> int:
    """All digits that the values have, or if these are too many enough for a fine scale."""
    needed = max((max(0, -_exponent(value)) for value in written), default=0)
    largest = max((abs(value) for value in written), default=Decimal(0))
    if largest >= Decimal(10) ** MOST_DIGITS:
        raise BadInput(
            f"column '{name}' has numbers of more than {MOST_DIGITS} digits", "use another unit"
        )
    whole = max(0, largest.adjusted() + 1) if largest else 0
    if needed + whole <= MOST_DIGITS:
        return needed
    spread = max(written) - min(written)
    wide = (spread or largest or Decimal(1)).adjusted() + 1
    return max(0, min(FINE - wide, MOST_DIGITS - whole))


def _exponent(value: Decimal) -> int:
    return int(value.normalize().as_tuple().exponent) if value else 0


def _rounded(name: str, written: list[Decimal], digits: int) -> tuple[Ints, bool]:
    unit = Decimal(1).scaleb(-digits)
    with localcontext(prec=PRECISE):
        rounded = [value.quantize(unit, ROUND_HALF_EVEN) for value in written]
        units = [int(value.scaleb(digits)) for value in rounded]
    if any(abs(unit) >= 10**MOST_DIGITS for unit in units):
        raise BadJob(
            f"method.digits.{name} is {digits}, which makes numbers of more than {MOST_DIGITS} "
            "digits",
            "ask for fewer",
        )
    exact = all(value == other for value, other in zip(written, rounded, strict=True))
    return np.array(units, np.int64), exact


def published(units: Ints, digits: int, kind: pa.DataType) -> pa.Array:
    """Units as values of a column: whole numbers, dates, or the doubles nearest to the decimals."""
    if pa.types.is_floating(kind):
        return pa.array(units / 10.0**digits)
    return pa.array(units).cast(_count_type(kind)).cast(kind)


def as_fraction(number: float | int | str) -> Fraction:
    """A number of a job file as it is written.

    >>> as_fraction(0.1)
    Fraction(1, 10)
    """
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)
