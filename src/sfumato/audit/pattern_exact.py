"""Decimals counted in whole units, and sums over them, without rounding anywhere."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.data.table import Column
from sfumato.releases.properties import RELATIONS, Properties

SMALL = 1 << 62
PRECISE = 400


class Counted:
    """A column in units of 10^-digits: one whole number a value, of any length."""

    def __init__(self, column: Column) -> None:
        kind = column.values.type
        if pa.types.is_floating(kind):
            written = [Decimal(repr(value)) for value in column.values.to_pylist()]
            places = [int(v.normalize().as_tuple().exponent) for v in written if v]
            self.digits = max(0, -min(places, default=0))
            with localcontext(prec=PRECISE):
                units = [int(value.scaleb(self.digits)) for value in written]
        else:
            short = pa.types.is_date32(kind) or pa.types.is_time32(kind)
            counts = column.values.cast(pa.int32() if short else pa.int64()).cast(pa.int64())
            self.digits, units = 0, counts.to_pylist()
        self._units = [0] * column.has_missing + units
        self._codes = column.codes
        self.lacking = column.codes < column.has_missing

    def rows(self, digits: int) -> NDArray[Any]:
        """Every row in units of so many digits; 64 bits where they suffice, missing as 0."""
        times = 10 ** (digits - self.digits)
        units = [unit * times for unit in self._units]
        small = max(map(abs, units), default=0) < SMALL
        return np.array(units, np.int64 if small else object)[self._codes]

    def decimals_within(self, digits: int) -> bool:
        """Whether no value has more digits after the point."""
        return self.digits <= digits

    def ends(self, digits: int) -> tuple[int, int]:
        """The least and largest value in units of so many digits."""
        units = [unit * 10 ** (digits - self.digits) for unit in self._units]
        there = [units[code] for code in np.unique(self._codes[~self.lacking]).tolist()]
        return min(there, default=0), max(there, default=0)


def broken(properties: Properties, columns: dict[str, Column]) -> NDArray[np.int64]:
    """The properties that are not true of these values, or are about a value that is lacking."""
    if not len(properties):
        return np.empty(0, np.int64)
    counted = {name: Counted(columns[name]) for name in properties.columns}
    digits = max((one.digits for one in counted.values()), default=0)
    rows = {name: one.rows(digits) for name, one in counted.items()}
    wide = _too_wide(properties, rows, digits)
    total: Any = _sums(properties, rows, object if wide else np.int64)
    limit = properties.constant.astype(total.dtype) * (10**digits if wide else np.int64(10**digits))
    relation = np.array(RELATIONS)[properties.relation]
    true = np.select(
        [relation == "<", relation == "=", relation == "<="],
        [total < limit, total == limit, total <= limit],
    )
    lacking = np.zeros(len(properties.record), np.bool_)
    for number, name in enumerate(properties.columns):
        here = properties.column == number
        lacking[here] = counted[name].lacking[properties.record[here]]
    about = np.bincount(properties.of_term[lacking], minlength=len(properties)) > 0
    return np.flatnonzero(~true.astype(np.bool_) | about)


def _too_wide(properties: Properties, rows: dict[str, NDArray[Any]], digits: int) -> bool:
    """Whether sums may need more than 64 bits."""
    largest = max(max(int(v.max(initial=0)), -int(v.min(initial=0))) for v in rows.values())
    each = np.bincount(properties.of_term, np.abs(properties.coefficient).astype(np.float64))
    constant = float(np.abs(properties.constant).max())
    return float(each.max(initial=0)) * largest + constant * 10.0**digits > SMALL / 2


def _sums(properties: Properties, rows: dict[str, NDArray[Any]], kind: Any) -> NDArray[Any]:
    value = np.zeros(len(properties.record), kind)
    for number, name in enumerate(properties.columns):
        here = properties.column == number
        value[here] = rows[name].astype(kind)[properties.record[here]]
    value = value * properties.coefficient.astype(kind)
    running = np.concatenate([np.zeros(1, kind), np.cumsum(value)]) if kind is object else None
    if running is not None:
        return np.asarray(running[properties.start[1:]] - running[properties.start[:-1]])
    total = np.zeros(len(properties), np.int64)
    np.add.at(total, properties.of_term, value)
    return total
