"""Greedy clustering of sets: the slow counterpart, hashing, and what must hold for any input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import sets_cluster as naive
from tests.naive.sets_drawn import ITEMS, classes_of, rows_of, sets, sorted_classes, utilities
from tests.naive.sets_two_phase import kept, optimum

from sfumato.kernels.sets_cluster import ALL, DRAWN, HASHED, Candidates, cluster
from sfumato.kernels.sets_hash import (
    build_hash,
    fill_buckets,
    hash_bits,
    hash_row,
    leave_buckets,
)

KINDS = [Candidates(ALL), Candidates(DRAWN, 2.0), Candidates(HASHED, 1.0, 2, 2)]
words = st.integers(0, 2**63)


@settings(deadline=None, max_examples=200)
@given(sets(2), utilities(), st.integers(1, 6), st.sampled_from([ALL, DRAWN]), words)
def test_it_is_the_slow_one(rows, utility, k, kind, word):
    k, candidates = min(k, len(rows)), Candidates(kind, 1.5)
    found = cluster(rows_of(rows), np.array(utility), k, candidates, word)
    drawn = candidates.queries(len(rows), k) if kind == DRAWN else 0
    assert classes_of(found) == sorted_classes(naive.cluster(rows, utility, k, drawn, word))


@settings(deadline=None, max_examples=60)
@given(sets(4, 8), utilities(), st.integers(2, 4), st.sampled_from(KINDS), words)
def test_never_above_the_optimum(rows, utility, k, candidates, word):
    classes = classes_of(cluster(rows_of(rows), np.array(utility), k, candidates, word))
    assert k <= min(map(len, classes)) <= max(map(len, classes)) < 2 * k or len(classes) > 1
    assert kept(rows, classes, utility) <= optimum(rows, utility, k) + 1e-9


@settings(deadline=None, max_examples=150)
@given(sets(1, 60), utilities(), st.integers(1, 9), st.sampled_from(KINDS), words)
def test_every_row_is_in_a_class_of_at_least_k(rows, utility, k, candidates, word):
    k = min(k, len(rows))
    group = cluster(rows_of(rows, wide=True), np.array(utility), k, candidates, word)
    assert np.bincount(group).min() >= k
    assert len(np.bincount(group)) == len(rows) // k


@pytest.mark.parametrize("candidates", KINDS)
def test_a_word_repeats_and_long_rows_work(candidates):
    rng = np.random.default_rng(3)
    drawn = [frozenset(np.flatnonzero(rng.random(300) < 0.4).tolist()) for _ in range(90)]
    group = cluster(rows_of(drawn), np.ones(300), 4, candidates, 11)
    again = cluster(rows_of(drawn), np.ones(300), 4, candidates, 11)
    other = cluster(rows_of(drawn), np.ones(300), 4, candidates, 12)
    assert np.array_equal(group, again)
    assert not np.array_equal(group, other)


def test_hashed_candidates_find_copies_that_drawn_ones_miss():
    rng = np.random.default_rng(4)
    kinds = [frozenset(np.flatnonzero(rng.random(40) < 0.3).tolist()) for _ in range(500)]
    rows, utility = kinds * 4, np.ones(40)
    share = {}
    for kind in (ALL, DRAWN, HASHED):
        group = cluster(rows_of(rows), utility, 4, Candidates(kind, 5.0), 1)
        share[kind] = kept(rows, classes_of(group), utility) / sum(map(len, rows))
    assert share[ALL] == 1.0
    assert share[DRAWN] < 0.7 < 0.95 < share[HASHED]


@settings(deadline=None)
@given(sets(1, 40), st.integers(1, 4), st.integers(1, 5), words)
def test_keys_and_buckets(rows, tables, bits, word):
    share = np.array([sum(item in row for row in rows) / len(rows) for item in range(ITEMS)])
    masks = build_hash(share, tables, bits, np.array([word], np.uint64))
    buckets = fill_buckets(rows_of(rows), np.arange(len(rows), dtype=np.int32), masks, bits)
    for table in range(tables):
        for bit in range(bits):
            chosen = [item for item in range(ITEMS) if masks[table, item] >> bit & 1]
            assert all(share[item] > 0 for item in chosen)
            # One item less would be under a half, whichever was drawn last.
            missed = np.prod(1 - share[chosen])
            assert missed <= 0.5 or len(chosen) == np.count_nonzero(share)
            if len(chosen) > 1:
                assert max(missed / (1 - share[item]) for item in chosen if share[item] < 1) > 0.5
        for row, items in enumerate(rows):
            key = 0
            for bit in range(bits - 1, -1, -1):
                key = 2 * key + any(masks[table, item] >> bit & 1 for item in items)
            assert buckets.key[table, row] == key
    gone = set(range(0, len(rows), 2))
    for row in gone:
        leave_buckets(buckets, row)
    for table in range(tables):
        for row in range(len(rows)):
            key = buckets.key[table, row]
            inside = buckets.order[table, buckets.begin[table, key] : buckets.end[table, key]]
            assert (row in inside.tolist()) == (row not in gone)


def test_bits_and_keys_of_the_source():
    from tests.papers.known_answers import known

    case = known("M-lsh-k")
    exact = case.expected["natural_log"]
    assert hash_bits(case.input["n"], case.input["l"], case.input["c"]) == int(exact)
    assert hash_bits(3, 5, 50.0) == hash_bits(1, 5, 50.0) == 1
    case = known("M-lsh-hash")
    masks = np.zeros(100, np.uint32)
    masks[case.input["positions"]] = [4, 2, 1]
    row = rows_of([frozenset(case.input["record"])])
    assert hash_row(row, 0, masks) == case.expected
