"""Counts of small shapes, their corrections and their errors, against looking at every case."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive.graph_counts import contained, induced, matrix_of, moments
from tests.naive.graph_perturb import perturbed, random_graph

from sfumato.core.catalogue import STATISTICS, load
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.query import graph_census, graph_spread
from sfumato.query.graph_census import census
from sfumato.query.graph_edges import DENSITY, EDGES, edge_count
from sfumato.query.graph_moments import contained as estimates
from sfumato.query.graph_moments import covariances
from sfumato.query.graph_patterns import PATTERNS
from sfumato.query.graph_shapes import DRAWN, shapes
from sfumato.query.graph_spread import sampled_slopes, slopes
from sfumato.query.graph_triads import TRANSITIVITY, TRIADS, TRIANGLES
from sfumato.query.statistic import Published
from sfumato.releases.edge_law import EdgeLaw

RUN = Run.seeded(1, 1)
NONE = EdgeLaw(0.0, 0.0)
LAWS = [EdgeLaw(0.1, 0.1), EdgeLaw(0.1, 0.25), EdgeLaw(0.4, 0.05), EdgeLaw(0.0, 0.2)]


@given(st.integers(0, 9), st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]), st.integers(0, 99))
@settings(max_examples=40)
def test_census(nodes: int, density: float, seed: int) -> None:
    graph = random_graph(nodes, density, seed)
    found = census(graph, RUN, cliques=True)
    for k, numbers in ((3, found.of_three), (4, found.of_four)):
        space, matrix = shapes(k), matrix_of(graph)
        assert list(numbers) == [contained(matrix, k, drawn) for drawn in DRAWN[k]]
        assert space.induced(numbers).tolist() == [induced(graph, k, d) for d in DRAWN[k]]
        assert np.allclose(space.contained(space.induced(numbers)), numbers)


def test_triangles_are_those_of_igraph() -> None:
    igraph = pytest.importorskip("igraph")
    graph = random_graph(150, 0.1, 5)
    peer = igraph.Graph(n=150, edges=np.stack(graph.upper, 1).tolist())
    found = census(graph, RUN, cliques=True)
    assert found.triangles == len(peer.list_triangles())
    assert found.two_paths - 3 * found.triangles == peer.motifs_randesu(size=3)[2]
    isomorphism_classes = dict(
        zip(("star", "path", "paw", "cycle", "diamond", "clique"), (4, 6, 7, 8, 9, 10))
    )
    peers = peer.motifs_randesu(size=4)
    answers = dict(zip(shapes(4).names, shapes(4).induced(found.of_four)))
    assert sorted(answers[n] for n in isomorphism_classes) == sorted(
        peers[i] for i in isomorphism_classes.values()
    )


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("nodes", "density"), [(5, 0.5), (4, 0.7), (3, 1.0), (2, 1.0)])
def test_estimates_and_covariances_over_all_publications(
    nodes: int, density: float, law: EdgeLaw
) -> None:
    graph = random_graph(nodes, density, 3)

    def of(published: Graph) -> np.ndarray:
        counted = census(published, RUN, cliques=True)
        e = estimates(counted, law)
        four = shapes(4).corrected(counted.of_four, law)
        return np.array([e.edges, e.two_paths, e.triangles, *covariances(e, law).ravel(), *four])

    mean, covariance = moments(graph, law, of)
    whole = census(graph, RUN, cliques=True)
    assert np.allclose(mean[:3], [whole.edges, whole.two_paths, whole.triangles])
    assert np.allclose(covariance[:3, :3], covariances(estimates(whole, NONE), law))
    assert np.allclose(mean[3:12], covariance[:3, :3].ravel())
    assert np.allclose(mean[12:], whole.of_four)


@pytest.mark.parametrize("law", LAWS)
def test_slopes_are_differences(law: EdgeLaw) -> None:
    graph = random_graph(9, 0.5, 3)
    one, two = np.array([0, 1, 2, 5], np.int32), np.array([1, 4, 7, 6], np.int32)
    for i, j, slope in zip(one, two, slopes(graph, law, one, two)):
        values = []
        for bit in (0, 1):
            matrix = matrix_of(graph)
            matrix[i, j] = matrix[j, i] = bit
            counted = census(Graph.of(9, *np.nonzero(np.triu(matrix))), RUN, cliques=True)
            values.append(shapes(4).corrected(counted.of_four, law))
        assert np.allclose((values[1] - values[0]) * law.gap, slope)


def test_the_bound_is_one_on_average() -> None:
    graph, law = random_graph(4, 0.6, 2), EdgeLaw(0.15, 0.1)
    turn = shapes(4).induced_matrix
    names = [shapes(4).names.index(n) for n in ("path", "star", "cycle", "paw", "clique")]

    def of(published: Graph) -> np.ndarray:
        value = turn @ shapes(4).corrected(census(published, RUN, cliques=True).of_four, law)
        squares = (sampled_slopes(published, law, RUN).of(turn).scaled ** 2).sum(axis=0)
        return np.array([*value[names], *squares[names]])

    mean, covariance = moments(graph, law, of)
    true = np.diag(covariance)[: len(names)]
    assert (mean[len(names) :] >= true * (1 - 1e-9)).all()
    assert (mean[len(names) :] <= 6 * true).all()


def test_a_sample_of_pairs_says_what_all_pairs_say(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, law = random_graph(300, 0.05, 4), EdgeLaw(0.1, 0.02)
    monkeypatch.setattr(graph_spread, "DRAWS", 10**6)
    whole = sampled_slopes(graph, law, RUN).errors()[1:]
    monkeypatch.setattr(graph_spread, "DRAWS", 3_000)
    drawn = sampled_slopes(graph, law, RUN).errors()[1:]
    assert np.allclose(whole, drawn, rtol=0.15)


def test_cycles_of_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(2_000, 0.02, 4)
    again = Graph(graph.indptr, graph.targets)
    whole = census(graph, RUN)
    monkeypatch.setattr(graph_census, "EXACT", 1_000)
    monkeypatch.setattr(graph_census, "SAMPLED", 300_000)
    drawn = census(again, RUN)
    assert whole.cycle_error == 0 < drawn.cycle_error < 0.1 * whole.cycles
    assert abs(drawn.cycles - whole.cycles) < 5 * drawn.cycle_error
    published = Published(again, EdgeLaw(0.1, 0.01))
    assert "sample" in TRIADS.estimate(published, RUN)[0].basis
    monkeypatch.setattr(graph_census, "SAMPLED", 10**12)
    assert census(Graph(graph.indptr, graph.targets), RUN).cycles == whole.cycles


def test_threads_change_nothing() -> None:
    graph = random_graph(800, 0.05, 9)
    published = Published(graph, EdgeLaw(0.1, 0.02))
    for name in ("triads", "patterns-4"):
        statistic = load(STATISTICS[name])
        twin = Published(Graph(graph.indptr, graph.targets), published.law)
        one = statistic.estimate(published, Run.seeded(2, 1))
        three = statistic.estimate(twin, Run.seeded(2, 3))
        assert one == three


@pytest.mark.parametrize("statistic", [EDGES, DENSITY, TRIADS, TRIANGLES, PATTERNS])
def test_without_noise_the_answer_is_the_number(statistic: object) -> None:
    published = Published(random_graph(12, 0.4, 1), NONE)
    answers = statistic.estimate(published, RUN)
    exact = statistic.exact(published, RUN)
    assert np.allclose([answer.value for answer in answers], exact)
    assert all(answer.error == 0 for answer in answers)


@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("nodes", [0, 1, 2, 3, 4, 9])
@pytest.mark.parametrize("density", [0.0, 1.0])
def test_tiny_empty_and_full_graphs(name: str, nodes: int, density: float) -> None:
    statistic = load(STATISTICS[name])
    graph = random_graph(nodes, density, 1)
    for law in (LAWS[1], NONE, EdgeLaw(0.49, 0.49)):
        groups = np.arange(nodes) % 2
        noisy = perturbed(graph, law, np.random.default_rng(1))
        published = Published(noisy, law, groups=groups)
        answers, exact = statistic.estimate(published, RUN), statistic.exact(published, RUN)
        assert len(answers) <= len(exact)
        for answer in answers:
            assert answer.refused == (answer.value is None)
            known = [x for x in (answer.value, answer.error) if x is not None]
            assert answer.basis if answer.refused else np.isfinite(known).all()


def test_impossible_edges_are_kept_and_told() -> None:
    law = EdgeLaw(0.3, 0.3)
    none = EDGES.estimate(Published(Graph.of(9, [], []), law), RUN)[0]
    assert none.value < 0 and none.interval[0] < none.value and "nearest possible: 0" in none.basis
    assert edge_count(36, 36, law).clipped == 36 < edge_count(36, 36, law).raw


def test_ratio_of_nothing_is_refused() -> None:
    law, nothing = EdgeLaw(0.1, 0.1), Graph.of(50, [], [])
    for seed in range(20):
        published = Published(perturbed(nothing, law, np.random.default_rng(seed)), law)
        answer = TRANSITIVITY.estimate(published, RUN)[0]
        assert answer.refused and ("too few" in answer.basis or "no edges" in answer.basis)


@given(st.integers(3, 30), st.floats(0, 1), st.integers(0, 99))
def test_transitivity_is_networkx_s(nodes: int, density: float, seed: int) -> None:
    graph = random_graph(nodes, density, seed)
    peer = nx.Graph(list(zip(*(ends.tolist() for ends in graph.upper))))
    exact = TRANSITIVITY.exact(Published(graph, NONE), RUN)[0]
    assert exact == pytest.approx(nx.transitivity(peer)) or np.isnan(exact)
