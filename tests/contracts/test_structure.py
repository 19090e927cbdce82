"""Every statistic of structure: one shape, estimates beside exact values, repeatable."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive.graph_perturb import perturbed

from sfumato.core import catalogue
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.io.sample_graph import friends_graph
from sfumato.query.statistic import Published
from sfumato.releases.edge_law import EdgeLaw

NONE = EdgeLaw(0.0, 0.0)
STRUCTURE = (
    *("modularity", "found-modularity", "hubs"),
    *("path-length", "effective-diameter", "reachable"),
)


@pytest.fixture(scope="module")
def graph() -> tuple[Graph, np.ndarray]:
    return friends_graph(400, Run.seeded(1))


@pytest.mark.parametrize("name", STRUCTURE)
def test_a_statistic_keeps_its_shape(name, graph):
    friends, groups = graph
    statistic = catalogue.load(catalogue.STATISTICS[name])
    assert statistic.name == name and statistic.meaning
    assert statistic.unbiased.split(":")[0].split(",")[0] in ("yes", "nearly", "no")
    law = EdgeLaw(0.05, 0.001)
    noisy = Published(perturbed(friends, law, np.random.default_rng(1)), law, groups=groups)
    answers = statistic.estimate(noisy, Run.seeded(2))
    assert answers == statistic.estimate(noisy, Run.seeded(2))
    assert len(answers) <= len(statistic.exact(noisy, Run.seeded(2)))
    assert all(answer.basis for answer in answers)


@pytest.mark.parametrize("name", STRUCTURE)
def test_without_noise_estimates_are_exact(name, graph):
    friends, groups = graph
    statistic = catalogue.load(catalogue.STATISTICS[name])
    known = Published(friends, NONE, groups=groups)
    values = [answer.value for answer in statistic.estimate(known, Run.seeded(3))]
    exact = statistic.exact(known, Run.seeded(3))
    assert values == pytest.approx(exact[: len(values)])
    assert not any(exact[len(values) :])


@pytest.mark.parametrize("name", STRUCTURE)
@pytest.mark.parametrize("nodes", [0, 1, 2, 30])
def test_odd_graphs_get_an_answer_or_a_refusal(name, nodes):
    """No nodes, no edges, one clique."""
    statistic = catalogue.load(catalogue.STATISTICS[name])
    clique = np.array([(u, v) for u in range(nodes) for v in range(u + 1, nodes)], int)
    for u, v in (([], []), clique.reshape(-1, 2).T):
        groups = np.zeros(nodes, np.int64)
        for law in (NONE, EdgeLaw(0.1, 0.1)):
            odd = Published(Graph.of(nodes, u, v), law, groups=groups)
            for answer in statistic.estimate(odd, Run.seeded(1)):
                assert answer.refused == (answer.value is None)
                assert answer.refused or np.isfinite(answer.value)
            assert len(statistic.exact(odd, Run.seeded(1))) > 0
