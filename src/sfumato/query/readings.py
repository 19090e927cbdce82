"""How the values of a column are read and ordered, and where a literal cuts that order.

Every order is treated alike: a literal v gives two cuts, the least value that is at least v and the
least value above v. For whole numbers the latter is the next one; for doubles it is the next
double; for texts it is v with the smallest character appended. With cuts, `<` and `<=`, open and
closed ends and equality need no separate care.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from fractions import Fraction
from typing import Any

import pyarrow as pa

from sfumato.core.errors import Refused
from sfumato.query.plan import Literal, Writing

Cut = int | float | str
DAY = 86_400 * 10**9
UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Reading:
    """One way to read values: its name, and for moments the nanoseconds per unit."""

    name: str
    unit: int = 1
    zoned: bool = False

    @property
    def is_number(self) -> bool:
        """Whether sums make sense."""
        return self.name in ("whole numbers", "numbers")

    @property
    def is_ordered(self) -> bool:
        """Whether values are points on a line: numbers, dates and times."""
        return self.is_number or self.is_moment

    @property
    def is_moment(self) -> bool:
        """Whether values are dates or times."""
        return self.name in ("dates", "times")

    @property
    def unit_name(self) -> str:
        """What a moment's number counts."""
        since = "1970-01-01" if self.name == "dates" else "midnight"
        return f"{_UNIT_NAMES[self.unit]} since {since}"

    @property
    def is_whole(self) -> bool:
        """Whether values are whole multiples of the unit."""
        return self.name != "numbers"


_UNIT_NAMES = {DAY: "days", **{size: name for name, size in UNITS.items()}}
WHOLE, REAL, TEXT = Reading("whole numbers"), Reading("numbers"), Reading("text")
TRUTH, OTHER = Reading("true or false"), Reading("values that cannot be compared")


def reading_of(kind: pa.DataType) -> Reading:
    """How values of an Arrow type are read."""
    types = pa.types
    if types.is_integer(kind):
        return WHOLE
    if types.is_floating(kind):
        return REAL
    if types.is_string(kind):
        return TEXT
    if types.is_boolean(kind):
        return TRUTH
    if types.is_date(kind):
        return Reading("dates", DAY)
    if types.is_timestamp(kind):
        return Reading("dates", UNITS[kind.unit], kind.tz is not None)
    return Reading("times", UNITS[kind.unit]) if types.is_time(kind) else OTHER


def keys_of(values: pa.Array) -> list[Any]:
    """Values as Python objects in the order their reading has; days or ticks for moments."""
    kind = values.type
    if reading_of(kind) is OTHER:
        return list(range(len(values)))
    if pa.types.is_date64(kind):
        values = values.cast(pa.date32())
    if pa.types.is_temporal(kind):
        narrow = pa.types.is_date(kind) or pa.types.is_time32(kind)
        values = values.cast(pa.int32() if narrow else pa.int64())
    return list(values.to_pylist())


def labels_as(reading: Reading, labels: Sequence[str], column: str) -> list[Any]:
    """Labels of a hierarchy's values, read as the query reads them."""
    if reading is TEXT:
        return list(labels)
    read: Callable[[str], Any] = {"numbers": float, "whole numbers": int}.get(reading.name, _ticks)
    try:
        return [read(label) for label in labels]
    except ValueError:
        raise Refused(
            f"the values in the hierarchy of column '{column}' cannot be read as {reading.name}",
            "compare it with texts, in single quotes",
        ) from None


def number_reading(labels: Sequence[str]) -> Reading:
    """Whole numbers if every label is one."""
    try:
        for label in labels:
            int(label)
    except ValueError:
        return REAL
    return WHOLE


def cuts(reading: Reading, literal: Literal, column: str) -> tuple[Cut, Cut]:
    """The least value at or above a literal, and the least value above it."""
    value = literal.value
    if isinstance(value, Fraction) and reading is WHOLE:
        return math.ceil(value), math.floor(value) + 1
    if isinstance(value, Fraction) and reading is REAL:
        return float(value), math.nextafter(float(value), math.inf)
    if isinstance(value, str) and reading.is_moment:
        return _moment_cuts(reading, value, column)
    if isinstance(value, bool) and reading is TEXT:  # how Arrow spells a boolean in a hierarchy
        value = str(value).lower()
    if isinstance(value, bool) and reading is TRUTH:
        return int(value), int(value) + 1
    if isinstance(value, str) and reading is TEXT and literal.writing is not Writing.DATE:
        return point(value)
    raise _mismatch(reading, literal, column)


def point(key: Any) -> tuple[Cut, Cut]:
    """The cuts right before and right after one value."""
    if isinstance(key, str):
        return key, key + "\0"
    if isinstance(key, float):
        return key, math.nextafter(key, math.inf)
    return int(key), int(key) + 1


def _mismatch(reading: Reading, literal: Literal, column: str) -> Refused:
    hints = {
        "text": "write texts in single quotes",
        "dates": "write a date as '2020-12-31'",
        "times": "write a time as '12:30:00'",
        "true or false": "compare it with TRUE or FALSE",
        OTHER.name: "only IS NULL and IS NOT NULL are supported for it",
    }
    hint = hints.get(reading.name, "write numbers without quotes")
    return Refused(
        f"column '{column}' holds {reading.name}, but is compared with a {literal.writing.value}"
        if literal.writing is not Writing.TRUTH
        else f"column '{column}' holds {reading.name}, but is compared with TRUE or FALSE",
        hint,
    )


def _moment_cuts(reading: Reading, text: str, column: str) -> tuple[int, int]:
    try:
        ticks = Fraction(_ticks(text, reading), reading.unit)
    except (ValueError, OverflowError):
        shape = "12:30:00" if reading.name == "times" else "2020-12-31"
        raise Refused(
            f"'{text}' cannot be read as one of the {reading.name} of column '{column}'",
            f"write it as '{shape}'",
        ) from None
    return math.ceil(ticks), math.floor(ticks) + 1


def _ticks(text: str, reading: Reading = Reading("dates")) -> int:
    """Nanoseconds since 1970 (UTC where no zone is given) or since midnight."""
    if len(text.partition(".")[2].partition("+")[0].rstrip("Z")) > 6:
        raise ValueError("finer than a microsecond")
    if reading.name == "times":
        clock = time.fromisoformat(text)
        seconds = (clock.hour * 60 + clock.minute) * 60 + clock.second
        return seconds * 10**9 + clock.microsecond * 1000
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    elif not reading.zoned:
        raise ValueError("a zone where the column has none")
    return (moment - EPOCH) // timedelta(microseconds=1) * 1000
