"""From buckets of values to entries: the kernels of distribution-based publication put together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import BadJob
from sfumato.data.scale import Scale
from sfumato.kernels.fakes import cost_by_fakes, plan_of, solve, trace
from sfumato.kernels.lenient import push_down_within
from sfumato.kernels.push_down import push_down
from sfumato.kernels.tallies import tallied
from sfumato.kernels.tree import Runs, Tree, Weights
from sfumato.releases.bucketed import Targets

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
MOST_STATES = 150_000_000  # of the dynamic programme for fakes


@dataclass(frozen=True, eq=False)
class Entries:
    """Entries of every bucket, and the fakes among the values they stand for."""

    start: Ints
    node: Codes
    count: Ints
    fakes: Ints  # (fakes, 2) bucket and leaf of each


def tree_of(scale: Scale) -> Tree:
    """A scale as kernels see it."""
    first, last = scale.leaf_spans
    return Tree(scale.first_child, scale.children, first, last, scale.ranges)


def weights_of(targets: Targets) -> Weights:
    """Targets as kernels see them."""
    return Weights(targets.start, targets.node, targets.weight)


def runs_of(bucket: Codes, leaf: Codes, buckets: int, leaves: int) -> Runs:
    """The values of every bucket as ascending leaves with running counts."""
    return tallied(bucket, leaf, buckets, leaves)


def running(which: Ints, leaf: Ints, number: Ints, buckets: int) -> Runs:
    """Runs from counted leaves in the order of buckets and leaves."""
    start = np.concatenate([[0], np.cumsum(np.bincount(which, minlength=buckets))])
    upto = np.cumsum(number)
    before = np.concatenate([[0], upto])[start[:-1]]
    return Runs(start.astype(np.int64), leaf.astype(np.int32), upto - before[which])


@dataclass(frozen=True)
class Tolerance:
    """How far what a bucket implies may be from its target."""

    most: float = 0.0
    ordered: bool = False  # by the earth mover along the values; else in total variation


EXACT = Tolerance()


def entries_of(
    scale: Scale, runs: Runs, targets: Targets, target: Codes, tolerance: Tolerance = EXACT
) -> Entries:
    """The cheapest entries of every bucket, exact or within a tolerance; no fakes."""
    tree, weights = tree_of(scale), weights_of(targets)
    none: Ints = np.empty((0, 2), np.int64)
    if tolerance.most:
        # a hair below, so that rounding never decides what the audit decides with fractions
        within = tolerance.most * (1 - 1e-9)
        found = push_down_within(tree, runs, weights, target, within, tolerance.ordered)
        return Entries(*found, none)
    return Entries(*push_down(tree, runs, weights, target), none)


def entries_with_fakes(
    scale: Scale, runs: Runs, targets: Targets, target: Codes, most: Ints
) -> Entries:
    """The cheapest entries with at most most[b] fakes in bucket b, and as few fakes as do."""
    tree, weights = tree_of(scale), weights_of(targets)
    found = [
        _fakes_of(tree, runs, weights, bucket, int(target[bucket]), int(limit))
        for bucket, limit in enumerate(most)
    ]
    fakes = np.concatenate([np.empty((0, 2), np.int64), *found])
    more = _joined(runs, fakes, len(tree.children))
    return replace(entries_of(scale, more, targets, target), fakes=fakes)


def _fakes_of(
    tree: Tree, runs: Runs, weights: Weights, bucket: int, target: int, limit: int
) -> Ints:
    if limit == 0 or runs.start[bucket] == runs.start[bucket + 1]:
        return np.empty((0, 2), np.int64)
    values = int(runs.upto[runs.start[bucket + 1] - 1])
    depth = max(1, int(np.log2(max(2, len(tree.children)))))
    if (values + limit) * (min(values, limit) + 1) * depth > MOST_STATES:
        raise BadJob(
            f"method.fakes allows {limit} fakes in a bucket of {values} records, too many to "
            "choose the best",
            "allow fewer, or make smaller groups",
        )
    plan = plan_of(tree, runs, bucket, weights, target, limit)
    solve(plan, tree, weights)
    number = int(np.argmin(cost_by_fakes(plan)))
    leaf = np.repeat(np.arange(tree.last[0] + 1), trace(plan, tree, weights, number))
    return np.column_stack([np.full(len(leaf), bucket), leaf])


def _joined(runs: Runs, fakes: Ints, nodes: int) -> Runs:
    """The values of every bucket with its fakes among them."""
    buckets = len(runs.start) - 1
    sizes = np.diff(runs.start)
    which = np.repeat(np.arange(buckets), sizes)
    number = np.diff(runs.upto, prepend=0)
    heads = runs.start[:-1][sizes > 0]
    number[heads] = runs.upto[heads]
    key = np.concatenate([which * nodes + runs.leaf, fakes[:, 0] * nodes + fakes[:, 1]])
    each = np.concatenate([number, np.ones(len(fakes), np.int64)])
    used, place = np.unique(key, return_inverse=True)
    held = np.bincount(place, weights=each).astype(np.int64)
    return running(used // nodes, used % nodes, held, buckets)


def implied(scale: Scale, entries: Entries) -> Ints:
    """Entries at or below every node, bucket by bucket, (buckets, nodes)."""
    buckets = len(entries.start) - 1
    held = np.zeros((buckets, len(scale)), np.int64)
    which = np.repeat(np.arange(buckets), np.diff(entries.start))
    held[which, entries.node] = entries.count
    for node in range(len(scale) - 1, 0, -1):
        held[:, scale.parent[node]] += held[:, node]
    return held
