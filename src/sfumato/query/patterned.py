"""Answering where values were drawn anew: what properties imply, and plug-in estimates."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer
from sfumato.core.errors import SfumatoError
from sfumato.data.decimals import published
from sfumato.query.aggregates import EXACT, MAYBE_EMPTY, MAYBE_NOBODY, nothing
from sfumato.query.exact import of_codes
from sfumato.query.normal import Every, Leaf, Tree, every, is_known, normal
from sfumato.query.pattern_polytope import Polytope
from sfumato.query.plan import Aggregate, Condition, Literal
from sfumato.query.readings import Reading, keys_of
from sfumato.query.recoded import check_aggregate, with_unit
from sfumato.query.records import KnownColumn, Records
from sfumato.query.regions import PRESENT, Region
from sfumato.releases.release import Release

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
PLUG_IN = "estimate: from values drawn anew"
BOUNDED = f"hard bounds by the disclosed properties; {PLUG_IN}"
OPEN = f"{PLUG_IN}; no bounds, for properties are not disclosed"
IMPLIED = "exact: implied by the disclosed properties"
MOST_SUMMED = 3_000  # records whose sum is bounded by a program rather than one by one


class PatternedTable:
    """Exact columns, and columns whose true values are known by what is disclosed of them."""

    items = False

    def __init__(self, release: Release) -> None:
        self.content = release.patterned
        one = np.zeros(self.content.rows, np.int32)
        self.records = Records(self.content.records, one, np.array([self.content.rows], np.int64))
        self.columns = self.content.records.names

    def known(self, name: str) -> bool:
        """Whether a column is published as it is."""
        return name not in self.content.replaced

    def column(self, name: str) -> KnownColumn:
        """One column as conditions see it."""
        return self.records[name]

    def read(self, name: str, _literal: Literal) -> Reading:
        """How a literal makes the values of a column read."""
        return self.records[name].reading

    def tree(self, condition: Condition | None) -> Tree:
        """A condition as regions of this table's columns."""
        return normal(condition, self.read, self.known)

    def joined(self, *parts: Tree) -> Tree:
        """Several conditions at once."""
        return every(parts, self.known)

    @cached_property
    def polytope(self) -> Polytope | None:
        """What is disclosed in full, if anything is."""
        return Polytope(self.content) if self.content.properties is not None else None

    def ranges(self, name: str) -> tuple[Ints, Ints] | None:
        """The least and most that every true value can be, in units; None if nothing is known."""
        if self.polytope is None:
            return None
        place = self.polytope.names.index(name) * self.content.rows
        low, high = self.polytope.ranges
        return low[place : place + self.content.rows], high[place : place + self.content.rows]

    def may(self, tree: Tree, surely: bool) -> Flags:
        """Records that surely, or maybe, satisfy a condition."""
        if is_known(tree, self.known):
            return self.records.mask(tree).view(np.bool_)
        if isinstance(tree, Leaf):
            return self._leaf(tree, surely)
        parts = [self.may(part, surely) for part in tree.parts]
        join = np.logical_and if isinstance(tree, Every) else np.logical_or
        start = np.full(self.content.rows, isinstance(tree, Every))
        return np.asarray(join.reduce([start, *parts]), dtype=np.bool_)

    def _leaf(self, leaf: Leaf, surely: bool) -> Flags:
        column = self.records[leaf.column]
        lacking = column.codes < column.column.has_missing
        low, high = self._sides(leaf.column, leaf.region)
        inside = (low & high) if surely else (low | high)
        return np.where(lacking, leaf.region.missing, inside)

    def _sides(self, name: str, region: Region) -> tuple[Flags, Flags]:
        """For every record, two answers of which one holds; equal where it is sure."""
        ranges = self.ranges(name)
        rows = self.content.rows
        if not region.cuts:
            return np.full(rows, region.first), np.full(rows, region.first)
        if ranges is None:
            return np.zeros(rows, np.bool_), np.ones(rows, np.bool_)
        crossed = [self._crossed(name, units, region) for units in ranges]
        sides = [(count % 2 == 1) != region.first for count in crossed]
        apart = crossed[0] != crossed[1]
        return np.where(apart, False, sides[0]), np.where(apart, True, sides[1])

    def _crossed(self, name: str, units: Ints, region: Region) -> Ints:
        """How many cuts lie at or below some values."""
        distinct, place = np.unique(units, return_inverse=True)
        told, kind = self.content.replaced[name], self.content.records[name].values.type
        keys = keys_of(published(distinct, told.digits, kind))
        count = [sum(cut <= key for cut in region.cuts) for key in keys]
        return np.array(count, np.int64)[place]


class Opened:
    """A table made ready for questions."""

    def __init__(self, table: PatternedTable) -> None:
        self.table = table

    def may_select(self, tree: Tree) -> bool:
        """Whether a condition may select anybody."""
        return bool(self.table.may(tree, surely=False).any())


def opened(release: Release) -> Opened:
    """A release of this form made ready for questions."""
    return Opened(PatternedTable(release))


def answer_count(ready: Opened, tree: Tree, wanted: Aggregate) -> Answer:
    """COUNT(*), and COUNT(column): records that also have a value there."""
    table = ready.table
    if wanted.column is not None:
        tree = table.joined(tree, Leaf(wanted.column, PRESENT))
    least, most = (int(table.may(tree, surely).sum()) for surely in (True, False))
    value = float(np.clip(table.records.mask(tree).sum(), least, most))
    bounds = (float(least), float(most))
    return Answer(wanted.name, value, bounds, basis=_basis(table, tree, least == most))


