"""Hubs and classes by hubs: unbiased over all publications, exact without a law."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive import graph_structure as naive
from tests.naive.graph_perturb import perturbed

from sfumato.core.errors import BadInput
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.io.sample_graph import friends_graph
from sfumato.query.graph_classification import (
    class_sizes,
    classified,
    every_pattern,
    hub_patterns,
    top_hubs,
)
from sfumato.query.graph_hubs import HUBS_STATISTIC, NAMES, hub_figures
from sfumato.query.statistic import Published
from sfumato.releases.edge_law import EdgeLaw

NONE = EdgeLaw(0.0, 0.0)


def test_figures_by_hand():
    star = Graph.of(12, [0] * 11 + [1], [*range(1, 12), 2])
    values, errors = hub_figures(star, NONE, np.array([0, 1]))
    assert values[:3].tolist() == [1, 1, 1.1] and (errors == 0).all()
    assert values[3:].tolist() == [0, 9, 1]


@pytest.mark.parametrize("law", [EdgeLaw(0.2, 0.1), EdgeLaw(0.3, 0.0)])
def test_sizes_are_unbiased_with_true_errors(law):
    """Over all publications of five nodes of which two are hubs."""
    true, hubs, nodes = [1, 0, 1, 1, 0, 1, 0, 0, 1, 1], [0, 1], [2, 3, 4]
    worlds = naive.all_graphs(5)
    origin = next(graph for bits, graph in worlds if bits == true)
    labels = every_pattern(2).sum(axis=1)
    chances = np.array([naive.chance(bits, true, law) for bits, _ in worlds])
    found = [class_sizes(hub_patterns(graph, hubs, nodes), labels, law) for _, graph in worlds]
    sizes, errors = (np.array(part) for part in zip(*found))
    exact, none = class_sizes(hub_patterns(origin, hubs, nodes), labels, NONE)
    assert (none == 0).all() and exact.sum() == 3
    assert chances @ sizes == pytest.approx(exact)
    variance = chances @ sizes**2 - (chances @ sizes) ** 2
    below = errors**2 - 1e-12  # an error is never less than the unbiased variance
    assert (chances @ errors**2 >= variance - 1e-9).all() and (below <= errors**2).all()


def test_classes_without_a_law_are_nearest_patterns():
    graph, _ = friends_graph(800, Run.seeded(5))
    hubs = top_hubs(graph, 4)
    assert (np.diff(graph.degrees[hubs]) <= 0).all()
    nodes = np.setdiff1d(np.arange(graph.nodes), hubs)
    targets = np.array([[0, 0, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]])
    found = classified(graph, hubs, nodes, targets)
    bits = hub_patterns(graph, hubs, nodes)
    away = (bits[:, None] != targets[None].astype(bool)).sum(axis=2)
    assert (found.distances == away).all()
    assert (found.classes == away.argmin(axis=1)).all()
    assert found.sizes == pytest.approx(np.bincount(found.classes, minlength=3))
    assert found.errors == pytest.approx(0)


def test_most_nodes_keep_their_class():
    graph, _ = friends_graph(2_000, Run.seeded(6))
    hubs, law = top_hubs(graph, 10), EdgeLaw(0.01, 0.001)
    near = hub_patterns(graph, hubs, np.arange(graph.nodes)).sum(axis=1) > 0
    nodes = np.setdiff1d(np.flatnonzero(near), hubs)
    targets = [[0] * 10, [0, 1] * 5, [1] * 10, [1, 0] * 5]
    exact = classified(graph, hubs, nodes, targets)
    noisy = perturbed(graph, law, np.random.default_rng(1))
    found = classified(noisy, hubs, nodes, targets, law)
    assert (found.classes == exact.classes).mean() > 0.9
    assert (abs(found.sizes - exact.sizes) <= 4 * found.errors + 1e-9).all()


def test_answers_come_in_one_order_or_are_refused():
    graph, _ = friends_graph(300, Run.seeded(7))
    law = EdgeLaw(0.05, 0.01)
    noisy = Published(perturbed(graph, law, np.random.default_rng(1)), law)
    answers = HUBS_STATISTIC.estimate(noisy, Run.seeded(1))
    assert tuple(answer.name for answer in answers) == NAMES[: len(answers)]
    assert 4 < len(answers) < len(NAMES)  # up to the most hubs that anybody is seen to know
    assert len(HUBS_STATISTIC.exact(noisy, Run.seeded(1))) == len(NAMES)
    few = Published(Graph.of(10, [0], [1]), law)
    assert all(answer.refused for answer in HUBS_STATISTIC.estimate(few, Run.seeded(1)))
    assert len(HUBS_STATISTIC.exact(few, Run.seeded(1))) == len(NAMES)


@pytest.mark.parametrize(
    ("hubs", "nodes", "targets"),
    [([0, 1], [2], [[0]]), ([0, 1], [1, 2], [[0, 1]]), ([], [2], [[]]), ([0], [2], [])],
)
def test_bad_classifications(hubs, nodes, targets):
    graph = Graph.of(4, [0, 1], [1, 2])
    with pytest.raises(BadInput):
        classified(graph, hubs, nodes, targets)
