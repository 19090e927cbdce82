"""Shapes of three or four nodes, and how the perturbation of edges turns one into another.

A shape is a graph on k nodes up to renumbering, isolated nodes allowed. Counts come in two kinds.
*Contained* counts say how often the edges of a shape are found, whatever other edges there are:
they are sums of products of edges, so putting corrected edges for edges estimates them without
bias. *Induced* counts say how many sets of k nodes look exactly like the shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from sfumato.releases.edge_law import EdgeLaw

Floats = NDArray[np.float64]
EMPTY, EDGE, TWO_PATH, TRIANGLE = range(4)
NAMES = {
    3: ("empty", "edge", "two-path", "triangle"),
    4: (
        *("empty", "edge", "two-path", "two edges", "triangle", "star", "path"),
        *("paw", "cycle", "diamond", "clique"),
    ),
}
# One graph of each shape, as its edges.
DRAWN: dict[int, tuple[str, ...]] = {
    3: ("", "01", "01 12", "01 12 02"),
    4: (
        *("", "01", "01 12", "01 23", "01 12 02", "01 02 03", "01 12 23"),
        *("01 12 02 23", "01 12 23 03", "01 12 23 03 02", "01 02 03 12 13 23"),
    ),
}


@dataclass(frozen=True, eq=False)
class Shapes:
    """All shapes of k nodes. `inside[h, f]` is how many copies of h a graph of shape f contains;
    `around[h, f]` how many copies of f on the same k nodes contain a given copy of h."""

    names: tuple[str, ...]
    edges: NDArray[np.int64]
    inside: Floats
    around: Floats

    def corrected(self, contained: Sequence[float] | Floats, law: EdgeLaw) -> Floats:
        """Unbiased contained counts, from those of the published graph."""
        more = self.edges[None, :] - self.edges[:, None]
        power = np.where(more >= 0, (-law.add) ** np.maximum(more, 0), 0.0)
        found = np.asarray(contained, float) @ (self.around * power)
        return np.asarray(found / law.gap**self.edges)

    def induced(self, contained: Sequence[float] | Floats) -> Floats:
        """Induced counts from contained ones, by leaving out what has one more edge, and so on."""
        return np.asarray(self.induced_matrix @ np.asarray(contained, float))

    @property
    def induced_matrix(self) -> Floats:
        """What makes induced counts of contained ones."""
        sign = (-1.0) ** (self.edges[None, :] - self.edges[:, None])
        return np.asarray(sign * self.inside)

    def contained(self, induced: Sequence[float] | Floats) -> Floats:
        """Contained counts from induced ones."""
        return np.asarray(self.inside @ np.asarray(induced, float))

    def transitions(self, law: EdgeLaw) -> Floats:
        """[f, g]: the probability that k nodes of shape f are published in shape g."""
        forth = [_one_shape(f, len(self.names)) for f in range(len(self.names))]
        return np.array([self.induced(self._expected(self.contained(one), law)) for one in forth])

    def _expected(self, contained: Floats, law: EdgeLaw) -> Floats:
        """Contained counts to be expected in the published graph: the inverse correction."""
        more = self.edges[None, :] - self.edges[:, None]
        power = np.where(more >= 0, law.add ** np.maximum(more, 0), 0.0)
        found = (contained * law.gap**self.edges) @ (self.around * power)
        return np.asarray(found)


def _one_shape(place: int, size: int) -> Floats:
    return np.asarray(np.eye(size)[place])


@cache
def shapes(k: int) -> Shapes:
    """The shapes of three or of four nodes."""
    drawn = [frozenset(_edges(text)) for text in DRAWN[k]]
    copies = [copies_of(text, k) for text in DRAWN[k]]
    inside = np.array([[sum(c <= f for c in kind) for f in drawn] for kind in copies], float)
    around = np.array([[sum(h <= c for c in kind) for kind in copies] for h in drawn], float)
    return Shapes(NAMES[k], np.array([len(graph) for graph in drawn]), inside, around)


def _edges(text: str) -> list[tuple[int, int]]:
    return [(int(edge[0]), int(edge[1])) for edge in text.split()]


def copies_of(text: str, k: int) -> set[frozenset[tuple[int, int]]]:
    """Every graph on nodes 0 .. k - 1 that is the one drawn, renumbered."""
    graph, pairs = _edges(text), set(combinations(range(k), 2))
    found = set()
    for order in permutations(range(k)):
        turned = [(order[u], order[v]) for u, v in graph]
        found.add(frozenset(p if p in pairs else p[::-1] for p in turned))
    return found
