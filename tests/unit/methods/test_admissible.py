"""A random choice among admissible sets, and an attacker who knows all records and the lists."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.naive import k1
from tests.unit.methods.test_top_down import GREEDY, UTILITY, records_of, rows_of

from sfumato.core.run import Run
from sfumato.methods.sets.admissible import Choice, admissible, belief, drawn
from sfumato.methods.sets.top_down import Search, top_down


def lists_of(found) -> list[list[frozenset[int]]]:
    start, items = found.sets
    return [
        [frozenset(items[start[s] : start[s + 1]].tolist()) for s in row] for row in found.listed
    ]


def beliefs(lists: list[list[frozenset[int]]]) -> list[float]:
    """Bayes' rule for every record and each of its sets, all records as likely."""
    named = Counter(own for row in lists for own in row)
    return [row.count(own) / named[own] for row in lists for own in row]


@settings(deadline=None)
@example([frozenset({i}) for i in range(8)], 2, 2, 2)
@example([frozenset({0, 1})] * 3 + [frozenset({2})], 3, 3, 1)
@given(records_of, st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))
def test_no_set_gives_its_owner_away(records, k, candidates, places):
    search = Search(rows_of(records), UTILITY, k, beam=GREEDY)
    found = admissible(search, Choice(places, candidates, 5), Run.seeded(1, 1))
    lists = lists_of(found)
    for place in range(places):
        assert k1.holds(records, [row[place] for row in lists], k)
    assert max(beliefs(lists)) <= 1 / candidates + 1e-12


def made(rows: int = 1500):
    rng = np.random.default_rng(7)
    share = 0.5 * 0.03 ** (np.arange(40) / 40)
    records = [frozenset(np.flatnonzero(rng.random(40) < share).tolist()) for _ in range(rows)]
    return records, Search(rows_of(records), rng.uniform(1, 100, 40), 10, beam=GREEDY)


def test_the_draw_is_uniform_and_repeatable():
    _, search = made()
    found = admissible(search, Choice(4, 5, 8), Run.seeded(1, 1))
    assert np.array_equal(
        found.listed, admissible(search, Choice(4, 5, 8), Run.seeded(9, 2)).listed
    )
    one, other = (drawn(found, Run.seeded(seed)) for seed in (1, 2))
    assert np.array_equal(one, drawn(found, Run.seeded(1, 3)))
    assert (one != other).mean() > 0.3
    found = found._replace(listed=np.tile(np.arange(4, dtype=np.int32), (1500, 1)))
    counts = np.bincount(drawn(found, Run.seeded(3)), minlength=4)
    # Chi-squared with 3 degrees of freedom: 16.27 is exceeded by chance once in 1,000 seeds.
    assert ((counts - 375) ** 2 / 375).sum() < 16.27


def guesses_right(found, answers: int, rng: np.random.Generator) -> float:
    """Success against 300 records of which linked answers, each drawn anew, are seen."""
    right = 0.0
    for target in range(300):
        seen = rng.choice(found.listed[target], answers)
        weight = np.prod([(found.listed == one).sum(axis=1) for one in seen], axis=0)
        best = np.flatnonzero(weight == np.max(weight))
        right += (target in best) / len(best)
    return right / 300


def test_an_attacker_names_who_always_publishes_the_best():
    _, search = made()
    which, _ = top_down(search, Run.seeded(1, 1))
    always = (1 / np.bincount(which)[which]).mean()
    found = admissible(search, Choice(4, 10, 8), Run.seeded(1, 1))
    once = belief(found, drawn(found, Run.seeded(2))).mean()
    assert always > 3 * once
    assert once <= 0.1
    # 300 guesses, each right with probability at most .1: 48 is four standard deviations above.
    assert guesses_right(found, 1, np.random.default_rng(1)) < 48 / 300


def test_linked_answers_drawn_anew_add_up():
    _, search = made()
    found = admissible(search, Choice(4, 10, 8), Run.seeded(1, 1))
    rng = np.random.default_rng(2)
    once, often = guesses_right(found, 1, rng), guesses_right(found, 8, rng)
    assert often > 3 * once  # which is why a record's set is drawn once and kept


def test_a_whole_file_may_give_away_what_one_set_does_not():
    """{1} lies in two records, {2} in two; yet in the file {1}, {2}, {2} the first is A's."""
    records = [frozenset({1}), frozenset({1, 2}), frozenset({2})]
    file = [frozenset({1}), frozenset({2}), frozenset({2})]
    assert k1.holds(records, file, 2)
    owners = [
        order
        for order in product(range(3), repeat=3)
        if len(set(order)) == 3
        and all(own <= records[at] for own, at in zip(file, order, strict=True))
    ]
    assert {order[0] for order in owners} == {0}
