"""The earth mover's distance between what entries imply and their target, along the values.

Under a node without entries below it, what is implied is the target, scaled. So along the leaves
it is the target times one factor for every such node.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate

import numpy as np

from sfumato.audit.buckets import Buckets, Floats, Ints

CELLS_AT_ONCE = 2_000_000


def moved(buckets: Buckets, implied: Floats, share: Floats) -> Floats:
    """The distance of every bucket; `implied` and `share` are those of every line of the tally."""
    leaves = int(buckets.scale.is_leaf.sum())
    step = max(1, CELLS_AT_ONCE // leaves)
    ends = np.searchsorted(buckets.tally.bucket, np.arange(buckets.content.groups + 1))
    found = np.zeros(buckets.content.groups)
    for first in range(0, len(found), step):
        last = min(first + step, len(found))
        lines = np.arange(ends[first], ends[last])
        lead = _leads(buckets, lines, np.arange(first, last), implied, share)
        found[first:last] = np.abs(np.cumsum(lead, axis=1)[:, :-1]).sum(axis=1)
    return found / max(1, leaves - 1)


def _leads(buckets: Buckets, lines: Ints, wanted: Ints, implied: Floats, share: Floats) -> Floats:
    """Implied less asked, for every wanted bucket and leaf."""
    mass = _masses(buckets, wanted)
    factor = np.zeros_like(mass)
    tally, (first, last) = buckets.tally, buckets.scale.leaf_spans
    ends = lines[(tally.below[lines] == 0) & (share[lines] > 0)]
    node = tally.node[ends]
    many = last[node] - first[node] + 1
    leaf = np.arange(many.sum()) + np.repeat(first[node] - (np.cumsum(many) - many), many)
    row = np.repeat(tally.bucket[ends] - wanted[0], many)
    factor[row, leaf] = np.repeat(implied[ends] / share[ends], many)
    return mass * (factor - 1)


def _masses(buckets: Buckets, wanted: Ints) -> Floats:
    """What the target of every wanted bucket gives to every leaf."""
    scale, weights = buckets.scale, buckets.weights
    kinds, which = np.unique(buckets.target[wanted], return_inverse=True)
    found = np.zeros((len(kinds), int(scale.is_leaf.sum())))
    if len(scale) == 1:
        found[:] = 1.0
    node, of = weights.key % len(scale), weights.key // len(scale)
    place = np.minimum(np.searchsorted(kinds, of), len(kinds) - 1)
    here = scale.is_leaf[node] & (kinds[place] == of)
    found[place[here], scale.leaf_spans[0][node[here]]] = weights.share[here]
    return found[which]


def exactly_moved(
    buckets: Buckets, target: int, ends: Iterator[tuple[int, Fraction, Fraction]]
) -> Fraction:
    """The distance of one bucket as a fraction; `ends` are its nodes without entries below, with
    what is implied and what is asked of each."""
    mass = exact_masses(buckets, target)
    lead, (first, last) = [-part for part in mass], buckets.scale.leaf_spans
    for node, implied, share in ends:
        for leaf in range(first[node], last[node] + 1 if share else first[node]):
            lead[leaf] += mass[leaf] * implied / share
    total = sum(map(abs, accumulate(lead)), Fraction(0))
    return total / max(1, len(lead) - 1)


def exact_masses(buckets: Buckets, target: int) -> list[Fraction]:
    """What a target gives to every leaf."""
    scale = buckets.scale
    weight = buckets.content.targets.dense(target, len(scale)).tolist()
    share = [Fraction(0)] * len(scale)
    share[0] = Fraction(1)
    for node in np.flatnonzero(scale.children).tolist():
        first = int(scale.first_child[node])
        run = range(first, first + int(scale.children[node]))
        whole = sum(weight[child] for child in run)
        for child in run:
            share[child] = share[node] * Fraction(weight[child], whole or 1)
    leaf = np.flatnonzero(scale.is_leaf)
    return [share[node] for node in leaf[np.argsort(scale.leaf_spans[0][leaf])].tolist()]
