"""How far the members' own values may be from their target, at most, from the files alone.

Let B be the mean over a bucket's entries of the target inside each. An entry above the leaves may
stand for any value under it, and is then 1 - P(value | node) away from its part of B; a fake may
stand for nobody. So the total variation between the members' values and the target is at most
that between B and the target (nothing, where the target is followed exactly), plus the mean of
1 - the least P(value | node) over entries, plus the share of fakes.
"""

from __future__ import annotations

import numpy as np

from sfumato.audit.buckets import Buckets, Floats, find
from sfumato.core.answers import Status, Verdict


def lifted(buckets: Buckets) -> Verdict:
    """The bound of the worst bucket, and on average."""
    leak = most_leak(buckets)
    worst = int(leak.argmax())
    return Verdict(
        "minimality leak, at most",
        Status.ARGUED,
        f"{buckets.mean(leak):.3f} on average over records, {leak[worst]:.3f} in the worst bucket",
        buckets.shape(worst),
        "total variation between the target and the members' own values, which is what somebody "
        "may learn of a bucket who knows how its entries came about",
    )


def most_leak(buckets: Buckets) -> Floats:
    """The bound for every bucket."""
    tally, content = buckets.tally, buckets.content
    gain = tally.at * (1 - least_shares(buckets))
    entries = content.entries
    leak = np.bincount(tally.bucket, gain, minlength=content.groups) / entries
    fakes = (entries - content.sizes) / entries
    return np.asarray(np.minimum(leak + fakes + off_target(buckets), 1.0))


def least_shares(buckets: Buckets) -> Floats:
    """The least share that the target gives to a leaf under the node of every line of the tally."""
    weights, children = buckets.weights, buckets.scale.children
    nodes, targets = len(children), len(buckets.content.targets)
    keys = np.concatenate([weights.key, np.arange(targets) * nodes])
    order = np.argsort(keys)
    keys, part = keys[order], np.append(_parts(buckets), np.ones(targets))[order]
    node, target = keys % nodes, keys // nodes
    up = find(keys, target * nodes + buckets.parent[node])
    listed = np.bincount(up[(node > 0) & (up >= 0)], minlength=len(keys))
    least = np.where(listed == children[node], 1.0, 0.0)  # a leaf without weight has no share
    for here in buckets.levels(node)[:0:-1]:
        here = here[up[here] >= 0]
        np.minimum.at(least, up[here], part[here] * least[here])
    tally = buckets.tally
    line = find(keys, buckets.target[tally.bucket] * nodes + tally.node)
    return np.asarray(np.where(line >= 0, least[line], 0.0))


def _parts(buckets: Buckets) -> Floats:
    """The share of every listed node among its siblings."""
    weights = buckets.weights
    return np.asarray(weights.weight / np.maximum(weights.total, 1))


def off_target(buckets: Buckets) -> Floats:
    """Total variation between the target of every bucket and the mean of it inside the entries."""
    tally, content, weights = buckets.tally, buckets.content, buckets.weights
    line = weights.find(buckets.target[tally.bucket], tally.node)
    known = line >= 0
    part, share = np.zeros(len(line)), np.zeros(len(line))
    if known.any():
        part[known], share[known] = _parts(buckets)[line[known]], weights.share[line[known]]
    share[tally.node == 0] = 1.0
    above, rest = np.zeros(len(line)), np.ones(len(line))
    for here in buckets.levels(tally.node)[1:]:
        up = tally.up[here]
        above[here] = (tally.at[up] + above[up]) * part[here]
        np.subtract.at(rest, up, part[here])
    mean = (tally.at + above) / content.entries[tally.bucket]
    more = np.maximum(rest, 0.0) * np.maximum(mean - share, 0.0)
    return np.bincount(tally.bucket, more, minlength=content.groups).astype(np.float64)
