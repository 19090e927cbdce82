"""The law of additive noise, and what it lets one say of the values behind it.

To every value an independent draw was added: uniform on [-width, width], or normal with standard
deviation `width`. Its mean is 0, so means and sums of published values are right on average, and
its variance can be taken off theirs. The distribution behind is found by Bayes' rule, step by step
(Agrawal, Srikant 2000), which is expectation maximisation (Agrawal, Aggarwal 2001).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer

Floats = NDArray[np.float64]
LEVEL = 0.95
ROOT = math.sqrt(2.0)


@dataclass(frozen=True)
class NoiseLaw:
    """Noise of one column.

    >>> round(NoiseLaw("uniform", 3.0).variance, 6), NoiseLaw("normal", 2.0).variance
    (3.0, 4.0)
    """

    shape: Literal["uniform", "normal"]
    width: float

    @property
    def variance(self) -> float:
        """Of a single draw."""
        return self.width**2 / 3 if self.shape == "uniform" else self.width**2

    def draw(self, words: NDArray[np.uint64]) -> Floats:
        """Noise from random words, two for each value."""
        one, other = (
            ((part >> np.uint64(12)) + 0.5) * 2.0**-52 for part in (words[::2], words[1::2])
        )
        if self.shape == "uniform":
            return np.asarray(self.width * (2 * one - 1))
        return np.asarray(self.width * np.sqrt(-2 * np.log(one)) * np.cos(2 * np.pi * other))

    def below(self, noise: Floats) -> Floats:
        """How likely a draw is at most so much."""
        if self.shape == "uniform":
            return np.clip((noise / self.width + 1) / 2, 0.0, 1.0)
        scaled = noise / (self.width * ROOT)
        return np.asarray(0.5 * (1 + np.vectorize(math.erf, otypes=[np.float64])(scaled)))

    def total(self, published: Floats, name: str = "SUM") -> Answer:
        """The sum of the values behind published ones, with its error: that of the noise alone."""
        return _answer(name, float(published.sum()), math.sqrt(len(published) * self.variance))

    def mean(self, published: Floats, name: str = "AVG") -> Answer:
        """The mean of the values behind published ones."""
        error = math.sqrt(self.variance / max(1, len(published)))
        return _answer(name, float(published.mean()), error)

    def spread(self, published: Floats) -> float:
        """The unbiased variance of the values behind published ones; may be below 0."""
        return float(published.var(ddof=1) - self.variance)

    def reconstructed(self, published: Floats, edges: Floats, steps: int = 500) -> Floats:
        """The share of values between edges, as the noisy ones have it; sums to 1.

        Stops when no share changes by a hundred-thousandth. Values between two edges are taken to
        be spread evenly for the noise's sake: edges finer than the noise add little.
        """
        middles = (edges[1:] + edges[:-1]) / 2
        bins = np.concatenate(
            [[-np.inf], np.linspace(*self._reach(edges), 4 * len(middles)), [np.inf]]
        )
        seen = np.histogram(published, bins)[0].astype(np.float64)
        # how likely a value in the middle of a bin is published in each of the others
        likely = np.diff(self.below(bins[:, None] - middles[None, :]), axis=0)
        share = np.full(len(middles), 1.0 / len(middles))
        for _ in range(steps):
            expected = likely @ share
            weight = np.divide(seen, expected, out=np.zeros_like(seen), where=expected > 0)
            fresh = share * (likely.T @ weight)
            fresh /= fresh.sum()
            if np.abs(fresh - share).max() < 1e-5:
                return np.asarray(fresh)
            share = fresh
        return share

    def _reach(self, edges: Floats) -> tuple[float, float]:
        far = self.width if self.shape == "uniform" else 3 * self.width
        return float(edges[0] - far), float(edges[-1] + far)


def _answer(name: str, value: float, error: float) -> Answer:
    wide = NormalDist().inv_cdf(0.5 + LEVEL / 2) * error
    basis = "unbiased: noise has mean 0; the interval is that of the noise"
    ends = (value - wide, value + wide)
    return Answer(name, value, interval=ends, level=LEVEL, basis=basis, error=error)
