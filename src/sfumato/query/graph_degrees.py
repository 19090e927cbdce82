"""Degrees: of every node by itself, and how they are distributed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer
from sfumato.core.run import Run
from sfumato.kernels.degree_law import degree_chances
from sfumato.query.graph_deconvolution import Mixture, deconvolved, problem
from sfumato.query.statistic import LEVEL, NO_ISOLATED_NODES, Published, Statistic
from sfumato.releases.edge_law import EdgeLaw

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
QUANTILES = {"median degree": 0.5, "nine in ten at most": 0.9, "99 in 100 at most": 0.99}
WIDE = NormalDist().inv_cdf(0.5 + LEVEL / 2)
ABOUT = "smoothed likelihood; error: inside fits and between them"


def degree_estimates(published: Published) -> tuple[Floats, Floats]:
    """(degrees, standard errors) node by node: unbiased, and wide where the noise is.

    Their histogram is not the distribution of degrees: it is as much wider as the noise says.
    """
    law, others = published.law, max(published.graph.nodes - 1, 0)
    raw = np.asarray((published.graph.degrees - law.add * others) / law.gap)
    variance = law.gap_noise * others + (law.edge_noise - law.gap_noise) * raw
    least = min(law.gap_noise, law.edge_noise) * others
    return raw, np.sqrt(np.maximum(variance, least))


def degree_law(nodes: int, degree: int, law: EdgeLaw) -> Floats:
    """The chances of being published with 0, 1, ... neighbours, for a node that has `degree`.

    >>> degree_law(3, 1, EdgeLaw(0.5, 0.0)).tolist()
    [0.5, 0.5, 0.0]
    """
    seen, grid = np.arange(nodes), np.array([degree])
    bands = degree_chances(seen, grid, nodes - 1, law.delete, law.add)
    found = np.zeros(nodes)
    found[bands.first[0] : bands.first[0] + len(bands.value)] = bands.value
    return found


@dataclass(frozen=True, eq=False)
class DegreeDistribution:
    """Share of nodes by degree, as estimated. `noise` is the standard deviation that perturbation
    gives to the estimated degree of an isolated node: detail finer than that is smoothness."""

    mixture: Mixture
    noise: float

    @cached_property
    def degrees(self) -> Ints:
        """0, 1, 2, ... as far as there may be nodes."""
        grid, width = self.mixture.problem.grid, self.mixture.problem.width
        return np.arange(int(grid[-1] + width[-1] // 2) + 1)

    @cached_property
    def share(self) -> Floats:
        """Share of nodes of every degree."""
        column, width = self._column, self.mixture.problem.width
        return np.asarray(np.where(column < 0, 0.0, (self.mixture.share / width)[column]))

    @cached_property
    def error(self) -> Floats:
        """Standard errors of the shares."""
        each = np.arange(len(self.mixture.share))
        error = self.mixture.sums(each, each)[1] / self.mixture.problem.width
        return np.asarray(np.where(self._column < 0, 0.0, error[self._column]))

    @property
    def mean(self) -> float:
        """Mean degree."""
        return float(self.share @ self.degrees)

    @property
    def swamped(self) -> bool:
        """Is the noise wider than nodes have neighbours?"""
        return self.noise > self.mean

    def between(self, bands: list[tuple[int, int]]) -> tuple[Floats, Floats]:
        """(shares, standard errors) of degrees from one to the other, both included."""
        ends, grid = np.array(bands), self.mixture.problem.grid
        first = np.searchsorted(grid, ends[:, 0])
        return self.mixture.sums(first, np.searchsorted(grid, ends[:, 1], side="right") - 1)

    def up_to(self) -> tuple[Ints, Floats, Floats]:
        """(degree, share of nodes up to it, standard error) for every column of the fit."""
        of = self.mixture.problem
        last = np.arange(len(of.grid))
        return of.grid + (of.width.astype(np.int64) // 2), *self.mixture.sums(0 * last, last)

    @cached_property
    def _column(self) -> Ints:
        starts = self.mixture.problem.grid - ((self.mixture.problem.width - 1) // 2).astype(int)
        return np.asarray(np.searchsorted(starts, self.degrees, side="right") - 1)


def degree_distribution(published: Published, run: Run) -> DegreeDistribution:
    """How many nodes had how many neighbours: what the published degrees look drawn from."""
    graph, law = published.graph, published.law
    least = 1 if NO_ISOLATED_NODES in published.facts else 0
    fitted = deconvolved(problem(graph.degrees, graph.nodes, law, least), run)
    return DegreeDistribution(fitted, sqrt(law.gap_noise * (graph.nodes - 1)))


def bands_of(nodes: int) -> list[tuple[int, int]]:
    """Degrees 0, 1, 2, 3-4, 5-8, ... up to the highest that there can be.

    >>> bands_of(7)
    [(0, 0), (1, 1), (2, 2), (3, 4), (5, 6)]
    """
    bands = [(0, 0), (1, 1)]
    while bands[-1][1] < nodes - 1:
        bands.append((bands[-1][1] + 1, min(2 * bands[-1][1], nodes - 1)))
    return bands[: max(nodes, 1)]


def _named(band: tuple[int, int]) -> str:
    return f"degree {band[0]}" if band[0] == band[1] else f"degree {band[0]} to {band[1]}"


def _estimate(published: Published, run: Run) -> list[Answer]:
    if published.graph.nodes < 2:
        return [_refusal(name, "there are no two nodes") for name in _names(published)]
    if published.law.gap_noise == published.law.edge_noise == 0.0:
        values = _exact(published, run)
        return [_certain(*each) for each in zip(_names(published), values, strict=True)]
    found = degree_distribution(published, run)
    return [*_quantiles(found), *_shares(published, found)]


def _shares(published: Published, found: DegreeDistribution) -> Iterator[Answer]:
    bands = _seen(published)
    for band, share, error in zip(bands, *found.between(bands), strict=True):
        if band == (0, 0) and NO_ISOLATED_NODES in published.facts:
            yield _certain(_named(band), 0.0, "stated by the owner: no isolated nodes")
        elif found.swamped and band[1] < found.noise:
            yield _refusal(_named(band), _swamped(found))
        else:
            ends = max(0.0, share - WIDE * error), min(1.0, share + WIDE * error)
            yield Answer(
                _named(band),
                float(share),
                interval=ends,
                level=LEVEL,
                basis=ABOUT,
                error=float(error),
            )


def _seen(published: Published) -> list[tuple[int, int]]:
    """Bands up to that of the largest published degree; nobody is beyond it but by rare chance."""
    most = int(published.graph.degrees.max())
    return [band for band in bands_of(published.graph.nodes) if band[0] <= most or not band[0]]


def _quantiles(found: DegreeDistribution) -> Iterator[Answer]:
    degree, below, error = found.up_to()
    for name, part in QUANTILES.items():
        low, value, high = (
            int(degree[min(int(np.searchsorted(line, part)), len(degree) - 1)])
            for line in (below + WIDE * error, below, np.maximum.accumulate(below - WIDE * error))
        )
        if found.swamped and value < found.noise:
            yield _refusal(name, _swamped(found))
        else:
            spread = (high - low) / (2 * WIDE)
            yield Answer(name, value, interval=(low, high), level=LEVEL, basis=ABOUT, error=spread)


def _swamped(found: DegreeDistribution) -> str:
    return (
        f"noise of {found.noise:.3g} on every degree, {found.mean:.3g} neighbours on average: "
        "lower degrees cannot be told apart"
    )


def _refusal(name: str, why: str) -> Answer:
    return Answer(name, None, basis=why, refused=True)


def _certain(name: str, value: float, why: str = "published without noise") -> Answer:
    return Answer(name, value, interval=(value, value), level=LEVEL, basis=why, error=0.0)


def _names(published: Published) -> list[str]:
    return [*QUANTILES, *map(_named, bands_of(published.graph.nodes))]


def _exact(published: Published, _run: Run) -> list[float]:
    degrees = np.sort(published.graph.degrees)
    if not len(degrees):
        return [float("nan")] * len(_names(published))
    bands = bands_of(len(degrees))
    shares = [float(np.mean((degrees >= a) & (degrees <= b))) for a, b in bands]
    places = [int(np.ceil(part * len(degrees))) - 1 for part in QUANTILES.values()]
    return [*(float(degrees[place]) for place in places), *shares]


DEGREES = Statistic(
    "degree-distribution", "share of nodes by their number of neighbours",
    "no: a smooth law is fitted; noise that is wide beside low degrees blurs them",
    _estimate, _exact, "Xue 2012, section 4.4.2 for the law of a degree",
)  # fmt: skip
