"""The formulas of chapter 4 on graphs, as corrected, on the numbers worked out for them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.papers.known_answers import known, of_kind

from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.query.graph_degrees import degree_estimates, degree_law
from sfumato.query.graph_edges import edge_count
from sfumato.query.graph_shapes import shapes
from sfumato.query.graph_triads import TRANSITIVITY, TRIADS, corrected_triads
from sfumato.query.statistic import LEVEL, Published, estimated
from sfumato.releases.edge_law import EdgeLaw


def law_of(case: Any) -> EdgeLaw:
    return EdgeLaw(case.input["mu"], case.input["mu"])


@pytest.mark.parametrize("case", of_kind("triad_matrix"), ids=lambda case: case.id)
def test_what_triplets_become(case: Any) -> None:
    found = shapes(3).transitions(law_of(case))[::-1, ::-1]
    assert np.allclose(found, case.expected, rtol=0, atol=case.tolerance)


@pytest.mark.parametrize("case", of_kind("triad_estimate"), ids=lambda case: case.id)
def test_triplets_corrected(case: Any) -> None:
    found = corrected_triads([case.input[name] for name in "TXID"], law_of(case))
    assert found == pytest.approx([case.expected[name] for name in "TXID"], abs=case.tolerance)


def test_triplets_of_a_graph() -> None:
    case, run = known("G-triads"), Run.seeded(1)
    ends = np.array(case.input["edges"], np.int32)
    graph = Graph.of(case.input["n"], ends[:, 0], ends[:, 1])
    whole = Published(graph, EdgeLaw(0.0, 0.0))
    assert TRIADS.exact(whole, run) == [case.expected[name] for name in "TXID"]
    assert TRANSITIVITY.exact(whole, run) == [float(Fraction(case.expected["transitivity"]))]
    assert [answer.value for answer in TRANSITIVITY.estimate(whole, run)] == [0.5]


def test_edges() -> None:
    case = known("G-hhat")
    nodes = case.input["N"]
    found = edge_count(case.input["h_p"], nodes * (nodes - 1) // 2, law_of(case))
    assert found.raw == pytest.approx(case.expected["raw"], abs=case.tolerance)
    assert found.rounded == found.clipped == case.expected["rounded"]


def test_error_of_edges() -> None:
    case = known("G-416")
    law = law_of(case)
    published = law.expected(case.input["h"], case.input["M"])
    assert published == int(published)
    found = edge_count(int(published), case.input["M"], law)
    assert found.error == pytest.approx(case.expected["sd"], abs=case.tolerance)
    interval = estimated("edges", found.raw, found.error, level=LEVEL).interval
    assert interval == pytest.approx(tuple(case.expected["interval95"]), abs=0.01)


def test_degree_of_a_node() -> None:
    case = known("G-dhat")
    others, published = case.input["N"] - 1, case.input["d_p"]
    leaves = np.arange(1, published + 1, dtype=np.int32)
    star = Graph.of(others + 1, np.zeros(published, np.int32), leaves)
    degrees, _ = degree_estimates(Published(star, law_of(case)))
    assert degrees[0] == pytest.approx(case.expected, abs=case.tolerance)


def test_law_of_a_degree() -> None:
    case = known("G-degree-law")
    found = degree_law(case.input["N"], case.input["d_o"], law_of(case))
    assert np.allclose(found, case.expected, rtol=case.tolerance, atol=1e-15)
