"""What a condition may select in a bucketed table."""

from __future__ import annotations

import math
from functools import cached_property, reduce
from operator import and_, or_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import Words, count_bits
from sfumato.query.buckets import BucketedTable
from sfumato.query.entry_picks import EntryPicks, Part
from sfumato.query.implied import Expected
from sfumato.query.kept import Kept
from sfumato.query.normal import Tree
from sfumato.query.residues import EVERYTHING, Residue, residues

Ints = NDArray[np.int64]


class Found(NamedTuple):
    """How many a condition selects: bounds, and what to expect with its standard error."""

    least: int
    most: int
    expected: float
    error: float


class BucketScope:
    """The records that a condition may select, by what it still asks of the sensitive column.

    Records of one bucket may be asked different things. Bounds are then taken in two ways, apart
    (region by region, as if the same entries could serve several) and together (as if everybody
    selected might lie in any of the regions and need not lie but in all of them); both hold.
    """

    def __init__(self, table: BucketedTable, tree: Tree) -> None:
        self.table = table
        self._start = table.records.start
        self.residues = residues(tree, table.bits, table.known)
        self.selected = [count_bits(one.words, self._start) for one in self.residues]

    @property
    def settled(self) -> bool:
        """Whether exact columns alone decide."""
        return all(one.region == EVERYTHING for one in self.residues)

    @cached_property
    def apart(self) -> list[Part]:
        """Region by region."""
        regions = [one.region for one in self.residues]
        return [self.table.part(r, r, s) for r, s in zip(regions, self.selected, strict=True)]

    @cached_property
    def together(self) -> list[Part]:
        """All regions as one, where there are several."""
        if len(self.residues) < 2:
            return []
        regions = [one.region for one in self.residues]
        selected = np.sum(self.selected, axis=0)
        return [self.table.part(reduce(and_, regions), reduce(or_, regions), selected)]

    @cached_property
    def count(self) -> Found:
        """How many are selected."""
        if self.settled:
            number = sum(int(selected.sum()) for selected in self.selected)
            return Found(number, number, number, 0.0)
        least = np.sum([part.numbers[0] for part in self.apart], axis=0)
        most = np.sum([part.numbers[1] for part in self.apart], axis=0)
        for part in self.together:
            least = np.maximum(least, part.numbers[0])
            most = np.minimum(most, part.numbers[1])
        error = math.fsum(one.error(None) for one in self.expected)
        expected = math.fsum(one.number for one in self.expected)
        return Found(int(least.sum()), int(most.sum()), expected, error)

    @cached_property
    def expected(self) -> list[Expected]:
        """What to expect of the sensitive column, region by region."""
        return [self._expect(*one) for one in zip(self.residues, self.selected, strict=True)]

    def _expect(self, one: Residue, selected: Ints) -> Expected:
        moments = self.table.moments(one.region)
        number = selected.astype(np.float64)
        return self.table.implied.expect(moments, number, number)

    def entry_picks(self, ends: bool) -> list[EntryPicks]:
        """The selected values of the sensitive column; a region of present ones is in the tree."""
        histograms = [self.table.histogram(one.region) for one in self.residues] if ends else []
        apart = EntryPicks(self.apart, self.expected, histograms)
        return [apart, *(EntryPicks([part]) for part in self.together)]

    @cached_property
    def words(self) -> Words:
        """The records that may be selected."""
        nobody = np.zeros_like(self.table.bits.everybody)
        return reduce(or_, [one.words for one in self.residues], nobody)


class BucketScopes:
    """The scopes of a table by condition; the latest are kept, for aggregates that share one."""

    def __init__(self, table: BucketedTable) -> None:
        self.table = table
        self._scopes: Kept[Tree, BucketScope] = Kept(self._scope)

    def _scope(self, tree: Tree) -> BucketScope:
        return BucketScope(self.table, tree)

    def of(self, tree: Tree) -> BucketScope:
        """What a condition may select."""
        return self._scopes[tree]

    def may_select(self, tree: Tree) -> bool:
        """Whether a condition may select anybody."""
        return self.of(tree).count.most > 0
