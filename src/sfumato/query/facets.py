"""What a region holds of published cells, for certain and likely; equal cells are seen once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Profile:
    """Per distinct cell, as (inside, outside): known members, and whether others are possible."""

    witnesses: NDArray[np.int64]
    possible: NDArray[np.bool_]
    share: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Reach:
    """Per distinct cell: least, most and mean value in a region; whether the ends surely occur."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    mean: NDArray[np.float64]
    known: NDArray[np.bool_]  # (cells, 2)


def beside(inside: NDArray[Any], outside: NDArray[Any]) -> NDArray[Any]:
    """Two columns of one array."""
    both = np.empty((len(inside), 2), inside.dtype)
    both[:, 0], both[:, 1] = inside, outside
    return both
