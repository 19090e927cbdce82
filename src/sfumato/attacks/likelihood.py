"""Attacks by likelihood: every placement weighed, or the best ones kept on the way."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from sfumato.attacks.base import Guess
from sfumato.attacks.evidence import Floats, as_words, degree_ratios, pair_ratios, weights
from sfumato.attacks.graph_attack import GraphAttack
from sfumato.attacks.graph_plant import Embedded
from sfumato.attacks.placing import Search, place
from sfumato.core.errors import BadInput
from sfumato.kernels.placing_all import weigh_all
from sfumato.query.statistic import Published


class Likelihood(GraphAttack):
    """Weigh every placement of the planted nodes by its exact likelihood, and take the best.

    The thesis's general attack (section 4.5), with each likelihood divided by that of the same
    pairs in a graph of this density where nothing was planted; without this division the theorem
    holds at density one half only. The theorem uses the edges among planted nodes alone; published
    degrees are weighed too unless `degrees` is false. The best placement is claimed where its
    probability is at least `belief`.

    For graphs so small that all placements can be gone through.

    >>> Likelihood(planted=4, victims=2, links=2).belief
    0.5
    """

    name: ClassVar[str] = "likelihood"
    summary: ClassVar[str] = "weigh every placement of the planted nodes; small graphs only"
    source: ClassVar[str] = "thesis, section 4.5, Theorem 4.5.1, with its errata"

    planted: int = Field(4, ge=2, le=12, description="nodes that an attacker plants")
    victims: int = Field(2, ge=1, description="nodes that an attacker wants to find again")
    links: int = Field(1, ge=1, description="least planted nodes that a victim knows (rho1)")
    degrees: bool = Field(True, description="weigh published degrees too; the theorem does not")
    belief: float = Field(
        0.5, gt=0, le=1, description="probability from which a placement is claimed"
    )
    cap: int = Field(1_000_000_000, ge=1, description="placements that may be gone through")

    def find(self, seen: Published, planted: Embedded) -> Guess:
        """The likeliest placement, claimed if it is likely enough."""
        graph, law = seen.graph, seen.law
        many = math.perm(graph.nodes, planted.size)
        if many > self.cap:
            raise BadInput(
                f"{graph.nodes:,} nodes have {float(many):.1e} placements of {planted.size} "
                f"planted ones, more than attack.cap, which is {self.cap:,}",
                "take likelihood-beam",
            )
        ratios = pair_ratios(law, min(max(graph.edges / max(graph.pairs, 1), 1e-9), 1.0 - 1e-9))
        fit, _ = degree_ratios(graph, planted.degrees, law)
        fit = fit if self.degrees else np.zeros_like(fit)
        top = _highest(planted, ratios) + float(fit.max(1).sum())
        best, score, total = weigh_all(
            graph.indptr, graph.targets, as_words(planted.inside), ratios, fit, top
        )
        sure = math.exp(score - top) / total >= self.belief
        return Guess(best, sure, many)


def _highest(planted: Embedded, ratios: Floats) -> float:
    edges = int(np.triu(planted.inside).sum())
    apart = planted.size * (planted.size - 1) // 2 - edges
    return float(edges * ratios[1].max() + apart * ratios[0].max())


class LikelihoodBeam(GraphAttack):
    """Place planted nodes one after the other, and keep the likeliest placements: the default.

    A position is tried with the nodes that have at least half of the wanted edges to those placed.
    A placement is worth the log of its likelihood over that of other nodes: pair by pair, and
    degree by degree. Pairs are compared with a neighbourhood in which the share `local` of pairs
    is connected, since what planted nodes are mistaken for lies in dense places. The best full
    placement is improved node by node. Unless it is as good as the right one should be, the search
    starts again from another position.

    By this attack a setting is judged. Where it fails, the right placement mostly scores higher
    than what was found: it is the search that ends, not what could be known.

    >>> LikelihoodBeam().beam
    3000
    """

    name: ClassVar[str] = "likelihood-beam"
    summary: ClassVar[str] = "place planted nodes one by one and keep the likeliest placements"
    source: ClassVar[str] = "this project; the likelihood is that of the thesis, section 4.5"

    local: float = Field(
        0.3, gt=0, lt=1, description="share of connected pairs where others are mistaken for them"
    )
    order: Literal["mixed", "edges-first"] = Field(
        "mixed", description="which position is placed next: half known, or known most"
    )
    beam: int = Field(3_000, ge=1, description="placements kept")
    first: int = Field(30_000, ge=1, description="placements kept at the first four positions")
    restarts: int = Field(20, ge=1, description="positions to start from")
    slack: float = Field(
        1.5, ge=0, description="standard deviations below the right score at which it stops"
    )

    def find(self, seen: Published, planted: Embedded) -> Guess:
        """The likeliest placement found, claimed if it scores as the right one should."""
        weight = weights(seen.graph, planted, seen.law, self.local, self.slack)
        search = Search(self.beam, self.first, self.restarts, self.order == "mixed")
        best = place(seen.graph, planted, weight, search)
        reached = best.score >= weight.stop
        return Guess(best.nodes, reached, best.work, not reached)
