"""Path lengths: searches equal to slow ones, beliefs calibrated, figures near, refusals plain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.naive import graph_structure as naive
from tests.naive.graph_perturb import perturbed

from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.io.sample_graph import friends_graph
from sfumato.kernels.graph_common import shared_by_edges, tally_shared
from sfumato.kernels.graph_distances import distances
from sfumato.kernels.graph_kept import keep_covering
from sfumato.kernels.graph_lost import draw_lost
from sfumato.query.graph_likely import likely_graph
from sfumato.query.graph_paths import (
    EFFECTIVE_DIAMETER,
    PATH_LENGTH,
    REACHABLE,
    estimated_paths,
    isolated_share,
    noise_of,
    path_figures,
    refusal,
)
from sfumato.query.graph_posterior import LEVELS, truth
from sfumato.query.statistic import NO_ISOLATED_NODES, Published
from sfumato.releases.edge_law import EdgeLaw

NONE = EdgeLaw(0.0, 0.0)
FIGURES = (PATH_LENGTH, EFFECTIVE_DIAMETER, REACHABLE)


@st.composite
def graphs(draw, most=12):
    nodes = draw(st.integers(2, most))
    pairs = [(u, v) for u in range(nodes) for v in range(u + 1, nodes)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True))
    return Graph.of(nodes, [u for u, _ in edges], [v for _, v in edges])


@given(graphs(), st.data())
def test_distances_are_those_of_single_searches(graph, data):
    sources = data.draw(st.lists(st.integers(0, graph.nodes - 1), min_size=1, unique=True))
    found = distances(graph.indptr, graph.targets, np.array(sources, np.int32))
    assert found.tolist() == naive.distances(graph, sources)


def test_distances_of_more_than_a_word_of_sources():
    graph, _ = friends_graph(150, Run.seeded(1))
    every = np.arange(150, dtype=np.int32)
    assert distances(graph.indptr, graph.targets, every).tolist() == naive.distances(
        graph, list(range(150))
    )


@given(graphs())
def test_shared_neighbours(graph):
    u, v = graph.upper
    wanted = [naive.shared(graph, *ends) for ends in zip(u.tolist(), v.tolist())]
    assert shared_by_edges(graph.indptr, graph.targets).tolist() == wanted
    kind = np.arange(graph.nodes, dtype=np.int32) % 3
    every = np.arange(graph.nodes, dtype=np.int32)
    table = np.zeros((LEVELS[-1] + 1, kind.max() + 1, kind.max() + 1), int)
    for one in every:
        for two in every:
            if one != two and (count := naive.shared(graph, one, two)):
                table[LEVELS[min(count, len(LEVELS) - 1)], kind[one], kind[two]] += 1
    found = tally_shared(graph.indptr, graph.targets, every, kind, LEVELS)
    assert found.tolist() == table.tolist()


@given(graphs(), st.integers(0, 99))
def test_lost_pairs_share_neighbours_and_are_not_connected(graph, word):
    kind = np.zeros(graph.nodes, np.int32)
    sure = np.ones((LEVELS[-1] + 1, 1, 1))
    u, v = draw_lost(graph.indptr, graph.targets, kind, LEVELS, sure, np.uint64(word))
    pairs = [(one, two) for one in range(graph.nodes) for two in range(one + 1, graph.nodes)]
    wanted = {
        pair for pair in pairs if naive.shared(graph, *pair) and pair[1] not in graph.row(pair[0])
    }
    assert sorted(zip(u.tolist(), v.tolist())) == sorted(wanted)


def test_kept_edges_cover_and_are_as_many_as_wanted():
    graph, _ = friends_graph(2_000, Run.seeded(2))
    odds = np.full(graph.edges, 0.5)
    kept = keep_covering(graph.nodes, *graph.upper, odds, 3_000.0, 30, np.uint64(1))
    u, v = (ends[kept] for ends in graph.upper)
    assert (Graph.of(graph.nodes, u, v).degrees[graph.degrees > 0] > 0).all()
    assert kept.sum() == pytest.approx(3_000, rel=0.05)


@pytest.mark.parametrize("law", [EdgeLaw(0.001, 0.001), EdgeLaw(0.2, 0.0004)])
def test_beliefs_are_calibrated(law):
    """Of the edges believed with about some probability, so many are true."""
    graph, _ = friends_graph(3_000, Run.seeded(3))
    noisy = perturbed(graph, law, np.random.default_rng(1))
    believed = truth(noisy, law, Run.seeded(1)).edges
    is_true = np.isin(
        noisy.upper[0] * 3_000 + noisy.upper[1], graph.upper[0] * 3_000 + graph.upper[1]
    )
    assert believed.sum() == pytest.approx(is_true.sum(), rel=0.02)
    assert is_true[believed > 0.9].mean() > 0.95
    assert believed[is_true].mean() - believed[~is_true].mean() > 0.3
    assert np.mean((believed - is_true) ** 2) < np.mean((is_true.mean() - is_true) ** 2) * 0.75


def test_likely_graphs_have_the_edges_of_the_original():
    graph, _ = friends_graph(3_000, Run.seeded(3))
    law = EdgeLaw(0.2, 0.0004)
    noisy = perturbed(graph, law, np.random.default_rng(1))
    likely = likely_graph(noisy, truth(noisy, law, Run.seeded(1)), Run.seeded(1), 0)
    assert likely.edges == pytest.approx(graph.edges, rel=0.03)
    common = np.isin(
        likely.upper[0] * 3_000 + likely.upper[1], graph.upper[0] * 3_000 + graph.upper[1]
    )
    assert common.mean() > 0.7


@pytest.mark.parametrize("law", [EdgeLaw(0.0009, 0.0009), EdgeLaw(0.2, 0.0005)])
def test_figures_are_near(law):
    graph, _ = friends_graph(3_000, Run.seeded(4))
    true = path_figures(graph, Run.seeded(1))
    noisy = perturbed(graph, law, np.random.default_rng(2))
    found = estimated_paths(Published(noisy, law), Run.seeded(3))
    assert found[:2] == pytest.approx(true[:2], rel=0.08)
    assert (found == estimated_paths(Published(noisy, law), Run.seeded(3))).all()


def test_exact_figures_by_hand():
    path = Graph.of(4, [0, 1, 2], [1, 2, 3])
    length, diameter, reachable = path_figures(path, Run.seeded(1))
    assert length == pytest.approx((3 * 1 + 2 * 2 + 1 * 3) / 6) and reachable == 1
    assert diameter == pytest.approx(2 + (0.9 - 5 / 6) / (1 / 6))
    exact = [figure.exact(Published(path, NONE), Run.seeded(1))[0] for figure in FIGURES]
    assert exact == pytest.approx([length, diameter, reachable])
    assert estimated_paths(Published(path, NONE), Run.seeded(1))[0] == length


def test_hopeless_cases_are_refused():
    graph, _ = friends_graph(500, Run.seeded(1))
    drowned, shredded = EdgeLaw(0.01, 0.02), EdgeLaw(0.4, 0.0)
    for law, reason in ((drowned, "short cuts"), (shredded, "missing")):
        noisy = perturbed(graph, law, np.random.default_rng(1))
        for figure in FIGURES:
            (answer,) = figure.estimate(Published(noisy, law), Run.seeded(1))
            assert answer.refused and reason in answer.basis
    empty = Published(Graph.of(5, [], []), NONE)
    assert refusal(empty) and noise_of(empty.graph, NONE) == 0
    (answer,) = PATH_LENGTH.estimate(Published(graph, NONE), Run.seeded(1))
    assert answer.value > 1 and answer.interval is None


def test_isolated_people_are_said_to_be_there():
    graph, _ = friends_graph(2_000, Run.seeded(1), 0.2)
    law = EdgeLaw(0.0003, 0.0003)
    noisy = perturbed(graph, law, np.random.default_rng(1))
    assert isolated_share(Published(noisy, law)) == pytest.approx(0.2, abs=0.03)
    (answer,) = PATH_LENGTH.estimate(Published(noisy, law), Run.seeded(1))
    assert "20%" in answer.basis or "19%" in answer.basis or "21%" in answer.basis
    stated = Published(noisy, law, frozenset({NO_ISOLATED_NODES}))
    assert isolated_share(stated) == 0
