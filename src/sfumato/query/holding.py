"""Sets of which everything is known: who has an item is read off."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import Refused
from sfumato.data.sets import Holders, Sets
from sfumato.query.plan import Literal, item_of
from sfumato.query.readings import Reading
from sfumato.query.records import KnownColumn, Records, Rows
from sfumato.query.regions import Region


class HeldColumn:
    """An item as a column: 1 for those who have it."""

    def __init__(self, held: NDArray[np.bool_]) -> None:
        self.held = held

    def mask(self, region: Region, rows: Rows) -> NDArray[np.uint8]:
        """1 for every one of some records that lies in the region."""
        inside = np.array([region.missing, region.first])
        return inside.astype(np.uint8)[self.held[rows].astype(np.int8)]


class HeldRecords(Records):
    """Exact columns, and a column for every item, made when it is asked for."""

    def __init__(self, holders: Holders) -> None:
        one = np.zeros(holders.rows, np.int32)
        super().__init__(holders.table, one, np.array([holders.rows], np.int64))
        self._sets = holders.sets

    def __getitem__(self, name: str) -> Any:
        item = item_of(name)
        return super().__getitem__(name) if item is None else HeldColumn(holding(self._sets, item))


def holding(sets: Sets, item: str) -> NDArray[np.bool_]:
    """Which records have an item."""
    held = np.zeros(sets.rows, np.bool_)
    place = sets.number.get(item)
    if place is not None:
        start, rows = sets.postings
        held[rows[start[place] : start[place + 1]]] = True
    return held


class KnownSets:
    """Sets and columns of people of which everything is known."""

    items = True
    records: Records

    def __init__(self, holders: Holders) -> None:
        self.records = HeldRecords(holders)
        self.columns = holders.table.names

    def known(self, name: str) -> bool:
        """Everything is."""
        return True

    def column(self, name: str) -> KnownColumn:
        """One column as conditions see it."""
        return self.records[name]

    def read(self, name: str, literal: Literal) -> Reading:
        """How a literal makes the values of a column read; items are asked for with has()."""
        if item_of(name) is not None:
            raise Refused("an item is compared with a value", "ask has('item')")
        return self.records[name].reading