def _basis(table: PatternedTable, tree: Tree, settled: bool) -> str:
    if settled:
        plain = not tree_columns(tree) & set(table.content.replaced)
        return EXACT if plain or table.polytope is None else IMPLIED
    return BOUNDED if table.polytope is not None else OPEN


def tree_columns(tree: Tree) -> set[str]:
    """The columns that a condition is about."""
    if isinstance(tree, Leaf):
        return {tree.column} if tree.region.cuts else set()
    return set().union(*(tree_columns(part) for part in tree.parts))


def answer_number(ready: Opened, tree: Tree, wanted: Aggregate) -> Answer:
    """SUM and AVG of numbers, MIN and MAX of numbers, dates and times."""
    assert wanted.column is not None
    table = ready.table
    reading = table.column(wanted.column).reading
    check_aggregate(wanted, reading)
    tree = table.joined(tree, Leaf(wanted.column, PRESENT))
    sure, maybe = table.may(tree, True), table.may(tree, False)
    if not maybe.any():
        return nothing(wanted.name)
    column = table.column(wanted.column)
    if table.known(wanted.column) and (sure == maybe).all():
        each = np.bincount(column.codes[sure], minlength=column.column.size)
        found = of_codes(column, each, wanted)
        basis = _basis(table, tree, True)
        return Answer(wanted.name, found.value, (found.value,) * 2, basis=basis, unit=found.unit)
    mask = table.records.mask(tree).view(np.bool_)
    plug_in = _plug_in(column, mask if mask.any() else maybe, wanted)
    return with_unit(_bounded(table, wanted, plug_in, sure, maybe), reading)


def _plug_in(column: KnownColumn, mask: Flags, wanted: Aggregate) -> float:
    each = np.bincount(column.codes[mask], minlength=column.column.size)
    found = of_codes(column, each, wanted).value
    assert found is not None
    return found


def _bounded(
    table: PatternedTable, wanted: Aggregate, value: float, sure: Flags, maybe: Flags
) -> Answer:
    low, high = _values(table, wanted.column or "")
    if low is None or high is None:
        return Answer(wanted.name, value, (None, None), basis=OPEN)
    settled = bool((sure == maybe).all())
    if settled and wanted.function in ("SUM", "AVG") and int(sure.sum()) <= MOST_SUMMED:
        bounds = _by_program(table, wanted, sure) or _spans(wanted.function, low, high, sure, maybe)
    else:
        bounds = _spans(wanted.function, low, high, sure, maybe)
    remark = MAYBE_EMPTY if wanted.function == "SUM" else MAYBE_NOBODY
    stated = BOUNDED if table.polytope is not None else OPEN
    basis = IMPLIED if bounds[0] == bounds[1] else ("" if sure.any() else remark) + stated
    return Answer(wanted.name, min(max(value, bounds[0]), bounds[1]), bounds, basis=basis)


def _values(table: PatternedTable, name: str) -> tuple[Floats | None, Floats | None]:
    """Least and most of every true value; of an exact column twice the same."""
    column = table.column(name)
    if table.known(name):
        numbers = column.values.numbers()[column.codes]
        return numbers, numbers
    ranges = table.ranges(name)
    if ranges is None:
        return None, None
    told, kind = table.content.replaced[name], table.content.records[name].values.type
    low, high = (
        np.array(keys_of(published(units, told.digits, kind)), np.float64) for units in ranges
    )
    return low, high


def _by_program(
    table: PatternedTable, wanted: Aggregate, sure: Flags
) -> tuple[float, float] | None:
    """Bounds on a sum or average of records that are surely selected."""
    polytope = table.polytope
    if polytope is None or table.known(wanted.column or ""):
        return None
    place = polytope.names.index(wanted.column or "")
    rows = np.flatnonzero(sure)
    unit = Fraction(1, 10 ** polytope.digits[place])
    each = unit / len(rows) if wanted.function == "AVG" else unit
    variable, weight = place * table.content.rows + rows, [each] * len(rows)
    try:
        low = polytope.bound(variable, weight, largest=False)
        high = polytope.bound(variable, weight, largest=True)
    except SfumatoError:  # no solver: the plain bounds hold as well
        return None
    if low is None or high is None:
        return None
    if low == high:
        return float(low), float(low)
    return math.nextafter(float(low), -math.inf), math.nextafter(float(high), math.inf)


def _spans(
    function: str, low: Floats, high: Floats, sure: Flags, maybe: Flags
) -> tuple[float, float]:
    """Bounds from the range of every record by itself."""
    rest = maybe & ~sure
    if function == "SUM":
        least = math.fsum([*low[sure], *np.minimum(low[rest], 0)])
        most = math.fsum([*high[sure], *np.maximum(high[rest], 0)])
        return least, most
    if function == "AVG":
        return -_most_mean(-low, sure, rest), _most_mean(high, sure, rest)
    least, most = float(low[maybe].min()), float(high[maybe].max())
    if not sure.any():
        return least, most
    if function == "MIN":
        return least, float(high[sure].min())
    return float(low[sure].max()), most


def _most_mean(values: Floats, sure: Flags, rest: Flags) -> float:
    """The largest mean of the sure ones with any of the rest, widened by a hair."""
    begin, number = math.fsum(values[sure]), int(sure.sum())
    more = np.sort(values[rest])[::-1]
    sums = begin + np.concatenate([[0.0], np.cumsum(more)])
    counts = number + np.arange(len(sums))
    means = sums[counts > 0] / counts[counts > 0]
    return float(means.max() + 1e-12 * np.abs(values[sure | rest]).max(initial=0.0))
