"""What to expect of people who hold entries of their bucket at random."""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.query_entries import expected_at
from sfumato.kernels.query_implied import (
    bucket_histogram,
    bucket_moments,
    closure,
    target_histogram,
    target_moments,
)
from sfumato.query.entries import EntryColumn
from sfumato.query.regions import Region

Floats = NDArray[np.float64]
BINS = (16, 1024)
HELD = 1 << 21  # bins times buckets, if that leaves enough bins


class Expected(NamedTuple):
    """Sum and number to expect of the values inside a region, and how far they vary."""

    total: float
    number: float
    total_variance: float
    covariance: float
    number_variance: float

    def error(self, level: float | None) -> float:
        """Standard error of the sum of (value - level); of the number if there is no level."""
        if level is None:
            return math.sqrt(max(self.number_variance, 0.0))
        both = self.total_variance - 2 * level * self.covariance
        return math.sqrt(max(both + level * level * self.number_variance, 0.0))


class Tips(NamedTuple):
    """Of every item of the closure a place: its node's, or beyond those that of a pair of target
    and inner node which has entries, but none below."""

    place: NDArray[np.int64]
    target: NDArray[np.int64]
    node: NDArray[np.int32]


class Implied:
    """The distribution that entries and target imply for everybody in a bucket."""

    def __init__(self, column: EntryColumn) -> None:
        self._column, self._content = column, column.content
        content = self._content
        self._parent = content.scale.parent
        self._tree = closure(content.start, content.node, content.count, self._parent)
        values = content.scale.numbers if column.reading.is_ordered else np.zeros(1)
        self.origin = float(np.nan_to_num(np.nanmean(values))) if len(values) else 0.0

    @cached_property
    def _tips(self) -> Tips:
        """What lies below the items without entries below: leaves, or a target's own shares."""
        nodes = len(self._parent)
        tree, target = self._tree, self._content.target
        bucket = np.repeat(np.arange(len(target)), np.diff(tree.start))
        inner = tree.tip & ~self._content.scale.is_leaf[tree.node]
        pairs = target[bucket[inner]].astype(np.int64) * nodes + tree.node[inner]
        distinct, which = np.unique(pairs, return_inverse=True)
        place = tree.node.astype(np.int64)
        place[inner] = nodes + which
        return Tips(place, distinct // nodes, (distinct % nodes).astype(np.int32))

    def moments(self, region: Region) -> Floats:
        """Of every bucket, for `expected_at`; values count from the origin."""
        share, mean, within = self._column.alike(region)
        off = mean - self.origin
        even = np.column_stack([share, share * off, share * (off**2 + within)])
        tips, targets = self._tips, self._content.targets
        listed = (targets.start, targets.node, targets.weight, self._parent)
        lone = target_moments(*listed, even, tips.target, tips.node)
        return bucket_moments(self._tree, tips.place, np.concatenate([even, lone]))

    def expect(self, moments: Floats, one: Floats, two: Floats) -> Expected:
        """Of people whose factors have these sums, and sums of squares, in every bucket."""
        out = np.empty(5)
        expected_at(moments, self._content.entries, one, two, out)
        total, number, ff, fg, gg = (float(part) for part in out)
        origin = self.origin
        return Expected(
            total + origin * number,
            number,
            ff + 2 * origin * fg + origin**2 * gg,
            fg + origin * gg,
            gg,
        )

    def histogram(self, region: Region) -> tuple[Floats, NDArray[np.float32]]:
        """Numbers in order, and per bucket the mass inside the region up to each of them."""
        share, mean, _ = self._column.alike(region)
        leaf = self._content.scale.is_leaf
        numbers = np.unique(mean[leaf & (share > 0)])
        size = int(np.clip(HELD // max(self._content.groups, 1), *BINS))
        kept = np.linspace(0, len(numbers) - 1, min(size, len(numbers))).round().astype(np.int64)
        edges = numbers[kept]
        bins = np.minimum(np.searchsorted(edges, mean), len(edges) - 1)
        tips, targets = self._tips, self._content.targets
        spread = np.zeros((len(tips.target), len(edges)), np.float32)
        listed = (targets.start, targets.node, targets.weight, self._parent)
        target_histogram(*listed, bins, share, (tips.target, tips.node), spread)
        mass = bucket_histogram(self._tree, tips.place, bins, share, spread)
        return edges, np.cumsum(mass, axis=0, dtype=np.float32)
