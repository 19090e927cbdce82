"""Every pair of nodes with a number that is right on average: what estimates of graphs add up.

With A the original and P the published adjacency, x = (P - b) / (1 - a - b) has expectation A in
every pair, pairs are independent, and the variance of x is one number on edges and another
elsewhere; it is therefore estimated without bias by a number that is linear in x.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.releases.edge_law import EdgeLaw

Floats = NDArray[np.float64]
Nodes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Unbiased numbers of all pairs: listed ones have their own, all others share one.

    `value` is what stands for the edge, `noise` what estimates its variance. Both are kept as
    differences to `rest` and `rest_noise`, the numbers of a pair that is not listed.
    """

    nodes: int
    u: Nodes
    v: Nodes
    value: Floats
    noise: Floats
    rest: float
    rest_noise: float

    @property
    def total(self) -> float:
        """The estimated number of edges."""
        return float(self.value.sum() + self.rest * self.nodes * (self.nodes - 1) / 2)

    @property
    def total_noise(self) -> float:
        """Its estimated variance."""
        return float(self.noise.sum() + self.rest_noise * self.nodes * (self.nodes - 1) / 2)


def published_pairs(graph: Graph, law: EdgeLaw) -> Pairs:
    """What a published graph says of every pair."""
    u, v = graph.upper
    linked, apart = (_number(law, one) for one in (1.0, 0.0))
    value, noise = (np.full(len(u), a - b) for a, b in zip(linked, apart))
    return Pairs(graph.nodes, u, v, value, noise, *apart)


def _number(law: EdgeLaw, published: float) -> tuple[float, float]:
    value = law.corrected(published)
    return value, law.edge_noise * value + law.gap_noise * (1.0 - value)
