"""Sets as files: lists in Parquet, pairs in CSV; written piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from sfumato.data.sets import Sets

ROWS = 1 << 18
QUOTING = pacsv.WriteOptions(quoting_style="needed")


def write_sets(sets: Sets, path: Path) -> None:
    """A row per person with a list of items (.parquet), or a row per person and item (.csv).

    In a CSV, who has nothing has one row without an item.
    """
    schema = pa.schema({"person": pa.int64(), "items": pa.list_(pa.string())})
    if path.suffix == ".parquet":
        with pq.ParquetWriter(path, schema) as lists:
            for part in pieces(sets):
                lists.write_table(part.cast(schema))
        return
    pairs = pa.schema({"person": pa.int64(), "item": pa.string()})
    with pacsv.CSVWriter(path, pairs, write_options=QUOTING) as lines:
        for part in pieces(sets):
            lines.write_table(_pairs(part))


def _pairs(part: pa.Table) -> pa.Table:
    """A row per person and item; who has nothing has one row without an item."""
    lists = part.column("items").combine_chunks()
    nobody = np.flatnonzero(np.asarray(pc.list_value_length(lists)) == 0)
    row = np.concatenate([np.asarray(lists.value_parent_indices()), nobody])
    items = lists.flatten().cast(pa.string())
    held = pa.concat_arrays([items, pa.nulls(len(nobody), pa.string())])
    order = np.argsort(row, kind="stable")
    return pa.table({"person": part.column("person").take(row[order]), "item": held.take(order)})


def pieces(sets: Sets) -> Iterator[pa.Table]:
    """People and lists of items, some rows at a time."""
    for first in range(0, max(1, sets.rows), ROWS):
        end = min(first + ROWS, sets.rows)
        start = sets.indptr[first : end + 1]
        codes = pa.array(sets.items[start[0] : start[-1]].astype(np.int32))
        items = pa.DictionaryArray.from_arrays(codes, sets.names)
        lists = pa.ListArray.from_arrays((start - start[0]).astype(np.int32), items)
        yield pa.table({"person": np.arange(first + 1, end + 1), "items": lists})


def write_utilities(sets: Sets, path: Path) -> None:
    """What each item is worth, as the sources of jobs read it."""
    pacsv.write_csv(pa.table({"item": sets.names, "utility": sets.utility}), path, QUOTING)
