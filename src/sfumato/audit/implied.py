"""What buckets imply about single values, and what privacy models say of that."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.buckets import Buckets, Flags, Floats, Ints
from sfumato.audit.numbers import NUMBERS
from sfumato.audit.private import CLOSE, follows
from sfumato.core.errors import BadRelease
from sfumato.data.plain import spell
from sfumato.data.schema import Kind
from sfumato.models.base import Model, Whole

CELLS_AT_ONCE = 2_000_000
LARGE = 2.0**60  # shares times this are as good as counts


def leaf_values(buckets: Buckets) -> tuple[Ints, int]:
    """The value of every leaf, and how many values there are."""
    scale = buckets.scale
    leaf = np.flatnonzero(scale.is_leaf)
    span = scale.low[leaf].astype(np.int64) * scale.places + scale.high[leaf]
    first, value = np.unique(span, return_inverse=True)
    return value, len(first)


def values_of(buckets: Buckets) -> tuple[Ints, list[str]]:
    """The value of every leaf, and the values as models spell them; equal leaves are one value."""
    scale = buckets.scale
    leaf = np.flatnonzero(scale.is_leaf)
    span = scale.low[leaf].astype(np.int64) * scale.places + scale.high[leaf]
    _, first, value = np.unique(span, return_index=True, return_inverse=True)
    if scale.gaps:
        return value, [scale.labels[node] for node in leaf[first].tolist()]
    texts = spell([None] * scale.has_missing + scale.values.to_pylist())
    return value, [texts[place] for place in scale.low[leaf[first]].tolist()]


def touching(buckets: Buckets) -> bool:
    """Whether different leaves share a value."""
    scale = buckets.scale
    leaf = np.flatnonzero(scale.is_leaf)
    spans = np.unique(np.column_stack([scale.low[leaf], scale.high[leaf]]), axis=0)
    return bool((spans[1:, 0] <= spans[:-1, 1]).any())


def whole_of(buckets: Buckets, counts: Ints | None = None) -> Whole:
    """The values; with counts, those of the original."""
    texts = values_of(buckets)[1]
    known = (0,) * len(texts) if counts is None else tuple(map(int, counts))
    ordered = buckets.scale.kind is not Kind.CATEGORY
    return Whole(buckets.content.sensitive, tuple(texts), known, ordered)


def numbers_of(model: Model, buckets: Buckets, whole: Whole) -> tuple[Floats, Ints]:
    """The model's number for every different bucket, and a bucket of each kind."""
    wanted = _different(buckets)
    number = NUMBERS[model.name]
    parts = [number(model, LARGE * part, whole) for part in _shares(buckets, wanted)]  # type: ignore[arg-type]
    return np.concatenate(parts), wanted


def all_hold(model: Model, buckets: Buckets, numbers: Floats, wanted: Ints, whole: Whole) -> bool:
    """Exact for the buckets near the worst; one with a clearly better number can't fail."""
    worst = numbers.min() if model.higher_is_safer else numbers.max()
    if not np.isfinite(worst):
        return False
    near = np.abs(numbers - worst) <= CLOSE * max(1.0, abs(worst))
    different = {_weights(buckets, bucket) for bucket in wanted[near].tolist()}
    return all(model.holds(weights, whole) for weights in different)


def _different(buckets: Buckets) -> Ints:
    """Buckets to look at: of those that imply their targets exactly, one a target."""
    exact: Flags = follows(buckets)
    _, first = np.unique(buckets.target[exact], return_index=True)
    return np.sort(np.concatenate([np.flatnonzero(exact)[first], np.flatnonzero(~exact)]))


