"""The sensitive column of a bucketed table: what a region holds of the entries of every bucket."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.kernels.entry_bounds import bounds_table, by_bucket
from sfumato.kernels.query_entries import extreme_entries, smallest_at, total_at
from sfumato.query.cells import CellColumn, cell_column
from sfumato.query.regions import Region
from sfumato.releases.bucketed import Bucketed
from sfumato.releases.cells import Cells, Intervals, ValueSets

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def node_cells(content: Bucketed) -> Cells:
    """The nodes of the scale as cells: the values an entry at each may stand for."""
    scale = content.scale
    if scale.gaps:
        low, high = scale.present_ends
        none = low > high
        ends = (pa.array(end - scale.has_missing, mask=none) for end in (low, high))
        lower, upper = (scale.values.take(end) for end in ends)
        return Intervals(lower, upper, scale.holds_missing, False)
    sizes = (scale.high - scale.low + 1).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    codes = np.arange(offsets[-1]) + np.repeat(scale.low - offsets[:-1], sizes)
    which = np.arange(len(scale), dtype=np.int32)
    codes = codes.astype(np.int32)
    return ValueSets(which, offsets, codes, scale.values, scale.has_missing, False)


class Nodes(NamedTuple):
    """Per node: whether its entries may lie inside, or outside; least and largest value inside."""

    inside: NDArray[np.bool_]
    outside: NDArray[np.bool_]
    low: Floats
    high: Floats


class EntryColumn:
    """The sensitive column, as its scale and its entries have it."""

    def __init__(self, content: Bucketed) -> None:
        self.content = content
        cells = node_cells(content)
        kind = content.scale.kind
        self._all = cell_column(content.sensitive, cells, kind)
        used = np.unique(content.node)
        self.used: CellColumn = cell_column(content.sensitive, cells.take(used), kind)
        self.reading = self._all.reading
        self._every_node = np.arange(len(content.scale))

    def nodes(self, least: Region, most: Region) -> Nodes:
        """What surely counts as inside, and what may."""
        cells, which = self._all.of_groups(self._every_node)
        inside = cells.profile(most).possible[which, 0]
        outside = cells.profile(least).possible[which, 1]
        none = np.full(len(which), np.nan)
        if not self.reading.is_ordered:
            return Nodes(inside, outside, none, none)
        reach = cells.reach(most)
        low, high = reach.low[which], reach.high[which]
        return Nodes(inside, outside, np.where(inside, low, none), np.where(inside, high, none))

    def alike(self, region: Region) -> tuple[Floats, Floats, Floats]:
        """Per node, if all its values are alike: share, mean and mean square of those inside."""
        cells, which = self._all.of_groups(self._every_node)
        share = cells.profile(region).share[which]
        if not self.reading.is_ordered:
            return share, np.zeros_like(share), np.zeros_like(share)
        reach = cells.reach(region)
        mean = np.where(share > 0, reach.mean[which], 0.0)
        width = np.where(share > 0, (reach.high - reach.low)[which], 0.0)
        return share, mean, width**2 / 12


class EntryTable:
    """The entries of every bucket that a region surely holds (`least`), or may hold (`most`)."""

    def __init__(self, column: EntryColumn, least: Region, most: Region) -> None:
        self._content = column.content
        self._nodes = column.nodes(least, most)
        self.must = self._entries(~self._nodes.outside)
        self.may = self._entries(self._nodes.inside)
        self.blank = self._content.entries - self.must
        self.settled = not self.blank.any()

    def _entries(self, nodes: NDArray[np.bool_]) -> Ints:
        below = np.concatenate([[0], np.cumsum(self._content.count * nodes[self._content.node])])
        return np.diff(below[self._content.start]).astype(np.int64)

    def numbers(self, selected: Ints) -> tuple[Ints, Ints]:
        """The fewest and most of some entries that count as inside."""
        return np.maximum(selected - self.blank, 0), np.minimum(selected, self.may)

    @cached_property
    def _low(self) -> Floats:
        return np.asarray(self._nodes.low[self._content.node])

    @cached_property
    def _high(self) -> Floats:
        return np.asarray(self._nodes.high[self._content.node])

    @cached_property
    def _missing(self) -> NDArray[np.bool_]:
        return np.asarray(self._nodes.outside[self._content.node])

    @cached_property
    def _bounds(self) -> tuple[Floats, ...]:
        start, count, sizes = self._content.start, self._content.count, self._content.sizes
        found = bounds_table(start, self._low, self._high, self._missing, count, sizes)
        one = np.minimum(self._first, len(found.min_lower) - 1)  # the same for any number selected
        low, high = found.min_lower[one], found.max_upper[one]
        return found.sum_lower, found.sum_upper, low, found.min_upper, high, found.max_lower

    @cached_property
    def _first(self) -> Ints:
        sizes = self._content.sizes
        return np.asarray(np.cumsum(sizes) - sizes)

    @cached_property
    def magnitude(self) -> float:
        """Sum of absolute values."""
        ends = np.maximum(np.abs(self._low), np.abs(self._high))
        return float(np.nansum(ends * self._content.count))

    @cached_property
    def whole(self) -> bool:
        """Whether sums are whole numbers below 2^53."""
        ends = np.concatenate([self._nodes.low, self._nodes.high])
        ends = ends[~np.isnan(ends)]
        return bool(np.all(ends == np.rint(ends))) and self.magnitude < 2.0**53

    def sums(self, selected: Ints) -> tuple[float, float]:
        """Smallest and largest sum."""
        low, high = self._bounds[:2]
        return total_at(low, self._first, selected), total_at(high, self._first, selected)

    def end(self, selected: Ints, up: bool) -> tuple[float, float]:
        """Bounds on the largest (smallest) value, the one to beat first."""
        outer, inner = self._bounds[4:] if up else self._bounds[2:4]
        sign = -1.0 if up else 1.0
        first, second = smallest_at(outer, inner, sign, self._first, selected, self.blank)
        return sign * first, sign * second

    @cached_property
    def _falling(self) -> Ints:
        return by_bucket(np.argsort(-self._high), self._content.start)

    @cached_property
    def _rising(self) -> Ints:
        return by_bucket(np.argsort(self._low), self._content.start)

    def extreme(self, selected: Ints, level: float, up: bool) -> tuple[float, int]:
        """Sum and number of the entries with the largest (smallest) sum of (value - level)."""
        order, value = (self._falling, self._high) if up else (self._rising, -self._low)
        start, count = self._content.start, self._content.count
        level = level if up else -level
        held = (self._missing, count, self.blank, selected)
        total, number = extreme_entries(start, order, value, *held, level)
        return (total if up else -total), number
