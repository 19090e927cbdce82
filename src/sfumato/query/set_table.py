"""A release of sets made ready for many questions: who shows an item, and exact columns."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import Refused
from sfumato.query.likely_items import LikelyItems
from sfumato.query.normal import Tree, every, normal
from sfumato.query.plan import Condition, Literal, item_of
from sfumato.query.readings import Reading
from sfumato.query.records import KnownColumn, Records
from sfumato.releases.release import Release


class SetTable:
    """Items, known by what groups show, and exact columns, known record by record."""

    items = True

    def __init__(self, release: Release) -> None:
        self.content = release.sets
        self.columns = self.content.records.names
        self.records = Records(self.content.records, self.content.group, self.content.sizes)

    def known(self, name: str) -> bool:
        """Whether a column is published record by record."""
        return item_of(name) is None

    def column(self, name: str) -> KnownColumn:
        """One exact column as conditions see it."""
        return self.records[name]

    def read(self, name: str, literal: Literal) -> Reading:
        """How a literal makes the values of a column read; items are asked for with has()."""
        if not self.known(name):
            raise Refused("an item is compared with a value", "ask has('item')")
        return self.records[name].reading

    def tree(self, condition: Condition | None) -> Tree:
        """A condition as regions of this table's columns."""
        return normal(condition, self.read, self.known)

    def joined(self, *parts: Tree) -> Tree:
        """Several conditions at once."""
        return every(parts, self.known)

    @cached_property
    def _classes(self) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int64]]:
        found = np.unique(self.content.sizes, return_inverse=True, return_counts=True)
        return found[0], found[1].astype(np.int32), found[2]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Sizes that groups have."""
        return self._classes[0]

    @property
    def size_class(self) -> NDArray[np.int32]:
        """Which of the sizes every group has."""
        return self._classes[1]

    @cached_property
    def likely(self) -> LikelyItems:
        """Chances of items that are not shown."""
        return LikelyItems(self.sizes, self._classes[2], self.content.tight)

    def showing(self, item: str) -> NDArray[np.int32]:
        """The groups that show an item."""
        sets = self.content.sets
        place = sets.number.get(item)
        if place is None:
            return np.empty(0, np.int32)
        start, groups = sets.postings
        return groups[start[place] : start[place + 1]]
