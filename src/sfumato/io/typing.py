"""Text columns as numbers, dates or true/false, where every value reads as one.

A column whose values mostly but not all read as numbers is an error rather than a category: an age
column with three stray words would otherwise lose its order without anybody being told.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core.errors import BadInput
from sfumato.core.words import several
from sfumato.data.schema import Kind

INTEGER = r"^-?(0|[1-9][0-9]*)$"
DECIMAL = r"^(-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?|nan|NaN|NAN)$"
TRUTH = r"^(true|false|True|False|TRUE|FALSE)$"
DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
INSTANT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$"
MOSTLY = 0.5


def typed(
    name: str, values: pa.ChunkedArray, kind: Kind | None = None, *, strict: bool = True
) -> pa.ChunkedArray:
    """A text column in its natural type; `strict` makes a mixed column an error."""
    if kind is Kind.CATEGORY or not pa.types.is_string(values.type):
        return values
    present = pc.drop_null(values)
    if len(present) == 0:
        return values
    if _all(present, TRUTH):
        return pc.equal(pc.utf8_lower(values), "true")
    if _all(present, DATE):
        return _dates(name, values, pa.date32(), strict)
    if _all(present, INSTANT):
        return _dates(name, values, pa.timestamp("us"), strict)
    if _all(present, INTEGER):
        return _integers(name, values, strict)
    if _all(present, DECIMAL):
        return values.cast(pa.float64())
    if strict:
        _refuse_mixture(name, present, kind)
    return values


def _all(present: pa.ChunkedArray, pattern: str) -> bool:
    """Whether every value matches; the first alone decides for most columns."""
    return all(
        pc.all(pc.match_substring_regex(part, pattern)).as_py()
        for part in (present.slice(0, 1), present)
    )


def _share(present: pa.ChunkedArray, pattern: str) -> float:
    return float(pc.mean(pc.match_substring_regex(present, pattern).cast(pa.int8())).as_py())


def _integers(name: str, values: pa.ChunkedArray, strict: bool) -> pa.ChunkedArray:
    try:
        return values.cast(pa.int64())
    except pa.ArrowInvalid:
        if not strict:
            return values
    beyond = sum(not -(1 << 63) <= int(t) < 1 << 63 for t in pc.drop_null(values).to_pylist())
    raise BadInput(
        f"column '{name}' has {several(beyond, 'whole number')} beyond 64 bits",
        f'drop it, or set schema.types.{name} = "category"',
    )


def _dates(name: str, values: pa.ChunkedArray, kind: pa.DataType, strict: bool) -> pa.ChunkedArray:
    try:
        return values.cast(kind)
    except pa.ArrowInvalid:
        if not strict:
            return values
    raise BadInput(
        f"column '{name}' looks like dates, but not all of them exist",
        f'mend them, or set schema.types.{name} = "category"',
    )


def _refuse_mixture(name: str, present: pa.ChunkedArray, kind: Kind | None) -> None:
    present = pc.utf8_trim_whitespace(present)  # " 39" was meant as a number
    for meant, what, pattern in ((Kind.NUMBER, "numbers", DECIMAL), (Kind.DATE, "dates", DATE)):
        share = _share(present, pattern)
        if kind is meant or (kind is None and share > MOSTLY):
            other = round((1 - share) * len(present))
            raise BadInput(
                f"column '{name}' {_mixture(what, other, len(present))}",
                f'clean it, or set schema.types.{name} = "category"',
            )


def _mixture(what: str, other: int, values: int) -> str:
    if other == 0:
        return f"has spaces around {what}"
    if other == values:
        return f"holds no {what}"
    return f"mixes {what} with {several(other, 'other value')}"
