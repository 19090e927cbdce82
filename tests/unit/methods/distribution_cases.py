"""Tiny random trees, targets and buckets, as the naive reference and as the kernels see them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from math import gcd
from typing import Any

import numpy as np
import pyarrow as pa
from tests.naive.distribution import Case

from sfumato.data.scale import Scale, grow
from sfumato.data.schema import Kind
from sfumato.kernels.tree import Runs
from sfumato.methods.tables.distribution_entries import Entries, runs_of
from sfumato.releases.bucketed import Targets

WEIGHTS = (0, 1, 1, 1, 2, 2, 3, 4)


def random_tree(rng: np.random.Generator, first: int, last: int, arity: int) -> Any:
    """A nested list over the leaves first .. last, with at most `arity` children a node."""
    many = last - first + 1
    if many == 1:
        return first
    parts = int(rng.integers(2, min(arity, many) + 1))
    cuts = sorted(rng.choice(np.arange(first + 1, last + 1), parts - 1, replace=False).tolist())
    ends = [first, *cuts, last + 1]
    return [random_tree(rng, a, b - 1, arity) for a, b in itertools.pairwise(ends)]


def random_case(rng: np.random.Generator, leaves: int, arity: int = 4) -> Case:
    """A tree with weights that may be zero or have a common factor, but not all zero."""
    tree = random_tree(rng, 0, leaves - 1, arity)
    value = tuple(np.cumsum(rng.integers(1, 6, leaves)).tolist())
    blank = Case(tree, value, ())
    weight = [1] * len(blank.nodes)
    for below in blank.children:
        for child in below:
            weight[child] = int(rng.choice(WEIGHTS))
        if below and not any(weight[child] for child in below):
            weight[below[int(rng.integers(len(below)))]] = int(rng.integers(1, 4))
    return Case(tree, value, tuple(weight))


def scale_of(case: Case) -> Scale:
    """The tree as a scale; nodes have the same numbers."""
    return grow(Kind.NUMBER, pa.array(case.value), False, case.tree)


def targets_of(case: Case) -> Targets:
    """The target as a release states it: in lowest terms, without zeros."""
    weight = dict.fromkeys(range(len(case.nodes)), 0)
    for below in case.children:
        common = gcd(*(case.weight[child] for child in below)) or 1
        weight |= {child: case.weight[child] // common for child in below}
    node = [child for child, part in weight.items() if part]
    return Targets(
        np.array([0, len(node)], np.int64),
        np.array(node, np.int32),
        np.array([weight[child] for child in node], np.int64),
    )


def buckets_of(values: Sequence[Sequence[int]], leaves: int) -> tuple[Runs, np.ndarray]:
    """Buckets of leaves as runs, and the target of each."""
    bucket = np.repeat(np.arange(len(values), dtype=np.int32), [len(one) for one in values])
    leaf = np.array([x for one in values for x in one], np.int32)
    return runs_of(bucket, leaf, len(values), leaves), np.zeros(len(values), np.int32)


def random_values(rng: np.random.Generator, leaves: int, most: int, many: int) -> list[list[int]]:
    """Buckets of 1 to `most` leaves."""
    sizes = rng.integers(1, most + 1, many)
    return [rng.integers(0, leaves, size).tolist() for size in sizes]


def nodes_of(entries: Entries, bucket: int) -> tuple[int, ...]:
    """The entries of one bucket, one by one."""
    lines = range(entries.start[bucket], entries.start[bucket + 1])
    held = Counter({int(entries.node[i]): int(entries.count[i]) for i in lines})
    return tuple(sorted(held.elements()))
