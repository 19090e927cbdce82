"""How the sensitive column of a release in buckets is distributed, as its entries and targets say.

Every record has one of its bucket's entries, and inside an entry the target decides.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.schema import Kind
from sfumato.releases.bucketed import Bucketed
from sfumato.study.profile import Profile, bin_edges, is_whole, profile_of, spread

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def bucket_profile(content: Bucketed, name: str) -> Profile:
    """A published column: exact, or for the sensitive one the expectation."""
    if name != content.sensitive:
        return profile_of(content.records[name])
    scale = content.scale
    leaf = np.flatnonzero(scale.is_leaf)
    leaf = leaf[np.argsort(scale.leaf_spans[0][leaf])]
    held = expected_leaves(content)[leaf]
    present = ~(scale.holds_missing[leaf] & (scale.high[leaf] == 0))
    missing, held, leaf = float(held[~present].sum()), held[present], leaf[present]
    if scale.kind is Kind.CATEGORY:
        return Profile(name, held, labels=tuple(scale.labels[at] for at in leaf), missing=missing)
    numbers = scale.numbers[int(scale.has_missing) :]
    edges = bin_edges(numbers, is_whole(scale.values.type))
    low, high = scale.numbers[scale.low[leaf]], scale.numbers[scale.high[leaf]]
    return Profile(name, spread(low, high, held, edges), edges, missing=missing)


def expected_leaves(content: Bucketed) -> Floats:
    """Records to expect at every leaf, (nodes,); inner nodes hold what no target reaches below."""
    nodes, targets = len(content.scale), content.targets
    of = np.repeat(np.arange(len(targets)), np.diff(targets.start))
    key = of * nodes + targets.node
    wanted, held = _entries(content)
    roots = np.arange(len(targets)) * nodes
    keys = np.unique(np.concatenate([key, wanted, roots]))
    mass = np.zeros(len(keys))
    mass[np.searchsorted(keys, wanted)] = held
    parent = np.maximum(content.scale.parent, 0).astype(np.int64)
    line, up = np.searchsorted(keys, key), of * nodes + parent[targets.node]
    # what lies above a node that no target reaches stays where it is
    place = np.minimum(np.searchsorted(keys, up), len(keys) - 1)
    total = np.zeros(len(keys))
    np.add.at(total, place, targets.weight)
    part = targets.weight / total[place]
    depth = _depths(parent)[targets.node]
    for level in range(1, int(depth.max(initial=0)) + 1):
        here = np.flatnonzero(depth == level)
        given = mass[place[here]] * part[here]
        mass[line[here]] += given
        mass[np.unique(place[here])] = 0.0
    return np.bincount(keys % nodes, mass, minlength=nodes).astype(np.float64)


def _entries(content: Bucketed) -> tuple[Ints, Floats]:
    """Records to expect per target and node that has entries; fakes take their share."""
    each = (content.sizes / content.entries)[content.entry_bucket] * content.count
    key = content.target.astype(np.int64)[content.entry_bucket] * len(content.scale) + content.node
    wanted, which = np.unique(key, return_inverse=True)
    return wanted, np.bincount(which, each).astype(np.float64)


def _depths(parent: Ints) -> Ints:
    depth = np.zeros(len(parent), np.int64)
    for node in range(1, len(parent)):
        depth[node] = depth[parent[node]] + 1
    return depth
