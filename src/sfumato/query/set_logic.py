"""What a condition on a few items says of the members of a group that shows some of them.

A condition is a table of truth: truth[i, e] for every set i of its items (as bits) that a member
may have, and every way e in which exact columns may fit. A group shows the items K, which all
members have; of the others nothing is known, but that in a tight group each is lacking in some
member.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Chances:
    """What members may do, (patterns, fits): whether some may satisfy the condition, and whether
    one with none of the unknown items does; and which unknown items a satisfying one may lack."""

    some: Flags
    bare: Flags
    lackable: Ints


def chances(truth: Flags, items: int) -> Chances:
    """Of every pattern K and fit; O(4^items)."""
    patterns = np.arange(1 << items)
    some = np.zeros(truth.shape, bool)
    lackable = np.zeros(truth.shape, np.int64)
    for shown in patterns:
        may = truth[(patterns & shown) == shown]
        sets = patterns[(patterns & shown) == shown]
        some[shown] = may.any(axis=0)
        lacks = np.where(may, (~sets & (len(patterns) - 1))[:, None], 0)
        lackable[shown] = reduce(or_, lacks, np.zeros(truth.shape[1], np.int64))
    return Chances(some, truth.copy(), lackable)


def lost(found: Chances, items: int, signature: Ints) -> int:
    """Groups in which one member fewer can satisfy the condition than each could alone.

    In a tight group somebody lacks each unknown item. That costs nobody if a member that does not
    satisfy anyway can be that one, if one without any of them satisfies, or if satisfying members
    can lack them in turn. signature[K, s] counts groups by the fits that occur in them, as bits.
    """
    number, full = 0, (1 << items) - 1
    for shown, kinds in zip(*np.nonzero(signature), strict=True):
        there = [e for e in range(found.some.shape[1]) if kinds >> e & 1]
        free = any(not found.some[shown, e] or found.bare[shown, e] for e in there)
        lackable = reduce(or_, (int(found.lackable[shown, e]) for e in there), 0)
        unknown = full & ~int(shown)
        if not free and unknown & ~lackable:
            number += int(signature[shown, kinds])
    return number


def expected(truth: Flags, likely: NDArray[np.float64]) -> NDArray[np.float64]:
    """How likely a member satisfies the condition, (patterns, classes, fits).

    likely[a, c] is the chance that a member of a group of class c, which does not show item a, has
    it; items are taken to be independent.
    """
    items, classes = likely.shape
    chance = np.repeat(truth.astype(float)[:, None, :], classes, axis=1)
    for item in range(items):
        parts = chance.reshape(-1, 2, 1 << item, *chance.shape[1:])
        share = likely[item][None, None, :, None]
        mixed = (1 - share) * parts[:, 0] + share * parts[:, 1]
        chance = np.stack([mixed, parts[:, 1]], axis=1).reshape(chance.shape)
    return chance
