"""The distribution of degrees behind published ones: a smooth law, fitted by likelihood.

The logarithm of the share of nodes of degree d is a cubic spline in log(1 + d). Its coefficients
are those of greatest likelihood less a ridge on their second differences, with the exact chance of
every published degree given every true one. How many knots and how much ridge is weighed by what
half of the nodes says of the other half; fits are averaged with those weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.kernels.degree_law import (
    Bands,
    degree_chances,
    given_back,
    mixed,
    weighted_products,
)
from sfumato.releases.edge_law import EdgeLaw

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
KNOTS = (6, 10, 16, 24, 32)
RIDGES = (0.003, 0.02, 0.1, 0.4, 2.0)
STEPS, ENOUGH = 60, 1e-7  # of Newton's method; likelihood per node that is no longer worth a step
PLAUSIBLE = 0.001  # of the greatest weight: below it a fit is not listened to
FINE = 256  # degrees up to here each have a column of their own


@dataclass(frozen=True, eq=False)
class Problem:
    """Published degrees, how many nodes have each, and the chances of each given true degrees.

    `grid` holds true degrees; from FINE on they stand for `width` degrees each, in steps that are
    small beside the noise.
    """

    seen: Ints
    nodes: Floats
    grid: Ints
    width: Floats
    bands: Bands

    def halves(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """The nodes, dealt to two halves."""
        half = rng.binomial(self.nodes.astype(np.int64), 0.5).astype(float)
        return half, self.nodes - half


@dataclass(frozen=True, eq=False)
class Fit:
    """Shares of nodes by column, and their covariance as basis, deviations and coefficients'."""

    share: Floats
    basis: Floats
    coefficients: Floats
    covariance: Floats


@dataclass(frozen=True, eq=False)
class Mixture:
    """Fits and their weights."""

    problem: Problem
    fits: tuple[Fit, ...]
    weights: Floats

    @property
    def share(self) -> Floats:
        """Share of nodes by column, averaged."""
        return np.asarray(sum(w * fit.share for w, fit in zip(self.weights, self.fits)))

    def sums(self, first: Ints, last: Ints) -> tuple[Floats, Floats]:
        """(shares, standard errors) of stretches of columns, both ends included.

        The error is that of the worst fit that the held-out nodes do not speak against: its own
        variance, and how far it is from the average; and what a law leaves open of so many nodes
        drawn from it.
        """
        plausible = self.weights > PLAUSIBLE * self.weights.max()
        fits = [fit for fit, chosen in zip(self.fits, plausible, strict=True) if chosen]
        shares = np.array([_between(np.cumsum(fit.share), first, last) for fit in fits])
        mean = self.weights[plausible] @ shares / self.weights[plausible].sum()
        inside = np.array([_variance(fit, first, last) for fit in fits])
        nodes = self.problem.nodes.sum()
        drawn = np.maximum(mean * (1.0 - mean), 1.0 / nodes) / nodes
        return mean, np.sqrt((inside + (shares - mean) ** 2).max(axis=0) + drawn)


def _variance(fit: Fit, first: Ints, last: Ints) -> Floats:
    """Of shares of stretches, by their slopes; einsum keeps to one thread."""
    each = fit.share[:, None] * (fit.basis - fit.share @ fit.basis)
    slope = _between(np.cumsum(each, axis=0), first, last)
    return np.asarray(np.einsum("ij,jk,ik->i", slope, fit.covariance, slope))


def _between(upto: Floats, first: Ints, last: Ints) -> Floats:
    """Sums over stretches from running sums."""
    padded = np.concatenate([np.zeros_like(upto[:1]), upto])
    return np.asarray(padded[last + 1] - padded[first])


def problem(degrees: Ints, nodes: int, law: EdgeLaw, least: int) -> Problem:
    """What is to be solved for published degrees; no true degree is below `least`."""
    seen, many = np.unique(degrees, return_counts=True)
    others, most = nodes - 1, float(seen[-1])
    raw = law.corrected(most, others)
    noise = np.sqrt(max(law.gap_noise * others + law.edge_noise * max(raw, 0.0), 0.0))
    top = int(min(others, max(least + 1, np.ceil(raw + 4 * noise) + 2)))
    grid, width = _grid(min(least, top), top, law, others)
    bands = degree_chances(seen, grid, others, law.delete, law.add)
    return Problem(seen, many.astype(float), grid, width, bands)


def _grid(least: int, top: int, law: EdgeLaw, others: int) -> tuple[Ints, Floats]:
    """True degrees: all up to FINE, then steps of an eighth of the noise and 1/64 of the degree."""
    edges, d = list(range(least, min(top, FINE) + 1)), min(top, FINE) + 1
    while d <= top:
        edges.append(d)
        noise = np.sqrt(law.gap_noise * others + law.edge_noise * d)
        d += max(1, int(min(noise / 8, d / 64)))
    width = np.diff([*edges, top + 1])
    return np.array(edges) + (width - 1) // 2, width.astype(float)


