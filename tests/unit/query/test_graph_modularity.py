"""Modularity: equal to its definition, to other libraries, and judged without optimism."""

from __future__ import annotations

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.naive import graph_structure as naive
from tests.naive.graph_perturb import perturbed

from sfumato.core.errors import BadInput
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.io.sample_graph import friends_graph
from sfumato.kernels.graph_louvain import louvain
from sfumato.query.graph_flips import both, flipped
from sfumato.query.graph_found import (
    FOUND_MODULARITY,
    _share_for,
    found_groups,
    groups_of,
    pairs_given,
)
from sfumato.query.graph_modularity import MODULARITY, judged, modularity
from sfumato.query.graph_pairs import published_pairs
from sfumato.query.statistic import Published
from sfumato.releases.edge_law import EdgeLaw

NONE = EdgeLaw(0.0, 0.0)
LAWS = [EdgeLaw(0.1, 0.2), EdgeLaw(0.3, 0.0), EdgeLaw(0.0, 0.25), EdgeLaw(0.2, 0.2)]


@st.composite
def graphs(draw, most=9):
    nodes = draw(st.integers(1, most))
    pairs = [(u, v) for u in range(nodes) for v in range(u + 1, nodes)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph.of(nodes, [u for u, _ in edges], [v for _, v in edges])


@given(graphs(), st.data())
def test_modularity_is_its_definition(graph, data):
    groups = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=graph.nodes, max_size=graph.nodes))
    )
    if graph.edges == 0:
        assert np.isnan(modularity(graph, groups))
        return
    assert modularity(graph, groups) == pytest.approx(naive.modularity(graph, groups))
    exact = judged(published_pairs(graph, NONE), groups)
    assert exact.value == pytest.approx(modularity(graph, groups)) and exact.error < 1e-9


@pytest.mark.parametrize("law", LAWS)
def test_pairs_are_unbiased_given_any_view(law):
    """Over all graphs of four nodes: values average to the truth, noises to the variance."""
    true, again = [1, 0, 1, 1, 0, 0], EdgeLaw(law.delete / 3, law.add / 2)
    worlds = naive.all_graphs(4)
    weights = np.array([1.0, 2, 4, 8, 16, 32])
    for seen, view in worlds[::7]:
        chances, values, noises = [], [], []
        for bits, graph in worlds:
            pairs = pairs_given(graph, view, law, again)
            listed = dict(zip(zip(pairs.u.tolist(), pairs.v.tolist()), pairs.value.tolist()))
            every = [(u, v) for u in range(4) for v in range(u + 1, 4)]
            x = np.array([pairs.rest + listed.get(pair, 0.0) for pair in every])
            chances.append(naive.chance(bits, true, law) * naive.chance(seen, bits, again))
            values.append(x @ weights)
            noises.append(pairs.total_noise)
        chances = np.array(chances)
        if chances.sum() == 0:
            continue
        share, values = chances / chances.sum(), np.array(values)
        assert share @ values == pytest.approx(np.array(true) @ weights)
        plain = np.array([pairs_given(g, view, law, again).total for _, g in worlds])
        spread = share @ plain**2 - (share @ plain) ** 2
        assert share @ np.array(noises) == pytest.approx(spread, abs=1e-9)


def test_two_laws_make_one():
    one, two = EdgeLaw(0.1, 0.02), EdgeLaw(0.3, 0.04)
    law = both(one, two)
    linked = np.array([[1 - one.delete, one.delete], [one.add, 1 - one.add]])
    after = linked @ np.array([[1 - two.delete, two.delete], [two.add, 1 - two.add]])
    assert (1 - law.delete, law.add) == pytest.approx((after[0, 0], after[1, 0]))


