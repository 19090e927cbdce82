"""Formulas on attacks and links, against simulation and counting."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.naive.graph_attack import random_graph
from tests.naive.graph_perturb import perturbed

from sfumato.attacks.degree_law import binomial, centre, degree_law
from sfumato.attacks.evidence import pair_ratios
from sfumato.attacks.graph_risk import (
    lambda_background,
    link_risk,
    path_survival,
    placement_posterior,
)
from sfumato.attacks.interval_walk import IntervalWalk
from sfumato.releases.edge_law import EdgeLaw
from sfumato.study.structure_risk import risk_table

CHANCES = st.floats(0, 0.45)


@given(st.integers(1, 60), CHANCES, CHANCES, st.integers(0, 59))
def test_the_law_of_degrees_is_a_law_with_the_expected_mean(nodes, delete, add, degree):
    degree, law = min(degree, nodes - 1), EdgeLaw(delete, add)
    chances = degree_law(nodes, degree, law)
    assert len(chances) == nodes
    assert chances.sum() == pytest.approx(1)
    mean = float(chances @ np.arange(nodes))
    assert mean == pytest.approx(law.expected(degree, nodes - 1), abs=1e-9)
    assert abs(centre(nodes, degree, law) - mean) <= 0.5 + 1e-9


def test_the_law_of_degrees_is_the_sum_over_removed_neighbours():
    """As section 4.4.2 writes it, with zero outside the range of either binomial."""
    nodes, degree, mu = 12, 4, 0.2
    for published, chance in enumerate(degree_law(nodes, degree, EdgeLaw(mu, mu))):
        summed = 0.0
        for removed in range(degree + 1):
            new = published - degree + removed
            if 0 <= new <= nodes - 1 - degree:
                ways = math.comb(degree, removed) * math.comb(nodes - 1 - degree, new)
                flips = removed + new
                summed += ways * mu**flips * (1 - mu) ** (nodes - 1 - flips)
        assert chance == pytest.approx(summed)


@pytest.mark.parametrize("law", [EdgeLaw(0.1, 0.05), EdgeLaw(0.3, 0.01)], ids=str)
def test_links_are_as_true_as_the_formula_says(law):
    """Counted over 40 perturbations; four standard errors."""
    rng = np.random.default_rng(3)
    graph = random_graph(rng, 120, 0.1)
    true, told, silent, missed = 0, 0, 0, 0
    u, v = graph.upper
    edges = set(zip(u.tolist(), v.tolist(), strict=True))
    for _ in range(40):
        ends = perturbed(graph, law, rng).upper
        shown = set(zip(*(end.tolist() for end in ends), strict=True))
        true, told = true + len(shown & edges), told + len(shown)
        missed, silent = missed + len(edges - shown), silent + graph.pairs - len(shown)
    for found, of, wanted in zip(
        (true, missed), (told, silent), link_risk(graph.pairs, graph.edges, law), strict=True
    ):
        assert abs(found / of - wanted) < 4 * math.sqrt(wanted * (1 - wanted) / of)


def test_without_edges_a_link_is_no_risk():
    assert link_risk(10, 0, EdgeLaw(0.1, 0.0)) == (0.0, 0.0)
    assert link_risk(10, 10, EdgeLaw(0.0, 0.0)) == (1.0, 0.0)


def test_the_mean_ratio_over_all_placements_is_one():
    """Which is why every other placement counts as one in `lambda_background`."""
    density, law = 0.3, EdgeLaw(0.1, 0.1)
    ratios = pair_ratios(law, law.expected(density, 1.0))
    rate = law.expected(density, 1.0)
    for wanted in (0, 1):
        mean = math.exp(ratios[wanted, 0]) * (1 - rate) + math.exp(ratios[wanted, 1]) * rate
        assert mean == pytest.approx(1)


def test_posteriors_of_all_placements_add_up_to_one():
    shown = [(0, 1), (1, 2), (3, 4), (2, 3)]
    found = [
        placement_posterior(5, [(0, 1), (1, 2)], shown, (0.1, 0.26), place)
        for place in permutations(range(5), 3)
    ]
    assert sum(found) == pytest.approx(1)


def test_what_cannot_have_happened_has_no_chance():
    assert lambda_background(50, 0.1, EdgeLaw(0.0, 0.1), (2, 0), (1, 0)) == -math.inf
    assert path_survival(9, EdgeLaw(1.0, 0.0)) == 0.0


@given(st.integers(0, 40), st.sampled_from([0.0, 0.2, 1.0]))
def test_a_binomial_adds_up_to_one(trials, chance):
    found = binomial(trials, chance)
    assert len(found) == trials + 1
    assert found.sum() == pytest.approx(1)


def test_every_line_of_the_table_is_a_probability():
    graph = random_graph(np.random.default_rng(1), 200, 0.05)
    for law in (EdgeLaw(0.0, 0.0), EdgeLaw(0.001, 0.001), EdgeLaw(0.4, 0.3), EdgeLaw(0.2, 0.0)):
        table = risk_table(graph, law, IntervalWalk(planted=10, victims=20))
        assert len(table) == 7
        assert all(0 <= chance <= 1 for chance in table.column("probability"))
