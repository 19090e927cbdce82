"""Sets of items: what people bought, watched, belong to; one row of items per record.

Rows are compressed: record r holds `items[indptr[r] : indptr[r + 1]]`, ascending, each item once.
Items are small integers; their names and utilities lie beside. What else is known of a record (a
label nobody should learn, columns kept as they are) is an ordinary table, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.kernels.row_order import postings, taken, tidy_rows
from sfumato.kernels.rows import Rows, item_counts, row_sums

Items = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, eq=False)
class Sets:
    """Rows of items. `items` has the narrowest unsigned type of 16 or 32 bits that holds them."""

    indptr: NDArray[np.int64]
    items: Items
    names: pa.Array
    utility: NDArray[np.float64]

    @property
    def rows(self) -> int:
        """Records."""
        return len(self.indptr) - 1

    @property
    def domain(self) -> int:
        """Items that there are."""
        return len(self.utility)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Items per record."""
        return np.diff(self.indptr)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Records per item."""
        return item_counts(self.items, self.domain)

    @cached_property
    def worth(self) -> NDArray[np.float64]:
        """Utility per record."""
        return row_sums(self.held, self.utility)

    @property
    def total(self) -> float:
        """The utility of everything in it."""
        return float(self.counts @ self.utility)

    @property
    def held(self) -> Rows:
        """The rows as kernels see them."""
        return Rows(self.indptr, self.items)

    @cached_property
    def number(self) -> dict[str, int]:
        """Items by name."""
        return {name: place for place, name in enumerate(self.names.to_pylist())}

    @cached_property
    def postings(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The rows that hold each item: item i has rows[start[i] : start[i + 1]]."""
        return postings(self.held, self.domain)

    def take(self, rows: NDArray[np.int64]) -> Sets:
        """Some rows, in the order given; all items stay."""
        start, items = taken(self.held, rows)
        return Sets(start, items, self.names, self.utility)

    def listed(self) -> Sets:
        """The same rows over the items that occur in them, numbered in the order of their names."""
        used = np.flatnonzero(self.counts)
        names = self.names.take(pa.array(used))
        order = np.asarray(pc.sort_indices(names)).astype(np.int64)
        place = np.zeros(self.domain, item_type(len(used)))
        place[used[order]] = np.arange(len(used))
        items = place[self.items]
        if not np.array_equal(order, np.arange(len(used))):
            tidy_rows(self.indptr, items, np.arange(len(used)).astype(items.dtype), 0, self.rows)
        return Sets(self.indptr, items, names.take(pa.array(order)), self.utility[used[order]])


def item_type(domain: int) -> Any:
    """The narrowest unsigned type of 16 or 32 bits for so many items."""
    return np.uint16 if domain <= 1 << 16 else np.uint32


@dataclass(frozen=True, eq=False)
class Holders:
    """People who hold sets of items, ready to be published: what a method for sets gets.

    `table` has the sensitive and kept columns that the schema names, row by row.
    """

    sets: Sets
    schema: Schema = field(default_factory=lambda: Schema(()))
    table: Table = field(default_factory=lambda: Table({}, 0))
    hierarchies: dict[str, Hierarchy] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.table.columns:
            object.__setattr__(self, "table", Table({}, self.sets.rows))

    @property
    def rows(self) -> int:
        """People."""
        return self.sets.rows

    def take(self, rows: NDArray[np.int64]) -> Holders:
        """Some people, in the order given."""
        return replace(self, sets=self.sets.take(rows), table=self.table.take(rows))
