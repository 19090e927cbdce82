"""Form Recoded: groups of records, one set of possible values per group and quasi-identifier."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.releases.cells import Cells, run_ranks


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

    Groups are renumbered by their cells; groups with equal cells, which nobody outside can tell
    apart, by size and then by their records. Records follow by group, then by their own published
    values. Also returns, for the owner, which record of the input each published record was.
    """
    rows = sorted_rows(content.group, content.groups, content.records)
    order = group_order(content, rows)
    renumbered = np.empty(content.groups, np.int32)
    renumbered[order] = np.arange(content.groups, dtype=np.int32)
    group = renumbered[content.group]
    rows = rows[np.argsort(group[rows], kind="stable")]
    cells = {name: cells.take(order) for name, cells in content.cells.items()}
    return Recoded(cells, group[rows], content.groups, content.records.take(rows)), rows


def group_order(content: Recoded, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Groups by cells, size and records; `rows` are those of group 0, of group 1, and so on."""
    keys = [content.sizes, *(cells.rank() for cells in reversed(content.cells.values()))]
    order = np.lexsort(keys)
    same = np.all([key[order][1:] == key[order][:-1] for key in keys], axis=0)
    tied = np.unique(np.concatenate([order[1:][same], order[:-1][same]]))
    members = np.zeros(content.groups, np.int64)
    if len(tied):
        ends = np.cumsum(content.sizes)
        record = record_ranks(content.records, content.rows)[rows]
        members[tied] = run_ranks((ends - content.sizes)[tied], ends[tied], record)
    return np.lexsort([members, *keys])


def record_ranks(records: Table, rows: int) -> NDArray[np.int64]:
    """Equal records, equal number; ordered by the values of their columns in turn."""
    rank = np.zeros(rows, np.int64)
    for column in records.columns.values():
        rank = np.unique(rank * column.size + column.codes, return_inverse=True)[1]
    return rank


def sorted_rows(group: NDArray[np.int32], groups: int, records: Table) -> NDArray[np.int64]:
    """Rows by group, then by the codes of their columns, then by place.

    Where 64 bits suffice, key and place are sorted as one number: four times as fast as sorting
    places by key.
    """
    columns = list(records.columns.values())
    bits = [max(1, (column.size - 1).bit_length()) for column in columns]
    place = len(group).bit_length()
    if sum(bits) + groups.bit_length() + place > 63:
        return np.lexsort([*(column.codes for column in reversed(columns)), group])
    key = group.astype(np.int64)
    for column, width in zip(columns, bits, strict=True):
        key = (key << width) | column.codes
    key = (key << place) | np.arange(len(group))
    key.sort()
    return np.asarray(key & ((1 << place) - 1))
