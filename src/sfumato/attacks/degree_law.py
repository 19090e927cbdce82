"""What edge perturbation makes of the degree of a node: two binomials, added up."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.releases.edge_law import EdgeLaw

Floats = NDArray[np.float64]


def binomial(trials: int, chance: float) -> Floats:
    """Probabilities of 0 to `trials` successes.

    >>> binomial(2, 0.5).round(12).tolist()
    [0.25, 0.5, 0.25]
    """
    if chance in (0.0, 1.0):
        certain = np.zeros(trials + 1)
        certain[round(trials * chance)] = 1.0
        return certain
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, trials + 1)))])
    hits = np.arange(trials + 1)
    ways = logs[-1] - logs - logs[::-1]
    found: Floats = np.exp(ways + hits * math.log(chance) + hits[::-1] * math.log1p(-chance))
    return found


def degree_law(nodes: int, degree: int, law: EdgeLaw) -> Floats:
    """Probabilities of the published degrees 0 to `nodes` - 1 of a node of this degree.

    Neighbours that stay are binomial, and so are the new ones; the thesis's sum over the removed
    ones (section 4.4.2) is the same with both probabilities equal.

    >>> degree_law(3, 1, EdgeLaw(0.5, 0.0)).tolist()
    [0.5, 0.5, 0.0]
    """
    stay = binomial(degree, 1.0 - law.delete)
    return np.convolve(stay, binomial(nodes - 1 - degree, law.add))


def centre(nodes: int, degree: int, law: EdgeLaw) -> int:
    """The expected published degree, to the nearest number there is; halves up.

    >>> centre(10_000, 50, EdgeLaw(0.001, 0.001))
    60
    """
    expected = law.expected(degree, nodes - 1)
    return min(max(math.floor(expected + 0.5), 0), nodes - 1)


def printed_centre(nodes: int, degree: int, law: EdgeLaw) -> int:
    """The centre as the thesis's Table 4.2 has it: two terms, each rounded by itself."""
    lost = math.floor(degree * law.delete + 0.5)
    gained = math.floor((nodes - 1 - degree) * law.add + 0.5)
    return min(max(degree - lost + gained, 0), nodes - 1)


def interval_probability(nodes: int, degree: int, law: EdgeLaw, width: int, middle: int) -> float:
    """Probability that the published degree lies within `width` of `middle`.

    >>> round(interval_probability(10_000, 50, EdgeLaw(1e-4, 1e-4), 2, 51), 4)
    0.9814
    """
    chances = degree_law(nodes, degree, law)
    return float(chances[max(middle - width, 0) : middle + width + 1].sum())
