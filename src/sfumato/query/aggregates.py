"""From what may have been selected to COUNT, SUM, AVG, MIN and MAX with hard bounds."""

from __future__ import annotations

import math
from collections.abc import Callable

from sfumato.core.answers import Answer
from sfumato.query.selections import Selection

EXACT = "exact: every record is surely in or surely out"
ESTIMATED = (
    "hard bounds; estimate: values spread evenly inside a cell, columns independent inside a group"
)
NOBODY = "the condition selects no value: SQL gives NULL"
MAYBE_NOBODY = "the condition may select nobody, where SQL gives NULL; "
MAYBE_EMPTY = "the condition may select nobody, where SQL gives NULL; the bounds count it as 0; "
MOST_STEPS = 100


def count(name: str, least: int, most: int, expected: float, stated: str = ESTIMATED) -> Answer:
    """A number of records."""
    return _answer(name, expected, (float(least), float(most)), stated)


def total(name: str, selected: Selection, stated: str = ESTIMATED) -> Answer:
    """SUM; the bounds hold for an empty selection as well, whose sum is 0."""
    if selected.most == 0:
        return nothing(name)
    slack = selected.slack
    low, high = selected.sums()
    remark = "" if selected.least else MAYBE_EMPTY
    return _answer(name, selected.total, (low - slack, high + slack), stated, remark)


def mean(name: str, selected: Selection, stated: str = ESTIMATED) -> Answer:
    """AVG over the values selected, if any."""
    if selected.most == 0:
        return nothing(name)
    slack = selected.slack / max(selected.least, 1)
    bounds = (_ratio(selected, False) - slack, _ratio(selected, True) + slack)
    if slack:
        bounds = (math.nextafter(bounds[0], -math.inf), math.nextafter(bounds[1], math.inf))
    middle = (bounds[0] + bounds[1]) / 2
    value = selected.total / selected.expected if selected.expected else middle
    return _answer(name, value, bounds, stated, "" if selected.least else MAYBE_NOBODY)


def least(name: str, selected: Selection, stated: str = ESTIMATED) -> Answer:
    """MIN over the values selected, if any."""
    return _end(name, selected, False, stated)


def largest(name: str, selected: Selection, stated: str = ESTIMATED) -> Answer:
    """MAX over the values selected, if any."""
    return _end(name, selected, True, stated)


def _end(name: str, selected: Selection, up: bool, stated: str) -> Answer:
    if selected.most == 0:
        return nothing(name)
    low, high = selected.largest() if up else selected.smallest()
    if abs(low) >= 2.0**53 or abs(high) >= 2.0**53:  # whole numbers this long are rounded
        low, high = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
    remark = "" if selected.least else MAYBE_NOBODY
    return _answer(name, selected.guess(up), (low, high), stated, remark)


def _ratio(selected: Selection, up: bool) -> float:
    """The extreme mean, by Dinkelbach: raise the level to the mean of the best picks for it.

    Picks may be empty only if nothing beats the level, and then the level is the extreme.
    """
    level = -math.inf if up else math.inf
    for _ in range(MOST_STEPS):
        amount, number = selected.extreme(level, up)
        if number == 0:
            break
        better = amount / number
        if (better <= level) if up else (better >= level):
            break
        level = better
    return level


def nothing(name: str) -> Answer:
    """What SQL calls NULL."""
    return Answer(name, None, (None, None), basis=NOBODY)


def _answer(
    name: str, value: float, bounds: tuple[float, float], stated: str, remark: str = ""
) -> Answer:
    low, high = bounds
    basis = EXACT if low == high and not remark else stated
    return Answer(name, min(max(value, low), high), bounds, basis=remark + basis)


OF_SELECTION: dict[str, Callable[[str, Selection, str], Answer]] = {
    "SUM": total,
    "AVG": mean,
    "MIN": least,
    "MAX": largest,
}
