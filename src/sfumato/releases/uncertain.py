"""Form Uncertain for sets: every record is one of several possible ones, its worlds.

Of a record are published a base, the items in which it may differ from the base, and a threshold:
the largest number of items in which it does. An item that is not open is certain: the record has it
if the base has it. Every subset of the open items with at most `threshold` of them, exchanged in
the base, is a world; the record is one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.sets import Sets
from sfumato.data.table import Table
from sfumato.kernels.row_order import row_ranks
from sfumato.kernels.rows import Rows
from sfumato.kernels.rows_distinct import joined_rows

ITEMS = "items"  # the column that worlds are about


@dataclass(frozen=True, eq=False)
class Uncertain:
    """Row p of `base` and of `open`, and threshold[p], are the worlds of record p.

    Items of both are numbered by the names of `base`. `records` holds the sensitive and kept
    columns, row by row, exact.
    """

    base: Sets
    open: Rows
    threshold: NDArray[np.int32]
    records: Table

    @property
    def rows(self) -> int:
        """Records published."""
        return len(self.threshold)

    @property
    def groups(self) -> int:
        """Every record is published by itself."""
        return self.rows

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Every record is published by itself."""
        return np.ones(self.rows, np.int64)

    @cached_property
    def opened(self) -> NDArray[np.int64]:
        """Items in which each record may differ from its base."""
        return np.diff(self.open.start)

    @cached_property
    def log_worlds(self) -> NDArray[np.float64]:
        """Logarithm to the base 2 of the number of worlds of each record.

        >>> import pyarrow as pa
        >>> nothing = Rows(np.array([0, 0]), np.empty(0, np.uint16))
        >>> two = Rows(np.array([0, 2]), np.array([0, 1], np.uint16))
        >>> base = Sets(*nothing, pa.array(["a", "b"]), np.ones(2))
        >>> Uncertain(base, two, np.array([1], np.int32), Table({}, 1)).log_worlds.round(3)
        array([1.585])
        """
        pairs, which = np.unique(
            np.column_stack([self.opened, self.threshold]), axis=0, return_inverse=True
        )
        number = [sum(comb(int(m), i) for i in range(int(t) + 1)) for m, t in pairs]
        return np.array([_log2(many) for many in number])[which.ravel()]

    def take(self, order: NDArray[np.int64]) -> Uncertain:
        """Some records, in the order given."""
        opened = Sets(*self.open, self.base.names, self.base.utility).take(order)
        base = self.base.take(order)
        return Uncertain(base, opened.held, self.threshold[order], self.records.take(order))


def _log2(number: int) -> float:
    """Of whole numbers of any size."""
    shift = max(0, number.bit_length() - 60)
    return float(np.log2(number >> shift)) + shift


def seal(content: Uncertain) -> tuple[Uncertain, NDArray[np.int64]]:
    """Sort records by what is published of them, so that no order tells where one came from.

    By base, open items, threshold, then their own published values; items are those that occur,
    numbered in the order of their names. Also returns, for the owner, which record of the input
    each published one was.
    """
    listed = _listed(content)
    columns = [column.codes for column in content.records.columns.values()]
    worlds = (row_ranks(listed.base.held), row_ranks(listed.open), listed.threshold)
    keys: list[NDArray[Any]] = [*worlds, *columns]
    order = np.lexsort(tuple(keys[::-1])).astype(np.int64)
    return listed.take(order), order


def _listed(content: Uncertain) -> Uncertain:
    """The same over the items that some record may have."""
    base, rows = content.base, content.rows
    both = joined_rows([base.held, content.open], base.held)
    sets = Sets(*both, base.names, base.utility).listed()
    cut = int(sets.indptr[rows])
    first = Sets(sets.indptr[: rows + 1], sets.items[:cut], sets.names, sets.utility)
    opened = Rows(sets.indptr[rows:] - cut, sets.items[cut:])
    return Uncertain(first, opened, content.threshold, content.records)
