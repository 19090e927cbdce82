"""The top-down search of (k,1): allowed, no better than the best, equal to a slow counterpart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.naive import k1
from tests.papers.known_answers import known

from sfumato.core.run import Run
from sfumato.kernels.rows import Rows
from sfumato.methods.sets.top_down import Search, top_down

GREEDY, WIDE = (0, 1, 1), (1 << 20, 8, 4)
UTILITY = np.array([3.0, 1.0, 7.5, 2.0, 0.0, 11.0, 5.0, 1.0])

records_of = st.lists(st.frozensets(st.integers(0, 7)), min_size=4, max_size=12)


def rows_of(records: list[frozenset[int]]) -> Rows:
    start = np.cumsum([0, *map(len, records)]).astype(np.int64)
    return Rows(start, np.array([i for row in records for i in sorted(row)], np.uint16))


def published(records, utility, k, run=None, **effort) -> list[frozenset[int]]:
    search = Search(rows_of(records), np.asarray(utility, float), k, **effort)
    which, sets = top_down(search, run or Run.seeded(1, 1))
    return [frozenset(sets.items[sets.start[s] : sets.start[s + 1]].tolist()) for s in which]


def worth(row, utility) -> float:
    return float(sum(utility[item] for item in row))


@settings(deadline=None, max_examples=200)
@example([frozenset({1, 2})] * 5, 4, 0)
@example([frozenset()] * 4, 2, 1)
@example([frozenset(range(8))] + [frozenset({i}) for i in range(8)], 2, 2)
@given(records_of, st.integers(1, 4), st.integers(0, 3))
def test_allowed_and_no_better_than_the_best(records, k, way):
    effort = [
        {"beam": GREEDY},
        {"beam": WIDE},
        {"size": 4, "looking": 2, "fewest": 2, "beam": GREEDY},
        {"size": 4, "looking": 1, "fewest": 1, "beam": (8, 2, 2)},
    ][way]
    sets = published(records, UTILITY, k, **effort)
    assert k1.holds(records, sets, k)
    for record, own in zip(records, sets, strict=True):
        assert worth(own, UTILITY) <= k1.best(records, record, UTILITY, k)


@settings(deadline=None)
@given(records_of, st.integers(1, 4))
def test_sharing_changes_nothing(records, k):
    slow = [k1.top_down(records, record, UTILITY, k) for record in records]
    assert published(records, UTILITY, k, beam=GREEDY) == slow


def test_splitting_without_sampling_changes_nothing():
    rng = np.random.default_rng(3)
    records = [frozenset(np.flatnonzero(rng.random(8) < 0.6).tolist()) for _ in range(300)]
    # With a ratio of 200 supporters for each who looks nobody is left out of any node.
    split = published(records, UTILITY, 3, beam=GREEDY, size=200, looking=1, fewest=1)
    slow = {record: k1.top_down(records, record, UTILITY, 3) for record in set(records)}
    assert split == [slow[record] for record in records]


def test_a_wide_beam_finds_the_best_on_few_items():
    rng = np.random.default_rng(4)
    records = [frozenset(np.flatnonzero(rng.random(8) < 0.6).tolist()) for _ in range(60)]
    utility = rng.uniform(1, 100, 8)
    sets = published(records, utility, 5, beam=(1 << 20, 256, 8))
    for record, own in zip(records, sets, strict=True):
        assert worth(own, utility) == pytest.approx(k1.best(records, record, utility, 5))


@pytest.mark.parametrize("k", [2, 7])
def test_workers_change_nothing(k):
    rng = np.random.default_rng(5)
    records = [frozenset(np.flatnonzero(rng.random(40) < 0.3).tolist()) for _ in range(2000)]
    utility = rng.uniform(1, 100, 40)
    effort = {"size": 300, "looking": 20, "fewest": 3, "beam": (64, 4, 3)}
    one = published(records, utility, k, Run.seeded(1, 1), **effort)
    assert one == published(records, utility, k, Run.seeded(1, 3), **effort)
    assert k1.holds(records, one, k)


def test_the_best_of_the_paper_is_found():
    case = known("M-t1-21")
    names = sorted({name for row in case.input["data"] for name in row})
    records = [frozenset(names.index(name) for name in row) for row in case.input["data"]]
    utility = np.ones(len(names))
    sets = published(records, utility, case.input["k"])
    assert sum(worth(own, utility) for own in sets) == case.expected["utility"]
