"""Counting the values of buckets, against counting them one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from sfumato.kernels.tallies import tallied


@pytest.mark.parametrize("leaves", [1, 7, 300])
@pytest.mark.parametrize("rows", [0, 1, 20, 400])
def test_values_are_counted_bucket_by_bucket(rows, leaves):
    rng = np.random.default_rng(rows + leaves)
    bucket = rng.choice([0, 1, 1, 1, 3], rows).astype(np.int32)
    leaf = rng.integers(0, leaves, rows).astype(np.int32)
    before = bucket.copy(), leaf.copy()
    found = tallied(bucket, leaf, 5, leaves)
    assert np.array_equal(before[0], bucket)
    assert np.array_equal(before[1], leaf)
    for one in range(5):
        counted = sorted(Counter(leaf[bucket == one].tolist()).items())
        run = slice(found.start[one], found.start[one + 1])
        assert found.leaf[run].tolist() == [value for value, _ in counted]
        assert found.upto[run].tolist() == np.cumsum([many for _, many in counted]).tolist()
    assert found.start[-1] == len(found.leaf) == len(found.upto)
