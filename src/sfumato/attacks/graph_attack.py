"""What all attacks on graphs share: how nodes are planted, and how a guess is judged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from sfumato.attacks.base import Attack, Guess, Planted, Score
from sfumato.attacks.graph_plant import Design, Embedded, plant_nodes
from sfumato.attacks.victims import UNNAMED, name_victims
from sfumato.data.graph import Graph, Nodes
from sfumato.query.statistic import Published


@dataclass(frozen=True, eq=False)
class Naming:
    """Published nodes that are taken for the planted ones, and for the victims (-1: none)."""

    nodes: Nodes
    victims: Nodes


class GraphAttack(Attack):
    """Planted nodes form a path, know each other otherwise by a coin, and know the victims."""

    kind: ClassVar[str] = "graph"

    planted: int = Field(20, ge=2, le=64, description="nodes that an attacker plants")
    victims: int = Field(100, ge=1, description="nodes that an attacker wants to find again")
    links: int = Field(3, ge=1, description="least planted nodes that a victim knows (rho1)")
    apart: int = Field(
        1, ge=1, description="least of them that any other victim does not know (rho2)"
    )
    outside: int = Field(0, ge=0, description="others that a planted node knows, who hide it")
    attackers: int = Field(1, ge=1, description="who plant at once, each with own victims")

    @property
    def design(self) -> Design:
        """How nodes are planted."""
        return Design(self.planted, self.victims, self.links, self.apart, self.outside)

    def plant(self, data: Graph, rng: np.random.Generator) -> Planted:
        """The graph with planted nodes; the control is the graph without."""
        graph, made = plant_nodes(data, self.design, rng, self.attackers)
        return Planted(graph, tuple(made), control=data)

    def guess(self, seen: Published, knowledge: Embedded, rng: np.random.Generator) -> Guess:
        """Find the planted nodes, then name the victims from them."""
        found = self.find(seen, knowledge)
        if not len(found.found):
            nobody = np.full(len(knowledge.victims), UNNAMED, np.int32)
            return Guess(Naming(found.found, nobody), False, found.work, found.capped)
        victims = name_victims(seen.graph, found.found, knowledge, seen.law)
        return Guess(Naming(found.found, victims), found.claimed, found.work, found.capped)

    def find(self, seen: Published, planted: Embedded) -> Guess:
        """The planted nodes in their order, empty if none are found."""
        raise NotImplementedError

    def judge(self, guess: Guess, planted: Planted, knowledge: Embedded, links: Any) -> Score:
        """A success places half of the planted nodes rightly and names one victim rightly.

        `links[u]` is the published number of node u.
        """
        naming: Naming = guess.found
        right = naming.victims == links[knowledge.victims]
        placed = 0.0
        if len(naming.nodes):
            placed = float((naming.nodes == links[knowledge.nodes]).mean())
        found = int(right.sum())
        more = {
            "planted nodes right": placed,
            "victims named": float((naming.victims != UNNAMED).sum()),
            "edges between victims told": float(_told(planted.data, knowledge.victims[right])),
        }
        return Score(placed >= 0.5 and found > 0, found, len(knowledge.victims), more)

    def chance(self, planted: Planted) -> float:
        """At most the number of ways to place half of the nodes, over all placements of them."""
        half = (self.planted + 1) // 2
        ways, all_ways = math.comb(self.planted, half), math.perm(planted.data.nodes, half)
        return min(ways / all_ways, 1.0)


def _told(graph: Graph, victims: Nodes) -> int:
    """Edges of the original between nodes that were named."""
    return sum(int(np.isin(graph.row(int(node)), victims).sum()) for node in victims) // 2
