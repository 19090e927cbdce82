"""Planting nodes: what is built is what was asked for, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.naive.graph_attack import neighbours, random_graph

from sfumato.attacks.graph_plant import Design, plant_nodes
from sfumato.attacks.victims import name_victims
from sfumato.core.errors import CannotBeMet
from sfumato.releases.edge_law import EdgeLaw

DESIGNS = st.builds(
    Design,
    planted=st.integers(12, 16),
    victims=st.integers(1, 8),
    links=st.integers(3, 4),
    apart=st.integers(1, 2),
    outside=st.integers(0, 4),
)


@given(DESIGNS, st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_what_attackers_know_is_what_is_there(design, attackers, seed):
    rng = np.random.default_rng(seed)
    before = random_graph(rng, 40, 0.2)
    graph, made = plant_nodes(before, design, rng, attackers)
    knows = neighbours(graph)
    assert graph.nodes == 40 + attackers * design.planted
    u, v = graph.upper
    old = v < 40
    assert (u[old].tolist(), v[old].tolist()) == tuple(end.tolist() for end in before.upper)
    for one in made:
        assert (graph.degrees[one.nodes] == one.degrees).all()
        for i, node in enumerate(one.nodes):
            assert [int(other) in knows[node] for other in one.nodes] == one.inside[i].tolist()
            assert [int(victim) in knows[node] for victim in one.victims] == one.links[
                :, i
            ].tolist()
        assert one.inside[np.arange(design.planted - 1), np.arange(1, design.planted)].all()
    assert (
        len({int(victim) for one in made for victim in one.victims}) == attackers * design.victims
    )


@given(DESIGNS, st.integers(0, 2**32 - 1))
def test_links_are_robust(design, seed):
    rng = np.random.default_rng(seed)
    _, (one,) = plant_nodes(random_graph(rng, 40, 0.2), design, rng)
    assert (one.links.sum(1) >= design.links).all()
    for i, first in enumerate(one.links):
        for j, second in enumerate(one.links):
            assert i == j or (first & ~second).sum() >= design.apart


@given(DESIGNS, st.integers(0, 2**32 - 1))
def test_victims_are_named_where_nothing_was_flipped(design, seed):
    rng = np.random.default_rng(seed)
    plain = Design(design.planted, design.victims, design.links, design.apart)
    graph, (one,) = plant_nodes(random_graph(rng, 40, 0.2), plain, rng)
    named = name_victims(graph, one.nodes, one, EdgeLaw(0.0, 0.0))
    assert named.tolist() == one.victims.tolist()


@pytest.mark.parametrize(
    ("design", "message"),
    [
        (Design(8, 50), "40 nodes can't hold 50 victims"),
        (Design(4, 5, 5), "victims can't know 5 of 4 planted nodes"),
        (Design(3, 20, 2), "3 planted nodes have no robust links to 20 victims"),
        (Design(16, 38, 2, 1, 5), "2 nodes are no victims, fewer than 5"),
    ],
)
def test_what_cannot_be_planted_is_refused(design, message):
    rng = np.random.default_rng(1)
    with pytest.raises(CannotBeMet, match=message):
        plant_nodes(random_graph(rng, 40, 0.2), design, rng)
