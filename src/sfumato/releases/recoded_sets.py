"""Form Recoded for sets: what is published of every record is some of its items.

An item that is shown is certain; one that is not shown is unknown, not absent. Records of which the
same items are published are one group: nobody can tell them apart. A group is *tight* if its set is
all that its members have in common, so that of every item not shown some member has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.sets import Sets
from sfumato.data.table import Table
from sfumato.kernels.row_order import row_ranks
from sfumato.kernels.rows import members_of
from sfumato.releases.recoded import sorted_rows

ITEMS = "items"  # the column that groups are about


@dataclass(frozen=True, eq=False)
class RecodedSets:
    """Row g of `sets` is what is published of the records of group g; record i is in `group[i]`.

    `records` holds the sensitive and kept columns, row by row, exact.
    """

    sets: Sets
    group: NDArray[np.int32]
    tight: bool
    records: Table

    @property
    def rows(self) -> int:
        """Records published."""
        return len(self.group)

    @property
    def groups(self) -> int:
        """Different sets published."""
        return self.sets.rows

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Records per group."""
        return np.bincount(self.group, minlength=self.groups).astype(np.int64)

    @property
    def worth(self) -> NDArray[np.float64]:
        """Utility that a record of each group shows."""
        return self.sets.worth


def seal(content: RecodedSets) -> tuple[RecodedSets, NDArray[np.int64]]:
    """Groups of equal sets become one, and everything is sorted by what is published.

    Items that no group shows are not listed: that somebody has one is nobody's business. Groups
    are numbered by their sets, records follow by group, then by their own published values. Also
    returns, for the owner, which record of the input each published record was.
    """
    used = np.flatnonzero(content.sizes)
    sets = content.sets.take(used).listed()
    rank = row_ranks(sets.held)
    first = np.unique(rank, return_index=True)[1]
    renumbered = np.empty(content.groups, np.int32)
    renumbered[used] = rank
    group = renumbered[content.group]
    rows = _ordered(group, len(first), content.records)
    sealed = RecodedSets(sets.take(first), group[rows], content.tight, content.records.take(rows))
    return sealed, rows


def _ordered(group: NDArray[np.int32], groups: int, records: Table) -> NDArray[np.int64]:
    if records.columns:
        return sorted_rows(group, groups, records)
    return members_of(group, groups)[1].astype(np.int64)