def test_a_second_perturbation_follows_its_law():
    graph, _ = friends_graph(1_000, Run.seeded(1))
    law = EdgeLaw(0.3, 0.002)
    seen = [flipped(graph, law, Run.seeded(seed)).edges for seed in range(40)]
    wanted = law.expected(graph.edges, graph.pairs)
    spread = np.sqrt(graph.edges * 0.21 + graph.pairs * 0.002)
    assert abs(np.mean(seen) - wanted) < 3.3 * spread / np.sqrt(40)


@given(graphs(12), st.integers(0, 9))
def test_louvain_never_loses_against_no_groups(graph, word):
    weights = np.ones(len(graph.targets))
    groups = louvain(graph.indptr, graph.targets, weights, np.uint64(word))
    assert sorted(set(groups.tolist())) == list(range(len(set(groups.tolist()))))
    assert (groups == louvain(graph.indptr, graph.targets, weights, np.uint64(word))).all()
    if graph.edges:
        assert modularity(graph, groups) >= modularity(graph, np.arange(graph.nodes)) - 1e-9
        for one in set(groups.tolist()):  # merging a group with another gains nothing
            for two in set(groups.tolist()) - {one}:
                merged = np.where(groups == one, two, groups)
                assert modularity(graph, merged) <= modularity(graph, groups) + 1e-8


def test_louvain_is_as_good_as_igraphs():
    graph, _ = friends_graph(5_000, Run.seeded(2))
    peer = igraph.Graph(n=graph.nodes, edges=np.stack(graph.upper, axis=1))
    best = peer.community_multilevel().modularity
    assert peer.modularity(groups_of(graph, NONE, Run.seeded(1))) == pytest.approx(
        modularity(graph, groups_of(graph, NONE, Run.seeded(1)))
    )
    assert modularity(graph, groups_of(graph, NONE, Run.seeded(1))) > best - 0.005


def test_found_groups_are_judged_without_optimism():
    graph, _ = friends_graph(3_000, Run.seeded(3))
    law = EdgeLaw(0.002, 0.002)
    noisy = perturbed(graph, law, np.random.default_rng(4))
    found = found_groups(Published(noisy, law), Run.seeded(5))
    truth = modularity(graph, found.groups)
    naive_claim = judged(published_pairs(noisy, law), groups_of(noisy, law, Run.seeded(5))).value
    assert abs(found.judged.value - truth) < 3.3 * found.judged.error < 0.05
    assert naive_claim - truth > 2 * abs(found.judged.value - truth)
    again = found_groups(Published(noisy, law), Run.seeded(5))
    assert (again.groups == found.groups).all() and again.judged.value == found.judged.value


def test_an_untouched_graph_is_judged_exactly():
    graph, _ = friends_graph(400, Run.seeded(6))
    found = found_groups(Published(graph, NONE), Run.seeded(1))
    assert found.judged.value == pytest.approx(modularity(graph, found.groups))
    assert found.judged.error == 0
    exact = FOUND_MODULARITY.exact(Published(graph, NONE), Run.seeded(1))
    assert exact == pytest.approx([found.judged.value])


@pytest.mark.parametrize("law", [EdgeLaw(0.2, 0.2), NONE])
def test_too_few_edges_are_refused(law):
    empty = Graph.of(40, [], [])
    groups = np.zeros(40, np.int64)
    noisy = perturbed(empty, law, np.random.default_rng(1))
    published = Published(noisy, law, groups=groups)
    for statistic in (MODULARITY, FOUND_MODULARITY):
        (answer,) = statistic.estimate(published, Run.seeded(1))
        assert answer.refused and answer.value is None and "standard error" in answer.basis


def test_groups_must_be_given():
    graph = Graph.of(3, [0], [1])
    with pytest.raises(BadInput, match="name a published column"):
        MODULARITY.estimate(Published(graph, NONE), Run.seeded(1))


def test_a_view_is_as_noisy_as_need_be():
    assert _share_for(0.001) == 0.1 and _share_for(float("nan")) == 1
    assert 0.1 < _share_for(0.01) < _share_for(0.015) < 1 == _share_for(1.0)
