"""Answering on worlds: how many people have, and lack, some items, whichever world is theirs."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer
from sfumato.core.errors import Refused
from sfumato.data.sets import Sets
from sfumato.query import aggregates
from sfumato.query.kept import Kept
from sfumato.query.normal import Leaf, Tree, every, normal
from sfumato.query.plan import Aggregate, Condition, Literal, item_of
from sfumato.query.readings import Reading
from sfumato.query.records import KnownColumn, Records
from sfumato.query.regions import PRESENT
from sfumato.query.set_condition import SetCondition
from sfumato.releases.release import Release

Ints = NDArray[np.int64]
STATED = "hard bounds over possible worlds; estimate: every record is its base"


class WorldTable:
    """Items, known by base, open items and threshold, and exact columns, known record by record."""

    items = True

    def __init__(self, release: Release) -> None:
        self.content = release.worlds
        self.columns = self.content.records.names
        number = np.arange(self.content.rows, dtype=np.int32)
        self.records = Records(self.content.records, number, self.content.sizes)

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
    def _open(self) -> Sets:
        base = self.content.base
        return Sets(*self.content.open, base.names, base.utility)

    def based(self, item: str) -> NDArray[np.int32]:
        """Records whose base has an item."""
        return _holding(self.content.base, self._number(item))

    def opened(self, item: str) -> NDArray[np.int32]:
        """Records that may differ from their base in an item."""
        return _holding(self._open, self._number(item))

    def _number(self, item: str) -> int | None:
        return self.content.base.number.get(item)


def _holding(sets: Sets, place: int | None) -> NDArray[np.int32]:
    if place is None:
        return np.empty(0, np.int32)
    start, rows = sets.postings
    return rows[start[place] : start[place + 1]]


class Found(NamedTuple):
    """How many a condition selects: bounds, and by the bases."""

    least: int
    most: int
    based: int


class WorldScope(SetCondition):
    """How many people of a table satisfy a condition."""

    def __init__(self, table: WorldTable, tree: Tree) -> None:
        super().__init__(tree, table.known)
        self.table = table

    @cached_property
    def count(self) -> Found:
        """Bounds that some choice of worlds reaches: worlds of different records are independent.

        Records of which base, open items among those asked for, how many of these may differ, and
        exact columns are the same are looked at once.
        """
        base, opened, fits = self._states()
        width = len(self.items)
        bits = np.zeros(1 << width, np.int64)
        for bit in range(width):
            bits[1 << bit : 2 << bit] = bits[: 1 << bit] + 1
        change = np.minimum(self.table.content.threshold, bits[opened]).astype(np.int64)
        key = ((base << width | opened) << 4 | change) << len(self.exact) | fits
        kinds, many = np.unique(key, return_counts=True)
        fit = kinds & ((1 << len(self.exact)) - 1)
        state = kinds >> len(self.exact)
        change, state = state & 15, state >> 4
        base, opened = state >> width, state & ((1 << width) - 1)
        some, sure = self.truth[base, fit], self.truth[base, fit]
        for flip in range(1, 1 << width):  # the base itself is always a world
            may = ((flip & opened) == flip) & (bits[flip] <= change)
            true = self.truth[base ^ flip, fit]
            some, sure = some | (may & true), sure & (~may | true)
        based = self.truth[base, fit]
        return Found(int(many[sure].sum()), int(many[some].sum()), int(many[based].sum()))

    def _states(self) -> tuple[Ints, Ints, Ints]:
        """Of every record, as bits: items of the base, open items, exact parts that fit."""
        rows = self.table.content.rows
        base, opened, fits = (np.zeros(rows, np.int64) for _ in range(3))
        for bit, column in enumerate(self.items):
            item = item_of(column) or ""
            base[self.table.based(item)] |= 1 << bit
            opened[self.table.opened(item)] |= 1 << bit
        for bit, tree in enumerate(self.exact):
            fits |= self.table.records.mask(tree).astype(np.int64) << bit
        return base, opened, fits


class WorldScopes:
    """The scopes of a table by condition; the latest are kept."""

    def __init__(self, table: WorldTable) -> None:
        self.table = table
        self._scopes: Kept[Tree, WorldScope] = Kept(self._scope)

    def _scope(self, tree: Tree) -> WorldScope:
        return WorldScope(self.table, tree)

    def of(self, tree: Tree) -> WorldScope:
        """What a condition may select."""
        return self._scopes[tree]

    def may_select(self, tree: Tree) -> bool:
        """Whether a condition may select anybody."""
        return self.of(tree).count.most > 0


def opened(release: Release) -> WorldScopes:
    """A release of worlds made ready for questions."""
    return WorldScopes(WorldTable(release))


def answer_count(scopes: WorldScopes, tree: Tree, wanted: Aggregate) -> Answer:
    """COUNT(*), and COUNT(column): records that also have a value there."""
    if wanted.column is not None:
        tree = scopes.table.joined(tree, Leaf(wanted.column, PRESENT))
    found = scopes.of(tree).count
    return aggregates.count(wanted.name, found.least, found.most, found.based, STATED)
