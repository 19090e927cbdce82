"""Sets of items: what people bought, watched, belong to; one row of items per record.

Rows are compressed: record r holds `items[indptr[r] : indptr[r + 1]]`, ascending, each item once.
Items are small integers; their names and utilities lie beside. What else is known of a record (a
label nobody should learn, columns kept as they are) is an ordinary table, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.data.table import Table

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
        return np.bincount(self.items, minlength=self.domain).astype(np.int64)

    @property
    def total(self) -> float:
        """The utility of everything in it."""
        return float(self.counts @ self.utility)


@dataclass(frozen=True, eq=False)
class Holders:
    """People who hold sets of items, ready to be published: what a method for sets gets.

    `records` has the sensitive and kept columns that the schema names, row by row.
    """

    sets: Sets
    schema: Schema = field(default_factory=lambda: Schema(()))
    records: Table = field(default_factory=lambda: Table({}, 0))
