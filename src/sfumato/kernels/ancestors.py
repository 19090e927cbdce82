"""What items are kinds of, added to the rows that hold them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled


@compiled
def with_ancestors(
    start: NDArray[np.int64], items: NDArray[Any], ends: NDArray[np.int64], above: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Rows with above[ends[i] : ends[i + 1]] beside every item i; some stand there twice.

    O(items and ancestors).
    """
    longer = np.zeros(len(start), np.int64)
    for row in range(len(start) - 1):
        size = 0
        for place in range(start[row], start[row + 1]):
            size += 1 + ends[items[place] + 1] - ends[items[place]]
        longer[row + 1] = longer[row] + size
    found = np.empty(longer[-1], items.dtype)
    at = 0
    for place in range(len(items)):
        found[at] = items[place]
        at += 1
        for other in range(ends[items[place]], ends[items[place] + 1]):
            found[at] = above[other]
            at += 1
    return longer, found
