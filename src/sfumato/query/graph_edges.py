"""How many edges a graph had, and how dense it was."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, sqrt

from sfumato.core.answers import Answer
from sfumato.core.run import Run
from sfumato.query.statistic import Published, Statistic, estimated
from sfumato.releases.edge_law import EdgeLaw

SOURCE = "Xue 2012, eq. 4.1, 4.4; error of a given graph in place of eq. 4.16"


@dataclass(frozen=True)
class EdgeCount:
    """Edges among some pairs: as estimated, and made possible.

    `raw` is unbiased, and may be negative or more than there are pairs. `error` is its standard
    error, estimated without bias too (exactly known where both probabilities are the same).
    """

    raw: float
    pairs: int
    error: float

    @property
    def rounded(self) -> int:
        """To the nearest whole number, halves up."""
        return floor(self.raw + 0.5)

    @property
    def clipped(self) -> int:
        """The nearest number of edges that there can be."""
        return min(max(self.rounded, 0), self.pairs)


def edge_count(edges: int, pairs: int, law: EdgeLaw) -> EdgeCount:
    """From published edges; the graph is given, only its perturbation is random.

    >>> edge_count(8, 21, EdgeLaw(0.2, 0.2)).rounded
    6
    """
    raw = law.corrected(edges, pairs)
    variance = law.gap_noise * pairs + (law.edge_noise - law.gap_noise) * raw
    least = min(law.gap_noise, law.edge_noise) * pairs
    return EdgeCount(raw, pairs, sqrt(max(variance, least)))


def _edges(published: Published, _run: Run) -> list[Answer]:
    found = _of(published)
    return [estimated("edges", found.raw, found.error, basis=_possible(found))]


def _density(published: Published, _run: Run) -> list[Answer]:
    found, pairs = _of(published), published.graph.pairs
    if pairs == 0:
        return [Answer("density", None, basis="there are no two nodes", refused=True)]
    basis = _possible(found, "edges, ")
    return [estimated("density", found.raw / pairs, found.error / pairs, basis=basis)]


def _of(published: Published) -> EdgeCount:
    return edge_count(published.graph.edges, published.graph.pairs, published.law)


def _possible(found: EdgeCount, what: str = "") -> str:
    """The unbiased value is kept; what is possible is said beside it where it differs."""
    if 0 <= found.raw <= found.pairs:
        return f"unbiased; {what}rounded: {found.rounded}"
    return f"unbiased, not possible; {what}nearest possible: {found.clipped}"


def _exact_density(published: Published, _run: Run) -> list[float]:
    pairs = published.graph.pairs
    return [published.graph.edges / pairs if pairs else float("nan")]


EDGES = Statistic(
    "edges", "pairs that are connected", "yes", _edges,
    lambda published, run: [float(published.graph.edges)], SOURCE,
)  # fmt: skip
DENSITY = Statistic(
    "density", "share of pairs that are connected", "yes", _density, _exact_density, SOURCE
)
