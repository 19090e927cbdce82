"""Slow, obviously right counterpart of greedy clustering of sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.kernels.regroup_random import draw
from tests.naive.sets_two_phase import Set, shared, worth


def apart(one: Set, other: Set, utility: Sequence[float]) -> float:
    """Utility of what only one of two sets has."""
    return worth(one ^ other, utility)


def gain(rows: Sequence[Set], members: Sequence[int], row: int, utility: Sequence[float]) -> float:
    """How the utility of a class changes if a row joins."""
    common = shared(rows, members)
    after = (len(members) + 1) * worth(common & rows[row], utility)
    return after - len(members) * worth(common, utility)


def cluster(
    rows: Sequence[Set], utility: Sequence[float], k: int, drawn: int, word: int
) -> list[list[int]]:
    """Classes; candidates are all records, or `drawn` random ones if that is not 0."""
    state: Any = np.array([word], np.uint64)
    last = draw(state, len(rows))
    left, classes = list(range(len(rows))), []

    def candidates() -> list[int]:
        return [left[draw(state, len(left))] for _ in range(drawn)] if drawn else left

    def remove(row: int) -> None:
        at = left.index(row)
        left[at] = left[-1]
        left.pop()

    def tried() -> list[int]:
        if drawn:
            return [left[draw(state, len(left))] for _ in range(min(drawn, len(left)))]
        return left

    while len(left) >= k:
        last = max(tried(), key=lambda row: (apart(rows[row], rows[last], utility), -row))
        remove(last)
        members = [last]
        while len(members) < k:
            common = shared(rows, members)
            best = max(candidates(), key=lambda row: (worth(common & rows[row], utility), -row))
            remove(best)
            members.append(best)
        classes.append(members)
    rest = sorted(left)
    while rest:
        at = draw(state, len(rest))
        row = rest[at]
        rest[at] = rest[-1]
        rest.pop()
        max(classes, key=lambda members: gain(rows, members, row, utility)).append(row)
    return classes
