"""How likely a record becomes a published one, given the columns in which they differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Bits = NDArray[np.uint64]


@compiled
def likelihoods(drawn: NDArray[np.float64], differ: Bits, redraw: int) -> NDArray[np.float64]:
    """The sum over sets of `redraw` columns that hold those that differ of the product of `drawn`.

    drawn[i, row]: the weight of column i times the share of its published value; differ[row] as
    bits, or a single entry for all rows. To be divided by the sum over all sets of the product of
    weights. O(rows * columns * redraw).
    """
    columns, rows = drawn.shape
    found = np.empty(rows)
    ways = np.empty(redraw + 1)
    for row in range(rows):
        bits = differ[row] if len(differ) > 1 else differ[0]
        ways[:] = 0.0
        ways[0] = 1.0
        for column in range(columns):
            must = (bits >> np.uint64(column)) & np.uint64(1) != np.uint64(0)
            for r in range(redraw, -1, -1):
                here = ways[r - 1] * drawn[column, row] if r > 0 else 0.0
                ways[r] = here if must else ways[r] + here
        found[row] = ways[redraw]
    return found


@compiled
def differences(before: NDArray[Any], after: NDArray[Any], column: int, bits: Bits) -> None:
    """Mark the rows in which one column differs. O(rows)."""
    bit = np.uint64(1) << np.uint64(column)
    for row in range(len(bits)):
        if before[row] != after[row]:
            bits[row] |= bit
