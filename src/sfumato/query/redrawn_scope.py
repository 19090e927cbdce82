"""What a condition selects in a redrawn table: cells of columns, and the records in every cell."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import Refused
from sfumato.core.run import cores
from sfumato.kernels.places import add_moments, add_places, count_places, first_places
from sfumato.query.grouping import Grouped
from sfumato.query.inversion import Inversion
from sfumato.query.kept import Kept
from sfumato.query.normal import Every, Leaf, Tree, every, is_known, normal
from sfumato.query.plan import Condition, Literal
from sfumato.query.readings import Reading
from sfumato.query.records import KnownColumn, Records
from sfumato.releases.release import Release

MOST_CELLS = 1 << 18
MOST_UNEVEN = 14  # columns of a question, where sets of columns differ in probability
BLOCK = 1 << 16
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class RedrawnView(Grouped):
    """The columns of a redrawn table as conditions see them."""

    items = False

    def __init__(self, release: Release) -> None:
        self.content, self._release = release.redrawn, release
        self.law = self.content.law
        rows = self.content.rows
        self.records = Records(self.content.records, np.zeros(rows, np.int32), np.array([rows]))
        self.columns = self.content.records.names
        self.complete = release.dropped == 0

    def thinned(self, most: int) -> RedrawnView:
        """Every so many-th record only, where there are more than some."""
        step = -(-self.content.rows // most)
        if step < 2:
            return self
        records = self.content.records.take(np.arange(0, self.content.rows, step))
        content = replace(self.content, records=records)
        return RedrawnView(replace(self._release, content=content))

    def known(self, name: str) -> bool:
        """Whether a column is published as it was."""
        return name not in self.law.names

    def column(self, name: str) -> KnownColumn:
        """One column."""
        return self.records[name]

    def read(self, name: str, literal: Literal) -> Reading:
        """How a literal makes the values of a column read."""
        return self.records[name].read(literal)

    def tree(self, condition: Condition | None) -> Tree:
        """A condition as regions of this table's columns."""
        return normal(condition, self.read, self.known)

    def joined(self, *parts: Tree) -> Tree:
        """Several conditions at once."""
        return every(parts, self.known)

    def shares(self, name: str) -> Floats:
        """The original distribution of a redrawn column."""
        return self.law.shares[self.law.names.index(name)]


class Axis:
    """One redrawn column of a question: values that the question does not tell apart are a cell."""

    def __init__(self, view: RedrawnView, name: str, inside: list[Flags]) -> None:
        self.name, self.place = name, view.law.names.index(name)
        cells, self.cell = np.unique(np.stack(inside), axis=1, return_inverse=True)
        self.cell = self.cell.ravel()
        self.inside = list(cells)  # of every region of the question, which cells it holds
        spread = np.bincount(self.cell, view.shares(name), minlength=cells.shape[1])
        self.shares: Floats = np.asarray(spread, np.float64)
        self.size = cells.shape[1]


