"""Counting containment: equal to a slow count, and every tampering is seen."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import k1

from sfumato.audit import containment_counts
from sfumato.audit.containment import outside_own
from sfumato.audit.containment_counts import containing

row_lists = st.lists(st.frozensets(st.integers(0, 6)), max_size=12)


def compressed(rows: list[frozenset[int]]) -> tuple[np.ndarray, np.ndarray]:
    start = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return start, np.array([item for row in rows for item in sorted(row)], np.uint16)


@settings(deadline=None)
@given(row_lists, row_lists, st.integers(1, 5), st.integers(1, 3))
def test_counts_are_those_of_a_slow_count(records, sets, k, workers):
    found = containing(*compressed(records), *compressed(sets), k, workers=workers)
    assert found.tolist() == [min(k, k1.support(records, own)) for own in sets]


def test_pieces_add_up(monkeypatch):
    monkeypatch.setattr(containment_counts, "PIECE", 3)
    rng = np.random.default_rng(1)
    records = [frozenset(np.flatnonzero(rng.random(7) < 0.5).tolist()) for _ in range(50)]
    sets = [frozenset(np.flatnonzero(rng.random(7) < 0.3).tolist()) for _ in range(30)]
    found = containing(*compressed(records), *compressed(sets), 40)
    assert found.tolist() == [min(40, k1.support(records, own)) for own in sets]


@settings(deadline=None)
@given(st.lists(st.tuples(st.frozensets(st.integers(0, 6)), st.integers(0, 3)), max_size=12))
def test_who_publishes_what_he_has_not_is_counted(drawn):
    sets = [frozenset({0}), frozenset(), frozenset({2, 5}), frozenset({6, 1, 2})]
    records, which = [row for row, _ in drawn], np.array([at for _, at in drawn], np.int32)
    wrong = sum(not sets[at] <= row for row, at in drawn)
    assert outside_own(*compressed(records), which, *compressed(sets)) == wrong


def test_small_pieces_of_records_count_the_same(monkeypatch):
    monkeypatch.setattr("sfumato.audit.containment.PIECE", 2)
    records = [frozenset({1, 2, 3})] * 5 + [frozenset({1})] * 3
    sets = [frozenset({1, 2, 3}), frozenset({1})]
    which = np.array([0, 1, 0, 0, 0, 1, 0, 0], np.int32)
    assert outside_own(*compressed(records), which, *compressed(sets)) == 2
