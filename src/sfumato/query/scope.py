"""The groups that a condition may select from, and what it may select there.

Most conditions leave most groups out; everything below looks only at the groups left.
"""

from __future__ import annotations

from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.query_counts import list_rows, spread, tally
from sfumato.kernels.query_picks import split_runs
from sfumato.query.counts import Counts, both, either, exactly
from sfumato.query.normal import Every, Leaf, Some, Tree, is_known, leaves
from sfumato.query.records import ALL, Rows, SortedColumn
from sfumato.query.selections import CellPicks, Picks, Selection
from sfumato.query.tables import RecodedTable

REMEMBERED = 4


class Scope:
    """Some groups of a recoded table; arrays below are in the order of `groups`."""

    def __init__(self, table: RecodedTable, tree: Tree) -> None:
        self.table, self.tree = table, tree
        self.groups = narrow(table, tree, table.every_group)
        self.sizes = table.sizes[self.groups]
        self._counted: dict[Tree, Counts] = {}

    @cached_property
    def start(self) -> NDArray[np.int64]:
        """Where the records of each group begin among those in scope."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @cached_property
    def rows(self) -> Rows:
        """The records in scope."""
        if len(self.groups) == len(self.table.sizes):
            return ALL
        return list_rows(self.table.records.start, self.groups, int(self.start[-1]))

    def known(self, tree: Tree) -> bool:
        """Whether exact columns alone decide."""
        return is_known(tree, self.table.known)

    def mixed(self, tree: Tree) -> bool:
        """Whether exact columns take part, so that members of a group differ."""
        if self.known(tree):
            return True
        return not isinstance(tree, Leaf) and any(self.mixed(part) for part in tree.parts)

    def counts(self, tree: Tree) -> Counts:
        """Members per group that satisfy a condition; remembered."""
        if tree not in self._counted:
            self._counted[tree] = self._counts(tree)
        return self._counted[tree]

    def _counts(self, tree: Tree) -> Counts:
        """From the counts of its parts."""
        if self.known(tree):
            return exactly(self._known_counts(tree))
        if isinstance(tree, Leaf):
            return self._leaf_counts(tree)
        if not tree.parts:
            return exactly(self.sizes if isinstance(tree, Every) else np.zeros_like(self.sizes))
        join = either if isinstance(tree, Some) else both
        parts = [self.counts(part) for part in tree.parts]
        return reduce(lambda one, two: join(one, two, self.sizes), parts)

    def _known_counts(self, tree: Tree) -> NDArray[np.int64]:
        """From the table of a column's values by group where there is one, else by record."""
        records = self.table.records
        held = records.by_group(tree.column) if isinstance(tree, Leaf) else None
        if held is None or not isinstance(tree, Leaf):
            return tally(records.mask(tree, self.rows), self.start)[:, 1]
        inside = records[tree.column].values.codes(tree.region)
        fewer = inside if 2 * inside.sum() <= len(inside) else ~inside
        number = np.zeros(len(self.groups), np.int64)
        for code in np.flatnonzero(fewer):
            number += held[code][self.groups]
        return number if fewer is inside else self.sizes - number

    def _leaf_counts(self, leaf: Leaf) -> Counts:
        cells, which = self.table.cells(leaf.column).of_groups(self.groups)
        seen = cells.profile(leaf.region)
        return Counts(*spread(which, self.sizes, seen.witnesses, seen.possible, seen.share))

    def states(self, tree: Tree) -> NDArray[np.uint8]:
        """Per record 2 (surely selected), 1 (possibly) or 0."""
        if self.known(tree):
            return self.table.records.mask(tree, self.rows) * np.uint8(2)
        if not self.mixed(tree):
            return np.repeat(self.counts(tree).states(self.sizes), self.sizes)
        assert not isinstance(tree, Leaf)
        join = np.maximum if isinstance(tree, Some) else np.minimum
        return reduce(join, [self.states(part) for part in tree.parts])

    @cached_property
    def count(self) -> Counts:
        """Members per group selected; for conditions of many parts no looser than by record."""
        counts = self.counts(self.tree)
        if leaves(self.tree) > 2 and self.mixed(self.tree):
            counts = counts.within(tally(self.states(self.tree), self.start))
        return counts

    def selection(self, name: str) -> Selection:
        """What the records selected may have in one column; a quasi one must be in the tree."""
        if not self.table.known(name):
            return self._cell_picks(name)
        column = self.table.records.sorted(name)
        return self._record_picks(column) if self.mixed(self.tree) else self._group_picks(column)

    def _group_picks(self, column: SortedColumn) -> Picks:
        """Members of a group are alike: any of its values may be picked."""
        begin, end = column.start[self.groups], column.start[self.groups + 1]
        present = end - begin
        least = np.maximum(self.count.least - (self.sizes - present), 0)
        most = np.minimum(self.count.most, present)
        ends, limits = np.column_stack([begin, end]), np.column_stack([least, most])
        expected = self.count.expected * present / self.sizes
        return Picks(column, column.values, column.sums, ends, limits, expected).compact()

    def _record_picks(self, column: SortedColumn) -> Picks:
        """Two runs a group: the records surely selected, and those of which some may be."""
        states = self.states(self.tree)
        number = tally(states, self.start)
        counts = self.counts(self.tree).within(number)
        owned = np.column_stack([column.start[self.groups], column.start[self.groups + 1]])
        shift = self.start[:-1] - self.table.records.start[self.groups]
        kept, sums, ends = split_runs(column.values, column.rows, owned, shift, states, number)
        in_size, some_size = np.diff(ends).reshape(-1, 2).T
        sure, open_ = number.T
        least = np.maximum(counts.least - sure - (open_ - some_size), 0)
        most = np.minimum(counts.most - sure, some_size)
        expected = (counts.expected - sure) * some_size / np.maximum(open_, 1)
        limits = np.column_stack([in_size, in_size, least, most]).reshape(-1, 2)
        hoped = np.column_stack([in_size, expected]).ravel()
        return Picks(column, kept, sums, ends, limits, hoped).compact()

    def _cell_picks(self, name: str) -> CellPicks:
        """Values of a quasi column: from its cells, cut to what the condition asks of it."""
        parts = self.tree.parts if isinstance(self.tree, Every) else (self.tree,)
        own = next(part for part in parts if isinstance(part, Leaf) and part.column == name)
        rest = Every(tuple(part for part in parts if part is not own))
        at = np.flatnonzero(self.count.most)
        cells, which = self.table.cells(name).of_groups(self.groups[at])
        reach = cells.reach(own.region)
        whole = (self.counts(rest).least == self.sizes)[at]
        return CellPicks(
            np.column_stack([reach.low[which], reach.high[which]]),
            reach.known[which] & whole[:, None],
            reach.mean[which],
            np.column_stack([self.count.least[at], self.count.most[at]]),
            self.count.expected[at],
        )


class Scopes:
    """The scopes of a table by condition; the latest are kept, for aggregates that share one."""

    def __init__(self, table: RecodedTable) -> None:
        self.table = table
        self._recent: dict[Tree, Scope] = {}

    def of(self, tree: Tree) -> Scope:
        """What a condition may select."""
        if tree not in self._recent:
            if len(self._recent) >= REMEMBERED:
                self._recent.pop(next(iter(self._recent)))
            self._recent[tree] = Scope(self.table, tree)
        return self._recent[tree]

    def may_select(self, tree: Tree) -> bool:
        """Whether a condition may select anybody."""
        return bool(self.of(tree).count.most.any())


def narrow(table: RecodedTable, tree: Tree, groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of some groups in which quasi columns leave room for a member that satisfies it."""
    if isinstance(tree, Leaf):
        if table.known(tree.column):
            return groups
        cells, which = table.cells(tree.column).of_groups(groups)
        return np.asarray(groups[cells.touches(tree.region)[which]])
    if isinstance(tree, Every):
        return reduce(lambda left, part: narrow(table, part, left), tree.parts, groups)
    found = np.zeros(len(table.sizes), np.bool_)
    for part in tree.parts:
        found[narrow(table, part, groups)] = True
    return groups[found[groups]]
