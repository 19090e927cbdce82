"""Counting rows by the cell that their codes in several columns lead to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Places = NDArray[np.uint32]


@compiled
def first_places(codes: NDArray[Any], table: Places, places: Places) -> None:
    """What a column adds to the place of every row; table[code]. O(rows)."""
    for row in range(len(codes)):
        places[row] = table[codes[row]]


@compiled
def add_places(codes: NDArray[Any], table: Places, places: Places) -> None:
    """The same for one more column."""
    for row in range(len(codes)):
        places[row] += table[codes[row]]


@compiled
def count_places(places: Places, counts: NDArray[np.int64]) -> None:
    """Add the rows of every place. O(rows)."""
    for row in range(len(places)):
        counts[places[row]] += 1


@compiled
def add_moments(
    places: Places, codes: NDArray[Any], worth: NDArray[np.float64], moments: NDArray[np.float64]
) -> None:
    """Add worth[code] and its square to moments[0] and moments[1] of every row's place. O(rows)."""
    for row in range(len(places)):
        value = worth[codes[row]]
        moments[0, places[row]] += value
        moments[1, places[row]] += value * value
