"""Localities: the complete set against every triple, samples against the complete set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.naive.localities import closure, every_locality

from sfumato.core.run import Run
from sfumato.kernels.localities import (
    LESS,
    complete_localities,
    count_localities,
    fill_localities,
    sampled_localities,
    words_for,
)

VALUES = st.lists(st.integers(-30, 30), min_size=1, max_size=12).map(sorted)


@given(VALUES)
def test_all_localities_follow_from_the_complete_set(d):
    rows = complete_localities(np.array(d, np.int64)).tolist()
    found = {(i + 1, j + 1, k + 1, "<" if sort == LESS else ">=") for i, j, k, sort in rows}
    assert closure(found, len(d)) == every_locality(d)
    assert len(found) == len(rows)


@given(VALUES, st.floats(0.01, 0.99), st.integers(0, 1000))
def test_a_sample_is_part_of_the_complete_set(d, share, seed):
    values = np.array(d, np.int64)
    words = Run.seeded(seed).words(words_for(len(d), share), "test")
    rows = sampled_localities(values, share, words).tolist()
    assert len(set(map(tuple, rows))) == len(rows)
    assert set(map(tuple, rows)) <= set(map(tuple, complete_localities(values).tolist()))


@pytest.mark.parametrize(("share", "kept"), [(0.0, 0.0), (1.0, 1.0)])
def test_no_share_and_the_whole(share, kept):
    values = np.arange(20, dtype=np.int64) ** 2
    rows = sampled_localities(values, share, np.zeros(1000, np.uint64))
    assert len(rows) == kept * len(complete_localities(values))


def test_a_share_is_kept_on_average():
    """600 values, 1 %: the number kept is within five standard deviations of its mean."""
    values = np.cumsum(np.random.default_rng(3).integers(1, 1000, 600))
    whole = len(complete_localities(values))
    words = Run.seeded(5).words(words_for(600, 0.01), "test")
    assert (
        abs(len(sampled_localities(values, 0.01, words)) - 0.01 * whole) < 5 * (0.01 * whole) ** 0.5
    )


def test_the_set_may_be_made_in_pieces():
    values = np.cumsum(np.random.default_rng(4).integers(0, 9, 300))
    whole = complete_localities(values)
    parts = []
    for first, last in ((1, 100), (100, 222), (222, 300)):
        part = np.empty((count_localities(values, first, last), 4), np.int32)
        assert fill_localities(values, first, last, part) == len(part)
        parts.append(part)
    assert np.array_equal(np.concatenate(parts), whole)
