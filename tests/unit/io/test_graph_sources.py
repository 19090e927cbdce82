"""Graphs from wherever they come, and what is refused."""

from __future__ import annotations

import igraph
import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sparse
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.core.errors import BadInput, BadJob
from sfumato.io.graph_sources import GraphFrom, load_graph

EDGES = [("ben", "ann"), ("cy", "ben"), ("ann", "dan")]
NAMES = ["ann", "ben", "cy", "dan"]
FRAME = {"source": [u for u, _ in EDGES], "target": [v for _, v in EDGES]}


def pairs(network):
    """Edges by name, the lower first."""
    names = network.names.to_pylist()
    return sorted(tuple(sorted((names[u], names[v]))) for u, v in zip(*network.graph.upper))


EXPECTED = sorted(tuple(sorted(edge)) for edge in EDGES)


def test_files_of_every_format_read_alike(tmp_path):
    table = pa.table(FRAME)
    pq.write_table(table, tmp_path / "edges.parquet")
    lines = "".join(f"{u},{v}\n" for u, v in EDGES)
    (tmp_path / "edges.csv").write_text("source,target\n" + lines)
    (tmp_path / "plain.txt").write_text("# from\t# to\n% two\n" + lines.replace(",", "\t"))
    (tmp_path / "spaces.txt").write_text(lines.replace(",", " "))
    for path in ("edges.parquet", "edges.csv"):
        assert pairs(sfumato.read_graph(tmp_path / path)) == EXPECTED
    for path in ("plain.txt", "spaces.txt"):
        assert pairs(sfumato.read_graph(tmp_path / path, format="plain")) == EXPECTED


def test_other_libraries_read_alike():
    assert pairs(sfumato.read_graph(nx.Graph(EDGES))) == EXPECTED
    assert pairs(sfumato.read_graph(igraph.Graph.TupleList(EDGES))) == EXPECTED
    places = [(NAMES.index(u), NAMES.index(v)) for u, v in EDGES]
    u, v = np.array(places).T
    matrix = sparse.coo_matrix((np.ones(6), (np.r_[u, v], np.r_[v, u])), (5, 5))
    found = sfumato.read_graph(matrix.tocsr())
    assert found.graph.nodes == 5  # the last without edges
    assert pairs(found) == sorted(tuple(sorted(place)) for place in places)


def test_isolated_nodes_of_other_libraries_stay():
    graph = nx.Graph(EDGES)
    graph.add_node("eve")
    found = sfumato.read_graph(graph)
    assert found.graph.nodes == 5
    assert int((found.graph.degrees == 0).sum()) == 1


@given(st.lists(st.tuples(st.integers(-5, 10**12), st.integers(-5, 10**12)), min_size=1))
def test_names_of_any_size_are_told_apart(ends):
    ends = list({tuple(sorted(one)) for one in ends if one[0] != one[1]})
    if not ends:
        return
    u, v = zip(*ends)
    for kind in (pa.int64(), pa.string()):
        columns = {"source": pa.array(u).cast(kind), "target": pa.array(v).cast(kind)}
        found = sfumato.read_graph(pa.table(columns))
        number = {int(name): place for place, name in enumerate(found.names.to_pylist())}
        given_pairs = sorted(tuple(sorted((number[one], number[two]))) for one, two in ends)
        assert given_pairs == sorted(zip(*(end.tolist() for end in found.graph.upper)))


@pytest.mark.parametrize(
    ("source", "target", "word", "told"),
    [
        ("aab", "abc", "loops", "1 loop;"),
        ("aab", "bbc", "repeats", "1 repeated edge;"),
        ("abb", "bac", "directions", "1 edge given both ways;"),
        ("aaab", "aabc", "loops", "2 loops;"),
    ],
)
def test_what_is_not_simple_is_refused_until_asked_for(source, target, word, told):
    frame = {"source": list(source), "target": list(target)}
    with pytest.raises(BadInput, match=told):
        sfumato.read_graph(frame)
    with pytest.raises(BadInput, match=f'add "{word}" to source.simplify'):
        sfumato.read_graph(frame)
    found = sfumato.read_graph(frame, simplify=["loops", "repeats", "directions"])
    simple = {tuple(sorted(e)) for e in zip(source, target) if e[0] != e[1]}
    assert pairs(found) == sorted(simple)


