"""Intervals of counts of two and three nodes, and of four, over repeated perturbations.

Every statistic on every graph is one binomial test of its 95 % intervals; together they may fail
a right implementation once in a thousand times.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy import stats
from tests.naive.graph_perturb import perturbed, random_graph

from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.query.graph_edges import DENSITY, EDGES
from sfumato.query.graph_patterns import PATTERNS
from sfumato.query.graph_triads import TRANSITIVITY, TRIADS
from sfumato.query.statistic import LEVEL, Published, Statistic
from sfumato.releases.edge_law import EdgeLaw

FAMILY = 0.001
COUNTS = (EDGES, DENSITY, TRIADS, TRANSITIVITY)


def real(folder: Path, name: str) -> Graph:
    """A graph of the real data as a simple one."""
    table = pq.read_table(folder / f"graph_{name}.parquet")
    ends = np.sort(np.stack([np.asarray(table.column(i)) for i in (0, 1)], axis=1), axis=1)
    pairs = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    names, number = np.unique(pairs, return_inverse=True)
    one, two = number.reshape(-1, 2).astype(np.int32).T
    return Graph.of(len(names), one, two)


@cache
def clustered(seed: int, nodes: int = 400) -> Graph:
    """Communities of random density."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 12, nodes)
    u, v = np.triu_indices(nodes, 1)
    dense = np.where(group[u] == group[v], rng.uniform(0.1, 0.6, 12)[group[u]], 0.01)
    edge = rng.random(len(u)) < dense
    return Graph.of(nodes, u[edge], v[edge])


def scores(
    graph: Graph, law: EdgeLaw, statistics: tuple[Statistic, ...], runs: int, seed: int
) -> np.ndarray:
    """(estimate - truth) / error by run and answer."""
    whole, found = Published(graph, law), []
    exact = np.array([x for s in statistics for x in s.exact(whole, Run.seeded(0, 1))])
    for number in range(runs):
        rng, run = np.random.default_rng((seed, number)), Run.seeded(number, 1)
        published = Published(perturbed(graph, law, rng), law)
        answers = [answer for s in statistics for answer in s.estimate(published, run)]
        assert not any(answer.refused for answer in answers)
        found.append([(a.value - x) / a.error for a, x in zip(answers, exact)])
    return np.array(found)


def worst(inside: np.ndarray, alternative: str) -> float:
    """The least p-value of the columns, times how many there are."""
    tests = [
        stats.binomtest(int(column.sum()), len(column), LEVEL, alternative) for column in inside.T
    ]
    return len(tests) * min(test.pvalue for test in tests)


LAWS = [EdgeLaw(0.01, 0.01), EdgeLaw(0.3, 0.02), EdgeLaw(0.05, 0.0)]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_counts_of_two_and_three_cover(law: EdgeLaw) -> None:
    graph = clustered(1)
    found = scores(graph, law, COUNTS, 150, 1)
    assert worst(np.abs(found) < 1.96, "two-sided") > FAMILY
    # Unbiased: means are within 4 standard errors, and errors are of the right size.
    assert (np.abs(found.mean(axis=0)) < 4 * found.std(axis=0) / np.sqrt(150)).all()


@pytest.mark.parametrize("law", LAWS[:2], ids=str)
def test_patterns_of_four_cover(law: EdgeLaw) -> None:
    found = scores(clustered(2, 150), law, (PATTERNS,), 100, 2)
    assert worst(np.abs(found) < 1.96, "less") > FAMILY
    assert (np.abs(found.mean(axis=0)) < 0.5).all()


@pytest.mark.slow
def test_counts_cover_on_real_graphs(real_data: Path) -> None:
    inside = []
    for place, name in enumerate(("email_enron", "wiki_vote", "ca_hepth")):
        graph = real(real_data, name)
        found = scores(graph, EdgeLaw(1e-3, 1e-3), COUNTS, 500, 10 + place)
        inside.append(np.abs(found) < 1.96)
    assert worst(np.concatenate(inside, axis=1), "two-sided") > FAMILY


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ca_grqc", "wiki_vote"])
def test_patterns_cover_on_real_graphs(real_data: Path, name: str) -> None:
    found = scores(real(real_data, name), EdgeLaw(1e-3, 1e-3), (PATTERNS,), 100, 3)
    assert worst(np.abs(found) < 1.96, "less") > FAMILY


def test_an_empty_graph_covers() -> None:
    found = scores(random_graph(300, 0.0, 1), EdgeLaw(0.02, 0.02), (EDGES, TRIADS), 150, 4)
    assert worst(np.abs(found) < 1.96, "two-sided") > FAMILY
