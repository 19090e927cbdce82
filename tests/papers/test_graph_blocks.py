"""Worked examples of modularity and of edges between groups, with the misprints mended."""

from __future__ import annotations

import numpy as np
import pytest
from tests.papers.known_answers import known

from sfumato.data.graph import Graph
from sfumato.query.graph_modularity import block_edges, corrected_blocks, judged, modularity
from sfumato.query.graph_pairs import published_pairs
from sfumato.releases.edge_law import EdgeLaw


def test_modularity_of_two_groups():
    case = known("G-mod")
    graph = Graph.of(case.input["n"], *np.array(case.input["edges"]).T)
    groups = np.array(case.input["partition"])
    assert block_edges(graph, groups).tolist() == case.expected["B"]
    assert modularity(graph, groups) == pytest.approx(case.expected["modularity"], abs=1e-12)
    untouched = judged(published_pairs(graph, EdgeLaw(0, 0)), groups)
    assert untouched.value == pytest.approx(case.expected["modularity"], abs=1e-12)
    assert untouched.error == 0


def test_blocks_are_corrected_and_add_up():
    case = known("G-blocks")
    law = EdgeLaw(case.input["mu"], case.input["mu"])
    blocks, sizes = np.array(case.input["B_p"]), np.array(case.input["z"])
    found = corrected_blocks(blocks, sizes, law)
    assert found == pytest.approx(np.array(case.expected["corrected"]), abs=case.tolerance)
    pairs = sizes.sum() * (sizes.sum() - 1) / 2
    published = np.triu(blocks).sum()
    assert np.triu(found).sum() == pytest.approx(law.corrected(published, pairs))
