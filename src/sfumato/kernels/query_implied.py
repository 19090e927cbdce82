"""The distribution that the entries of a bucket imply: its means, its spread, its histogram.

At a node with entries below it the shares are those of the entries, elsewhere the target's own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Closure(NamedTuple):
    """Per bucket the nodes that have entries at or below them, children before parents.

    Bucket b owns start[b] <= i < start[b + 1]. Node node[i] has own[i] entries, and share[i] of
    those below its parent, which is item up[i] (the root's: itself). tip[i]: no entries below.
    """

    start: Ints
    node: NDArray[np.int32]
    up: Ints
    own: Ints
    share: Floats
    tip: NDArray[np.bool_]


@compiled
def closure(
    start: Ints, node: NDArray[np.int32], count: Ints, parent: NDArray[np.int32]
) -> Closure:
    """See Closure; the nodes of a bucket ascend, and so do the parents of ascending nodes.

    O(items): going down the numbers, the next node is that of the next line, or the parent of the
    first item whose parent has not had its turn.
    """
    first = _sizes(start, node, parent)
    items = first[-1]
    which = np.empty(items, np.int32)
    up = np.empty(items, np.int64)
    own = np.zeros(items, np.int64)
    held = np.zeros(items, np.int64)
    for bucket in range(len(start) - 1):
        line = start[bucket + 1] - 1
        child = first[bucket]
        for item in range(first[bucket], first[bucket + 1]):
            next_ = node[line] if line >= start[bucket] else np.int32(-1)
            if child < item:
                next_ = max(next_, parent[which[child]])
            which[item] = next_
            up[item] = item
            if line >= start[bucket] and node[line] == next_:
                own[item] = count[line]
                line -= 1
            held[item] += own[item]
            while child < item and parent[which[child]] == next_:
                up[child] = item
                held[item] += held[child]
                child += 1
    share = np.ones(items)
    for item in range(items):
        if up[item] != item:
            share[item] = held[item] / (held[up[item]] - own[up[item]])
    return Closure(first, which, up, own, share, held == own)


@compiled
def _sizes(start: Ints, node: NDArray[np.int32], parent: NDArray[np.int32]) -> Ints:
    """Where the items of every bucket begin."""
    seen = np.full(len(parent), -1, np.int64)
    first = np.zeros(len(start), np.int64)
    for bucket in range(len(start) - 1):
        first[bucket + 1] = first[bucket]
        for line in range(start[bucket], start[bucket + 1]):
            above = node[line]
            while above >= 0 and seen[above] != bucket:
                seen[above] = bucket
                first[bucket + 1] += 1
                above = parent[above]
    return first


@compiled
def target_moments(
    start: Ints,
    node: NDArray[np.int32],
    weight: Ints,
    parent: NDArray[np.int32],
    even: Floats,
    which: Ints,
    at: NDArray[np.int32],
) -> Floats:
    """Moments (share inside, f, f squared) below some nodes of some targets.

    Target t gives weight[i] to node[i], start[t] <= i < start[t + 1]. even[v]: the moments of node
    v if all its places are alike, which holds for leaves, and where no child has weight. Pair i
    asks for node at[i] of target which[i]; `which` ascends. O(listed nodes + pairs).
    """
    sums = np.zeros((len(parent), 3))
    mass = np.zeros(len(parent))
    out = np.empty((len(which), 3))
    for pair in range(len(which)):
        target = which[pair]
        if pair == 0 or target != which[pair - 1]:
            mass[:] = 0.0
            sums[:] = 0.0
            for place in range(start[target + 1] - 1, start[target] - 1, -1):
                below, above = node[place], parent[node[place]]
                mass[above] += weight[place]
                for part in range(3):
                    whole = sums[below, part] / mass[below] if mass[below] else even[below, part]
                    sums[above, part] += weight[place] * whole
        below = at[pair]
        for part in range(3):
            out[pair, part] = sums[below, part] / mass[below] if mass[below] else even[below, part]
    return out


@compiled
def bucket_moments(tree: Closure, tip: Ints, known: Floats) -> Floats:
    """Per bucket what `expected_at` asks for.

    known[tip[i]]: moments (share inside, f, f squared) of an item without entries below. Together
    an entry has the variance of the whole distribution; what the entries of a node do not share
    counts as variance between them. O(items).
    """
    buckets = len(tree.start) - 1
    out = np.zeros((buckets, 8))
    inner = np.zeros((np.diff(tree.start).max() if buckets else 0, 3))
    for bucket in range(buckets):
        first, end = tree.start[bucket], tree.start[bucket + 1]
        inner[: end - first] = 0.0
        entries = 0
        shared = out[bucket, 5:]
        for item in range(first, end):
            found = inner[item - first]
            if tree.tip[item]:
                found[:] = known[tip[item]]
            own, share, mean, square = tree.own[item], found[0], found[1], found[2]
            entries += own
            shared[0] += own * own * max(square - mean * mean, 0.0)
            shared[1] += own * own * (mean - mean * share)
            shared[2] += own * own * max(share - share * share, 0.0)
            if tree.up[item] != item:
                inner[tree.up[item] - first] += tree.share[item] * found
        shared /= max(entries * entries, 1)
        share, mean, square = inner[end - 1 - first]
        out[bucket, 0], out[bucket, 1] = mean, share
        out[bucket, 2] = max(square - mean * mean - shared[0], 0.0)
        out[bucket, 3] = mean - mean * share - shared[1]
        out[bucket, 4] = max(share - share * share - shared[2], 0.0)
    return out


@compiled
def target_histogram(
    start: Ints,
    node: NDArray[np.int32],
    weight: Ints,
    parent: NDArray[np.int32],
    bins: Ints,
    part: Floats,
    pair: tuple[Ints, NDArray[np.int32]],
    out: NDArray[np.float32],
) -> None:
    """Mass per bin, added to out (pairs, bins), of what lies below some nodes of some targets.

    Arguments as above; leaf v lies in bins[v] with the share part[v] of its mass. O(listed nodes)
    for every pair.
    """
    which, at = pair
    mass = np.zeros(len(parent))
    total = np.zeros(len(parent))
    inner = np.zeros(len(parent), np.bool_)
    inner[parent[1:]] = True
    for row in range(len(which)):
        first, end = start[which[row]], start[which[row] + 1]
        mass[:] = 0.0
        total[:] = 0.0
        for place in range(first, end):
            total[parent[node[place]]] += weight[place]
        mass[at[row]] = 1.0
        for place in range(first, end):
            below, above = node[place], parent[node[place]]
            if below > at[row]:
                mass[below] = mass[above] * weight[place] / total[above]
                if not inner[below]:
                    out[row, bins[below]] += mass[below] * part[below]


@compiled
def bucket_histogram(
    tree: Closure, tip: Ints, bins: Ints, part: Floats, spread: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Mass per bin and bucket, (bins, buckets).

    An item without entries below lies in bins[tip[i]] with the share part[tip[i]] of its mass; of
    tips beyond these, spread[tip[i] - len(bins)] has the mass per bin. O(items + spread items bins)
    """
    buckets = len(tree.start) - 1
    out = np.zeros((spread.shape[1], buckets), np.float32)
    mass = np.zeros(len(tree.node))
    for bucket in range(buckets):
        for item in range(tree.start[bucket + 1] - 1, tree.start[bucket] - 1, -1):
            above = mass[tree.up[item]] if tree.up[item] != item else 1.0
            mass[item] = above * tree.share[item]
            place = tip[item]
            if not tree.tip[item]:
                continue
            if place < len(bins):
                out[bins[place], bucket] += mass[item] * part[place]
                continue
            for bin_ in range(spread.shape[1]):
                out[bin_, bucket] += mass[item] * spread[place - len(bins), bin_]
    return out
