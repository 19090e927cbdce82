"""Lists of items on disk, and the table of items that they are numbers of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.errors import BadRelease
from sfumato.data.sets import Sets, item_type
from sfumato.kernels.rows import Rows

ITEM, NAME, UTILITY = "item", "name", "utility"
ITEM_TYPES = {ITEM: pa.int32(), NAME: pa.string(), UTILITY: pa.float64()}


def items_table(sets: Sets) -> pa.Table:
    """One row per item."""
    number = np.arange(sets.domain, dtype=np.int32)
    return pa.table({ITEM: number, NAME: sets.names, UTILITY: sets.utility})


def list_column(rows: Rows) -> pa.Array:
    """Rows of items as lists of their numbers."""
    return pa.ListArray.from_arrays(
        pa.array(rows.start.astype(np.int32)), pa.array(rows.items.astype(np.int32))
    )


def read_items(items: pa.Table) -> tuple[pa.Array, NDArray[np.float64]]:
    """Names and utilities of the items, numbered from 0 on."""
    utility = np.asarray(items.column(UTILITY))
    number = ints(items, "items", ITEM)
    require(np.array_equal(number, np.arange(len(number))), "items", "not numbered from 0 on")
    require(items.column(NAME).null_count == 0, "items", "an item has no name")
    fine = items.column(UTILITY).null_count == 0 and np.isfinite(utility).all()
    require(fine and (utility >= 0).all(), "items", "a utility is no number from 0 up")
    return items.column(NAME).combine_chunks(), utility


def read_rows(table: pa.Table, part: str, column: str, domain: int) -> Rows:
    """A column of lists of items, all of which exist."""
    require(table.column(column).null_count == 0, part, f"a row has no list of {column}")
    lists = table.column(column).combine_chunks()
    inner = lists.flatten()
    require(inner.null_count == 0, part, "an item is not given")
    held = np.asarray(inner)
    fits = len(held) == 0 or (held.min() >= 0 and held.max() < domain)
    require(fits, part, "an item does not exist")
    start = np.concatenate([[0], np.cumsum(np.asarray(lists.value_lengths()))]).astype(np.int64)
    return Rows(start, held.astype(item_type(domain)))


def ints(table: pa.Table, part: str, name: str) -> NDArray[Any]:
    """A column of whole numbers, all given."""
    column = table.column(name)
    require(column.null_count == 0, part, f"a {name} is not given")
    return np.asarray(column)


def require(holds: Any, part: str, what: str) -> None:
    """Refuse a data file in which something does not hold."""
    if not holds:
        raise BadRelease(f"data/{part} is damaged: {what}", "get it again")
