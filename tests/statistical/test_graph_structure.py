"""Estimates of structure over many perturbations: without bias, and intervals that cover.

Level 0.001 for the whole file: six settings, judged two ways each. Seeds are fixed.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from tests.naive.graph_perturb import perturbed

from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.io.sample_graph import friends_graph
from sfumato.query.graph_classification import top_hubs
from sfumato.query.graph_found import found_groups
from sfumato.query.graph_hubs import hub_figures
from sfumato.query.graph_modularity import judged, modularity
from sfumato.query.graph_pairs import published_pairs
from sfumato.query.statistic import Published
from sfumato.releases.edge_law import EdgeLaw

RUNS = 150
Z = NormalDist().inv_cdf(1 - 0.001 / 2 / 12)
LAWS = [EdgeLaw(0.002, 0.002), EdgeLaw(0.02, 0.02), EdgeLaw(0.25, 0.004)]


def clear(values: np.ndarray, errors: np.ndarray, truth: np.ndarray | float) -> None:
    """The mean is the truth, and 95 % intervals cover, as far as so many runs can tell."""
    off = values - truth
    assert abs(off.mean()) < Z * off.std() / np.sqrt(len(off))
    missed = (abs(off) > 1.96 * errors).sum()
    spread = np.sqrt(len(off) * 0.05 * 0.95)
    assert abs(missed - 0.05 * len(off)) < Z * spread


@pytest.fixture(scope="module")
def graph() -> tuple[Graph, np.ndarray]:
    return friends_graph(600, Run.seeded(1))


@pytest.mark.parametrize("law", LAWS)
def test_modularity_of_given_groups(graph, law):
    friends, groups = graph
    rng = np.random.default_rng(2)
    found = [
        judged(published_pairs(perturbed(friends, law, rng), law), groups) for _ in range(RUNS)
    ]
    values, errors = np.array([(one.value, one.error) for one in found]).T
    clear(values, errors, modularity(friends, groups))


@pytest.mark.parametrize("law", LAWS)
def test_modularity_of_found_groups(graph, law):
    friends, _ = graph
    rng, rows = np.random.default_rng(3), []
    for seed in range(RUNS):
        found = found_groups(Published(perturbed(friends, law, rng), law), Run.seeded(seed))
        truth = modularity(friends, found.groups)
        rows.append((found.judged.value, found.judged.error, truth))
    clear(*np.array(rows).T)


def test_figures_of_given_hubs_are_unbiased(graph):
    friends, _ = graph
    law, rng, hubs = LAWS[1], np.random.default_rng(4), top_hubs(friends)
    truth, _ = hub_figures(friends, EdgeLaw(0.0, 0.0), hubs)
    found = [hub_figures(perturbed(friends, law, rng), law, hubs) for _ in range(RUNS)]
    values, errors = (np.array(part) for part in zip(*found))
    off = values.mean(axis=0) - truth
    assert (abs(off) < 4.5 * values.std(axis=0) / np.sqrt(RUNS) + 1e-9).all()
    assert np.sqrt((errors**2).mean(axis=0)) == pytest.approx(values.std(axis=0), rel=0.35, abs=0.2)
