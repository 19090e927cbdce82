"""A small random generator (splitmix64) whose state is one number of the caller's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined, lean


@inlined
def draw_word(state: NDArray[np.uint64]) -> np.uint64:
    """The next 64 bits."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.uint64(mixed ^ (mixed >> np.uint64(31)))


@lean
def draw(state: NDArray[np.uint64], below: int) -> Any:
    """A number from 0 to below - 1; uniform but for a bias under 2^-32 for small `below`."""
    return np.int64(((draw_word(state) >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32))
