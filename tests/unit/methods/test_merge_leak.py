"""The leak of joining, against cases worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.kernels.rules import DISTINCT, stack
from sfumato.methods import merge_leak as leak
from sfumato.methods.demand import Demand
from sfumato.methods.merge_leak import Joining


def demand(codes: list[int]) -> Demand:
    """At least two different values."""
    rules = stack([(DISTINCT, 0, 2.0, 0.0, np.empty(0))], np.array([0, 2]))
    return Demand(1, ("s",), (), rules, np.array(codes, np.int32)[:, None])


def measured(before: list[int], joins: list[tuple[int, int]], codes: list[int], broken: list[bool]):
    """The leak where all groups end in one."""
    labels = np.array(before, np.int32)
    joining = Joining(labels, np.zeros_like(labels), np.array(broken), np.array(joins, np.int64))
    return leak.merge_leak(joining, demand(codes), np.random.default_rng(1))


def test_the_first_part_broke(monkeypatch):
    """Parts of 2 and 3 records, values b b | a a b; the first took the second.

    So the first was aa (1 of the 10 ways) or bb (3 of them): b has probability 3/4 there where its
    share is 3/5, and in the second part (1/4 * 3 + 3/4 * 1) / 3 = 1/2. Gains of the true values:
    .15 .15 | .1 .1 -.1.
    """
    monkeypatch.setattr(leak, "DRAWS", 20_000)
    found = measured([0, 0, 1, 1, 1], [(0, 1)], [1, 1, 0, 0, 1], [True, False])
    # about 8,000 orders are kept: four standard errors of a probability are below .02
    assert found["mean_belief_gain"] == pytest.approx(0.08, abs=0.02)
    assert found["largest_belief_gain"] == pytest.approx(0.15, abs=0.02)
    assert found["broken_before"] == found["broken_if_seen_joined"] == 0.5
    assert found["joined_groups"] == found["joined_groups_simulated"] == 1


def test_a_part_taken_after_its_turn_obeyed(monkeypatch):
    """Parts of 2 and 2, values a b | b b; the second took the first, which had had its turn.

    So the first obeyed (a b) and the second broke (b b): everything is known. Gains over the shares
    of 1/4 and 3/4: in the first part b falls to 1/2 and a rises to 1/2, in the second b is sure.
    """
    monkeypatch.setattr(leak, "DRAWS", 4_000)
    found = measured([0, 0, 1, 1], [(1, 0)], [0, 1, 1, 1], [False, True])
    assert found["mean_belief_gain"] == pytest.approx((0.25 - 0.25 + 0.25 + 0.25) / 4)
    assert found["largest_belief_gain"] == pytest.approx(0.25)
    assert found["share_with_large_gain"] == pytest.approx(0.75)


def test_a_chain_of_joins_tells_of_every_step():
    """Parts of 1, 1 and 2: the first took the second and still broke, so both had one value."""
    found = measured([0, 1, 2, 2], [(0, 1), (0, 2)], [1, 1, 0, 0], [True, True, True])
    # a a | b b or b b | a a in the order of joining, equally likely: nothing is gained on average
    assert abs(found["mean_belief_gain"]) < 0.1


def test_where_the_joining_was_certain_nothing_is_gained():
    """A part of one record always breaks the rule, so its joining teaches nothing."""
    found = measured([0, 1, 1, 1], [(0, 1)], [0, 0, 1, 1], [True, False])
    # 2,000 orders: four standard errors of a mean share are below .05
    assert abs(found["mean_belief_gain"]) < 0.05


def test_what_can_not_be_simulated_is_counted_as_such(monkeypatch):
    monkeypatch.setattr(leak, "MOST_ROWS", 3)
    found = measured([0, 1, 1, 1], [(0, 1)], [0, 0, 1, 1], [True, False])
    assert found["joined_groups"] == 1
    assert found["joined_groups_simulated"] == 0