def test_directed_graphs_need_to_be_asked_for():
    for directed in (nx.DiGraph(EDGES), igraph.Graph.TupleList(EDGES, directed=True)):
        with pytest.raises(BadInput, match="directed"):
            sfumato.read_graph(directed)
        assert pairs(sfumato.read_graph(directed, simplify=["directions"])) == EXPECTED
    with pytest.raises(BadInput, match="directed"):
        sfumato.read_graph(sparse.coo_matrix(([1], ([0], [1])), (2, 2)))


def test_columns_of_nodes_follow_their_nodes():
    nodes = {"who": ["eve", *NAMES], "town": ["x", "a", "b", "c", "d"], "phone": list("12345")}
    found = sfumato.read_graph(
        FRAME,
        nodes=nodes,
        node="who",
        roles={"identifier": ["who"], "keep": ["town"], "drop": ["phone"]},
    )
    assert pairs(found) == EXPECTED
    assert found.names.to_pylist()[0] == "eve"
    assert found.graph.degrees.tolist() == [0, 2, 2, 1, 1]
    assert found.table["town"].to_arrow().to_pylist() == ["x", "a", "b", "c", "d"]


def refusals():
    nodes = {"who": NAMES, "town": ["a", "b", "c", "d"]}
    twice = {"who": [*NAMES, "ann"], "town": list("abcde")}
    few = {"who": NAMES[:3], "town": list("abc")}
    holes = {"source": ["a", None], "target": ["b", "c"]}
    return [
        ({"source": [], "target": []}, {}, "has no rows"),
        (holes, {}, "1 name of the edges are missing"),
        ({"source": ["a"], "target": ["b"], "weight": [1]}, {}, "column 'weight' of the edges"),
        (FRAME, {"source": "from"}, "source.source is 'from'"),
        (FRAME, {"target": "source"}, "source.target is 'source'"),
        (FRAME, {"simplify": ["all"]}, "source.simplify has 'all'"),
        (FRAME, {"nodes": nodes}, "source.nodes and source.node go together"),
        (FRAME, {"nodes": nodes, "node": "who"}, "column 'town' of the nodes has no role"),
        (FRAME, {"nodes": nodes, "node": "name"}, "source.node is 'name'"),
        (FRAME, {"nodes": few, "node": "who", "roles": {"drop": ["town"]}}, "1 edge lead"),
        (FRAME, {"nodes": twice, "node": "who", "roles": {"drop": ["town"]}}, "more than once"),
        (FRAME, {"roles": {"keep": ["town"]}}, "an edge list has no columns of nodes"),
        (FRAME, {"roles": {"quasi": ["town"]}}, "what may be known of a node is its edges"),
        (FRAME, {"way": 1}, "'way' says nothing about a source of a graph"),
        ({"source": [1.5], "target": [2.0]}, {}, "no plain values"),
        ({"source": ["a"], "target": ["a"]}, {"simplify": ["loops"]}, "1 node"),
        (sparse.coo_matrix((2, 3)), {}, "an adjacency matrix is square"),
    ]


@pytest.mark.parametrize(("source", "how", "told"), refusals())
def test_bad_sources_are_refused_in_one_line(source, how, told):
    with pytest.raises((BadInput, BadJob), match=told) as error:
        sfumato.read_graph(source, **how)
    assert "\n" not in str(error.value)


def test_bad_files_are_refused_without_their_content(tmp_path):
    (tmp_path / "empty.txt").write_text("# nothing\n\n")
    (tmp_path / "three.txt").write_text("secret ben\nsecret ben 3\n")
    for name, told in (("empty.txt", "has no edges"), ("three.txt", "not two names a line")):
        with pytest.raises(BadInput, match=told) as error:
            sfumato.read_graph(tmp_path / name, format="plain")
        assert "secret" not in str(error.value)
    with pytest.raises(BadInput, match="no file"):
        sfumato.read_graph(tmp_path / "nowhere.txt", format="plain")


def test_a_clique_and_a_graph_without_edges_are_graphs():
    nodes = {"who": [1, 2, 3]}
    lone = load_graph(
        {"source": [], "target": []},
        GraphFrom(nodes=nodes, node="who"),
        sfumato.Schema.of(identifier=["who"]),
    )
    assert (lone.graph.nodes, lone.graph.edges) == (3, 0)
    clique = sfumato.read_graph(nx.complete_graph(5))
    assert clique.graph.edges == clique.graph.pairs == 10
