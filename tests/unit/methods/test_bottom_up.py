"""Bottom-up (k,1): allowed, no better than the best, and what the source says it does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.naive import k1
from tests.papers.known_answers import known
from tests.unit.methods.test_top_down import UTILITY, records_of, rows_of, worth

from sfumato.core.run import Run
from sfumato.methods.sets.bottom_up import Growth, bottom_up


def published(records, utility, k, growth, run=None):
    which, sets = bottom_up(rows_of(records), utility, k, growth, run or Run.seeded(1, 1))
    return [frozenset(sets.items[sets.start[s] : sets.start[s + 1]].tolist()) for s in which]


@settings(deadline=None)
@example([frozenset({1, 2})] * 5, 4, True)
@example([frozenset()] * 4, 4, False)
@example([frozenset(range(8))] + [frozenset({i}) for i in range(8)], 3, True)
@given(records_of, st.integers(1, 4), st.booleans())
def test_allowed_and_no_better_than_the_best(records, k, hashed):
    sets = published(records, UTILITY, k, Growth(hashed, constant=0.5, tables=2))
    assert k1.holds(records, sets, k)
    for record, own in zip(records, sets, strict=True):
        assert worth(own, UTILITY) <= k1.best(records, record, UTILITY, k)


@settings(deadline=None)
@given(records_of, st.integers(1, 4))
def test_all_candidates_equal_the_slow_counterpart(records, k):
    sets = published(records, UTILITY, k, Growth(hashed=False))
    assert sets == [k1.bottom_up(records, at, UTILITY, k) for at in range(len(records))]


@settings(deadline=None)
@given(records_of)
def test_all_candidates_are_exact_at_two(records):
    for at, own in enumerate(published(records, UTILITY, 2, Growth(hashed=False))):
        assert worth(own, UTILITY) == k1.best(records, records[at], UTILITY, 2)


def test_workers_change_nothing(monkeypatch):
    monkeypatch.setattr("sfumato.methods.sets.bottom_up.PIECE", 50)
    rng = np.random.default_rng(5)
    records = [frozenset(np.flatnonzero(rng.random(40) < 0.3).tolist()) for _ in range(400)]
    utility = rng.uniform(1, 100, 40)
    one = published(records, utility, 5, Growth(constant=3.0), Run.seeded(1, 1))
    assert one == published(records, utility, 5, Growth(constant=3.0), Run.seeded(1, 3))
    assert k1.holds(records, one, 5)


@pytest.mark.parametrize("hashed", [False, True])
def test_the_best_of_the_paper_is_found(hashed):
    case = known("M-t1-21")
    names = sorted({name for row in case.input["data"] for name in row})
    records = [frozenset(names.index(name) for name in row) for row in case.input["data"]]
    utility = np.ones(len(names))
    sets = published(records, utility, case.input["k"], Growth(hashed))
    assert sum(worth(own, utility) for own in sets) == case.expected["utility"]
