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
STATED = (
    "hard bounds over possible worlds; estimate: a record differs from its base in 2/3 of its "
    "threshold, in any open items"
)
TYPICAL = 2 / 3  # of the threshold: measured .5 to .8 on four data sets, k = 8 and 16
LEVELS = 64  # chances that an open item differs are rounded to so many


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

    @cached_property
    def levels(self) -> Ints:
        """How likely a record differs from its base in one of its open items, in LEVELS."""
        content = self.content
        share = TYPICAL * content.threshold / np.maximum(1, content.opened)
        return np.rint(LEVELS * share).astype(np.int64)

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
    """How many a condition selects: bounds, and what to expect."""

    least: int
    most: int
    expected: float


class WorldScope(SetCondition):
    """How many people of a table satisfy a condition."""

    def __init__(self, table: WorldTable, tree: Tree) -> None:
        super().__init__(tree, table.known)
        self.table = table

    @cached_property
    def count(self) -> Found:
        """Bounds that some choice of worlds reaches: worlds of different records are independent.

        Records of which base, open items among those asked for, how many of these may differ and
        how likely, and exact columns are the same are looked at once.
        """
        states, width = self._states(), len(self.items)
        bits = np.zeros(1 << width, np.int64)
        for bit in range(width):
            bits[1 << bit : 2 << bit] = bits[: 1 << bit] + 1
        states[2] = np.minimum(self.table.content.threshold, bits[states[1]])
        sizes = (1 << width, 1 << width, width + 1, LEVELS + 1, 1 << len(self.exact))
        key = np.ravel_multi_index(tuple(states), sizes)
        kinds, many = np.unique(key, return_counts=True)
        base, opened, change, level, fit = np.unravel_index(kinds, sizes)
        chance = level / LEVELS
        some, sure = self.truth[base, fit], self.truth[base, fit]
        weight = (1 - chance) ** bits[opened]
        told = some * weight
        for flip in range(1, 1 << width):  # the base itself is always a world
            may = ((flip & opened) == flip) & (bits[flip] <= change)
            true = self.truth[base ^ flip, fit]
            some, sure = some | (may & true), sure & (~may | true)
            kept = np.maximum(0, bits[opened] - bits[flip])
            odds = may * chance ** bits[flip] * (1 - chance) ** kept
            weight, told = weight + odds, told + odds * true
        expected = float((many * told / weight).sum())
        return Found(int(many[sure].sum()), int(many[some].sum()), expected)

    def _states(self) -> Ints:
        """Of every record: items of the base and open ones as bits, how many of these may differ
        (left open here), how likely each does, and as bits which exact parts fit."""
        states = np.zeros((5, self.table.content.rows), np.int64)
        base, opened, fits = states[0], states[1], states[4]
        states[3] = self.table.levels
        for bit, column in enumerate(self.items):
            item = item_of(column) or ""
            base[self.table.based(item)] |= 1 << bit
            opened[self.table.opened(item)] |= 1 << bit
        for bit, tree in enumerate(self.exact):
            fits |= self.table.records.mask(tree).astype(np.int64) << bit
        return states


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
    return aggregates.count(wanted.name, found.least, found.most, found.expected, STATED)
