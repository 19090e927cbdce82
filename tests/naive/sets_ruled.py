"""Joining groups of sets until rules hold, written the obvious way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

Row = frozenset[int]
Rule = Callable[[list[int]], bool]


def shown(rows: Sequence[Row], group: Sequence[int]) -> Row:
    """What all of a group have."""
    return reduce(frozenset.__and__, (rows[row] for row in group))


def ordered(
    rows: Sequence[Row], worth: Sequence[float], groups: Sequence[list[int]]
) -> list[list[int]]:
    """Groups by the items they show, those first that are worth most over all groups."""
    mass = [sum(len(g) for g in groups if item in shown(rows, g)) for item in range(len(worth))]
    rank = sorted(range(len(worth)), key=lambda item: (-mass[item] * worth[item], item))
    return sorted(
        groups, key=lambda g: [rank.index(i) for i in sorted(shown(rows, g), key=rank.index)]
    )


def kept(rows: Sequence[Row], worth: Sequence[float], group: Sequence[int]) -> float:
    """Utility that a group publishes."""
    return len(group) * sum(worth[item] for item in shown(rows, group))


def join_until(
    rows: Sequence[Row],
    worth: Sequence[float],
    groups: Sequence[list[int]],
    holds: Rule,
    window: int,
) -> list[set[int]]:
    """In order, join a group that breaks the rule with the cheapest one of the window."""
    living = [list(group) for group in groups]
    place = 0
    while place < len(living):
        while not holds(living[place]) and len(living) > 1:
            own = living[place]
            near = [
                *range(place - 1, place - window - 1, -1),
                *range(place + 1, place + window + 1),
            ]
            near = [i for i in near if 0 <= i < len(living)]  # before a group first, then after it
            price = {
                i: kept(rows, worth, own)
                + kept(rows, worth, living[i])
                - kept(rows, worth, own + living[i])
                for i in near
            }
            best = min(near, key=lambda i: price[i])
            joined = living.pop(best)
            place -= best < place
            living[place] += joined
        place += 1
    return [set(group) for group in living]
