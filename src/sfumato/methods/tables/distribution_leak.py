"""What the choice of entries may give away, and how merging buckets limits it.

Values lifted at a node come almost all from one child, since the other is exhausted. Who can tell
which one, from the quasi-identifiers, learns what the bucket's own distribution would say. So the
leak of a bucket is the total variation between its own distribution and its target.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.scale import Scale
from sfumato.kernels.tree import Runs
from sfumato.methods.tables.distribution_buckets import too_telling
from sfumato.methods.tables.distribution_scale import Grown
from sfumato.releases.bucketed import Targets

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


def probabilities(scale: Scale, targets: Targets) -> list[Floats]:
    """The probability of every leaf under each target."""
    return [
        _probability(scale, targets.dense(target, len(scale))) for target in range(len(targets))
    ]


def _probability(scale: Scale, weight: Ints) -> Floats:
    mass = np.zeros(len(scale))
    mass[0] = 1.0
    whole = np.zeros(len(scale))
    np.add.at(whole, scale.parent[1:], weight[1:])
    for node in range(1, len(scale)):
        above = scale.parent[node]
        if whole[above]:
            mass[node] = mass[above] * weight[node] / whole[above]
    found = np.zeros(int(scale.is_leaf.sum()))
    leaf = np.flatnonzero(scale.is_leaf)
    found[scale.leaf_spans[0][leaf]] = mass[leaf]
    return found


def apart(runs: Runs, target: Floats) -> Floats:
    """Total variation between every bucket's own distribution and one target."""
    sizes = np.diff(runs.start)
    which = np.repeat(np.arange(len(sizes)), sizes)
    number = np.diff(runs.upto, prepend=0)
    heads = runs.start[:-1][sizes > 0]
    number[heads] = runs.upto[heads]
    total = np.bincount(which, number, minlength=len(sizes))
    share = number / total[which]
    wanted = target[runs.leaf]
    # what the bucket lacks altogether counts whole
    return np.asarray(
        (np.bincount(which, np.abs(share - wanted) - wanted, minlength=len(sizes)) + 1) / 2
    )


def joined(
    made: Grown,
    bucket: Codes,
    group: Codes,
    order: NDArray[np.integer],
    targets: Targets,
    most: float,
) -> Codes:
    """Neighbouring buckets of a group joined until none is farther than `most` from its target."""
    found = np.zeros(len(bucket), np.int32)
    chance = probabilities(made.scale, targets)
    first = 0
    for part in range(int(group.max(initial=-1)) + 1):
        rows = np.flatnonzero(group == part)
        label = _join(made, bucket[rows], order[rows], made.leaf[rows], chance[part], most)
        found[rows] = label + first
        first += int(label.max()) + 1
    return found


def _join(
    made: Grown, bucket: Codes, order: NDArray[np.integer], leaf: Codes, chance: Floats, most: float
) -> Codes:
    used, dense = np.unique(bucket, return_inverse=True)
    sizes = np.bincount(dense)
    turn = np.argsort(np.bincount(dense, order) / sizes, kind="stable")
    counts = np.zeros((len(used), made.leaves), np.int64)
    np.add.at(counts, (dense, leaf), 1)
    label, heap, number = np.zeros(len(used), np.int32), np.zeros(made.leaves, np.int64), 0
    for place in turn.tolist():
        heap += counts[place]
        label[place] = number
        if _far(heap, chance) <= most:
            number, heap = number + 1, np.zeros(made.leaves, np.int64)
    if heap.any():  # the last ones join those before them
        number -= 1
        label[label > number] = number
        if number < 0 or _far(counts[label == number].sum(axis=0), chance) > most:
            if _far(counts.sum(axis=0), chance) > most:
                raise too_telling()
            label[:] = 0
    return label[dense]


def _far(counts: Ints, chance: Floats) -> float:
    return float(np.abs(counts / counts.sum() - chance).sum() / 2)
