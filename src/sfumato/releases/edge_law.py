"""The law of random edge perturbation, and how it is undone.

Every pair of nodes is drawn anew by itself: an edge disappears with probability a, a pair that is
not connected gets an edge with probability b. With A the original and P the published adjacency,
x = (P - b) / (1 - a - b) has the expectation A in every pair, and pairs are independent.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EdgeLaw:
    """Probabilities: `delete` of losing an edge, `add` of gaining one.

    >>> law = EdgeLaw(0.1, 0.2)
    >>> round(law.corrected(1.0), 6), round(law.corrected(0.0), 6)
    (1.142857, -0.285714)
    """

    delete: float
    add: float

    @property
    def gap(self) -> float:
        """How much likelier an edge is published where there was one: what is left of it."""
        return 1.0 - self.delete - self.add

    @property
    def edge_noise(self) -> float:
        """The variance of x where there was an edge."""
        return self.delete * (1.0 - self.delete) / self.gap**2

    @property
    def gap_noise(self) -> float:
        """The variance of x where there was none."""
        return self.add * (1.0 - self.add) / self.gap**2

    def corrected(self, published: float, pairs: float = 1.0) -> float:
        """The unbiased number of edges among pairs of which `published` are connected."""
        return (published - self.add * pairs) / self.gap

    def expected(self, edges: float, pairs: float) -> float:
        """How many of some pairs will be connected."""
        return edges * (1.0 - self.delete) + (pairs - edges) * self.add
