"""Edges, two-paths and triangles from a published graph, with their exact covariances.

Corrected pairs x_ij = A_ij + noise are independent, with the variance s + t A_ij: s is that of a
pair without an edge, t what an edge has more. For a count f that is a sum of products of pairs,

    f(x) = sum over sets S of pairs of (product of noise over S) * d_S f(A),
    Cov(f(x), g(x)) = sum over S, not empty, of (product of variances over S) * d_S f(A) * d_S g(A),

d_S being the derivative by all pairs of S. With c_ij common neighbours and u_ij edges beside the
pair ij (d_i + d_j - 2 A_ij), the first derivatives of edges h, two-paths w and triangles t are
1, u and c; the second derivatives by two pairs that meet, ij and ik, are 0, 1 and A_jk; the third
derivative of triangles by the pairs of three nodes is 1; all others are 0. Sums over pairs become
contained counts of shapes of at most four nodes (docs/statistics/counts.md lists them), and those
have unbiased estimates themselves. So the covariances are exact, and estimated without bias.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from sfumato.query.graph_census import Census
from sfumato.query.graph_shapes import shapes
from sfumato.releases.edge_law import EdgeLaw

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Contained:
    """Contained counts of a graph that are needed here: given, or estimated without bias."""

    nodes: int
    edges: float
    two_paths: float
    triangles: float
    apart: float
    stars: float
    paths: float
    paws: float
    cycles: float
    diamonds: float


def contained(counted: Census, law: EdgeLaw) -> Contained:
    """Unbiased contained counts of the original graph."""
    edges = law.corrected(counted.edges, comb(counted.nodes, 2))
    _, _, two_paths, triangles = map(float, shapes(3).corrected(counted.of_three, law))
    _, _, _, apart, _, *rest = map(float, shapes(4).corrected(counted.of_four, law))
    return Contained(counted.nodes, edges, two_paths, triangles, apart, *rest[:5])


def covariances(of: Contained, law: EdgeLaw) -> Floats:
    """Of the estimates of edges, two-paths and triangles, from the counts of the original graph."""
    s, t = law.gap_noise, law.edge_noise - law.gap_noise
    single = s * _over_pairs(of) + t * _over_edges(of)
    free = max(of.nodes - 2, 0)
    meeting = s * s * 3 * comb(of.nodes, 3) + 2 * s * t * of.edges * free + t * t * of.two_paths
    closed = s * s * of.edges * free + 2 * s * t * of.two_paths + 3 * t * t * of.triangles
    double = np.array([[0, 0, 0], [0, meeting, closed], [0, closed, closed]])
    triple = np.zeros((3, 3))
    triple[2, 2] = (
        s**3 * comb(of.nodes, 3)
        + s * s * t * of.edges * free
        + s * t * t * of.two_paths
        + t**3 * of.triangles
    )
    return np.asarray(single + double + triple, float)


@dataclass(frozen=True, eq=False)
class Moments:
    """Estimates of edges, two-paths and triangles, and their covariances.

    `unsure` is how far the covariances may be off, one standard error, where cycles of four nodes
    were counted in a sample; it is added.
    """

    value: Floats
    covariance: Floats
    unsure: Floats

    def variance(self, weights: Sequence[float] | Floats) -> float:
        """Of a weighted sum of the three."""
        w = np.asarray(weights, float)
        return float(w @ self.covariance @ w + abs(w @ self.unsure @ w))


def moments(counted: Census, law: EdgeLaw) -> Moments:
    """From the counts of a published graph."""
    found = contained(counted, law)
    more = contained(replace(counted, cycles=counted.cycles + counted.cycle_error), law)
    plain = covariances(found, law)
    value = np.array([found.edges, found.two_paths, found.triangles])
    return Moments(value, plain, covariances(more, law) - plain)


def _over_pairs(of: Contained) -> Floats:
    """Sums over all pairs of products of two of 1, u and c."""
    one, u, c = comb(of.nodes, 2), 2 * of.edges * max(of.nodes - 2, 0), of.two_paths
    uu = u + 2 * (max(of.nodes - 2, 0) * of.two_paths + 4 * of.apart)
    uc = 2 * of.two_paths + 2 * of.paths
    cc = of.two_paths + 4 * of.cycles
    return np.array([[one, u, c], [u, uu, uc], [c, uc, cc]])


def _over_edges(of: Contained) -> Floats:
    """The same over edges only."""
    one, u, c = of.edges, 2 * of.two_paths, 3 * of.triangles
    uu = u + 2 * (3 * of.stars + of.paths + 3 * of.triangles)
    uc = 6 * of.triangles + 2 * of.paws
    cc = c + 2 * of.diamonds
    return np.array([[one, u, c], [u, uu, uc], [c, uc, cc]])
