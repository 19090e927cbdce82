"""Answering on sets: how many people have, and lack, some items."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer
from sfumato.kernels.set_counts import mark, tally_counted, tally_members, tally_patterns
from sfumato.query import aggregates
from sfumato.query.kept import Kept
from sfumato.query.normal import Leaf, Tree
from sfumato.query.plan import Aggregate, item_of
from sfumato.query.regions import PRESENT
from sfumato.query.set_condition import SetCondition
from sfumato.query.set_logic import Ints, chances, expected, lost
from sfumato.query.set_table import SetTable
from sfumato.releases.release import Release

ESTIMATED = (
    "hard bounds; estimate: shares of an item are Beta distributed over groups, items independent "
    "inside a group"
)
SHOWN = "hard bounds; estimate: items that are not shown are taken to be absent"


class Found(NamedTuple):
    """How many a condition selects: bounds, and what to expect."""

    least: int
    most: int
    expected: float


class SetScope(SetCondition):
    """How many people of a table satisfy a condition."""

    def __init__(self, table: SetTable, tree: Tree) -> None:
        super().__init__(tree, table.known)
        self.table = table

    @cached_property
    def count(self) -> Found:
        """How many people satisfy the condition."""
        members, signature = self._members()
        each = members.sum(axis=1)
        yes, no = (chances(truth, len(self.items)) for truth in (self.truth, ~self.truth))
        most = int((each * yes.some).sum())
        least = int(each.sum() - (each * no.some).sum())
        if self.table.content.tight and self.items:
            most -= lost(yes, len(self.items), signature)
            least += lost(no, len(self.items), signature)
        shown = [len(self._showing(item)) for item in self.items]
        likely = np.array([self.table.likely.of(number) for number in shown])
        chance = expected(self.truth, likely.reshape(len(shown), len(self.table.sizes)))
        return Found(least, most, float((members * chance).sum()))

    def _showing(self, column: str) -> NDArray[np.int32]:
        return self.table.showing(item_of(column) or "")

    def _members(self) -> tuple[Ints, Ints]:
        """Members by shown items, size of their group and fit; groups by the fits in them."""
        content, classes = self.table.content, self.table.size_class
        pattern = np.zeros(content.groups, np.int16)
        for bit, column in enumerate(self.items):
            mark(pattern, self._showing(column), 1 << bit)
        shape = np.array([1 << len(self.items), len(self.table.sizes), 1 << len(self.exact)])
        if not self.exact:
            groups = tally_patterns(pattern, classes, shape)
            members = (groups * self.table.sizes)[:, :, None]
            signature = np.zeros((shape[0], 2), np.int64)
            signature[:, 1] = groups.sum(axis=1)
            return members, signature
        counted = self._fits_of_groups()
        if counted is not None:
            return tally_counted(pattern, counted, classes, shape)
        fits = np.zeros(content.rows, np.uint8)
        for bit, tree in enumerate(self.exact):
            fits |= self.table.records.mask(tree) << np.uint8(bit)
        return tally_members(pattern, self.table.records.start, fits, classes, shape)

    def _fits_of_groups(self) -> NDArray[np.int32] | None:
        """Members by how they fit, (fits, groups), where one column of few values decides."""
        leaves = [tree for tree in self.exact if isinstance(tree, Leaf)]
        names = {leaf.column for leaf in leaves}
        if len(leaves) < len(self.exact) or len(names) > 1:
            return None
        [name] = names
        counts = self.table.records.by_group(name)
        if counts is None:
            return None
        values, fits = self.table.records[name].values, np.zeros(len(counts), np.int64)
        for bit, leaf in enumerate(leaves):
            fits |= values.codes(leaf.region).astype(np.int64) << bit
        ways = range(1 << len(leaves))
        return np.array([counts[fits == fit].sum(axis=0, dtype=np.int32) for fit in ways])


class SetScopes:
    """The scopes of a table by condition; the latest are kept."""

    def __init__(self, table: SetTable) -> None:
        self.table = table
        self._scopes: Kept[Tree, SetScope] = Kept(self._scope)

    def _scope(self, tree: Tree) -> SetScope:
        return SetScope(self.table, tree)

    def of(self, tree: Tree) -> SetScope:
        """What a condition may select."""
        return self._scopes[tree]

    def may_select(self, tree: Tree) -> bool:
        """Whether a condition may select anybody."""
        return self.of(tree).count.most > 0


def opened(release: Release) -> SetScopes:
    """A release of sets made ready for questions."""
    return SetScopes(SetTable(release))


def answer_count(scopes: SetScopes, tree: Tree, wanted: Aggregate) -> Answer:
    """COUNT(*), and COUNT(column): records that also have a value there."""
    if wanted.column is not None:
        tree = scopes.table.joined(tree, Leaf(wanted.column, PRESENT))
    found = scopes.of(tree).count
    stated = ESTIMATED if scopes.table.content.tight else SHOWN
    return aggregates.count(wanted.name, found.least, found.most, found.expected, stated)
