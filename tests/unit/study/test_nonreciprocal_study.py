"""The study of nonreciprocal publication: its data, its points, its judgements."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sfumato.core.run import Run
from sfumato.data.sets import Holders, Sets
from sfumato.study.findings import Setting, conduct
from sfumato.study.papers import nonreciprocal_data as data
from sfumato.study.papers import nonreciprocal_points as points
from sfumato.study.papers.nonreciprocal import STUDY

QUICK = Setting(Run.seeded(1), None, True)
NEEDS_NOTHING = {"Data of pumsb's shape", "Walks"}


def sets_of(has: np.ndarray) -> Sets:
    start = np.concatenate([[0], np.cumsum(has.sum(axis=1))]).astype(np.int64)
    names = pa.array([f"i{place}" for place in range(has.shape[1])])
    return Sets(start, np.nonzero(has)[1].astype(np.uint16), names, np.ones(has.shape[1]))


def test_made_up_answers_have_the_shape_of_pumsb():
    sets = data.like_pumsb(3_000)
    assert (sets.lengths == data.ATTRIBUTES).all()
    assert sets.domain <= data.USED
    assert (sets.counts > 0).all()
    assert np.array_equal(sets.items, data.like_pumsb(3_000).items)


@pytest.mark.slow
def test_made_up_answers_are_as_many_as_those_of_pumsb():
    sets = data.like_pumsb()
    assert (sets.rows, sets.domain) == (data.ROWS, data.USED)


def test_copies_differ_in_an_item():
    sets = data.like_pumsb(50)
    more = data.times(sets, 3)
    assert more.rows == 150
    assert np.array_equal(more.take(np.arange(50)).items, sets.items)
    for row in range(50):
        mine = set(sets.take(np.array([row])).items.tolist())
        copy = set(more.take(np.array([50 + row])).items.tolist())
        assert len(mine - copy) <= 1


def test_points_are_what_a_loop_counts():
    rng = np.random.default_rng(3)
    one, base = rng.random((2, 40, 9)) < 0.4
    rows = rng.permutation(40)
    had = one[rows].sum(axis=1)
    wrong = (one[rows] != base).sum(axis=1)[had > 0] / had[had > 0]
    sets, bases = sets_of(one), sets_of(base)
    assert points.bit_error(sets, bases, rows) == pytest.approx(wrong.mean())
    drawn = []
    again = np.random.default_rng(5)
    for _ in range(points.QUERIES):
        drawn.append(again.choice(9, 2, replace=False))
    for present in (True, False):
        told = points.query_error(sets, bases, 2, present, np.random.default_rng(5))
        counts = [
            [(h[:, some] == present).all(axis=1).sum() for some in drawn] for h in (one, base)
        ]
        assert told == pytest.approx(np.abs(np.diff(counts, axis=0)).mean() / 40)


@pytest.mark.parametrize("name", points.METHODS)
def test_every_method_makes_a_point(name):
    people = Holders(data.like_pumsb(80))
    point = points.measured(name, people, 4, points.Asking(1, 2), Run.seeded(1))
    assert 0 < point.true < 2
    assert 0 <= point.present <= 1


def test_statements_could_have_said_no():
    low, high = (points.Point(x, x, x, x, x) for x in (0.1, 0.2))
    grid = {("a", 2): low, ("b", 2): high, ("a", 4): low, ("b", 4): high}
    say = points.always_less
    assert say(grid, "a", "b", lambda p: p.true, "a is below b").agrees
    assert not say(grid, "b", "a", lambda p: p.true, "b is below a").agrees


def test_the_study_is_carried_out_without_data():
    outcomes = list(conduct(STUDY, QUICK))
    made = {outcome.title for outcome in outcomes if outcome.findings}
    assert made == NEEDS_NOTHING
    assert all(outcome.left_out for outcome in outcomes if outcome.title not in made)
    names = [finding.name for outcome in outcomes for finding in outcome.findings]
    assert len(set(names)) == len(names)
