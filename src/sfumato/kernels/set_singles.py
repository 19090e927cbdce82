"""How many records hold a few items that somebody may know of a person."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.rows import Rows

Ints = NDArray[np.int64]


@compiled
def holders_of(
    rows: Rows, first: Ints, holding: NDArray[np.int32], asked: NDArray[Any], enough: int
) -> Ints:
    """Of each asked[i], items with the rarest first, how many rows hold all, `enough` at most.

    Item a is held by the rows holding[first[a] : first[a + 1]]. O(rows of the rarest item times
    the logarithm of their lengths), less where enough are found soon.
    """
    found = np.zeros(len(asked), np.int64)
    for one in range(len(asked)):
        rarest = asked[one, 0]
        for place in range(first[rarest], first[rarest + 1]):
            found[one] += _holds(rows, holding[place], asked[one])
            if found[one] == enough:
                break
    return found


@compiled
def _holds(rows: Rows, row: int, asked: NDArray[Any]) -> bool:
    """Whether a row holds all items but the first, by bisection."""
    for item in asked[1:]:
        low, high = rows.start[row], rows.start[row + 1]
        while low < high:
            middle = (low + high) // 2
            if rows.items[middle] < item:
                low = middle + 1
            else:
                high = middle
        if low == rows.start[row + 1] or rows.items[low] != item:
            return False
    return True
