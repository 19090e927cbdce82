"""Iterative clustering of sets against its slow counterpart, and what must hold for any input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import sets_iterate as naive
from tests.naive.sets_drawn import classes_of, rows_of, sets, sorted_classes, utilities
from tests.naive.sets_two_phase import kept, optimum

from sfumato.kernels.sets_cluster import ALL, DRAWN, HASHED, Candidates
from sfumato.kernels.sets_iterate import iterate

KINDS = [Candidates(ALL), Candidates(DRAWN, 2.0), Candidates(HASHED, 1.0, 2, 2)]
words = st.integers(0, 2**63)


@settings(deadline=None, max_examples=150)
@given(sets(2), utilities(), st.integers(1, 6), st.integers(2, 5), words)
def test_it_is_the_slow_one_and_keeps_the_best_pass(rows, utility, k, shares, word):
    k = min(k, len(rows))
    group = iterate(rows_of(rows), np.array(utility), k, Candidates(ALL), word, shares)
    classes, heard = naive.iterate(rows, utility, k, shares, word)
    assert classes_of(group) == sorted_classes(classes)
    assert kept(rows, classes_of(group), utility) == max(heard)


@settings(deadline=None, max_examples=60)
@given(sets(4, 8), utilities(), st.integers(2, 4), st.sampled_from(KINDS), words)
def test_never_above_the_optimum(rows, utility, k, candidates, word):
    classes = classes_of(iterate(rows_of(rows), np.array(utility), k, candidates, word))
    assert kept(rows, classes, utility) <= optimum(rows, utility, k) + 1e-9


@settings(deadline=None, max_examples=100)
@given(sets(1, 60), utilities(), st.integers(1, 9), st.sampled_from(KINDS), words)
def test_every_row_is_in_a_class_of_at_least_k(rows, utility, k, candidates, word):
    k = min(k, len(rows))
    group = iterate(rows_of(rows, wide=True), np.array(utility), k, candidates, word)
    assert np.bincount(group).min() >= k


@pytest.mark.parametrize("candidates", KINDS)
def test_a_word_repeats_and_steps_never_go_back(candidates):
    rng = np.random.default_rng(3)
    rows = [frozenset(np.flatnonzero(rng.random(30) < 0.3).tolist()) for _ in range(80)]
    heard: list[tuple[int, int]] = []
    given = (rows_of(rows), np.ones(30), 4, candidates)
    group = iterate(*given, 11, 4, lambda *told: heard.append(told))
    assert np.array_equal(group, iterate(*given, 11))
    assert not np.array_equal(group, iterate(*given, 12))
    assert heard == sorted(heard)
    assert heard[-1] == (3, 3)
