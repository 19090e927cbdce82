"""Arrow values made plain: one type for whole numbers, one for dates; what is missing made null."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core.errors import BadInput
from sfumato.core.words import several


@dataclass(frozen=True)
class Found:
    """What was told apart on input: nulls, not-a-numbers and empty texts."""

    null: int = 0
    nan: int = 0
    empty: int = 0


NOTHING_FOUND = Found()


def tidy(name: str, values: pa.ChunkedArray) -> tuple[pa.ChunkedArray, Found]:
    """A column in a type that every later step knows, NaN made null; what was found, counted."""
    if _is_text(values.type) or pa.types.is_null(values.type):
        values = values.cast(pa.string())
    elif pa.types.is_decimal(values.type):
        values = _from_decimals(name, values)
    elif pa.types.is_float16(values.type):
        values = values.cast(pa.float64())
    if pa.types.is_floating(values.type):
        return _tidy_floats(name, values)
    if pa.types.is_string(values.type):
        empty = pc.sum(pc.equal(pc.binary_length(values), 0)).as_py() or 0
        return values, Found(null=values.null_count, empty=empty)
    if not _is_known(values.type):
        raise BadInput(
            f"column '{name}' has type {values.type}, which is not a plain column",
            "give numbers, text, dates or true/false, or list the column under drop",
        )
    return values, Found(null=values.null_count)


def _is_text(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _is_known(kind: pa.DataType) -> bool:
    known = (
        pa.types.is_integer,
        pa.types.is_boolean,
        pa.types.is_date,
        pa.types.is_time,
        pa.types.is_timestamp,
    )
    return any(is_one(kind) for is_one in known)


def _from_decimals(name: str, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Decimals as floats, refused where two could become one."""
    floats = values.cast(pa.float64())
    lost = pc.count_distinct(values).as_py() - pc.count_distinct(floats).as_py()
    if lost:
        raise BadInput(
            f"column '{name}' has decimals of more digits than floats hold, {lost} would be lost",
            "round them, or give them as text",
        )
    return floats


def finite(name: str, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values, refused if some are infinite numbers."""
    infinite = 0
    if pa.types.is_floating(values.type):
        infinite = pc.sum(pc.is_inf(values)).as_py() or 0
    if infinite:
        raise BadInput(
            f"column '{name}' has {several(infinite, 'infinite number')}",
            "make them missing or finite first",
        )
    return values


def _tidy_floats(name: str, values: pa.ChunkedArray) -> tuple[pa.ChunkedArray, Found]:
    values = finite(name, values)
    nulls, is_nan = values.null_count, pc.is_nan(values)
    nan = pc.sum(is_nan).as_py() or 0
    if nan:
        values = pc.if_else(is_nan, pa.scalar(None, values.type), values)
    return pc.add(values, pa.scalar(0.0, values.type)), Found(null=nulls, nan=nan)  # -0.0 is 0.0


def plain(name: str, values: pa.Array) -> pa.Array:
    """Distinct values in the one type of their sort; only uint64 may need its own."""
    common = _common(values.type)
    if common is None or common == values.type:
        return values
    try:
        return values.cast(common)
    except pa.ArrowInvalid:
        if pa.types.is_uint64(values.type):
            return values
    raise BadInput(f"column '{name}' has times finer than a microsecond", "round them")


def _common(kind: pa.DataType) -> Any:
    if pa.types.is_integer(kind):
        return pa.int64()
    if pa.types.is_date(kind):
        return pa.date32()
    if pa.types.is_time(kind):
        return pa.time64("us")
    return pa.timestamp("us", kind.tz) if pa.types.is_timestamp(kind) else None


def from_numbers(numbers: Any, missing: Any, kind: pa.DataType) -> pa.Array:
    """Numbers as `Column.numbers` gives them, as values again: dates, whole numbers or floats."""
    if pa.types.is_floating(kind):
        return pa.array(numbers, mask=missing)
    whole = pa.array(numbers.astype("int64"), mask=missing)
    if pa.types.is_temporal(kind):
        narrow = pa.types.is_date32(kind) or pa.types.is_time32(kind)
        return whole.cast(pa.int32() if narrow else pa.int64()).cast(kind)
    return whole


def spell(values: Iterable[Any]) -> list[str]:
    """Values as a hierarchy file or a job spells them; None is missing.

    >>> spell([None, 3.0, 2.5, True, "x"])
    ['missing', '3', '2.5', 'true', 'x']
    """
    return [_word(value) for value in values]


def _word(value: Any) -> str:
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value == int(value):
        return f"{value:.0f}"
    return str(value)
