"""Where the median cut of one column falls."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined, lean
from sfumato.kernels.mondrian_node import FEW, TALLY, UNIT, Cut


@lean
def median_code(
    cells: NDArray[Any], column: int, low: int, high: int, desk: NDArray[np.int64]
) -> tuple[int, int, int]:
    """The lower median of a column's codes, low..high: (code, rows below it, rows at it). O(n).

    One histogram when the codes span no more than the rows; a wide span is narrowed in a few
    passes, so that a small node never walks through a large domain.
    """
    middle, below = (len(cells) - 1) // 2, 0
    limit = min(max(len(cells), FEW), desk.shape[1])
    while True:
        shift = 0
        while (high - low) >> shift >= limit:
            shift += 1
        for row in range(len(cells)):
            code = np.int64(cells[row, column])
            if low <= code <= high:
                desk[TALLY, (code - low) >> shift] += 1
        chosen = 0
        while below + desk[TALLY, chosen] <= middle:
            below += desk[TALLY, chosen]
            chosen += 1
        at = desk[TALLY, chosen]
        for place in range(((high - low) >> shift) + 1):
            desk[TALLY, place] = 0
        low += chosen << shift
        if shift == 0:
            return low, below, at
        high = min(high, low + (1 << shift) - 1)


@inlined
def median_unit(desk: NDArray[np.int64], rows: int) -> tuple[int, int, int]:
    """The unit that holds the lower median: (unit, rows before it, rows in it)."""
    chosen, below = 0, 0
    while below + desk[UNIT, chosen] <= (rows - 1) // 2:
        below += desk[UNIT, chosen]
        chosen += 1
    return chosen, below, desk[UNIT, chosen]


@inlined
def strict_cut(column: int, median: tuple[int, int, int], rows: int) -> Cut:
    """Between two units, so that the sides are as equal as can be (ties: smaller left side)."""
    middle, below, at = median
    if abs(2 * (below + at) - rows) < abs(2 * below - rows):
        return column, middle + 1, 0, below + at
    return column, middle, 0, below


@inlined
def relaxed_cut(column: int, median: tuple[int, int, int], rows: int) -> Cut:
    """Half of the rows, rounded down, go left; of the median value, its first rows."""
    middle, below, _ = median
    return column, middle, rows // 2 - below, rows // 2