def _shares(buckets: Buckets, wanted: Ints) -> Iterator[Floats]:
    """What some buckets imply: a share for every value, some buckets at a time."""
    scale, value = buckets.scale, values_of(buckets)[0]
    leaf = np.flatnonzero(scale.is_leaf)
    step = max(1, CELLS_AT_ONCE // len(scale))
    for begin in range(0, len(wanted), step):
        nodes = _node_shares(buckets, wanted[begin : begin + step])[:, leaf]
        if (nodes.sum(axis=1) < 1 - CLOSE).any():
            raise BadRelease("an entry lies where its target has no distribution")
        shares = np.zeros((len(nodes), int(value.max()) + 1))
        for place, of in enumerate(value.tolist()):
            shares[:, of] += nodes[:, place]
        yield shares


def _node_shares(buckets: Buckets, wanted: Ints) -> Floats:
    """What some buckets imply for every node, level by level from the root."""
    scale, parent = buckets.scale, buckets.parent
    weight, count = _dense_weights(buckets, wanted), _dense_counts(buckets, wanted)
    shares = np.ones((len(wanted), len(scale)))
    for level in buckets.levels(np.arange(len(scale)))[1:]:
        heads = np.flatnonzero(np.diff(parent[level], prepend=-1))
        many = np.diff(np.append(heads, len(level)))
        part = np.zeros((len(wanted), len(level)))
        for numbers in (weight[:, level], count[:, level]):  # entries count before the target
            sums = np.repeat(np.add.reduceat(numbers, heads, axis=1), many, axis=1)
            np.divide(numbers, sums, out=part, where=sums > 0)
        shares[:, level] = shares[:, parent[level]] * part
    return shares


def _dense_weights(buckets: Buckets, wanted: Ints) -> Floats:
    targets = buckets.content.targets
    dense = np.zeros((len(wanted), len(buckets.scale)))
    row, line = _lines(targets.start, buckets.target[wanted])
    dense[row, targets.node[line]] = targets.weight[line]
    return dense


def _dense_counts(buckets: Buckets, wanted: Ints) -> Floats:
    tally = buckets.tally
    start = np.searchsorted(tally.bucket, np.arange(buckets.content.groups + 1))
    dense = np.zeros((len(wanted), len(buckets.scale)))
    row, line = _lines(start, wanted)
    dense[row, tally.node[line]] = tally.count[line]
    return dense


def _lines(start: Ints, runs: Ints) -> tuple[Ints, NDArray[np.int64]]:
    """All lines of some runs, and the place of its run for each."""
    many = start[runs + 1] - start[runs]
    row = np.repeat(np.arange(len(runs)), many)
    return row, np.arange(len(row)) + np.repeat(start[runs] - (np.cumsum(many) - many), many)


def _weights(buckets: Buckets, bucket: int) -> tuple[int, ...]:
    """What one bucket implies, as whole numbers in the ratio of the values' shares."""
    scale, targets, tally = buckets.scale, buckets.content.targets, buckets.tally
    weight = targets.dense(int(buckets.target[bucket]), len(scale)).tolist()
    begin, end = np.searchsorted(tally.bucket, [bucket, bucket + 1])
    if scale.is_leaf[tally.node[begin:end][tally.at[begin:end] > 0]].all():
        return _counted(buckets, tally.node[begin:end], tally.at[begin:end])
    count = [0] * len(scale)
    for node, number in zip(tally.node[begin:end].tolist(), tally.count[begin:end].tolist()):
        count[node] = number
    shares = [Fraction(1)] * len(scale)
    for node in np.flatnonzero(scale.children).tolist():
        first = int(scale.first_child[node])
        run = slice(first, first + int(scale.children[node]))
        parts = count[run] if any(count[run]) else weight[run]
        for child, part in enumerate(parts, first):
            shares[child] = shares[node] * Fraction(part, sum(parts) or 1)
    return _whole_numbers(buckets, shares)


def _counted(buckets: Buckets, node: Ints, at: Ints) -> tuple[int, ...]:
    """What a bucket implies whose entries are all leaves: their counts, in lowest terms."""
    value, many = leaf_values(buckets)
    leaf = np.flatnonzero(buckets.scale.is_leaf)
    some = at > 0
    sums = np.zeros(many, np.int64)
    np.add.at(sums, value[np.searchsorted(leaf, node[some])], at[some])
    return tuple((sums // max(1, int(np.gcd.reduce(sums)))).tolist())


def _whole_numbers(buckets: Buckets, shares: list[Fraction]) -> tuple[int, ...]:
    value, texts = values_of(buckets)
    sums = [Fraction(0)] * len(texts)
    for leaf, of in zip(np.flatnonzero(buckets.scale.is_leaf).tolist(), value.tolist()):
        sums[of] += shares[leaf]
    common = math.lcm(*(share.denominator for share in sums))
    return tuple(int(share * common) for share in sums)
