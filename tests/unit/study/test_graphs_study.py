"""The study of graphs: its data, its attacks, its judgements, other methods."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.attacks.base import Guess, Score
from sfumato.core.errors import CannotBeMet
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.query.statistic import Published
from sfumato.releases.edge_law import EdgeLaw
from sfumato.study.findings import Setting, conduct
from sfumato.study.papers import graphs_attacks as attacks
from sfumato.study.papers import graphs_compared as compared
from sfumato.study.papers import graphs_data as data
from sfumato.study.papers import graphs_others as others
from sfumato.study.papers import graphs_runs as runs
from sfumato.study.papers import graphs_times as times
from sfumato.study.papers import graphs_utility as utility
from sfumato.study.papers.graphs import STUDY
from sfumato.study.trial import Attempt

RUN = Run.seeded(1, workers=1)
QUICK = Setting(RUN, None, True)
MADE_UP = {"Attacks on made-up authors", "Properties: Made-up authors"}


def graph_of(nodes: int, edges: float, seed: int = 1) -> Graph:
    """A graph with edges drawn at random."""
    rng = np.random.default_rng(seed)
    u, v = np.triu_indices(nodes, 1)
    there = rng.random(len(u)) < edges
    return Graph.of(nodes, u[there], v[there])


def keys(graph: Graph) -> set[tuple[int, int]]:
    """The edges of a graph."""
    return set(zip(*(ends.tolist() for ends in graph.upper), strict=True))


def test_drawn_degrees_have_the_mean_and_two_paths_of_dblp():
    each = np.arange(1, data.HIGHEST + 1)
    chance = (each + data.SHIFT) ** -data.EXPONENT
    chance /= chance.sum()
    assert chance @ each == pytest.approx(6.6221, rel=1e-3)
    assert chance @ (each * (each - 1) / 2) == pytest.approx(68.69, rel=5e-3)


def test_the_made_up_graph_keeps_nearly_all_drawn_links(monkeypatch):
    monkeypatch.setattr(data, "FEW", 3_000)
    graph = data.made_up(QUICK)
    drawn = data.drawn_degrees(3_000, RUN.rng("made-up"))
    assert graph.edges == pytest.approx(drawn.sum() / 2, rel=0.05)
    assert (graph.degrees > drawn).sum() == 0
    one = Published(graph, EdgeLaw(0, 0))
    assert utility.TRANSITIVITY.exact(one, RUN)[0] > 0.2


def test_a_snowball_holds_all_edges_among_its_nodes():
    graph = graph_of(60, 0.08)
    part = data.snowball(graph, 25, RUN)
    assert part.nodes == 25
    whole = data.snowball(graph, 60, RUN) if graph.degrees.all() else graph
    assert whole.edges == graph.edges


def test_a_snowball_begins_anew_where_it_ends():
    pairs = Graph.of(10, [0, 2, 4, 6, 8], [1, 3, 5, 7, 9])
    assert data.snowball(pairs, 10, RUN).edges == 5


def brute_cost(falling: list[int], k: int) -> float:
    """The least sum of raised degrees over all ways to cut a falling list into groups."""
    if not falling:
        return 0.0
    return min(
        (
            sum(falling[0] - d for d in falling[:size]) + brute_cost(falling[size:], k)
            for size in range(k, len(falling) + 1)
        ),
        default=np.inf,
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=2, max_size=9), st.integers(2, 3))
def test_anonymous_degrees_are_the_least(degrees, k):
    if len(degrees) < k:
        return
    raised = others.anonymous_degrees(np.array(degrees), k)
    assert (raised >= degrees).all()
    assert np.unique(raised, return_counts=True)[1].min() >= k
    cost = brute_cost(sorted(degrees, reverse=True), k)
    assert (raised - degrees).sum() == cost


@pytest.mark.parametrize("k", [2, 5, 20])
def test_k_degree_graphs_only_gain_edges(k):
    graph = graph_of(120, 0.05)
    made = others.k_degree(graph, RUN.rng("k"), k)
    assert keys(graph) <= keys(made)
    assert np.unique(made.degrees, return_counts=True)[1].min() >= k


def test_more_than_all_nodes_can_not_be_alike():
    with pytest.raises(CannotBeMet):
        others.k_degree(graph_of(5, 0.5), RUN.rng("k"), 6)


@pytest.mark.parametrize("count", [0, 1, 40])
def test_a_fixed_number_of_edges_goes_and_comes(count):
    graph = graph_of(50, 0.1)
    made = others.changed(graph, RUN.rng("c"), count)
    assert len(keys(graph) - keys(made)) == len(keys(made) - keys(graph)) == count


def test_attackers_are_told_what_changed():
    graph = graph_of(50, 0.1)
    publish = others.publishing(lambda g, rng: others.changed(g, rng, 10))
    seen, number = publish(graph, RUN)
    assert seen.law.delete == pytest.approx(10 / graph.edges)
    assert seen.law.add == pytest.approx(10 / (graph.pairs - graph.edges))
    assert (seen.graph.degrees[number].sum()) == graph.degrees.sum()


def test_attacks_meet_the_same_publication_and_stop_when_dead():
    graph = graph_of(150, 0.04)
    asked = {6: {runs.WALK: (runs.WalkBased(planted=6, victims=5, links=2), 3)}}
    laws = {x: runs.same(x) for x in (0.0, 0.2, 0.3, 0.4)}
    found = runs.grid(graph, laws, asked, RUN)
    assert found[runs.WALK, 6, 0.0].share == 1.0
    assert found[runs.WALK, 6, 0.0].victims > 0.5
    assert (runs.WALK, 6, 0.2) in found and (runs.WALK, 6, 0.4) not in found
    assert runs.rate_at(found, runs.WALK, 6, 0.4) == 0.0


def test_the_density_is_kept():
    graph = graph_of(100, 0.1)
    law = runs.keeping(graph, 0.3)
    assert law.expected(graph.edges, graph.pairs) == pytest.approx(graph.edges)


def test_barriers_are_told_apart():
    graph = graph_of(200, 0.05)
    attack = runs.walking(8, 6, times.WIDTH)
    planted = attack.plant(graph, RUN.rng("plant"))
    [known] = planted.knowledge
    links = np.arange(planted.data.nodes)
    law = EdgeLaw(0.0, 0.0)

    def without(gone: set[tuple[int, int]]) -> str:
        ends = np.array(sorted(keys(planted.data) - gone)).T
        seen = Published(Graph.of(planted.data.nodes, *ends), law)
        return times.barrier(seen, known, links, law, 0)

    first = int(known.nodes[0])
    assert without(set()) == ""
    assert without({(first, first + 1)}) == "broken path"
    other = next(int(n) for i, n in enumerate(known.nodes) if i > 1 and known.inside[0, i])
    assert without({(first, other)}) == "edge check"
    assert without({pair for pair in keys(planted.data) if first in pair}) in {
        "false prediction",
        "broken path",
    }


def test_farthest_is_the_distance_of_laws_of_different_length():
    one, two = utility.exceeding(np.array([0.0, 1, 2, 3])), utility.exceeding(np.array([0.0, 0, 1]))
    assert one.tolist() == [0.75, 0.5, 0.25, 0.0]
    assert utility.farthest(one, two) == pytest.approx(0.5)
    assert utility.farthest(one, one) == 0.0


def attempts(**shares: list[float]) -> runs.Grid:
    """A grid of made-up successes, ten attempts each, at mu = 1e-6 and 1e-4, for k = 20, 25, 30."""
    found: runs.Grid = {}
    for name, rates in shares.items():
        for place, rate in enumerate(rates):
            k, mu = (20, 25, 30)[place // 2], (1e-6, 1e-4)[place % 2]
            tried = [
                Attempt(Guess(None, False), Score(number < 10 * rate), 0.0) for number in range(10)
            ]
            found[name, k, mu] = runs.Attacked(tried)
    return found


def test_judgements_of_attacks_can_go_either_way():
    mus = (1e-6, 1e-4)
    fewer = attempts(a=[1, 0.9, 1, 0.8, 1, 0.7])
    assert attacks._fewer("p", fewer, ["a"], mus).agrees
    assert not attacks._fewer("p", attempts(a=[1, 0.9] * 3), ["a"], mus).agrees
    both = attempts(a=[0.5] * 6, b=[0.6] * 6)
    assert attacks._wider(both, ["a", "b"], mus).agrees
    assert not attacks._wider(both, ["b", "a"], mus).agrees


def test_judgements_of_curves_can_go_either_way():
    assert times._rises("w", "x", [1.0, 1.5, 2.0]).agrees
    assert not times._rises("w", "x", [1.0, 0.5, 2.0]).agrees
    line = {"mu": 1e-3, "original": 1.0, "published": 2.0, "estimated": 1.001}
    assert utility._resilient("x", "density", [line]).agrees
    assert not utility._resilient("x", "density", [line | {"estimated": 1.1}]).agrees
    told = {"mu": 1e-3, utility.BY_NODE: 0.04, utility.ESTIMATED: 0.01}
    assert utility._shape("x", [told]).agrees
    assert not utility._shape("x", [told | {utility.BY_NODE: 0.3}]).agrees
    row = {"mu": 1e-3, runs.WALK: 0.0, "w = 5": 0.0, runs.BEAM: 1.0}
    fine = row | {"density": 0.001, "transitivity": 0.01}
    assert compared._possible("x", [fine]).agrees
    assert not compared._possible("x", [fine | {"w = 5": 0.5}]).agrees


@pytest.fixture(scope="module")
def outcomes():
    """What can be done without real data, on very little."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "FEW", 150)
        return list(conduct(STUDY, QUICK))


def check_findings(found):
    names, titles = [one.name for one in found], [one.title for one in found]
    assert len(names) == len(set(names)) and len(titles) == len(set(titles))
    for one in found:
        if one.chart is not None:
            assert {one.chart.x, *one.chart.y} <= set(one.table.columns)
            assert 1 <= len(one.chart.y) <= 6


def test_parts_without_their_data_are_left_out(outcomes):
    for outcome in outcomes:
        assert bool(outcome.findings) == (outcome.title in MADE_UP), outcome.title
        assert bool(outcome.left_out) == (outcome.title not in MADE_UP)
    check_findings([found for outcome in outcomes for found in outcome.findings])


def test_every_part_makes_findings_of_real_data(real_data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "FEW", 150)
        found = list(conduct(STUDY, Setting(RUN, real_data, True)))
    assert all(outcome.findings for outcome in found)
    check_findings([one for outcome in found for one in outcome.findings])
    assert sum(len(one.statements) for outcome in found for one in outcome.findings) > 30
