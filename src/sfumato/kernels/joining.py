"""Neighbouring buckets joined until what their members have is near enough to their target."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.apart import aim, ground_of
from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.tree import Runs, Tree, Weights

Ints = NDArray[np.int64]


class Spans(NamedTuple):
    """First and last leaf of every value; they differ where a value lies in several strata."""

    first: Ints
    last: Ints


@inlined
def _deal(heap: Ints, size: int, spans: Spans, leaf: Ints) -> None:
    """Count values by leaf; those of several strata as a bucket of even spread would have them."""
    for i in range(len(leaf)):
        leaf[i] = 0
    place = 0
    for value in range(len(heap)):
        if spans.first[value] == spans.last[value]:
            leaf[spans.first[value]] += heap[value]
            place += heap[value]
            continue
        for _ in range(heap[value]):
            here = place * len(leaf) // size
            leaf[min(max(here, spans.first[value]), spans.last[value])] += 1
            place += 1


@inlined
def _far(heap: Ints, size: int, spans: Spans, leaf: Ints, mass: NDArray[np.float64]) -> float:
    """Total variation between some values and the target."""
    _deal(heap, size, spans, leaf)
    more = 0.0
    for i in range(len(leaf)):
        more += max(0.0, leaf[i] / size - mass[i])
    return more


@inlined
def _pour(runs: Runs, bucket: int, heap: Ints) -> int:
    """Add the values of a bucket to the heap; returns how many there are."""
    before = 0
    for line in range(runs.start[bucket], runs.start[bucket + 1]):
        heap[runs.leaf[line]] += runs.upto[line] - before
        before = runs.upto[line]
    return before


@compiled
def join_until_near(
    runs: Runs,
    group: NDArray[np.int32],
    spans: Spans,
    tree: Tree,
    weights: Weights,
    most: float,
) -> NDArray[np.int32]:
    """The joined bucket of every bucket, (buckets,), or -1 throughout a group that is too far.

    Buckets stand in the order in which they may be joined, those of a group together; group g
    follows target g. A joined bucket is closed as soon as it is at most `most` in total variation
    from its target; what is left at the end of a group joins those before it. Linear in the
    values and in buckets times leaves.
    """
    label = np.empty(len(group), np.int32)
    closed = np.empty(len(group) + 1, np.int64)  # first buckets of those closed in this group
    heap = np.zeros(len(spans.first), np.int64)
    leaf = np.zeros(tree.last[0] + 1, np.int64)
    ground = ground_of(tree, True)
    number, bucket = 0, 0
    while bucket < len(group):
        here, many, size = group[bucket], 0, 0
        aim(ground, tree, weights, here)
        closed[0] = bucket
        while bucket < len(group) and group[bucket] == here:
            size += _pour(runs, bucket, heap)
            bucket += 1
            if size and _far(heap, size, spans, leaf, ground.mass) <= most:
                many, size = many + 1, 0
                closed[many] = bucket
                heap[:] = 0
        while size and many:
            many -= 1
            for i in range(closed[many], closed[many + 1]):
                size += _pour(runs, i, heap)
            if _far(heap, size, spans, leaf, ground.mass) <= most:
                many, size = many + 1, 0
        heap[:] = 0
        if many == 0:
            label[closed[0] : bucket] = -1
        closed[many] = bucket
        for i in range(many):
            label[closed[i] : closed[i + 1]] = number
            number += 1
    return label
