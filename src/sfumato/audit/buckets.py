"""What lies in the buckets of a release, as sparse lines: one per bucket and node that matter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.files import Files
from sfumato.data.scale import Scale
from sfumato.releases.bucketed import Bucketed

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Weights:
    """Targets line by line: node `node` of target `target` has `weight` among `total`.

    `share` is the mass of the node under its target, 0 where something above it has no weight.
    """

    nodes: int
    key: Ints  # target * nodes + node, ascending
    parent_key: Ints
    weight: Ints
    total: Ints
    share: Floats
    reached: Flags  # everything above it is listed too

    def find(self, target: Ints, node: Ints) -> Ints:
        """The line of a node under a target, -1 if it is not listed."""
        return find(self.key, target * self.nodes + node)


@dataclass(frozen=True, eq=False)
class Tally:
    """Entries counted: `count` at or under `node` in `bucket`, `at` of them at the node itself.

    Lines with a count of 0 are left out. `up` is the line of the parent, that of the root its own.
    """

    bucket: Ints
    node: Ints
    count: Ints
    at: Ints
    up: Ints

    @cached_property
    def below(self) -> Ints:
        """Entries strictly below the node."""
        return self.count - self.at


def find(keys: Ints, wanted: Ints) -> Ints:
    """The place of every wanted number in ascending keys, -1 where it is not there."""
    if not len(keys):
        return np.full(len(wanted), -1)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, place, -1)


@dataclass(frozen=True, eq=False)
class Buckets:
    """A release in buckets as an auditor counts it."""

    files: Files

    @property
    def content(self) -> Bucketed:
        """What the data files hold."""
        content = self.files.content
        assert isinstance(content, Bucketed)
        return content

    @property
    def scale(self) -> Scale:
        """The tree of nodes."""
        return self.content.scale

    @cached_property
    def target(self) -> Ints:
        """The target of every bucket."""
        return self.content.target.astype(np.int64)

    @cached_property
    def parent(self) -> Ints:
        """The node above each, the root above itself."""
        return np.maximum(self.scale.parent, 0).astype(np.int64)

    @cached_property
    def depth(self) -> Ints:
        """Edges between the root and each node."""
        depth = np.zeros(len(self.scale), np.int64)
        for node in range(1, len(depth)):
            depth[node] = depth[self.parent[node]] + 1
        return depth

    @cached_property
    def weights(self) -> Weights:
        """The targets."""
        targets, nodes = self.content.targets, len(self.scale)
        of = np.repeat(np.arange(len(targets)), np.diff(targets.start))
        node = targets.node.astype(np.int64)
        key, above = of * nodes + node, of * nodes + self.parent[node]
        begins = np.flatnonzero(np.diff(above, prepend=-1))
        sizes = np.diff(np.append(begins, len(above)))
        total = np.repeat(np.add.reduceat(targets.weight, begins), sizes) if len(begins) else above
        share, reached = self._shares(key, above, node, targets.weight / np.maximum(total, 1))
        return Weights(nodes, key, above, targets.weight, total, share, reached)

    def _shares(self, key: Ints, above: Ints, node: Ints, part: Floats) -> tuple[Floats, Flags]:
        """Products of parts along the path from the root, level by level."""
        share, reached = part.copy(), np.ones(len(key), bool)
        depth, up = self.depth[node], find(key, above)
        for level in range(2, int(depth.max(initial=0)) + 1):
            here = np.flatnonzero(depth == level)
            known = up[here] >= 0
            reached[here] = known & reached[up[here]]
            share[here] = np.where(reached[here], part[here] * share[up[here]], 0.0)
        return share, reached

    @cached_property
    def tally(self) -> Tally:
        """Entries at and under nodes."""
        content, nodes = self.content, len(self.scale)
        key = content.entry_bucket.astype(np.int64) * nodes + content.node
        depth = self.depth[content.node]
        parts, counts = [], []
        risen, rising = np.empty(0, np.int64), np.empty(0, np.int64)
        for level in range(int(depth.max(initial=0)), -1, -1):
            here = depth == level
            fresh, count = summed(
                np.concatenate([key[here], risen]), np.concatenate([content.count[here], rising])
            )
            parts.append(fresh)
            counts.append(count)
            risen, rising = fresh - fresh % nodes + self.parent[fresh % nodes], count
        keys = np.concatenate(parts)
        order = np.argsort(keys)
        keys, count = keys[order], np.concatenate(counts)[order]
        bucket, node = keys // nodes, keys % nodes
        at = np.zeros(len(keys), np.int64)
        at[find(keys, key)] = content.count
        return Tally(bucket, node, count, at, find(keys, bucket * nodes + self.parent[node]))

    def levels(self, node: Ints) -> list[Ints]:
        """Lines by the depth of their nodes, the root's first."""
        depth = self.depth[node]
        return [np.flatnonzero(depth == level) for level in range(int(depth.max(initial=0)) + 1)]

    def shape(self, bucket: int) -> str:
        """Which bucket, and how large; no value."""
        return f"bucket {bucket}, {int(self.content.sizes[bucket])} records"

    def mean(self, number: Floats) -> float:
        """The mean over records of a number per bucket."""
        sizes = self.content.sizes
        return float((number * sizes).sum() / max(1, sizes.sum()))


def buckets_of(files: Files) -> Buckets:
    """The buckets of a release; all checks share what is counted."""
    buckets: Buckets = files.views.setdefault(Buckets, Buckets(files))
    return buckets


def summed(keys: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Every key once, in order, with the sum of its counts."""
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    begins = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[begins], np.add.reduceat(counts, begins) if len(begins) else counts
