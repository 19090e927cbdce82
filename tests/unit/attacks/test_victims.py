"""Victims and nodes are paired as if one pair after the other were looked at."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.victims import UNNAMED, _take

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), max_size=40)


def one_by_one(pairs: list[tuple[int, int]]) -> list[int]:
    """The node of every victim, by going through the pairs."""
    named, taken = [UNNAMED] * 6, set()
    for victim, place in pairs:
        if named[victim] == UNNAMED and place not in taken:
            named[victim] = 100 + place
            taken.add(place)
    return named


@given(PAIRS)
def test_pairs_are_taken_in_their_order(pairs):
    pairs = list(dict.fromkeys(pairs))
    victim, place = np.array(pairs, np.int64).reshape(-1, 2).T
    named = np.full(6, UNNAMED, np.int32)
    _take(named, np.arange(100, 107, dtype=np.int32), victim, place)
    assert named.tolist() == one_by_one(pairs)
