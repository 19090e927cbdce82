"""How much an observation speaks for a planted node and against any other: logs of ratios."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.degree_law import degree_law
from sfumato.attacks.graph_plant import Embedded, Flags
from sfumato.data.graph import Graph
from sfumato.releases.edge_law import EdgeLaw

Floats = NDArray[np.float64]
LEAST = 1e-12  # of a probability: what can't happen weighs a lot, not infinitely much


def pair_ratios(law: EdgeLaw, rate: float) -> Floats:
    """[wanted, there]: log of the chance in a planted pair over that in another pair.

    `rate` is the share of connected pairs among those that a planted pair is mistaken for, as
    published.
    """
    planted = np.array([[1.0 - law.add, law.add], [law.delete, 1.0 - law.delete]])
    others = np.maximum([1.0 - rate, rate], LEAST)
    ratios: Floats = np.log(np.maximum(planted, LEAST)) - np.log(others)
    return ratios


def degree_ratios(graph: Graph, degrees: NDArray[np.int64], law: EdgeLaw) -> tuple[Floats, Floats]:
    """(ratios, chances), a row a planted node, a column a published degree.

    The other nodes' degrees are those of the published graph, one node more at every degree.
    """
    found = np.bincount(graph.degrees)
    others = np.log((found + 1.0) / (found + 1.0).sum())
    known = {int(d): degree_law(graph.nodes, int(d), law)[: len(found)] for d in set(degrees)}
    chances = np.array([known[int(degree)] for degree in degrees])
    return np.log(np.maximum(chances, LEAST)) - others, chances


@dataclass(frozen=True, eq=False)
class Weights:
    """All that a placement is scored by; `stop` is a score that the right one hardly misses."""

    pairs: Floats
    fit: Floats
    stop: float


def weights(graph: Graph, planted: Embedded, law: EdgeLaw, local: float, slack: float) -> Weights:
    """Ratios against a background in which the share `local` of pairs is connected.

    `stop` is the mean score of the right placement less `slack` standard deviations.
    """
    pairs = pair_ratios(law, law.expected(local, 1.0))
    fit, chances = degree_ratios(graph, planted.degrees, law)
    mean = (fit * chances).sum(1)
    spread = ((fit - mean[:, None]) ** 2 * chances).sum(1)
    inside = np.triu(planted.inside, 1).sum()
    apart = planted.size * (planted.size - 1) // 2 - inside
    there = np.array([law.add, 1.0 - law.delete])
    gap = pairs[:, 1] - pairs[:, 0]
    number = np.array([apart, inside])
    total = mean.sum() + number @ (pairs[:, 0] + there * gap)
    noise = spread.sum() + number @ (there * (1.0 - there) * gap**2)
    return Weights(pairs, fit, float(total - slack * np.sqrt(noise)))


def as_words(inside: Flags) -> NDArray[np.uint64]:
    """Row by row, bit j set where column j is."""
    bits = np.arange(inside.shape[1], dtype=np.uint64)
    words: NDArray[np.uint64] = (inside.astype(np.uint64) << bits).sum(1, dtype=np.uint64)
    return words
