"""All connected patterns of three and four nodes."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer
from sfumato.core.run import Run
from sfumato.query.graph_census import Census, census
from sfumato.query.graph_moments import moments
from sfumato.query.graph_shapes import shapes
from sfumato.query.graph_spread import sampled_slopes
from sfumato.query.statistic import Published, Statistic, estimated
from sfumato.releases.edge_law import EdgeLaw

Floats = NDArray[np.float64]
CONNECTED = ("path", "star", "cycle", "paw", "diamond", "clique")
CONTAINED = "{} contained"
EXACT = "exact error, estimated without bias"
UNCLEAR = "too little is left of the graph to estimate an error"
BOUND = "error at least as large as it is (Efron and Stein): the interval is on the safe side"


def patterns(published: Published, run: Run) -> list[Answer]:
    """Induced counts first, then contained ones."""
    counted = census(published.graph, run, cliques=True)
    space = shapes(4)
    value = space.corrected(counted.of_four, published.law)
    slopes, turn = sampled_slopes(published.graph, published.law, run), space.induced_matrix
    induced = _of_four(turn @ value, slopes.of(turn).errors(), "{}")
    found = [*_of_three(counted, published), *induced]
    found += _of_four(value, slopes.errors(), CONTAINED)
    return [_with_an_error(one, published.law) for one in found]


def _with_an_error(one: Answer, law: EdgeLaw) -> Answer:
    """Where noise was drawn, an estimate that is no whole number is off: its error is not zero."""
    if (law.delete or law.add) and one.error == 0.0 and one.value != 0.0:
        return Answer(one.name, None, basis=UNCLEAR, refused=True)
    return one


def _of_three(counted: Census, published: Published) -> Iterator[Answer]:
    found = moments(counted, published.law)
    for name, weights in (("triangle", (0, 0, 1)), ("open two-path", (0, 1, -3))):
        value, error = float(np.dot(found.value, weights)), sqrt(max(found.variance(weights), 0.0))
        yield estimated(name, value, error, basis=EXACT)


def _of_four(value: Floats, error: Floats, named: str) -> Iterator[Answer]:
    for name in CONNECTED:
        at = shapes(4).names.index(name)
        yield estimated(named.format(name), float(value[at]), float(error[at]), basis=BOUND)


def _exact(published: Published, run: Run) -> list[float]:
    counted = census(published.graph, run, cliques=True)
    three, four = shapes(3).induced(counted.of_three), shapes(4).induced(counted.of_four)
    at = [shapes(4).names.index(name) for name in CONNECTED]
    found = [three[3], three[2], *four[at], *np.asarray(counted.of_four, float)[at]]
    return [float(each) for each in found]


PATTERNS = Statistic(
    "patterns-4", "sets of three and four nodes that look like each connected pattern, and how "
    "often each is contained, other edges allowed", "yes", patterns, _exact,
    "the identity of eq. 4.8, for four nodes",
)  # fmt: skip
