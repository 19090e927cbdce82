"""Answers about graphs of a few nodes: no error of zero where noise was drawn."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx
import pytest

import sfumato
from sfumato.core.answers import Answer
from sfumato.core.catalogue import STATISTICS
from sfumato.core.run import Run
from sfumato.query.graph_answers import answers

ALONE = sorted(set(STATISTICS) - {"modularity"})


def asked(graph: nx.Graph, mu: float, name: str) -> Iterable[Answer]:
    method = sfumato.method("edge-perturbation", kind="graph", mu=mu)
    made = sfumato.publish(sfumato.read_graph(graph), method=method, seed=1)
    return answers(made.release, name, Run.seeded(1))


@pytest.mark.parametrize("name", ALONE)
def test_no_whole_certainty_about_a_broken_number(name: str) -> None:
    """Counts are whole: one that is not, with an error of zero, would be a false certainty."""
    for one in asked(nx.empty_graph(5), 0.1, name):
        assert one.refused or one.error is None or one.error > 0 or one.value == round(one.value)


def test_nothing_is_unclear_without_noise() -> None:
    """The density among hubs is a fraction, and exact."""
    found = list(asked(nx.karate_club_graph(), 0.0, "hubs"))
    assert [one.error for one in found] == [0.0] * len(found)


@pytest.mark.parametrize("name", ["path-length", "reachable"])
def test_no_negative_share_of_added_edges(name: str) -> None:
    for one in asked(nx.complete_graph(30), 0.1, name):
        assert "-" not in one.basis.split("%")[0]
