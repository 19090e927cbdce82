"""Sets of three nodes by their edges, triangles, and transitivity."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, sqrt

import numpy as np

from sfumato.core.answers import Answer
from sfumato.core.run import Run
from sfumato.query.graph_census import Census, census
from sfumato.query.graph_moments import Moments, moments
from sfumato.query.graph_shapes import shapes
from sfumato.query.statistic import Published, Statistic, estimated
from sfumato.releases.edge_law import EdgeLaw

TRIADS_NAMED = ("three edges", "two edges", "one edge", "no edge")  # T, X, I, D
CLEAR = 3.0  # standard errors that the two-paths must be above none for a ratio to be stated
SAMPLED = "; cycles counted in a sample, whose error is added"


def triads(published: Published, run: Run) -> list[Answer]:
    """The four kinds of triplets."""
    counted = census(published.graph, run)
    found, free = moments(counted, published.law), max(counted.nodes - 2, 0)
    weights = ((0, 0, 1), (0, 1, -3), (free, -2, 3), (-free, 1, -1))
    constants = (0, 0, 0, comb(counted.nodes, 3))
    return [
        _answer(name, constant, weight, found, counted)
        for name, constant, weight in zip(TRIADS_NAMED, constants, weights, strict=True)
    ]


def triangles(published: Published, run: Run) -> list[Answer]:
    """Triangles alone."""
    counted = census(published.graph, run)
    return [_answer("triangles", 0, (0, 0, 1), moments(counted, published.law), counted)]


def transitivity(published: Published, run: Run) -> list[Answer]:
    """3 T / (X + 3 T): how many two-paths are closed; error by the delta rule."""
    counted = census(published.graph, run)
    return [_ratio(moments(counted, published.law), counted)]


def _ratio(found: Moments, counted: Census) -> Answer:
    edges, two_paths, closed = map(float, found.value)
    error = sqrt(max(found.variance((0, 1, 0)), 0.0))
    if edges <= 0.0:
        return _refusal("transitivity", "no edges are left of the graph")
    if two_paths <= CLEAR * error or two_paths < 0.5:
        shown = f"{two_paths:.4g} two-paths with a standard error of {error:.4g}"
        return _refusal("transitivity", f"{shown}: too few to divide by")
    value = 3 * closed / two_paths
    return _answer("transitivity", 0, (0, -value / two_paths, 3 / two_paths), found, counted, value)


def _answer(
    name: str,
    constant: float,
    weight: Sequence[float],
    found: Moments,
    counted: Census,
    value: float | None = None,
) -> Answer:
    """A weighted sum of edges, two-paths and triangles, or what it is the first order of."""
    variance = found.variance(weight)
    known = bool(not found.covariance.any())
    if variance <= 0.0 and not known:
        return _refusal(name, "too little is left of the graph to estimate an error")
    stated = constant + float(np.dot(weight, found.value)) if value is None else value
    basis = "exact error, estimated without bias" if value is None else "error by the delta rule"
    basis = "published without noise" if known else basis
    return estimated(
        name,
        stated,
        sqrt(max(variance, 0.0)),
        basis=basis + (SAMPLED if counted.cycle_error else ""),
    )


def _refusal(name: str, why: str) -> Answer:
    return Answer(name, None, basis=why, refused=True)


def corrected_triads(induced: Sequence[float], law: EdgeLaw) -> list[float]:
    """(T, X, I, D) of the original graph from those published: Figure 4.2 undone."""
    space = shapes(3)
    found = space.induced(space.corrected(space.contained(induced[::-1]), law))
    return [float(each) for each in found[::-1]]


def _exact_triads(published: Published, run: Run) -> list[float]:
    found = shapes(3).induced(census(published.graph, run).of_three)
    return [float(each) for each in found[::-1]]


def _exact_triangles(published: Published, run: Run) -> list[float]:
    return [float(census(published.graph, run).triangles)]


def _exact_transitivity(published: Published, run: Run) -> list[float]:
    counted = census(published.graph, run)
    return [3 * counted.triangles / counted.two_paths if counted.two_paths else float("nan")]


TRIADS = Statistic(
    "triads", "sets of three nodes by the edges among them", "yes", triads, _exact_triads,
    "Xue 2012, Figure 4.2, eq. 4.8, 4.9",
)  # fmt: skip
TRIANGLES = Statistic(
    "triangles", "sets of three nodes that are all connected", "yes", triangles, _exact_triangles,
    "Xue 2012, eq. 4.8",
)  # fmt: skip
TRANSITIVITY = Statistic(
    "transitivity", "share of two-paths whose ends are connected",
    "nearly: a ratio of unbiased counts", transitivity, _exact_transitivity,
    "Newman, Watts, Strogatz 2002; eq. 4.7 and 4.10 of Xue 2012 corrected",
)  # fmt: skip
