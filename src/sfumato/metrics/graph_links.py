"""What the law of a published graph leaves: how far a single edge can be trusted, and noise."""

from __future__ import annotations

from math import exp, inf, sqrt

from sfumato.core.answers import Answer
from sfumato.core.errors import Refused
from sfumato.metrics.base import Metric, found
from sfumato.releases.edge_law import EdgeLaw
from sfumato.releases.perturbed_graph import PerturbedGraph
from sfumato.releases.release import Evidence

THESIS = "chapter 4 of a thesis on privacy preserving data publication (CIKM 2012)"
RESPONSE = "randomized response (Warner 1965), for every pair of nodes"


def edges_that_were(content: PerturbedGraph) -> float:
    """The unbiased number of edges of the original, cut off where it can't be."""
    graph = content.graph
    return min(max(content.law.corrected(graph.edges, graph.pairs), 0.0), float(graph.pairs))


def _published(evidence: Evidence) -> Answer:
    content = evidence.release.network
    before = edges_that_were(content)
    if before == 0:
        raise Refused("there were no edges, as far as one can tell")
    return found(content.graph.edges / before, "published over estimated edges")


def _true(evidence: Evidence) -> Answer:
    content = evidence.release.network
    if content.graph.edges == 0:
        raise Refused("no edge is published")
    true = edges_that_were(content) * (1 - content.law.delete)
    return found(min(1.0, true / content.graph.edges), "of a published edge drawn at random")


def _kept(evidence: Evidence) -> Answer:
    return found(1 - evidence.release.network.law.delete)


def _odds(evidence: Evidence) -> Answer:
    told = sum(claim.parameters.get("edges_told", 0.0) for claim in evidence.release.claims)
    factor = odds_factor(evidence.release.network.law) * exp(told)
    if factor == inf:
        raise Refused("something that is published leaves no doubt")
    return found(factor)


def odds_factor(law: EdgeLaw) -> float:
    """How much the odds of an edge change at most by what is published of its pair.

    >>> round(odds_factor(EdgeLaw(0.25, 0.25)), 6)
    3.0
    """
    seen = [(1 - law.delete, law.add), (1 - law.add, law.delete)]
    return max(max(one, other) / min(one, other) if min(one, other) else inf for one, other in seen)


def _degree_noise(evidence: Evidence) -> Answer:
    content = evidence.release.network
    law, others = content.law, content.rows - 1
    degree = 2 * edges_that_were(content) / content.rows
    variance = degree * law.edge_noise + (others - degree) * law.gap_noise
    return found(sqrt(max(variance, 0.0)), "of a node of mean degree")


published_edges = Metric(
    "published-edges",
    "edges published for every edge that was there",
    THESIS,
    _published,
    lower_is_better=None,
)
true_edges = Metric(
    "true-edges",
    "share of the published edges that were there: what an adversary may believe of one of them",
    THESIS,
    _true,
    lower_is_better=None,
)
kept_edges = Metric(
    "kept-edges", "share of the original edges that are published", THESIS, _kept, False
)
edge_odds = Metric(
    "edge-odds",
    "factor by which the odds of an edge change at most, whatever else is known",
    RESPONSE,
    _odds,
)
degree_noise = Metric(
    "degree-noise", "standard error of the degree of a node of mean degree", THESIS, _degree_noise
)
