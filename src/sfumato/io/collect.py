"""Rows of items gathered batch by batch, and made into sets at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.core.errors import BadInput
from sfumato.core.words import several
from sfumato.data.sets import Sets, item_type
from sfumato.kernels.ancestors import with_ancestors
from sfumato.kernels.row_order import MOST_ITEMS, closed_up, tidy_rows
from sfumato.kernels.rows import item_counts

TRUE, FALSE = {"true", "1", "yes"}, {"false", "0", "no"}
PLAIN = "give texts, numbers, dates, or true and false"
Ancestors = Mapping[str, Sequence[str]]


class Collector:
    """Items by number in the order in which they were met; rows as they came."""

    def __init__(self, workers: int = 1) -> None:
        self._workers = workers
        self._number: dict[str, int] = {}
        self._lengths: list[NDArray[np.int64]] = []
        self._items: list[NDArray[Any]] = []

    @property
    def width(self) -> Any:
        """The type that holds the items met so far."""
        return item_type(len(self._number))

    def codes(self, items: pa.ChunkedArray | pa.Array) -> NDArray[Any]:
        """Present items as numbers."""
        coded = encoded(items)
        place = self._places(coded.dictionary)
        return np.asarray(place.astype(self.width)[np.asarray(coded.indices)])

    def _places(self, values: pa.Array) -> NDArray[np.int64]:
        """Numbers of some items; new ones get the next. Entries that no row has count as met."""
        texts, number = texts_of(values), self._number
        found = np.array([number.setdefault(text, len(number)) for text in texts], np.int64)
        if len(number) > MOST_ITEMS:
            raise BadInput(
                f"there are more than {MOST_ITEMS:,} different items",
                "join rare ones to wider ones",
            )
        return found

    def add_lists(self, column: pa.ChunkedArray, name: str) -> None:
        """A column of lists, a row per person."""
        kind = column.type
        if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
            raise BadInput(
                f"column '{name}' holds no lists", "give person and item for a row per item"
            )
        for lists in column.chunks:
            sizes = np.asarray(pc.list_value_length(lists).fill_null(0)).astype(np.int64)
            inner = without_nan(lists.flatten())
            if inner.null_count:
                gone = np.asarray(pc.is_null(inner))
                row = np.repeat(np.arange(len(sizes)), sizes)
                sizes = sizes - np.bincount(row[gone], minlength=len(sizes))
                inner = inner.drop_null()
            self._lengths.append(sizes)
            self._items.append(self.codes(inner))

    def add_numbers(self, lengths: NDArray[np.int64], numbers: NDArray[np.int64]) -> None:
        """Rows of whole numbers that name items."""
        self._lengths.append(lengths)
        self._items.append(self.codes(pa.array(numbers)))

    def add_flags(self, flags: pa.Table) -> None:
        """A column per item, true where the person has it."""
        held = np.column_stack([_flags(flags.column(name), name) for name in flags.column_names])
        place = self._places(pa.array(flags.column_names))
        self._lengths.append(held.sum(axis=1).astype(np.int64))
        self._items.append(place[np.nonzero(held)[1]].astype(self.width))

    def add_values(self, names: pa.Table) -> None:
        """A column per part of a record, each with the name of an item or without a value."""
        present = np.column_stack([np.asarray(pc.is_valid(column)) for column in names.columns])
        items = np.zeros(present.shape, np.int64)
        for place, column in enumerate(names.columns):
            items[present[:, place], place] = self.codes(column.drop_null())
        self._lengths.append(present.sum(axis=1).astype(np.int64))
        self._items.append(items[present].astype(self.width))

    def take(self, start: NDArray[np.int64], items: NDArray[Any]) -> None:
        """Rows that are whole already."""
        self._lengths.append(np.diff(start))
        self._items.append(items)

    def finish(self, ancestors: Ancestors | None = None) -> Sets:
        """All rows; items numbered by name, ascending in a row, each once; each is worth 1."""
        lengths = np.concatenate([np.zeros(1, np.int64), *self._lengths])
        start = np.cumsum(lengths)
        items = _joined(self._items, self.width)
        if ancestors is not None:
            start, items = self._with_ancestors(start, items, ancestors)
        used = np.flatnonzero(item_counts(items, len(self._number)))
        met = list(self._number)
        names = sorted(met[place] for place in used.tolist())
        rank = np.zeros(len(met), self.width)
        rank[[self._number[name] for name in names]] = np.arange(len(names))
        left = self._tidied(start, items, rank)
        if not np.array_equal(left, np.diff(start)):
            start, items = closed_up(start, items, left)
        return Sets(
            start,
            items.astype(item_type(len(names)), copy=False),
            pa.array(names, pa.string()),
            np.ones(len(names)),
        )

    def _tidied(
        self, start: NDArray[np.int64], items: NDArray[Any], rank: NDArray[Any]
    ) -> NDArray[np.int64]:
        """Rows put in order in place, by several threads; how many items each has left."""
        edges = np.linspace(0, len(start) - 1, 8 * self._workers + 1).astype(np.int64)
        with ThreadPoolExecutor(self._workers) as pool:
            parts = pool.map(lambda ends: tidy_rows(start, items, rank, *ends), pairwise(edges))
            return np.concatenate(list(parts))

    def _with_ancestors(
        self, start: NDArray[np.int64], items: NDArray[Any], ancestors: Ancestors
    ) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Everybody who has an item has what it is a kind of, too."""
        held = item_counts(items, len(self._number)) > 0
        used = [name for name, here in zip(self._number, held, strict=True) if here]
        if lacking := sum(name not in ancestors for name in used):
            raise BadInput(
                f"source.hierarchy lacks {several(lacking, 'item')} that people have",
                "add a line for each",
            )
        kinds = [ancestors.get(name, ()) for name in self._number]
        above = [self._places(pa.array(names, pa.string())) for names in kinds]
        above += [np.empty(0, np.int64)] * (len(self._number) - len(above))
        ends = np.cumsum([0, *map(len, above)]).astype(np.int64)
        wide = items.astype(self.width, copy=False)
        return with_ancestors(start, wide, ends, np.concatenate(above).astype(self.width))


