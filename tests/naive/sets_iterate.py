"""Slow, obviously right counterpart of iterative clustering of sets, all candidates looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.kernels.regroup_random import draw
from tests.naive.sets_cluster import gain
from tests.naive.sets_two_phase import Set, kept, shared, worth

Classes = list[list[int]]


def lost(rows: Sequence[Set], members: list[int], utility: Sequence[float]) -> float:
    """Utility that a class loses, per record."""
    total = sum(worth(rows[row], utility) for row in members)
    return total / len(members) - worth(shared(rows, members), utility)


def place(rows: Sequence[Set], classes: Classes, utility: Sequence[float], state: Any) -> Classes:
    """Put those in no class into the first class where least is lost, in a random order."""
    classes = [list(one) for one in classes]
    rest = sorted(set(range(len(rows))) - {row for one in classes for row in one})
    while rest:
        row = pick(rest, state)
        max(classes, key=lambda one: gain(rows, one, row, utility)).append(row)
    return classes


def pick(rest: list[int], state: Any) -> int:
    """Take a random one out of a list."""
    at = draw(state, len(rest))
    row = rest[at]
    rest[at] = rest[-1]
    rest.pop()
    return row


def one_pass(
    rows: Sequence[Set], utility: Sequence[float], k: int, given: tuple[Classes, float], state: Any
) -> Classes:
    """From (classes, share of them to break up)."""
    classes, share = given
    worst = sorted(range(len(classes)), key=lambda at: -lost(rows, classes[at], utility))
    gone = set(worst[: round(share * len(classes))])
    classes = [one for at, one in enumerate(classes) if at not in gone]
    rest = sorted(set(range(len(rows))) - {row for one in classes for row in one})
    while rest and len(classes) < len(rows) // k:
        classes.append([pick(rest, state)])
    classes = place(rows, classes, utility, state)
    return place(rows, [one for one in classes if len(one) >= k], utility, state)


def iterate(
    rows: Sequence[Set], utility: Sequence[float], k: int, shares: int, word: int
) -> tuple[Classes, list[float]]:
    """(the best classes seen, what each pass kept)."""
    state: Any = np.array([word], np.uint64)
    best: Classes = []
    heard: list[float] = []
    most = -1.0
    for left in range(shares - 1, 0, -1):
        while True:
            found = one_pass(rows, utility, k, (best, left / shares), state)
            heard.append(kept(rows, found, utility))
            if heard[-1] <= most:
                break
            best, most = found, heard[-1]
    return best, heard
