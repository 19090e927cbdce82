"""Planting nodes in a graph: what somebody does who opens accounts before it is published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import CannotBeMet
from sfumato.core.words import several
from sfumato.data.graph import Graph, Nodes

TRIES = 1_000
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Embedded:
    """One attacker's nodes, by their numbers before publication; all that the attacker knows.

    `inside[i, j]`: whether planted node i knows planted node j; i and i + 1 always do.
    `links[v, i]`: whether victim v knows planted node i.
    """

    nodes: Nodes
    victims: Nodes
    inside: Flags
    links: Flags
    degrees: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Planted nodes."""
        return len(self.nodes)


@dataclass(frozen=True)
class Design:
    """How nodes are planted: how many, at how many victims, and how robust the links are (4.18).

    Every victim gets a set of at least `links` planted nodes (rho1); any two sets have at least
    `apart` nodes each that the other has not (rho2). `outside` more edges per planted node go to
    nodes that are no victims.
    """

    planted: int
    victims: int
    links: int = 3
    apart: int = 1
    outside: int = 0

    @property
    def most(self) -> int:
        """The largest set of links: twice the least one, but no more than half of the nodes."""
        return max(self.links, min(2 * self.links, self.planted // 2))


def plant_nodes(
    graph: Graph, design: Design, rng: np.random.Generator, attackers: int = 1
) -> tuple[Graph, list[Embedded]]:
    """The graph with new nodes at its end, and what each attacker knows.

    Attackers have victims of their own and don't know each other.
    """
    wanted = attackers * design.victims
    if wanted > graph.nodes:
        raise CannotBeMet(
            f"{several(graph.nodes, 'node')} can't hold {several(wanted, 'victim')}",
            "plant fewer nodes, or name fewer victims",
        )
    targets = rng.permutation(graph.nodes).astype(np.int32)[:wanted].reshape(attackers, -1)
    total = graph.nodes + attackers * design.planted
    pairs, made = [graph.upper], []
    for place, victims in enumerate(targets):
        first = graph.nodes + place * design.planted
        new, edges = _embed(first, victims, design, rng, graph.nodes)
        pairs.append(edges)
        made.append(new)
    u, v = (np.concatenate([part[side] for part in pairs]) for side in (0, 1))
    return Graph.of(total, u, v), made


def _embed(
    first: int, victims: Nodes, design: Design, rng: np.random.Generator, among: int
) -> tuple[Embedded, tuple[Nodes, Nodes]]:
    nodes = np.arange(first, first + design.planted, dtype=np.int32)
    inside = _path_and_coins(design.planted, rng)
    links = link_sets(design, rng)
    outside = _outside(design, rng, among, victims)
    i, j = np.nonzero(np.triu(inside))
    of, by = np.nonzero(links)
    ends = [nodes[i], nodes[by], nodes[np.repeat(np.arange(design.planted), outside.shape[1])]]
    others = [nodes[j], victims[of], outside.ravel()]
    degrees = inside.sum(0) + links.sum(0) + outside.shape[1]
    made = Embedded(nodes, victims, inside, links, degrees.astype(np.int64))
    return made, (np.concatenate(ends), np.concatenate(others))


def _path_and_coins(planted: int, rng: np.random.Generator) -> Flags:
    """A path through all nodes, and every other pair by a coin."""
    half = np.triu(rng.random((planted, planted)) < 0.5, 2)
    half[np.arange(planted - 1), np.arange(1, planted)] = True
    return half | half.T


def link_sets(design: Design, rng: np.random.Generator) -> Flags:
    """A set of planted nodes for every victim, row by row: drawn until it is robust (4.4.4).

    Sizes are uniform from `links` to `most`. Sets must differ both ways, so none holds another.
    """
    sets = np.zeros((design.victims, design.planted), bool)
    if design.links > design.planted:
        raise CannotBeMet(
            f"victims can't know {design.links} of {several(design.planted, 'planted node')}",
            "lower links",
        )
    for victim in range(design.victims):
        for _ in range(TRIES):
            drawn = _draw_set(design.planted, int(rng.integers(design.links, design.most + 1)), rng)
            before = sets[:victim]
            alike = (before & drawn).sum(1)
            least = np.minimum(before.sum(1), drawn.sum()) - alike
            if (least >= design.apart).all():
                sets[victim] = drawn
                break
        else:
            raise CannotBeMet(
                f"{several(design.planted, 'planted node')} have no robust links to "
                f"{several(design.victims, 'victim')}",
                "plant more nodes, name fewer victims, or lower links or apart",
            )
    return sets


def _draw_set(planted: int, size: int, rng: np.random.Generator) -> Flags:
    drawn = np.zeros(planted, bool)
    drawn[rng.permutation(planted)[:size]] = True
    return drawn


def _outside(design: Design, rng: np.random.Generator, among: int, victims: Nodes) -> Nodes:
    """Other nodes for every planted one to know: row by row, without repeats."""
    free = np.setdiff1d(np.arange(among, dtype=np.int32), victims)
    if design.outside > len(free):
        raise CannotBeMet(
            f"{several(len(free), 'node')} are no victims, fewer than {design.outside}",
            "lower outside",
        )
    rows = [rng.choice(free, design.outside, replace=False) for _ in range(design.planted)]
    return np.array(rows, np.int32).reshape(design.planted, design.outside)
