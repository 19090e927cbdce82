"""Text columns as numbers, dates or true/false, where every value reads as one.

A column whose values mostly but not all read as numbers is an error rather than a category: an age
column with three stray words would otherwise lose its order without anybody being told.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core.errors import BadInput
from sfumato.data.schema import Kind

INTEGER = r"^-?(0|[1-9][0-9]*)$"
DECIMAL = r"^-?(0|[1-9][0-9]*)?(\.[0-9]+)?([eE][-+]?[0-9]+)?$"
NAN = r"^(nan|NaN|NAN)$"
DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
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
    if _all(present, "^(true|false|True|False|TRUE|FALSE)$"):
        return pc.equal(pc.utf8_lower(values), "true")
    if _all(present, DATE):
        return _dates(name, values, strict)
    if _all(present, INTEGER):
        return _integers(name, values, strict)
    if _all(present, DECIMAL):
        return values.cast(pa.float64())
    if strict:
        _refuse_mixture(name, present, kind)
    return values


def _all(present: pa.ChunkedArray, pattern: str) -> bool:
    return _share(present, pattern) == 1.0


def _share(present: pa.ChunkedArray, pattern: str) -> float:
    """Share of values that match; empty text is no number."""
    if pattern == DECIMAL:
        matches = pc.and_(
            pc.or_(
                pc.match_substring_regex(present, pattern), pc.match_substring_regex(present, NAN)
            ),
            pc.greater(pc.binary_length(present), 0),
        )
    else:
        matches = pc.match_substring_regex(present, pattern)
    return float(pc.mean(matches.cast(pa.int8())).as_py())


def _integers(name: str, values: pa.ChunkedArray, strict: bool) -> pa.ChunkedArray:
    try:
        return values.cast(pa.int64())
    except pa.ArrowInvalid:
        if not strict:
            return values
    beyond = sum(abs(int(text)) >= 1 << 63 for text in pc.drop_null(values).to_pylist())
    raise BadInput(
        f"column '{name}' has {beyond} whole numbers beyond 64 bits",
        f'drop it, or set schema.types.{name} = "category"',
    )


def _dates(name: str, values: pa.ChunkedArray, strict: bool) -> pa.ChunkedArray:
    try:
        return values.cast(pa.date32())
    except pa.ArrowInvalid:
        if not strict:
            return values
    raise BadInput(
        f"column '{name}' looks like dates, but not all of them exist",
        f'mend them, or set schema.types.{name} = "category"',
    )


def _refuse_mixture(name: str, present: pa.ChunkedArray, kind: Kind | None) -> None:
    for what, pattern in (("numbers", DECIMAL), ("dates", DATE)):
        share = _share(present, pattern)
        asked = kind in (Kind.NUMBER, Kind.DATE)
        if share > MOSTLY or asked:
            other = round((1 - share) * len(present))
            raise BadInput(
                f"column '{name}' mixes {what} with {other} other values",
                f'clean it, or set schema.types.{name} = "category"',
            )