def encoded(values: pa.ChunkedArray | pa.Array) -> pa.DictionaryArray:
    """Values as places in a dictionary; lists and records are no values."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_dictionary(values.type):
        return values
    try:
        return values.dictionary_encode()
    except pa.ArrowNotImplementedError:
        raise BadInput("items or people are no plain values", PLAIN) from None


def texts_of(values: pa.Array) -> list[str]:
    """Values as the names of items."""
    try:
        return list(values.cast(pa.string()).to_pylist())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise BadInput("items are no plain values", PLAIN) from None


def without_nan(values: Any) -> Any:
    """Numbers with NaN as missing, which it is."""
    if pa.types.is_dictionary(values.type) and pa.types.is_floating(values.type.value_type):
        values = values.cast(values.type.value_type)
    if not pa.types.is_floating(values.type):
        return values
    return pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)


def _joined(parts: list[NDArray[Any]], width: Any) -> NDArray[Any]:
    """All parts as one array of one type; each is let go as soon as it is copied."""
    whole = np.empty(sum(map(len, parts)), width)
    end = len(whole)
    while parts:
        part = parts.pop()
        whole[end - len(part) : end] = part
        end -= len(part)
    return whole


def _flags(column: pa.ChunkedArray, name: str) -> NDArray[np.bool_]:
    """A column of true and false, or of 1 and 0; missing is false."""
    if pa.types.is_boolean(column.type):
        return np.asarray(column.fill_null(False))
    try:
        texts = pc.utf8_lower(without_nan(column).cast(pa.string()))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        texts = pa.chunked_array([pa.array([""] * len(column))])
    yes, no = (pa.array(sorted(words)) for words in (TRUE, FALSE))
    held = np.asarray(pc.is_in(texts, value_set=yes).combine_chunks())
    other = ~held & ~np.asarray(pc.is_in(texts, value_set=no)) & ~np.asarray(pc.is_null(texts))
    if other.any():
        raise BadInput(
            f"column '{name}' has {several(int(other.sum()), 'value')} that are neither 0 nor 1",
            "give the column a role in the schema, or make it 0 and 1",
        )
    return held
