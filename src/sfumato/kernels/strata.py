"""Which stratum each value of a bucket counts to, where a frequent value lies in several."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled


@compiled
def deal_strata(
    start: NDArray[np.int64],
    code: NDArray[np.int32],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    strata: int,
) -> NDArray[np.int32]:
    """The stratum of every value, (values,); values are sorted inside every bucket.

    Values that lie in several strata go to the first of them that a bucket of even spread would
    still have to fill. Linear.
    """
    found = np.empty(len(code), np.int32)
    for bucket in range(len(start) - 1):
        size = start[bucket + 1] - start[bucket]
        for place in range(start[bucket], start[bucket + 1]):
            here = (place - start[bucket]) * strata // size
            value = code[place]
            found[place] = min(max(here, first[value]), last[value])
    return found