class Scope:
    """A condition, the cells it tells apart, and the records in every one of them."""

    def __init__(self, view: RedrawnView, tree: Tree) -> None:
        self.view, self.tree = view, tree
        self._leaves = list(_loose(tree, view))
        self._exact = list(dict.fromkeys(_settled(tree, view)))
        names = list(dict.fromkeys(leaf.column for leaf in self._leaves))
        self.axes = [self._axis(name) for name in names]
        self._check()

    def _axis(self, name: str) -> Axis:
        values = self.view.records[name].values
        return Axis(self.view, name, [values.codes(r) for r in self._regions(name)])

    def _regions(self, name: str) -> list[Any]:
        return list(dict.fromkeys(leaf.region for leaf in self._leaves if leaf.column == name))

    def _check(self) -> None:
        if math.prod(self.shape) > MOST_CELLS:
            raise Refused(
                f"the condition tells {math.prod(self.shape):,} cells of values apart",
                f"at most {MOST_CELLS:,} are supported; ask about fewer columns",
            )
        if not self.view.law.even and len(self.axes) > MOST_UNEVEN:
            raise Refused(
                f"the condition is about {len(self.axes)} columns of unequal probability",
                f"at most {MOST_UNEVEN} are supported",
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells of every redrawn column, then in and out of every exact condition."""
        return (*(axis.size for axis in self.axes), *[2] * len(self._exact))

    @cached_property
    def inversion(self) -> Inversion:
        """How redraws of the columns are undone."""
        places = tuple(axis.place for axis in self.axes)
        return Inversion(self.view.law, places, tuple(axis.shares for axis in self.axes))

    @cached_property
    def selected(self) -> Flags:
        """Which cells the condition holds."""
        return np.broadcast_to(self._selected(self.tree), self.shape).copy()

    def _selected(self, tree: Tree) -> Flags:
        if tree in self._exact:
            return self._along(len(self.axes) + self._exact.index(tree), np.array([False, True]))
        if isinstance(tree, Leaf):
            names = [axis.name for axis in self.axes]
            axis = self.axes[names.index(tree.column)]
            held = axis.inside[self._regions(tree.column).index(tree.region)]
            return self._along(names.index(tree.column), held.astype(np.bool_))
        join = np.logical_and if isinstance(tree, Every) else np.logical_or
        found = np.full([1] * len(self.shape), isinstance(tree, Every))
        for part in tree.parts:
            found = join(found, self._selected(part))
        return found

    def _along(self, axis: int, flags: Flags) -> Flags:
        shape = [1] * len(self.shape)
        shape[axis] = len(flags)
        return flags.reshape(shape)

    @cached_property
    def counts(self) -> Floats:
        """Records of every cell."""
        counts: Floats = self._tallied(None)[0]
        return counts

    def moments(self, name: str) -> tuple[Floats, Floats]:
        """Of every cell the sum of a column and of its squares, missing as 0."""
        _, sums, squares = self._tallied(name)
        return sums, squares

    def _tallied(self, name: str | None) -> Any:
        """Counts, and moments of a column, block by block; each thread adds up its own."""
        rows, cells = self.view.content.rows, math.prod(self.shape)
        steps = self._steps()
        worth = None if name is None else (self.view.records[name].codes, self.worth(name))

        def tally(part: tuple[int, int]) -> tuple[NDArray[np.int64], Floats]:
            counts, moments = np.zeros(cells, np.int64), np.zeros((2, cells))
            places = np.zeros(BLOCK, np.uint32)
            for start in range(*part, BLOCK):
                block = slice(start, min(start + BLOCK, part[1]))
                here = places[: block.stop - block.start]
                for number, (codes, table) in enumerate(steps):
                    (add_places if number else first_places)(codes[block], table, here)
                if worth is None:
                    count_places(here, counts)
                else:
                    add_moments(here, worth[0][block], worth[1], moments)
            return counts, moments

        many = 1 if rows < 4 * BLOCK else cores()
        ends = [rows * i // many for i in range(many + 1)]
        with ThreadPoolExecutor(many) as pool:
            found = list(pool.map(tally, pairwise(ends)))
        counts = sum(part[0] for part in found)
        moments = np.sum([part[1] for part in found], axis=0)
        return [np.asarray(one, np.float64).reshape(self.shape) for one in (counts, *moments)]

    def _steps(self) -> list[tuple[NDArray[Any], NDArray[np.uint32]]]:
        """Columns of codes, and what each code adds to the place of a record."""
        strides = np.cumprod([1, *self.shape[:0:-1]])[::-1].astype(np.uint32)
        records = self.view.records
        steps: list[tuple[NDArray[Any], NDArray[np.uint32]]] = [
            (records[axis.name].codes, axis.cell.astype(np.uint32) * stride)
            for axis, stride in zip(self.axes, strides, strict=False)
        ]
        for exact, stride in zip(self._exact, strides[len(self.axes) :], strict=False):
            steps.append((records.mask(exact), np.array([0, stride], np.uint32)))
        return steps

    def worth(self, name: str) -> Floats:
        """Every code of a column as a number, missing as 0."""
        return np.nan_to_num(self.view.records[name].values.numbers())

    @cached_property
    def limits(self) -> tuple[int, int]:
        """What the count surely is: from marginals and exact columns, and from how little of a
        record can have changed."""
        low, high = self._between(self.tree)
        held = self.selected
        may = self.inversion.reachable(held)
        must = ~self.inversion.reachable(~held)
        least, most = int(self.counts[must].sum()), int(self.counts[may].sum())
        return max(low, least), min(high, most)

    def _between(self, tree: Tree) -> tuple[int, int]:
        rows = self.view.content.rows
        if tree in self._exact:
            exact = int(self.view.records.mask(tree).sum())
            return exact, exact
        if isinstance(tree, Leaf):
            return self._marginal(tree)
        parts = [self._between(part) for part in tree.parts]
        lows, highs = [low for low, _ in parts], [high for _, high in parts]
        if isinstance(tree, Every):
            return max(0, sum(lows) - rows * (len(parts) - 1)), min([rows, *highs])
        return max([0, *lows]), min(rows, sum(highs))

    def _marginal(self, leaf: Leaf) -> tuple[int, int]:
        """The original count of one column's values is published, but for records left out."""
        law, rows = self.view.law, self.view.content.rows
        inside = self.view.records[leaf.column].values.codes(leaf.region)
        number = int(law.counts[law.names.index(leaf.column)][inside].sum())
        dropped = law.rows - rows
        return max(0, number - dropped), min(number, rows)


def _loose(tree: Tree, view: RedrawnView) -> Iterator[Leaf]:
    """Regions of redrawn columns."""
    if is_known(tree, view.known):
        return
    if isinstance(tree, Leaf):
        yield tree
    else:
        for part in tree.parts:
            yield from _loose(part, view)


def _settled(tree: Tree, view: RedrawnView) -> Iterator[Tree]:
    """The largest conditions over exact columns alone."""
    if is_known(tree, view.known):
        yield tree
    elif not isinstance(tree, Leaf):
        for part in tree.parts:
            yield from _settled(part, view)


class RedrawnScopes:
    """The scopes of a redrawn table by condition; the latest are kept."""

    def __init__(self, table: RedrawnView) -> None:
        self.table = table
        self.of: Kept[Tree, Scope] = Kept(lambda tree: Scope(table, tree))

    def may_select(self, tree: Tree) -> bool:
        """Whether a condition may select anybody."""
        return self.of[tree].limits[1] > 0
