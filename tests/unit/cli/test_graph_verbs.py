"""A first session with a graph, and clumsy users: one clear line, exit code 2."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.unit.cli.test_bad_input import Desk

from sfumato.core.catalogue import STATISTICS

JOB = """
[source]
kind = "graph"
path = "{path}"
{way}
[schema]
{schema}
[method]
name = "edge-perturbation"
{law}
{require}
"""
WAY = 'source = "person"\ntarget = "friend"'


class GraphDesk(Desk):
    """A folder with friends in a file and a job."""

    def write(self, law: str = "mu = 0.01", path: str = "friends.csv", **parts: str) -> None:
        rng = np.random.default_rng(1)
        pairs = {tuple(sorted(one)) for one in rng.integers(0, 80, (400, 2)).tolist()}
        lines = [f"p{u},p{v}" for u, v in sorted(pairs) if u != v]
        text = "\n".join(["person,friend", *lines, ""])
        (self.folder / "friends.csv").write_text(text)
        (self.folder / "loops.csv").write_text(text + "p1,p1\n")
        (self.folder / "people.csv").write_text(
            "who,town\n" + "".join(f"p{i},{'ab'[i % 2]}\n" for i in range(82))
        )
        facts = {"way": WAY, "schema": "", "require": "", "law": law, "path": path} | parts
        (self.folder / "job.toml").write_text(JOB.format(**facts))


@pytest.fixture
def desk(tmp_path: Path, capsys, monkeypatch) -> GraphDesk:
    return GraphDesk(tmp_path, capsys, monkeypatch)


def fine(desk: Desk, *words: str) -> str:
    code, out, err = desk.run(*words)
    assert code == 0, err
    return out


def test_a_session(desk: GraphDesk) -> None:
    """Publish, audit, ask, measure, report: each says what it did."""
    desk.write()
    out = fine(desk, "publish", "job.toml", "--seed", "1")
    assert "80 nodes" in out and "edge-odds" in out
    whole = ("release", "--ledger", "release-ledger")
    assert "edges follow the law" in fine(desk, "audit", *whole)
    assert "truth" in fine(desk, "query", "release", "edges", "--against", "friends.csv")
    assert "truth" in fine(desk, "query", *whole, "edges")
    assert "published-edges" in fine(desk, "measure", *whole)
    fine(desk, "report", "release", "-o", "public.html")
    fine(desk, "report", *whole, "-o", "own.html")
    assert "Degrees of nodes" not in Path("public.html").read_text()
    assert ">truth<" not in Path("public.html").read_text()
    assert "Degrees of nodes" in Path("own.html").read_text()
    for verb in (("audit", *whole), ("query", "release", "edges"), ("measure", *whole)):
        json.loads(fine(desk, *verb, "--json"))
    told = json.loads(fine(desk, "publish", "job.toml", "--seed", "1", "--replace", "--json"))
    assert told[-1]["rows"][0]["nodes"] == 80


def test_a_seed_repeats_and_a_secret_key_does_not(desk: GraphDesk) -> None:
    desk.write()
    found = []
    for words in (("--seed", "1"), ("--seed", "1"), (), ()):
        fine(desk, "publish", "job.toml", "--replace", *words)
        found.append((desk.folder / "release/data/edges.parquet").read_bytes())
    assert found[0] == found[1] and len(set(found)) == 3


def test_columns_of_nodes_are_published_and_asked_for(desk: GraphDesk) -> None:
    desk.write(
        way=WAY + '\nnodes = "people.csv"\nnode = "who"',
        schema='identifier = ["who"]\nkeep = ["town"]',
    )
    assert "82 nodes" in fine(desk, "publish", "job.toml")
    assert "estimate" in fine(desk, "query", "release", "modularity(town)")
    fine(desk, "report", "release", "--ledger", "release-ledger")


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"law": "mu = 0.5"}, "method.mu is 0.5"),
        ({"law": "mu = -1"}, "method.mu is -1"),
        ({"law": "delete = 0.1"}, "give mu, or delete and add"),
        ({"law": ""}, "give mu, or delete and add"),
        ({"law": 'delete = 0.1\nadd = "same"'}, "method.add"),
        ({"law": "mu = 0.1\nmy = 0.1"}, "method.my is not a parameter here"),
        ({"law": 'mu = 0.1\npublish_facts = ["tall"]'}, "method.publish_facts"),
        ({"path": "nowhere.csv"}, "no file"),
        ({"path": "loops.csv"}, 'has 1 loop; add "loops" to source.simplify'),
        ({"way": 'source = "person"'}, "source.target is 'target', which is no column"),
        ({"way": WAY + '\nsimplify = ["all"]'}, "source.simplify"),
        ({"way": WAY + '\nnodes = "people.csv"'}, "source.nodes and source.node go together"),
        ({"schema": 'quasi = ["town"]'}, "what may be known of a node is its edges"),
        ({"require": '[[require]]\nmodel = "k-anonymity"\nk = 3'}, "leave require out"),
        ({"law": "[choose]\nmu = [0.1, 0.2]"}, "choose is not for graphs"),
        (
            {
                "way": WAY + '\nnodes = "people.csv"\nnode = "who"',
                "schema": 'drop = ["town"]',
                "law": 'mu = 0.1\npublish_facts = ["no-isolated-nodes"]',
            },
            "2 of 82 nodes have no edge",
        ),
    ],
)
def test_bad_jobs(desk: GraphDesk, parts: dict[str, str], says: str) -> None:
    desk.write(**parts)
    code, _, err = desk.run("publish", "job.toml")
    assert code == 2
    assert says in err and err.count("\n") == 1
    assert not (desk.folder / "release").exists()


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("SELECT COUNT(*) FROM release", "by the name of a statistic"),
        ("beauty", "no statistic is called 'beauty'"),
        ("modularity", "needs a published column of the nodes"),
        ("modularity(age)", "needs a published column of the nodes"),
        ("edges(age)", "is asked without a column"),
    ],
)
def test_bad_questions(desk: GraphDesk, asked: str, says: str) -> None:
    desk.write()
    fine(desk, "publish", "job.toml")
    code, _, err = desk.run("query", "release", asked)
    assert code == 2
    assert says in err and err.count("\n") == 1


def test_too_many_edges_are_refused_with_an_estimate(tmp_path: Path) -> None:
    """A million nodes at mu = 0.4: 200 billion edges."""
    from sfumato.core.errors import CannotBeMet
    from sfumato.core.run import Run
    from sfumato.data.graph import Graph, Network
    from sfumato.pipeline.named import method

    many = Network(Graph.of(1_000_000, [0], [1]), None)
    with pytest.raises(CannotBeMet, match=r"edges would be published and take [\d,]+ GB"):
        method("edge-perturbation", kind="graph", mu=0.4).publish(many, (), Run.seeded(1))


def test_columns_of_nodes_beside_the_truth(desk: GraphDesk) -> None:
    """The edge list alone does not say where columns of nodes are; the ledger does."""
    desk.write(way=f'{WAY}\nnodes = "people.csv"\nnode = "who"', schema='keep = ["town"]')
    fine(desk, "publish", "job.toml", "--seed", "1")
    code, _, err = desk.run("query", "release", "edges", "--against", "friends.csv")
    assert code == 2 and "--ledger" in err
    out = fine(desk, "query", "release", "modularity(town)", "--ledger", "release-ledger")
    assert "truth" in out


def test_statistics_are_listed_and_explained(desk: GraphDesk) -> None:
    listed = fine(desk, "methods")
    assert all(name in listed for name in STATISTICS)
    assert all("unbiased" in fine(desk, "methods", name) for name in STATISTICS)


def test_a_published_fact_is_named_beside_the_claim(desk: GraphDesk) -> None:
    """Who knows all edges but the last of a person learns it from the fact, not from the law."""
    desk.write(law='mu = 0.01\npublish_facts = ["no-isolated-nodes"]')
    out = fine(desk, "publish", "job.toml", "--seed", "1")
    assert "tells the last one for certain" in " ".join(out.split())


def test_comments_in_an_edge_list_hint_at_plain(desk: GraphDesk) -> None:
    desk.write(path="snap.txt")
    (desk.folder / "snap.txt").write_text("# Nodes: 3\n0\t1\n1\t2\n")
    code, _, err = desk.run("publish", "job.toml")
    assert code == 2 and 'format = "plain"' in err
