"""Degrees one by one, their law, and what distribution lies behind published ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.naive.graph_perturb import perturbed, random_graph

from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.kernels.degree_law import degree_chances, weighted_products
from sfumato.query.graph_deconvolution import problem, splines
from sfumato.query.graph_degrees import (
    DEGREES,
    bands_of,
    degree_distribution,
    degree_estimates,
    degree_law,
)
from sfumato.query.statistic import NO_ISOLATED_NODES, Published
from sfumato.releases.edge_law import EdgeLaw

FACT = frozenset([NO_ISOLATED_NODES])
PART = st.one_of(st.just(0.0), st.floats(1e-12, 0.5))  # below, the oracle overflows


@given(st.integers(1, 60), st.data(), PART, PART)
@settings(max_examples=60)
def test_law_is_two_binomials_added(nodes: int, data: st.DataObject, a: float, b: float) -> None:
    degree = data.draw(st.integers(0, nodes - 1))
    kept = stats.binom.pmf(np.arange(degree + 1), degree, 1 - a)
    gained = stats.binom.pmf(np.arange(nodes - degree), nodes - 1 - degree, b)
    found = degree_law(nodes, degree, EdgeLaw(a, b))
    assert np.allclose(found, np.convolve(kept, gained), rtol=1e-8, atol=1e-13)


def test_law_of_large_degrees() -> None:
    seen, grid = np.arange(0, 3_000, 7), np.array([0, 900, 2_500])
    bands = degree_chances(seen, grid, 10**6, 0.3, 1e-5)
    for column, degree in enumerate(grid):
        kept = stats.binom.pmf(np.arange(degree + 1), degree, 0.7)
        gained = stats.binom.pmf(np.arange(100), 10**6 - degree, 1e-5)
        whole = np.append(np.convolve(kept, gained), np.zeros(3_000))
        first, size = bands.first[column], bands.start[column + 1] - bands.start[column]
        near = whole[seen[first : first + size]]
        assert np.allclose(bands.value[bands.start[column] :][:size], near, rtol=1e-6, atol=1e-13)


def noisy(law: EdgeLaw, facts: frozenset[str] = FACT) -> tuple[Graph, Published]:
    """A graph whose degrees fall off slowly, nobody isolated, and what is published of it."""
    rng = np.random.default_rng(5)
    weight = (np.arange(2_000) + 5.0) ** -0.7
    ends = rng.choice(2_000, (2, 9_000), p=weight / weight.sum())
    ends = np.concatenate([ends, [np.arange(2_000), rng.integers(0, 2_000, 2_000)]], axis=1)
    pairs = np.unique(np.sort(ends[:, ends[0] != ends[1]], axis=0), axis=1).astype(np.int32)
    graph = Graph.of(2_000, pairs[0], pairs[1])
    return graph, Published(perturbed(graph, law, rng), law, facts)


@pytest.mark.parametrize(
    ("law", "within"),
    [(EdgeLaw(0.001, 0.001), 0.04), (EdgeLaw(0.3, 0.0015), 0.06), (EdgeLaw(0.5, 0.002), 0.08)],
)
def test_distribution(law: EdgeLaw, within: float) -> None:
    graph, published = noisy(law)
    found = degree_distribution(published, Run.seeded(1))
    true = np.bincount(graph.degrees, minlength=len(found.degrees))[: len(found.degrees)]
    distance = np.abs(np.cumsum(found.share) - np.cumsum(true) / graph.nodes).max()
    assert distance < within
    rounded = np.clip(np.round(degree_estimates(published)[0]), 0, None).astype(int)
    naive = np.bincount(rounded, minlength=len(true))[: len(true)]
    assert distance < np.abs(np.cumsum(naive - true) / graph.nodes).max()
    assert found.share.sum() == pytest.approx(1) and (found.error >= 0).all()
    assert found.mean == pytest.approx(graph.degrees.mean(), rel=0.05)


def test_statistic_names_bands_and_quantiles() -> None:
    graph, published = noisy(EdgeLaw(0.001, 0.001))
    answers = DEGREES.estimate(published, Run.seeded(1))
    exact = DEGREES.exact(Published(graph, published.law, FACT), Run.seeded(1))
    assert len(answers) <= len(exact) == len(bands_of(2_000)) + 3
    assert answers[-1].name.startswith("degree") and graph.degrees.max() < 2_000
    assert sum(answer.value for answer in answers[3:]) == pytest.approx(1, abs=1e-6)
    assert (answers[3].value, answers[3].interval) == (0.0, (0.0, 0.0))
    inside = [a.interval[0] <= e <= a.interval[1] for a, e in zip(answers, exact)]
    assert np.mean(inside) > 0.8
    assert abs(answers[0].value - exact[0]) <= 2


def test_swamped_by_noise() -> None:
    _, published = noisy(EdgeLaw(0.1, 0.1))
    answers = DEGREES.estimate(published, Run.seeded(1))
    refused = [answer.name for answer in answers if answer.refused]
    assert "degree 1" in refused and "degree 17 to 32" not in refused
    assert all("noise" in answer.basis for answer in answers if answer.refused)


def test_nodes_one_by_one() -> None:
    graph, law = random_graph(40, 0.3, 2), EdgeLaw(0.2, 0.1)
    rng = np.random.default_rng(1)
    drawn = [degree_estimates(Published(perturbed(graph, law, rng), law)) for _ in range(2_000)]
    raw = np.array([degrees for degrees, _ in drawn])
    mean_square = np.mean([error**2 for _, error in drawn], axis=0)
    deviation = raw.std(axis=0)
    # 40 nodes at level .001 together: 4.2 standard errors each.
    assert (np.abs(raw.mean(axis=0) - graph.degrees) < 4.2 * deviation / np.sqrt(2_000)).all()
    assert np.allclose(mean_square, deviation**2, rtol=4.2 * np.sqrt(2 / 2_000))


def test_long_tails_have_few_columns() -> None:
    hub = np.arange(1, 100_000, dtype=np.int32)
    star = Graph.of(100_000, np.zeros(99_999, np.int32), hub)
    of = problem(star.degrees, star.nodes, EdgeLaw(0.3, 1e-6), 0)
    assert len(of.grid) < 10_000 and of.width.sum() == of.grid[-1] + of.width[-1] // 2 + 1


@given(st.integers(4, 20), st.floats(0.5, 9))
def test_splines_add_up_to_one(knots: int, length: float) -> None:
    basis = splines(np.linspace(1.0, 1.0 + length, 50), knots)
    assert np.allclose(basis.sum(axis=1), 1) and (basis >= -1e-12).all()


def test_products() -> None:
    rng = np.random.default_rng(1)
    rows, weight = rng.normal(size=(30, 4)), rng.normal(size=30)
    assert np.allclose(weighted_products(rows, weight), rows.T @ np.diag(weight) @ rows)
