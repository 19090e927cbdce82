"""The tables and formulas of the thesis on structural attacks, sections 4.4 and 4.5."""

from __future__ import annotations

import math

import pytest
from tests.papers.known_answers import known, number, of_kind

from sfumato.attacks.degree_law import centre, degree_law, interval_probability, printed_centre
from sfumato.attacks.graph_risk import (
    errors_at_most,
    lambda_background,
    lambda_mean,
    lambda_printed,
    least_deletion,
    path_survival,
    placement_posterior,
)
from sfumato.releases.edge_law import EdgeLaw


def law(mu):
    return EdgeLaw(mu, mu)


@pytest.mark.parametrize("case", of_kind("path_survival"), ids=lambda case: case.id)
def test_table_4_1(case):
    found = path_survival(case.input["k"], law(case.input["mu"]))
    assert found == pytest.approx(case.expected, abs=case.tolerance)
    assert found == pytest.approx(case.claimed, abs=5.1e-5)


def test_equation_4_20():
    case = known("G-420")
    found = least_deletion(case.input["k"], case.input["epsilon"])
    assert found == pytest.approx(case.expected, abs=case.tolerance)
    assert path_survival(case.input["k"], law(found)) == pytest.approx(case.input["epsilon"])


@pytest.mark.parametrize("case", of_kind("interval_probability"), ids=lambda case: case.id)
def test_table_4_2(case):
    given = case.input
    nodes, degree, mu = given["N"], given["d_o"], given["mu"]
    assert printed_centre(nodes, degree, law(mu)) == given["centre"]
    single = interval_probability(nodes, degree, law(mu), given["w"], given["centre"])
    assert single == pytest.approx(case.expected["single"], rel=case.tolerance)
    assert single ** given["k"] == pytest.approx(case.expected["all_12"], rel=1e-8)
    if case.status == "verified":
        assert single == pytest.approx(case.claimed[0], abs=5.1e-5)
    else:
        assert single != pytest.approx(case.claimed[0], abs=1e-2)


def test_the_centre_is_the_rounded_mean_and_stays_in_range():
    assert centre(10_000, 50, law(1e-4)) == printed_centre(10_000, 50, law(1e-4)) == 51
    assert centre(10_000, 50, law(0.001)) == 60
    assert centre(10, 9, EdgeLaw(0.0, 0.0)) == 9
    assert centre(2, 0, EdgeLaw(0.0, 1.0)) == 1


def test_degrees_after_perturbation():
    case = known("G-degree-law")
    found = degree_law(case.input["N"], case.input["d_o"], law(case.input["mu"]))
    assert found == pytest.approx(case.expected, rel=1e-9, abs=1e-25)
    assert found.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("case", of_kind("lambda_estimate"), ids=lambda case: case.id)
def test_table_4_3(case):
    given = case.input["N"], case.input["k"], case.input["mu"], case.input["m"]
    printed = lambda_printed(*given)
    assert printed == pytest.approx(case.expected["lambda_as_printed"], rel=case.tolerance)
    assert printed == pytest.approx(case.claimed[0], abs=5.1e-5)
    within = errors_at_most(*given[1:])
    assert within == pytest.approx(case.expected["pr_m_le"], rel=case.tolerance)
    wanted = case.expected["log10_lambda_corrected_mean"]
    assert lambda_mean(*given) == pytest.approx(wanted, rel=case.tolerance)


def test_theorem_4_5_1_as_printed_and_as_it_should_be():
    case = known("G-451")
    given = case.input
    mu, density = number(given["mu"]), number(given["background_density"])
    rate = density * (1 - mu) + (1 - density) * mu
    shape = (
        given["n"],
        map(tuple, given["planted_edges"]),
        list(map(tuple, given["observed_edges"])),
    )
    nodes, planted, observed = shape[0], list(shape[1]), shape[2]
    exact = placement_posterior(nodes, planted, observed, (mu, rate), given["placement"])
    printed = placement_posterior(nodes, planted, observed, (mu, number("1/2")), given["placement"])
    assert exact == number(case.expected["exact"])
    assert printed == number(case.expected["theorem"])


def test_lambda_in_a_sparse_graph_is_near_the_exact_mean():
    """With one path of three planted and seen intact: against the sum over all placements, each
    other one at its mean, as the estimate takes them."""
    rate = 0.2 * 0.9 + 0.8 * 0.1
    ratio = (0.9 / rate) ** 2 * 0.9 / (1 - rate)
    wanted = ratio / (ratio + math.perm(5, 3) - 1)
    found = lambda_background(5, 0.2, law(0.1), (2, 1), (0, 0))
    assert 10**found == pytest.approx(wanted)


def test_table_4_4_contradicts_its_own_mu():
    case = known("G-t44")
    for planted in (15, 34):
        found = path_survival(planted, law(case.input["mu"]))
        assert found == pytest.approx(case.expected[f"survival_k_{planted}"])
        assert 100 * (1 - found) > 40  # the table has 6 of 100