def deconvolved(of: Problem, run: Run) -> Mixture:
    """The average of all fits, weighed by the likelihood of nodes that were held out."""
    one, two = of.halves(run.rng("held-out"))
    fits, held = [], []
    enough = max(KNOTS[0], len(of.grid))  # few degrees need few knots
    for knots, ridge in product([many for many in KNOTS if many <= enough], RIDGES):
        basis = splines(np.log1p(of.grid), knots)
        full = fitted(of, of.nodes, basis, ridge)
        first = fitted(of, one, basis, ridge, full.coefficients)
        second = fitted(of, two, basis, ridge, full.coefficients)
        held.append(_likelihood(of, two, first.share) + _likelihood(of, one, second.share))
        fits.append(full)
    weights = np.exp(np.array(held) - max(held))
    return Mixture(of, tuple(fits), weights / weights.sum())


def splines(at: Floats, knots: int) -> Floats:
    """Cubic B-splines on evenly spaced knots between the ends of `at`, (points, knots + 2)."""
    low, high = at[0], max(at[-1], at[0] + 1.0)
    step = (high - low) / (knots - 1)
    t = low + step * np.arange(-3, knots + 3)
    value = ((at[:, None] >= t[:-1]) & (at[:, None] < t[1:])).astype(float)
    for degree in (1, 2, 3):
        up = (at[:, None] - t[: -degree - 1]) / (degree * step)
        down = (t[degree + 1 :] - at[:, None]) / (degree * step)
        value = up * value[:, :-1] + down * value[:, 1:]
    return np.asarray(value)


def fitted(
    of: Problem, nodes: Floats, basis: Floats, ridge: float, begin: Floats | None = None
) -> Fit:
    """Newton's method, with halved steps."""
    rough = np.diff(np.eye(basis.shape[1]), n=2, axis=0)
    penalty = ridge * rough.T @ rough + 1e-6 * np.eye(basis.shape[1])
    theta = _first_guess(of, basis) if begin is None else begin
    value = _objective(of, nodes, basis, penalty, theta)
    for _ in range(STEPS):
        slope, curve = _derivatives(of, nodes, basis, theta)
        step = np.asarray(np.linalg.solve(curve + penalty, slope - penalty @ theta), float)
        theta, gained, value = _line(of, nodes, basis, penalty, (theta, step, value))
        if gained < ENOUGH * nodes.sum():
            break
    _, curve = _derivatives(of, nodes, basis, theta)
    return Fit(
        _shares(of, basis, theta), basis, theta, np.asarray(np.linalg.inv(curve + penalty), float)
    )


def _first_guess(of: Problem, basis: Floats) -> Floats:
    """A law that falls with the degree."""
    target = -1.5 * np.log1p(of.grid)
    return np.asarray(np.linalg.lstsq(basis, target, rcond=1e-8)[0])


def _shares(of: Problem, basis: Floats, theta: Floats) -> Floats:
    high = basis @ theta
    share = of.width * np.exp(high - high.max())
    return np.asarray(share / share.sum())


def _likelihood(of: Problem, nodes: Floats, share: Floats) -> float:
    chance, _ = mixed(of.bands, share, np.empty((len(share), 0)), len(of.seen))
    return float(nodes @ np.log(np.maximum(chance, 1e-300)))


def _objective(of: Problem, nodes: Floats, basis: Floats, penalty: Floats, theta: Floats) -> float:
    return _likelihood(of, nodes, _shares(of, basis, theta)) - 0.5 * float(theta @ penalty @ theta)


def _derivatives(of: Problem, nodes: Floats, basis: Floats, theta: Floats) -> tuple[Floats, Floats]:
    """(slope, curvature) of the log-likelihood; where that is no hill, the scores' products."""
    share, total = _shares(of, basis, theta), nodes.sum()
    chance, mean = mixed(of.bands, share, basis, len(of.seen))
    chance = np.maximum(chance, 1e-300)
    mean /= chance[:, None]
    back, middle = given_back(of.bands, share, nodes / chance), share @ basis
    scores = mean - middle
    products = weighted_products(scores, nodes)
    curve = products + weighted_products(basis - middle, total * share - back)
    if np.linalg.eigvalsh(curve)[0] < -1e-9 * total:
        curve = products
    return basis.T @ (back - total * share), curve


def _line(
    of: Problem, nodes: Floats, basis: Floats, penalty: Floats, at: tuple[Floats, Floats, float]
) -> tuple[Floats, float, float]:
    """The first of the step, its half, its quarter, ... that gains: (coefficients, gain, value)."""
    theta, step, value = at
    for halving in range(30):
        moved = theta + step * 0.5**halving
        reached = _objective(of, nodes, basis, penalty, moved)
        if reached > value:
            return moved, reached - value, reached
    return theta, 0.0, value
