"""Trials of attacks: rates, controls, and what may be concluded."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.base import Attack, Guess, Planted, Score, Shown
from sfumato.core.run import Run
from sfumato.study.trial import Rate, trial, wilson


class Coin(Attack):
    """Guesses a bit of every person it knows of; where nobody is in, by chance."""

    kind = "table"
    name = "coin"
    summary = "guess one bit of each person"
    source = "a test"

    people: int = 5
    knows: bool = True
    claims: bool = True

    def plant(self, data, rng):
        """Split the people into those who are published and those who are not."""
        order = rng.permutation(len(data))
        inside, left_out = data[order[: self.people]], data[order[self.people :]]
        return Planted(inside, [inside], false_knowledge=[left_out])

    def guess(self, seen, knowledge, rng):
        known = set(seen.tolist()) & set(knowledge.tolist())
        right = sorted(known) if self.knows else []
        return Guess(right, self.claims and bool(known), work=len(right))

    def judge(self, guess, planted, knowledge, links):
        return Score(bool(guess.found), len(guess.found), len(knowledge), {"bits": 1.0})

    def chance(self, planted):
        return 0.25


def publish(data, run):
    """As it is."""
    return Shown(data)


def tried(runs=12, **parameters):
    return trial(Coin(**parameters), publish, np.arange(20), runs, Run.seeded(1, 1))


def test_people_who_are_in_are_held_against_people_who_are_not():
    found = tried()
    assert (found.success.hits, found.false_claims.hits) == (12, 0)
    assert found.found == 1.0
    assert found.concludes
    assert [row[""] for row in found.table] == ["main", "control", "chance"]
    assert found.table.column("success") == [1.0, 0.0, 0.25]


def test_an_attack_that_finds_nothing_concludes_nothing():
    found = tried(knows=False)
    assert found.success.hits == 0
    assert not found.concludes
    assert "says nothing of other attacks" in found.conclusion


def test_a_few_successes_do_not_beat_chance():
    found = tried(runs=1)
    assert found.success.share == 1.0
    assert found.success.low < 0.25
    assert not found.concludes


def test_a_control_that_claims_as_much_wins():
    class Boast(Coin):
        """Claims to have found whoever it looks for."""

        def guess(self, seen, knowledge, rng):
            return Guess([1], True)

    found = trial(Boast(), publish, np.arange(20), 30, Run.seeded(1, 1))
    assert found.success.share == found.false_claims.share == 1.0
    assert not found.concludes


@given(st.integers(0, 400), st.integers(1, 400), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_the_interval_holds_the_share_and_stays_a_probability(hits, of, level):
    hits = min(hits, of)
    low, high = wilson(hits, of, level)
    assert 0 <= low <= hits / of <= high <= 1
    assert low < high


def test_the_interval_covers_as_often_as_it_says():
    """Over all outcomes of 40 coins, averaged over their bias: within a point of 95 %."""
    covered = []
    for bias in np.linspace(0.02, 0.98, 97):
        ends = [wilson(hits, 40, 0.95) for hits in range(41)]
        chances = [math.comb(40, h) * bias**h * (1 - bias) ** (40 - h) for h in range(41)]
        inside = [low <= bias <= high for low, high in ends]
        covered.append(float(np.dot(chances, inside)))
    assert np.mean(covered) == pytest.approx(0.95, abs=0.01)


def test_a_rate_of_nothing_says_nothing():
    rate = Rate(0, 0)
    assert (rate.share, rate.low, rate.high) == (None, 0.0, 1.0)


def test_the_line_of_a_trial_is_plain():
    row = tried().as_row()
    assert row["attempts"] == 12
    assert row["concludes"] is True
    assert row["false claims"] == 0.0
