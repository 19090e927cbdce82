"""The values of buckets as runs, for stretches of similar people and for strata."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.strata import deal_strata
from sfumato.kernels.tree import Runs
from sfumato.methods.tables.distribution_buckets import Stretches
from sfumato.methods.tables.distribution_entries import running, runs_of
from sfumato.methods.tables.distribution_scale import Grown

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]


def runs_of_stretches(made: Grown, ordered: Ints, stretches: Stretches) -> Runs:
    """The values of every stretch; strata are dealt out stretch by stretch."""
    first, last = stretches.ends.T
    if made.code is not None:
        sizes = stretches.upto[last + 1] - stretches.upto[first]
        start = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.arange(start[-1]) + np.repeat(stretches.upto[first] - start[:-1], sizes)
        which = np.repeat(np.arange(len(first), dtype=np.int32), sizes)
        code = made.code[ordered][rows]
        code = code[np.lexsort((code, which))]
        leaf = deal_strata(start, code, *made.span, made.leaves)
        return runs_of(which, leaf, len(first), made.leaves)
    places = np.repeat(np.arange(stretches.places), np.diff(stretches.upto))
    key = places * made.leaves + made.leaf[ordered]
    each = np.bincount(key, minlength=stretches.places * made.leaves)
    upto = np.zeros((stretches.places + 1, made.leaves), np.int64)
    np.cumsum(each.reshape(stretches.places, made.leaves), axis=0, out=upto[1:])
    held_ = upto[last + 1] - upto[first]
    lines, leaves = np.nonzero(held_)
    return running(lines, leaves, held_[lines, leaves], len(first))


def dealt(made: Grown, bucket: Codes, number: int) -> Codes:
    """The stratum of every record, dealt out bucket by bucket."""
    assert made.code is not None
    order = np.lexsort((made.code, bucket))
    start = np.concatenate([[0], np.cumsum(np.bincount(bucket, minlength=number))])
    leaf = np.empty(len(bucket), np.int32)
    leaf[order] = deal_strata(start, made.code[order], *made.span, made.leaves)
    return leaf
