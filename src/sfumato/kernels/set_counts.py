"""Counting members of groups by which of a few items are shown and which columns fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Ints = NDArray[np.int64]


@compiled
def mark(pattern: NDArray[Any], rows: NDArray[np.int32], bit: int) -> None:
    """Set a bit of some rows."""
    for row in rows:
        pattern[row] |= bit


@compiled
def tally_patterns(pattern: NDArray[Any], size_class: NDArray[Any], shape: Ints) -> Ints:
    """How many groups have each pattern and size class, (patterns, classes). O(groups)."""
    found = np.zeros((shape[0], shape[1]), np.int64)
    for group in range(len(pattern)):
        found[pattern[group], size_class[group]] += 1
    return found


@compiled
def tally_members(
    pattern: NDArray[Any],
    start: Ints,
    fits: NDArray[np.uint8],
    size_class: NDArray[Any],
    shape: Ints,
) -> tuple[Ints, Ints]:
    """Members by pattern of their group, size class and what fits them; and signatures of groups.

    fits[i] < shape[2] is about record i; records start[g] .. start[g + 1] - 1 are of group g. The
    second result counts groups by pattern and by which of the fits occur in them, as bits:
    (patterns, 2 ** fits). O(records).
    """
    members = np.zeros((shape[0], shape[1], shape[2]), np.int64)
    signature = np.zeros((shape[0], 1 << shape[2]), np.int64)
    for group in range(len(pattern)):
        seen = 0
        for record in range(start[group], start[group + 1]):
            members[pattern[group], size_class[group], fits[record]] += 1
            seen |= 1 << fits[record]
        signature[pattern[group], seen] += 1
    return members, signature


@compiled
def tally_counted(
    pattern: NDArray[Any], counted: NDArray[np.int32], size_class: NDArray[Any], shape: Ints
) -> tuple[Ints, Ints]:
    """As `tally_members`, where counted[e, g] members of group g fit in way e. O(fits * groups)."""
    members = np.zeros((shape[0], shape[1], shape[2]), np.int64)
    signature = np.zeros((shape[0], 1 << shape[2]), np.int64)
    for group in range(len(pattern)):
        seen = 0
        for fit in range(len(counted)):
            number = counted[fit, group]
            if number:
                members[pattern[group], size_class[group], fit] += number
                seen |= 1 << fit
        signature[pattern[group], seen] += 1
    return members, signature
