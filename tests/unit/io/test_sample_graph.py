"""The sample friends: repeatable, simple, social; and what is written of it."""

from __future__ import annotations

from pathlib import Path

import igraph
import numpy as np
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from sfumato.core.errors import BadInput, BadJob
from sfumato.core.run import Run
from sfumato.io.sample_graph import friends, friends_graph
from sfumato.pipeline.sample import sample, write_friends
from sfumato.query.graph_modularity import modularity


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 31, 500])
def test_pairs_are_simple_and_everybody_has_a_friend(rows):
    made = friends(rows, Run.seeded(rows))
    one, two = (np.asarray(made.edges[name]) for name in ("person", "friend"))
    assert (one != two).all()
    assert len({frozenset(pair) for pair in zip(one.tolist(), two.tolist())}) == len(one)
    people = set(np.asarray(made.people["person"]).tolist())
    assert len(people) == rows
    assert set(one.tolist()) | set(two.tolist()) == (people if rows > 1 else set())


def test_a_seed_repeats():
    one, two, other = (friends(400, Run.seeded(seed)) for seed in (1, 1, 2))
    assert one.edges.equals(two.edges) and one.people.equals(two.people)
    assert not one.edges.equals(other.edges)


def test_it_is_social():
    """Triangles, a tail of degrees, communities, and nearly everybody connected."""
    graph, community = friends_graph(20_000, Run.seeded(1))
    peer = igraph.Graph(n=graph.nodes, edges=np.stack(graph.upper, axis=1))
    assert 0.1 < peer.transitivity_undirected() < 0.3
    assert 6 < graph.degrees.mean() < 12 and graph.degrees.max() > 20 * graph.degrees.mean()
    assert modularity(graph, community) > 0.7
    assert max(peer.connected_components().sizes()) > 0.85 * graph.nodes
    assert graph.degrees.min() >= 1


def test_isolated_people_are_as_many_as_asked():
    graph, _ = friends_graph(5_000, Run.seeded(1), 0.1)
    assert 400 < (graph.degrees == 0).sum() < 600
    assert friends_graph(50, Run.seeded(1), 1.0)[0].edges == 0
    with pytest.raises(BadJob):
        friends(10, Run.seeded(1), 1.5)


def test_files(tmp_path: Path) -> None:
    edges, nodes = tmp_path / "friends.parquet", tmp_path / "people.csv"
    count = write_friends(300, 7, edges, nodes=nodes)
    written = pq.read_table(edges)
    assert written.num_rows == count and written.equals(sample("friends", 300, 7))
    people = pacsv.read_csv(nodes)
    assert people.column_names == ["person", "community"] and people.num_rows == 300


def test_files_that_cannot_be(tmp_path: Path) -> None:
    place = tmp_path / "f.csv"
    for wrong in ({"nodes": place}, {"nodes": tmp_path / "p.txt"}, {"isolated": 2.0}):
        with pytest.raises(BadInput):
            write_friends(30, 1, place, **wrong)
        assert not place.exists()
