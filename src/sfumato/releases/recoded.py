"""Form Recoded: groups of records, one set of possible values per group and quasi-identifier."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.releases.cells import Cells


@dataclass(frozen=True, eq=False)
class Recoded:
    """Records in groups; `records` holds the sensitive and kept columns, row by row, exact.

    `group[i]` is the group of record i. After sealing, records are ordered by group.
    """

    cells: dict[str, Cells]
    group: NDArray[np.int32]
    groups: int
    records: Table

    @property
    def rows(self) -> int:
        """Records published."""
        return len(self.group)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Records per group."""
        return np.bincount(self.group, minlength=self.groups).astype(np.int64)


def seal(content: Recoded) -> tuple[Recoded, NDArray[np.int64]]:
    """Sort everything by what is published, so that no order tells where a record came from.

    Groups are renumbered by their cells (equal cells, which nobody outside can tell apart, by size
    and members); records follow by group, then by their own published values. Also returns, for the
    owner, which record of the input each published record was.
    """
    digest = _content(content)
    keys = [digest, content.sizes, *(cells.rank() for cells in reversed(content.cells.values()))]
    order = np.lexsort(keys)
    renumbered = np.empty(content.groups, np.int32)
    renumbered[order] = np.arange(content.groups, dtype=np.int32)
    group = renumbered[content.group]
    rows = _sorted_rows(group, content.groups, content.records)
    cells = {name: cells.take(order) for name, cells in content.cells.items()}
    return Recoded(cells, group[rows], content.groups, content.records.take(rows)), rows


def _content(content: Recoded) -> NDArray[np.uint64]:
    """A number per group that depends on its members' published values, not on their order."""
    row = np.zeros(content.rows, np.uint64)
    for column in content.records.columns.values():
        row = (row ^ column.codes.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        row ^= row >> np.uint64(29)
    total = np.zeros(content.groups, np.uint64)
    np.add.at(total, content.group, row)
    return total


def _sorted_rows(group: NDArray[np.int32], groups: int, records: Table) -> NDArray[np.int64]:
    """Rows by group, then by the codes of their columns; one packed key where 64 bits suffice."""
    columns = list(records.columns.values())
    bits = [max(1, (column.size - 1).bit_length()) for column in columns]
    if sum(bits) + groups.bit_length() > 63:
        return np.lexsort([*(column.codes for column in reversed(columns)), group])
    key = group.astype(np.int64)
    for column, width in zip(columns, bits, strict=True):
        key = (key << width) | column.codes
    return np.argsort(key, kind="stable")
