"""Columns of an ordinary table as items: every value of a column is an item that people have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core.errors import BadInput, BadJob
from sfumato.io.collect import encoded, texts_of, without_nan


def check_buckets(buckets: Mapping[str, float], columns: Sequence[str]) -> None:
    """Refuse ranges for columns that are no items, and ranges of no width."""
    if not isinstance(buckets, Mapping):
        raise BadJob("source.buckets is no widths by column", 'such as {"age": 10}')
    for name, width in buckets.items():
        if name not in columns:
            raise BadJob(
                f"source.buckets.{name} is for a column that holds no items",
                "ranges are for columns without a role in the schema",
            )
        plain = isinstance(width, int | float) and not isinstance(width, bool)
        if not (plain and math.isfinite(width) and width > 0):
            raise BadJob(f"source.buckets.{name} is {width!r}", "give a width above 0")


def valued(columns: pa.Table, buckets: Mapping[str, float]) -> pa.Table:
    """Every present value as the name of an item, "column = value"; numbers in ranges if asked."""
    found = {
        name: _named(name, _in_range(name, column, buckets[name]) if name in buckets else column)
        for name, column in zip(columns.column_names, columns.columns, strict=True)
    }
    return pa.table(found)


def _named(name: str, column: pa.ChunkedArray) -> pa.DictionaryArray:
    coded = encoded(without_nan(column))
    texts = [None if v is None else f"{name} = {v}" for v in texts_of(coded.dictionary)]
    return pa.DictionaryArray.from_arrays(coded.indices, pa.array(texts, pa.string()))


def _in_range(name: str, column: pa.ChunkedArray, width: float) -> pa.ChunkedArray:
    """Numbers as the ranges from a multiple of the width to the next, "20 to 30"; 30 is beyond."""
    try:
        column = without_nan(column.cast(pa.float64()))
        numbers = np.asarray(column.drop_null())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        numbers = np.array([np.inf])
    if not np.isfinite(numbers).all():
        raise BadInput(
            f"column '{name}' has values that are no numbers", "it has ranges under source.buckets"
        )
    steps = np.floor(numbers / width)
    different, place = np.unique(steps, return_inverse=True)
    ranges = pa.array([f"{step * width:.12g} to {(step + 1) * width:.12g}" for step in different])
    codes = np.zeros(len(column), np.int64)
    missing = np.asarray(pc.is_null(column))
    codes[~missing] = place
    coded = pa.DictionaryArray.from_arrays(pa.array(codes, mask=missing), ranges)
    return pa.chunked_array([coded])
