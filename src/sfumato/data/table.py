"""A table of people: columns of codes, each with the dictionary of its values.

Missing values are one value of their own, code 0, wherever they occur. On the way in, null and NaN
become missing; empty text stays a value (the text of length zero). How many of each were seen is
kept in `Column.found`, so that `inspect` can say so.

Types are made plain, so that the same data gives the same table whatever it came in: whole numbers
are of 64 bits, decimals are floats, dates are days, times of day and instants are microseconds.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.core.errors import BadInput
from sfumato.data.plain import NOTHING_FOUND, Found, plain, tidy
from sfumato.data.schema import Kind

Codes = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, eq=False)
class Column:
    """One column: `values` are the distinct present values in order; code 0 is missing if any is.

    Without missing values code c stands for `values[c]`, with them for `values[c - 1]`.
    """

    name: str
    kind: Kind
    codes: Codes
    values: pa.Array
    has_missing: bool
    found: Found = NOTHING_FOUND

    @property
    def size(self) -> int:
        """Values in the domain, missing included where it occurs."""
        return len(self.values) + self.has_missing

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """Present values of a NUMBER or DATE column as floats, in order (days or seconds)."""
        values = self.values
        if pa.types.is_temporal(values.type) or pa.types.is_boolean(values.type):
            values = values.cast(pa.int32() if _is_32_bit(values.type) else pa.int64())
        return np.asarray(values.cast(pa.float64(), safe=False))

    def counts(self) -> NDArray[np.int64]:
        """Rows per code."""
        return np.bincount(self.codes, minlength=self.size).astype(np.int64)

    def take(self, rows: NDArray[Any]) -> Column:
        """The same column at other rows; the dictionary stays whole."""
        return Column(
            self.name, self.kind, self.codes[rows], self.values, self.has_missing, self.found
        )

    def to_arrow(self) -> pa.Array:
        """The column as a dictionary-encoded Arrow array, missing as null.

        Only values that occur enter the dictionary: a file must not tell of anybody left out.
        """
        codes = self.codes.astype(np.int32) - np.int32(self.has_missing)
        used = np.bincount(codes + 1, minlength=len(self.values) + 1)[1:] > 0
        place = np.concatenate([np.cumsum(used) - 1, [-1]]).astype(np.int32)[codes]
        values = self.values.filter(pa.array(used))
        return pa.DictionaryArray.from_arrays(pa.array(place, mask=codes < 0), values)


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length, by name."""

    columns: dict[str, Column]
    rows: int

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in order."""
        return tuple(self.columns)

    def select(self, names: tuple[str, ...]) -> Table:
        """Only these columns."""
        return Table({name: self.columns[name] for name in names}, self.rows)

    def take(self, rows: NDArray[Any]) -> Table:
        """Only these rows, in this order."""
        taken = {name: column.take(rows) for name, column in self.columns.items()}
        return Table(taken, len(rows))


def table_from_arrow(
    data: pa.Table, kinds: dict[str, Kind | None] | None = None, workers: int = 1
) -> Table:
    """Encode an Arrow table; `kinds` fixes the kind of a column where its type would mislead."""
    fixed = kinds or {}
    names = data.column_names
    with ThreadPoolExecutor(max(1, workers)) as pool:
        columns = pool.map(lambda n: encode(n, data.column(n), fixed.get(n)), names)
        return Table(dict(zip(names, columns, strict=True)), data.num_rows)


def encode(name: str, values: pa.ChunkedArray, kind: Kind | None = None) -> Column:
    """One Arrow column as codes over its sorted distinct values."""
    if pa.types.is_dictionary(values.type):
        return _encode_dictionary(name, values, kind)
    values, found = tidy(name, values)
    kind = _check_kind(name, values.type, kind)
    encoded = pc.dictionary_encode(values).combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):  # an empty chunked array stays chunked
        encoded = pa.array([], values.type).dictionary_encode()
    order = pc.sort_indices(encoded.dictionary)
    ordered = plain(name, encoded.dictionary.take(order))
    rank = np.empty(len(order), np.int64)
    rank[np.asarray(order)] = np.arange(len(order))
    missing = encoded.null_count > 0
    codes = _codes(encoded, rank, missing)
    return Column(name, kind, codes, ordered, missing, found)


def _encode_dictionary(name: str, values: pa.ChunkedArray, kind: Kind | None) -> Column:
    """A column that comes with a dictionary: encode the dictionary, keep what occurs."""
    whole = values.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        return encode(name, pa.chunked_array([], values.type.value_type), kind)
    inner = encode(name, pa.chunked_array([whole.dictionary]), kind)
    place = np.asarray(whole.indices.cast(pa.int64()).fill_null(len(whole.dictionary)))
    used = np.bincount(place, minlength=len(whole.dictionary) + 1)
    codes = np.concatenate([inner.codes.astype(np.int64) - inner.has_missing, [-1]])
    present = np.unique(codes[(used > 0) & (codes >= 0)])
    missing = bool(((codes < 0) & (used > 0)).any())
    fresh = np.searchsorted(present, codes) + missing
    fresh[codes < 0] = 0
    width = smallest_unsigned(len(present) + missing)
    found = _found(whole.dictionary, used, codes)
    values_ = inner.values.take(pa.array(present))
    return Column(name, inner.kind, fresh.astype(width)[place], values_, missing, found)


def _found(dictionary: pa.Array, used: NDArray[np.int64], codes: NDArray[np.int64]) -> Found:
    """What `encode` would have found row by row; `used` counts rows per entry, nulls last."""
    each = used[:-1]
    if not pa.types.is_floating(dictionary.type):
        nulls = int(used[codes < 0].sum())
        return Found(null=nulls, empty=int(each[_is_empty(dictionary)].sum()))
    nan = np.asarray(pc.is_nan(dictionary).fill_null(False))
    return Found(null=int(used[codes < 0].sum() - each[nan].sum()), nan=int(each[nan].sum()))


def _is_empty(values: pa.Array) -> NDArray[np.bool_]:
    texts = values.cast(pa.string())
    return np.asarray(pc.equal(pc.binary_length(texts), 0).fill_null(False))


def _codes(encoded: pa.DictionaryArray, rank: NDArray[np.int64], missing: bool) -> Codes:
    width = smallest_unsigned(len(rank) + missing)
    if not missing:
        return cast(Codes, rank.astype(width)[np.asarray(encoded.indices)])
    shifted = np.concatenate([(rank + 1).astype(width), np.zeros(1, width)])
    return cast(Codes, shifted[np.asarray(encoded.indices.fill_null(len(rank)))])


def smallest_unsigned(size: int) -> Any:
    """The narrowest unsigned type that holds codes below `size`."""
    return np.uint8 if size <= 1 << 8 else np.uint16 if size <= 1 << 16 else np.uint32


def _check_kind(name: str, kind: pa.DataType, fixed: Kind | None) -> Kind:
    natural = _natural_kind(kind)
    if fixed in (None, natural) or fixed is Kind.CATEGORY:
        return fixed or natural
    raise BadInput(
        f"column '{name}' holds {natural} values, so its type can't be '{fixed}'",
        f"use '{natural}' or 'category' in schema.types, or clean the column",
    )


def _natural_kind(kind: pa.DataType) -> Kind:
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return Kind.NUMBER
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        return Kind.DATE
    return Kind.CATEGORY


def _is_32_bit(kind: pa.DataType) -> bool:
    return bool(pa.types.is_date32(kind) or pa.types.is_time32(kind))
