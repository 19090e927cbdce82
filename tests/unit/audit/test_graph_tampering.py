"""Published graphs: an audit verifies what is honest and catches every kind of tampering."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.contracts.variants import network
from tests.unit.audit.test_tampering import claimed, describe, put, sign, status_of, tamper

from sfumato.audit.audit import audit, failed
from sfumato.audit.graph_owner import CLAIM, EXACT
from sfumato.core.answers import Status
from sfumato.core.run import Run
from sfumato.data.graph import Graph, Network
from sfumato.io.opening import open_release
from sfumato.io.store import write_release
from sfumato.pipeline.named import method
from sfumato.releases.release import Ledger, Publication

Tables = dict[str, pa.Table]


def written(folder: Path, form: str = "parquet", **law: Any) -> tuple[Publication, Network]:
    """A published graph, its ledger, and the original."""
    data = network(("illness",), 300)
    how = method("edge-perturbation", kind="graph", **(law or {"delete": 0.2, "add": 0.004}))
    made = how.publish(data, (), Run.seeded(2)).sealed()
    write_release(made.release, folder, form)
    return made, data


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_an_honest_release_is_verified_and_read_again(tmp_path: Path, form: str) -> None:
    made, data = written(tmp_path / "r", form)
    alone = audit(tmp_path / "r")
    assert not failed(alone)
    assert status_of(alone, "edge-odds") is Status.ARGUED
    assert status_of(alone, CLAIM) is Status.NEEDS_OWNER
    verdicts = audit(tmp_path / "r", made.ledger, data)
    assert not failed(verdicts)
    assert status_of(verdicts, CLAIM) is Status.VERIFIED
    ours, found = made.release.network, open_release(tmp_path / "r").network
    assert np.array_equal(ours.graph.indptr, found.graph.indptr)
    assert np.array_equal(ours.graph.targets, found.graph.targets)
    assert ours.law == found.law


def swap_ends(tables: Tables) -> None:
    edges = tables["edges"]
    tables["edges"] = pa.table({"source": edges["target"], "target": edges["source"]})


def swap_rows(tables: Tables) -> None:
    order = [1, 0, *range(2, tables["edges"].num_rows)]
    tables["edges"] = tables["edges"].take(pa.array(order))


def repeat_edge(tables: Tables) -> None:
    order = [0, *range(tables["edges"].num_rows - 1)]
    tables["edges"] = tables["edges"].take(pa.array(order))


def with_value(part: str, name: str, row: int, value: Any) -> Callable[[Tables], None]:
    def change(tables: Tables) -> None:
        tables[part] = put(tables[part], name, row, value)

    return change


SEEN_BY_ALL: dict[str, Callable[[Tables], None]] = {
    "edges point down": swap_ends,
    "edges in another order": swap_rows,
    "an edge twice": repeat_edge,
    "a node that is not there": with_value("edges", "target", 0, 300),
    "no node": with_value("edges", "source", 0, None),
    "other numbers of nodes": with_value("nodes", "node", 0, 7),
}


@pytest.mark.parametrize("what", SEEN_BY_ALL)
def test_tampering_that_everybody_sees(tmp_path: Path, what: str) -> None:
    written(tmp_path / "r")
    tamper(tmp_path / "r", SEEN_BY_ALL[what])
    assert failed(audit(tmp_path / "r"))


def test_columns_of_nodes_that_are_not_theirs(tmp_path: Path) -> None:
    made, data = written(tmp_path / "r")
    old = made.release.network.table["hours"].to_arrow().to_pylist()[3]
    tamper(tmp_path / "r", with_value("nodes", "hours", 3, 10 if old != 10 else 20))
    assert status_of(audit(tmp_path / "r", made.ledger, data), EXACT) is Status.VIOLATED


@pytest.mark.parametrize("law", [{"delete": 0.001}, {"add": 0.2}, {"delete": 0.0}, {"add": 0.0}])
def test_edges_that_follow_another_law(tmp_path: Path, law: dict[str, float]) -> None:
    """Claim and law agree with each other, but not with what was done."""
    made, data = written(tmp_path / "r")
    path = tmp_path / "r" / "law.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | law))
    sign(tmp_path / "r")
    assert status_of(audit(tmp_path / "r"), "edge-odds") is Status.VIOLATED
    claimed(tmp_path / "r", 0, **law)
    assert not failed(audit(tmp_path / "r"))
    assert status_of(audit(tmp_path / "r", made.ledger, data), CLAIM) is Status.VIOLATED


@pytest.mark.parametrize("told", [0.2, 0.0, -1.0, "much", 99.0])
def test_what_the_law_tells_of_the_number_of_edges(tmp_path: Path, told: Any) -> None:
    made, data = written(tmp_path / "r", delete=0.2, add="keep-density")
    assert made.release.claims[0].parameters["edges_told"] == 0.1
    assert not failed(audit(tmp_path / "r", made.ledger, data))
    claimed(tmp_path / "r", 0, edges_told=told)
    assert failed(audit(tmp_path / "r")) == (told != 0.2)


@pytest.mark.parametrize(
    "law",
    [{"delete": 0.5, "add": 0.5}, {"add": -0.1}, {"add": 1}, {"law": "?"}, {"more": 1}],
)
def test_laws_that_are_none(tmp_path: Path, law: dict[str, Any]) -> None:
    written(tmp_path / "r")
    path = tmp_path / "r" / "law.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | law))
    sign(tmp_path / "r")
    assert failed(audit(tmp_path / "r"))


def with_facts(folder: Path, facts: dict[str, Any]) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"facts": facts}))
    describe(folder)


def test_a_fact_that_is_not_so_is_seen_by_the_owner(tmp_path: Path) -> None:
    made, data = written(tmp_path / "r", mu=0.1)
    with_facts(tmp_path / "r", {"stated": ["no-isolated-nodes"]})
    assert not failed(audit(tmp_path / "r"))
    verdicts = audit(tmp_path / "r", made.ledger, data)
    assert status_of(verdicts, "fact: no-isolated-nodes") is Status.VERIFIED
    u, v = data.graph.upper
    alone = data.with_graph(Graph.of(300, u[u > 0], v[u > 0]))
    verdicts = audit(tmp_path / "r", made.ledger, alone)
    assert status_of(verdicts, "fact: no-isolated-nodes") is Status.VIOLATED


@pytest.mark.parametrize("facts", [{"stated": ["rich"]}, {"secret": 1}])
def test_facts_of_no_known_sort(tmp_path: Path, facts: dict[str, Any]) -> None:
    written(tmp_path / "r")
    path = tmp_path / "r" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"facts": facts}))
    assert failed(audit(tmp_path / "r"))


def test_the_wrong_ledger_or_original(tmp_path: Path) -> None:
    made, data = written(tmp_path / "r")
    for rows in (made.ledger.rows[:-1], made.ledger.rows - 1, made.ledger.rows[::-1]):
        assert failed(audit(tmp_path / "r", Ledger(rows), data))
    assert failed(audit(tmp_path / "r", Ledger(made.ledger.rows, release_id="x"), data))
    assert failed(audit(tmp_path / "r", made.ledger, network(("illness",), 301)))
