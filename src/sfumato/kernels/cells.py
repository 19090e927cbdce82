"""What the members of each group have in one column: extreme codes, and sets of codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, lean


@compiled
def spans(
    codes: NDArray[Any], group: NDArray[np.int32], groups: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Smallest and largest code per group; an empty group gets (largest int64, -1). O(rows)."""
    low = np.full(groups, np.iinfo(np.int64).max, np.int64)
    high = np.full(groups, -1, np.int64)
    for row in range(len(codes)):
        code = np.int64(codes[row])
        place = group[row]
        if code < low[place]:
            low[place] = code
        if code > high[place]:
            high[place] = code
    return low, high


@compiled
def masks(codes: NDArray[Any], group: NDArray[np.int32], groups: int) -> NDArray[np.uint64]:
    """Bit c of a group's word is set if a member has code c (codes below 64). O(rows)."""
    word = np.zeros(groups, np.uint64)
    for row in range(len(codes)):
        word[group[row]] |= np.uint64(1) << np.uint64(codes[row])
    return word


@compiled
def hash_runs(
    offsets: NDArray[np.int64], codes: NDArray[np.int32], salt: np.uint64
) -> NDArray[np.uint64]:
    """A 64-bit hash of every run codes[offsets[i]:offsets[i + 1]]. O(codes)."""
    out = np.empty(len(offsets) - 1, np.uint64)
    for run in range(len(out)):
        state = salt
        for place in range(offsets[run], offsets[run + 1]):
            state = (state ^ np.uint64(codes[place] + 1)) * np.uint64(0x9E3779B97F4A7C15)
            state ^= state >> np.uint64(29)
        out[run] = state
    return out


@lean
def same_runs(
    offsets: NDArray[np.int64], codes: NDArray[np.int32], other: NDArray[np.int64]
) -> bool:
    """Whether every run equals the run `other` names for it: guards against equal hashes."""
    for run in range(len(other)):
        begin, twin = offsets[run], offsets[other[run]]
        length = offsets[run + 1] - begin
        if offsets[other[run] + 1] - twin != length:
            return False
        for step in range(length):
            if codes[begin + step] != codes[twin + step]:
                return False
    return True
