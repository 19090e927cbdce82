"""What the choice of entries may give away, and how joining buckets limits it.

Values lifted at a node come almost all from one child, since the other is exhausted. Who can tell
which one, from the quasi-identifiers, learns what the bucket's own distribution would say. So the
leak of a bucket is the total variation between its own distribution and its target.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.apart import target_mass
from sfumato.kernels.joining import Spans, join_until_near
from sfumato.kernels.tree import Runs
from sfumato.methods.tables.distribution_buckets import too_telling
from sfumato.methods.tables.distribution_entries import runs_of, tree_of, weights_of
from sfumato.methods.tables.distribution_scale import Grown
from sfumato.releases.bucketed import Targets

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
HAIR = 1 - 1e-9  # rounding never decides what an audit decides with fractions


def apart(made: Grown, runs: Runs, targets: Targets, target: int) -> Floats:
    """Total variation between every bucket's own distribution and one target."""
    mass = target_mass(tree_of(made.scale), weights_of(targets), target)
    sizes = np.diff(runs.start)
    which = np.repeat(np.arange(len(sizes)), sizes)
    number = np.diff(runs.upto, prepend=0)
    heads = runs.start[:-1][sizes > 0]
    number[heads] = runs.upto[heads]
    total = np.bincount(which, number, minlength=len(sizes))
    more = np.maximum(number / total[which] - mass[runs.leaf], 0.0)
    return np.bincount(which, more, minlength=len(sizes)).astype(np.float64)


def joined(
    made: Grown,
    bucket: Codes,
    group: Codes,
    order: NDArray[np.integer],
    targets: Targets,
    most: float,
) -> Codes:
    """Neighbouring buckets of a group joined until none is farther than `most` from its target."""
    many = int(bucket.max(initial=-1)) + 1
    of = np.zeros(many, np.int32)
    of[bucket] = group
    middle = np.bincount(bucket, order, minlength=many) / np.bincount(bucket, minlength=many)
    turn = np.lexsort((middle, of))
    place = np.empty(many, np.int32)
    place[turn] = np.arange(many, dtype=np.int32)
    code, spans = _values(made)
    runs = runs_of(place[bucket], code, many, len(spans.first))
    tree, weights = tree_of(made.scale), weights_of(targets)
    label = join_until_near(runs, of[turn], spans, tree, weights, most * HAIR)
    if (label < 0).any():
        raise too_telling()
    return label[place[bucket]]


def _values(made: Grown) -> tuple[Codes, Spans]:
    """Every record's value, and the leaves where each value lies."""
    if made.code is not None:
        return made.code, Spans(*made.span)
    leaves = np.arange(made.leaves)
    return made.leaf, Spans(leaves, leaves)
