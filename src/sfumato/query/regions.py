"""A region: the values of one column for which a condition is true."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import Refused
from sfumato.query.plan import Compare, IsNull, OneOf, Writing
from sfumato.query.readings import Cut, Reading, cuts


@dataclass(frozen=True)
class Region:
    """Values at or above an even (with `first`: odd) number of `cuts`... and missing ones or not.

    Going up the order of values, one is inside from the start if `first` is set, and every cut
    changes sides; a value belongs to the piece that begins at or below it. `reading` says in which
    order the cuts stand; a region without cuts needs none.

    >>> low, high = Region(False, (20, 30)), Region(False, (25, 40))
    >>> (low & high).cuts, (low | high).cuts
    ((25, 30), (20, 40))
    """

    first: bool
    cuts: tuple[Any, ...] = ()
    missing: bool = False
    reading: Reading | None = None

    def __and__(self, other: Region) -> Region:
        return _merge(self, other, lambda one, two: one and two)

    def __or__(self, other: Region) -> Region:
        return _merge(self, other, lambda one, two: one or two)

    def holds(self, keys: Sequence[Any]) -> NDArray[np.bool_]:
        """Which of some sorted values lie inside."""
        steps = np.zeros(len(keys) + 1, np.int64)
        for cut in self.cuts:
            steps[bisect_left(keys, cut)] += 1
        crossed = np.cumsum(steps[:-1])
        return np.asarray((crossed % 2 == 1) != self.first)


NOBODY = Region(False)
PRESENT = Region(True)
ABSENT = Region(False, missing=True)


def _merge(one: Region, other: Region, keep: Callable[[bool, bool], bool]) -> Region:
    """Walk along the cuts of both and keep those where the outcome changes."""
    reading = _common(one.reading, other.reading)
    mine, theirs = frozenset(one.cuts), frozenset(other.cuts)
    in_one, in_other = one.first, other.first
    inside = first = keep(in_one, in_other)
    kept = []
    for cut in sorted(mine | theirs):
        in_one ^= cut in mine
        in_other ^= cut in theirs
        if keep(in_one, in_other) != inside:
            inside = not inside
            kept.append(cut)
    missing = keep(one.missing, other.missing)
    return Region(first, tuple(kept), missing, reading if kept else None)


def _common(one: Reading | None, other: Reading | None) -> Reading | None:
    if one is not None and other is not None and one != other:
        raise Refused(
            "one column is compared with numbers in one place and with texts in another",
            "write its values the same way throughout",
        )
    return one or other


def points(pairs: Iterable[tuple[Cut, Cut]], reading: Reading) -> Region:
    """The region of some single values, given the cuts around each."""
    order = sorted({pair for pair in pairs if pair[0] != pair[1]})
    edges: list[Any] = []
    for before, after in order:
        if edges and edges[-1] == before:
            edges[-1] = after
        else:
            edges += [before, after]
    return Region(False, tuple(edges), reading=reading if edges else None)


def outside(region: Region) -> Region:
    """The present values not in a region."""
    return Region(not region.first, region.cuts, False, region.reading)


Read = Callable[[str, Any], Reading]


def region_of(test: Compare | OneOf | IsNull, wanted: bool, read: Read) -> Region:
    """Where one test is true (`wanted`) or false, by SQL's three-valued logic.

    A missing value makes every comparison unknown, so it lies in neither region; so does every
    value when the test compares with NULL.
    """
    if isinstance(test, IsNull):
        return ABSENT if wanted else PRESENT
    if isinstance(test, OneOf):
        return _one_of(test, wanted, read)
    if test.literal.writing is Writing.NULL:
        return NOBODY
    reading = read(test.column, test.literal)
    before, after = cuts(reading, test.literal, test.column)
    edges = {
        "=": (False, (before, after) if before != after else ()),
        "<": (True, (before,)),
        "<=": (True, (after,)),
        ">": (False, (after,)),
        ">=": (False, (before,)),
    }
    first, places = edges[test.sign]
    region = Region(first, places, reading=reading if places else None)
    return region if wanted else outside(region)


def _one_of(test: OneOf, wanted: bool, read: Read) -> Region:
    told = [literal for literal in test.literals if literal.writing is not Writing.NULL]
    region = NOBODY
    if told:
        readings = [read(test.column, literal) for literal in told]
        if len(set(readings)) > 1:
            _common(*list(dict.fromkeys(readings))[:2])
        pairs = [cuts(readings[0], literal, test.column) for literal in told]
        region = points(pairs, readings[0])
    if wanted:
        return region
    return outside(region) if len(told) == len(test.literals) else NOBODY
