"""Make sets of items of an ordinary table: one item per value or bucket, or one per yes/no column.

A record's items are the values it has: `sex=Female`, `age=35-39`. A missing value is no item, as a
set tells only what is there. Items come in the order of the columns and of their values, and only
values that occur become items.

>>> import pyarrow as pa
>>> from sfumato.data.table import table_from_arrow
>>> table = table_from_arrow(pa.table({"sex": ["f", "m", None], "age": [31, 44, 34]}))
>>> sets = expand(table, widths={"age": 10})
>>> sets.names.to_pylist()
['sex=f', 'sex=m', 'age=30-39', 'age=40-49']
>>> sets.indptr.tolist(), sets.items.tolist()
([0, 2, 4, 5], [0, 2, 1, 3, 2])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.errors import BadInput
from sfumato.data.plain import spell
from sfumato.data.schema import Kind
from sfumato.data.sets import Sets
from sfumato.data.table import Column, Table

NO_ITEM = -1
Places = NDArray[np.int32]  # (codes of a column,) number of the item among the column's, or NO_ITEM

# The encoding of the Adult data that results on sets are given for; docs/adult-as-sets.md says why.
ADULT_COLUMNS = (
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "hours-per-week",
    "native-country",
)
ADULT_WIDTHS = {"age": 5.0, "hours-per-week": 10.0}
ADULT_MISSING = ("?",)


def expand(
    table: Table,
    columns: Sequence[str] | None = None,
    widths: Mapping[str, float] | None = None,
    missing: Sequence[str] = (),
) -> Sets:
    """One item per value of each column, or per bucket of those with a width; utilities are 1.

    Bucket b holds the numbers from b x width up to, not including, (b + 1) x width. Values spelled
    as in `missing` make no item. A record has at most one item a column. O(rows x columns).
    """
    chosen = tuple(table.names if columns is None else columns)
    cut = dict(widths or {})
    _check(table, (*chosen, *cut))
    parts = []
    for name in chosen:
        column = table[name]
        places, names = (
            _bucketed(column, cut[name]) if name in cut else _valued(column, set(missing))
        )
        parts.append((column, places, [f"{name}={text}" for text in names]))
    return _together(parts, table.rows)


def one_hot(table: Table, columns: Sequence[str] | None = None) -> Sets:
    """One item per column, held where it says 1 or true; missing and 0 say no; utilities are 1."""
    chosen = tuple(table.names if columns is None else columns)
    _check(table, chosen)
    parts = []
    for name in chosen:
        yes = [_yes(name, text) for text in spell(table[name].values.to_pylist())]
        places = np.where(np.array(yes, np.bool_), 0, NO_ITEM).astype(np.int32)
        parts.append((table[name], _with_missing(table[name], places), [name]))
    return _together(parts, table.rows)


def _check(table: Table, names: Iterable[str]) -> None:
    """Columns that are asked for must be there."""
    for name in names:
        if name not in table.columns:
            raise BadInput(f"there is no column {name!r}", f"columns are {', '.join(table.names)}")


def _yes(name: str, text: str) -> bool:
    """Whether a value of a yes/no column says yes."""
    if text not in ("0", "1", "false", "true"):
        raise BadInput(
            f"column {name!r} has values beside 0, 1, true and false",
            "expand it by its values instead",
        )
    return text in ("1", "true")


def _with_missing(column: Column, places: Places) -> Places:
    """Places by code, where those of the present values are given."""
    return np.concatenate([np.full(int(column.has_missing), NO_ITEM, np.int32), places])


def _valued(column: Column, missing: set[str]) -> tuple[Places, list[str]]:
    """(items by code, their names) with an item per value."""
    texts = spell(column.values.to_pylist())
    known = np.array([text not in missing for text in texts], np.bool_)
    places = np.where(known, np.cumsum(known) - 1, NO_ITEM).astype(np.int32)
    return _with_missing(column, places), [text for text in texts if text not in missing]


def _bucketed(column: Column, width: float) -> tuple[Places, list[str]]:
    """(items by code, their names) with an item per bucket of numbers."""
    if column.kind is not Kind.NUMBER:
        raise BadInput(f"column {column.name!r} holds no numbers", "only numbers have buckets")
    if not width > 0:
        raise BadInput(f"the width of {column.name!r} is {width:g}", "a width is more than 0")
    buckets, places = np.unique(np.floor(column.numbers / width), return_inverse=True)
    whole = pa.types.is_integer(column.values.type) and float(width).is_integer()
    names = [_bucket_name(bucket * width, width, whole) for bucket in buckets.tolist()]
    return _with_missing(column, places.astype(np.int32)), names


def _bucket_name(low: float, width: float, whole: bool) -> str:
    """35-39 for whole numbers (35 if there is one in it), [0.5, 1) for others."""
    if not whole:
        return f"[{low:g}, {low + width:g})"
    return f"{low:.0f}" if width == 1 else f"{low:.0f}-{low + width - 1:.0f}"


def _together(parts: list[tuple[Column, Places, list[str]]], rows: int) -> Sets:
    """Number the items of all columns in a row, and list those of every record."""
    names: list[str] = []
    held = np.full((rows, len(parts)), NO_ITEM, np.int32)
    for place, (column, places, texts) in enumerate(parts):
        item = np.where(places == NO_ITEM, NO_ITEM, places + np.int32(len(names)))
        held[:, place] = item[column.codes] if rows else NO_ITEM
        names += texts
    if len(set(names)) < len(names):
        raise BadInput("two columns give items of the same name", "rename one of the columns")
    there = held != NO_ITEM
    indptr = np.zeros(rows + 1, np.int64)
    np.cumsum(there.sum(axis=1), out=indptr[1:])
    dtype: Any = np.uint16 if len(names) <= 1 << 16 else np.uint32
    return Sets(
        indptr, held[there].astype(dtype), pa.array(names, pa.string()), np.ones(len(names))
    )
