"""What can be said of structural attacks before a graph is published: formulas, no search.

They bound single steps of single attacks. A small number here never means that a setting is beyond
attack: it says that this step of this attack fails.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations, permutations
from typing import TypeVar

from sfumato.attacks.degree_law import binomial, centre, interval_probability
from sfumato.core.errors import BadInput
from sfumato.releases.edge_law import EdgeLaw

Pair = tuple[int, int]
Number = TypeVar("Number")


def path_survival(planted: int, law: EdgeLaw) -> float:
    """Probability that no edge of the path through all planted nodes is deleted (4.19).

    >>> round(path_survival(10, EdgeLaw(0.01, 0.01)), 4)
    0.9135
    """
    return (1.0 - law.delete) ** (planted - 1)


def least_deletion(planted: int, survival: float) -> float:
    """The deletion probability at which the path survives with this probability (4.20).

    It stops attacks that walk along the path; degrees stop those much earlier, and a search by
    likelihood needs no path at all.

    >>> round(least_deletion(10, 0.05), 4)
    0.2831
    """
    return float(1.0 - survival ** (1.0 / (planted - 1)))


def interval_success(
    nodes: int, degrees: Sequence[int], edges: int, law: EdgeLaw, width: int
) -> float:
    """Probability that interval-walk can pass: every degree in its interval, no pair changed.

    `degrees` are those of the planted nodes, `edges` those among them. Degrees are taken for
    independent. A lower bound of failure: the search may still be cut, or find others first.
    """
    apart = len(degrees) * (len(degrees) - 1) // 2 - edges
    intact = (1.0 - law.delete) ** edges * (1.0 - law.add) ** apart
    inside = (interval_probability(nodes, d, law, width, centre(nodes, d, law)) for d in degrees)
    return intact * math.prod(inside)


def errors_at_most(planted: int, mu: float, errors: int) -> float:
    """Probability that at most so many pairs of planted nodes are changed (4.31)."""
    return float(binomial(planted * (planted - 1) // 2, mu)[: errors + 1].sum())


def lambda_printed(nodes: int, planted: int, mu: float, errors: int) -> float:
    """The estimate of lambda_Y as printed (4.30), kept to compare with Table 4.3.

    It takes the likelihood at the mean number of errors for the mean likelihood, and is far too
    high; use `lambda_mean` or, for sparse graphs, `lambda_background`.

    >>> round(lambda_printed(10_000, 10, 0.001, 10), 4)
    0.0031
    """
    pairs = planted * (planted - 1) // 2
    shown = (errors - pairs / 2) * math.log(mu) + (pairs / 2 - errors) * math.log1p(-mu)
    return math.exp(min(shown - math.log(math.perm(nodes, planted)), 0.0))


def lambda_mean(nodes: int, planted: int, mu: float, errors: int) -> float:
    """Base 10 logarithm of lambda_Y where every graph is as likely: 4.30 with the true mean.

    The mean likelihood over all graphs on the planted nodes is exactly 2 to the minus pairs.
    """
    pairs = planted * (planted - 1) // 2
    likelihood = errors * math.log(mu) + (pairs - errors) * math.log1p(-mu)
    return _log10_share(likelihood + pairs * math.log(2.0), nodes, planted)


def lambda_background(
    nodes: int, density: float, law: EdgeLaw, intact: Pair, changed: Pair
) -> float:
    """Base 10 logarithm of lambda_Y in a graph of some density, as the theorem should have it.

    `intact` and `changed` count (edges, non-edges) among the planted nodes that are published as
    they were and otherwise. Every likelihood is divided by that of the same pairs in a graph where
    nothing was planted; over all other placements this ratio has the mean 1.
    """
    rate = law.expected(density, 1.0)
    steps = (
        (intact[0], 1.0 - law.delete, rate),
        (intact[1], 1.0 - law.add, 1.0 - rate),
        (changed[0], law.delete, 1.0 - rate),
        (changed[1], law.add, rate),
    )
    if any(times and not chance for times, chance, _ in steps):
        return -math.inf
    ratio = sum(times * math.log(chance / other) for times, chance, other in steps if times)
    pairs = sum(intact) + sum(changed)
    return _log10_share(ratio, nodes, (1 + math.isqrt(1 + 8 * pairs)) // 2)


def _log10_share(log_ratio: float, nodes: int, planted: int) -> float:
    """x / (x + others) where every other placement weighs 1 on average, without overflow."""
    lead = log_ratio - math.log(math.perm(nodes, planted) - 1)
    return -(max(-lead, 0.0) + math.log1p(math.exp(-abs(lead)))) / math.log(10.0)


def placement_posterior(
    nodes: int,
    planted: Iterable[Pair],
    observed: Iterable[Pair],
    chances: tuple[Number, Number],
    placement: Sequence[int],
) -> Number:
    """Probability of one placement of the planted nodes, by going through all of them.

    `chances` are mu and the published rate of edges in the background, of any kind of number:
    fractions give exact results. A rate of one half gives Theorem 4.5.1 as printed.
    """
    planned, seen = ({frozenset(pair) for pair in pairs} for pairs in (planted, observed))
    many = len(placement)
    if math.perm(nodes, many) > 10**7:
        raise BadInput(f"{nodes} nodes have {math.perm(nodes, many):,} placements", "at most 10^7")

    def weight(where: Sequence[int]) -> Number:
        product: Number = chances[0] / chances[0]  # type: ignore[operator]
        for i, j in combinations(range(many), 2):
            there = frozenset((where[i], where[j])) in seen
            product = product * _ratio(frozenset((i, j)) in planned, there, chances)  # type: ignore
        return product

    return weight(placement) / sum(map(weight, permutations(range(nodes), many)))  # type: ignore


def _ratio(wanted: bool, there: bool, chances: tuple[Number, Number]) -> Number:
    mu, rate = chances
    one = mu / mu  # type: ignore[operator]
    return (one - mu if wanted == there else mu) / (rate if there else one - rate)  # type: ignore


def link_risk(pairs: int, edges: float, law: EdgeLaw) -> tuple[float, float]:
    """Probability that a pair is connected: given an edge was published, and given none was.

    For somebody who knows who the two nodes are, and nothing else but the number of edges.

    >>> [round(risk, 4) for risk in link_risk(1_000_000, 1_000, EdgeLaw(0.001, 0.001))]
    [0.5, 0.0]
    """
    shown = law.expected(edges, pairs)
    kept = edges * (1.0 - law.delete)
    hidden = pairs - shown
    return kept / shown if shown else 0.0, edges * law.delete / hidden if hidden else 0.0
