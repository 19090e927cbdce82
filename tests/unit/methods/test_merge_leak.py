"""The leak of joining, against a case worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.kernels.rules import DISTINCT, stack
from sfumato.methods.tables import merge_leak as leak
from sfumato.methods.tables.recode import Demand


def demand(codes: list[int]) -> Demand:
    """At least two different values."""
    rules = stack([(DISTINCT, 0, 2.0, 0.0, np.empty(0))], np.array([0, 2]))
    return Demand(1, ("s",), (), rules, np.array(codes, np.int32)[:, None])


def test_a_case_by_hand(monkeypatch):
    """Parts of 2 and 3 records, values b b | a a b.

    Of the 10 ways to choose the first part's values 1 is aa and 3 are bb; only these break the
    rule. So given the joining, b in the first part has probability 3/4 where its share is 3/5, and
    in the second (1/4 * 3 + 3/4 * 1) / 3 = 1/2. Gains of the true values: .15 .15 | .1 .1 -.1.
    """
    monkeypatch.setattr(leak, "DRAWS", 20_000)
    base = np.array([0, 0, 1, 1, 1], np.int32)
    found = leak.merge_leak(
        base,
        np.zeros(5, np.int32),
        np.array([True, False]),
        demand([1, 1, 0, 0, 1]),
        np.random.default_rng(1),
    )
    # about 8,000 of the draws break the rule: four standard errors of a probability are below .02
    assert found["mean_belief_gain"] == pytest.approx(0.08, abs=0.02)
    assert found["largest_belief_gain"] == pytest.approx(0.15, abs=0.02)
    assert found["broken_before"] == found["broken_if_seen_joined"] == 0.5
    assert found["broken_if_seen_kept"] == 0.0
    assert found["records_in_joined_groups"] == 1.0


def test_where_the_joining_was_certain_nothing_is_gained():
    """A part of one record always breaks the rule, so its joining teaches nothing."""
    found = leak.merge_leak(
        np.array([0, 1, 1, 1], np.int32),
        np.zeros(4, np.int32),
        np.array([True, False]),
        demand([0, 0, 1, 1]),
        np.random.default_rng(1),
    )
    # 200 orders: a mean share over 3 records has a standard error below .03
    assert abs(found["mean_belief_gain"]) < 0.1
