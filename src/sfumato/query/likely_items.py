"""How likely members of a group have an item that the group does not show.

People of a group are much alike. We take an item's share in a tight group to be Beta distributed
over groups, with a total weight of ALIKE, and its mean to be the one under which as many groups
show it as do. What is left of the share in groups that do not show it is the chance asked for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.shares import all_have, mean_share

ALIKE = 0.05  # of .01 to 1, the least errors of audience counts over five data sets
LEAST = 0.5  # groups that are taken to show an item which none shows

Floats = NDArray[np.float64]


class LikelyItems:
    """Chances by size of the group, kept by how many groups show the item."""

    def __init__(self, sizes: NDArray[np.int64], groups: NDArray[np.int64], tight: bool) -> None:
        self._sizes, self._groups, self._tight = sizes, groups, tight
        self._known: dict[int, Floats] = {}

    def of(self, shown: int) -> Floats:
        """Per size, for an item that so many groups show."""
        if not self._tight:
            return np.zeros(len(self._sizes))
        if shown not in self._known:
            self._known[shown] = self._chances(max(float(shown), LEAST))
        return self._known[shown]

    def _chances(self, shown: float) -> Floats:
        mean = mean_share(self._sizes, self._groups, shown, ALIKE)
        every = all_have(self._sizes, mean, ALIKE)
        return np.asarray(np.clip((mean - every) / np.maximum(1 - every, 1e-12), 0.0, 1.0))
