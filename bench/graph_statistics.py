"""Statistics of published graphs: triangles beside igraph and networkit, counts, degrees."""

from __future__ import annotations

import json
import subprocess
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bench import data
from bench.measure import ROOT, timed
from bench.peers import environment
from bench.tables import Table, target
from sfumato.core.answers import Answer
from sfumato.core.catalogue import STATISTICS, load
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.kernels.graph_triangles import triangles
from sfumato.query.graph_degrees import degree_distribution, degree_estimates
from sfumato.query.statistic import NO_ISOLATED_NODES, Published
from sfumato.releases.edge_law import EdgeLaw

PLACE, PACKAGES = ROOT / ".venv-networkit", ("networkit==11.2.2",)
NODES, EDGES, NOISE = 1_000_000, 10_000_000, 2e-5
FACT = frozenset([NO_ISOLATED_NODES])
REPEATS = 5


def run(quick: bool) -> list[Table]:
    """Three tables."""
    size = (20_000, 100_000) if quick else (NODES, EDGES)
    return [_large(*size, quick), _all_counts(quick), _degrees(quick)]


def _large(nodes: int, edges: int, quick: bool) -> Table:
    law = EdgeLaw(NOISE * NODES / nodes, NOISE * NODES / nodes)
    graph = published(power_law(nodes, edges), law)
    table = Table(f"graph statistics: {nodes:,} nodes, {graph.edges:,} edges, perturbed")
    triangles(graph.indptr, graph.targets, 1)
    found, timing = timed(lambda: triangles(graph.indptr, graph.targets, 1), 1 if quick else 2)
    table.add(what="triangles", tool="sfumato, one thread", found=found.total, **timing.cells())
    for tool, other in (("igraph", _igraph), ("networkit", _networkit)):
        try:
            name, total, times = other(graph, quick)
        except data.Absent as reason:
            table.notes.append(f"{tool} left out: {reason}")
            continue
        ratios = {"times cpu": times["cpu s"] / timing.cpu}
        wanted = target("more than ours", (timing.cpu, times["cpu s"]))
        table.rows.append(
            {"what": "triangles", "tool": name, "found": total, **times, **ratios, **wanted}
        )
    answers, timing = timed(lambda: _both(graph, law))
    shown = f"{answers[-1].value:.6g} +- {answers[-1].error:.2g}"
    wanted = target("5 s wall", (timing.wall, 5.0))
    made = {"what": "triads and transitivity", "tool": "sfumato, all threads", "found": shown}
    table.rows.append({**made, **timing.cells(), **wanted})
    table.notes += ["building the graph is excluded everywhere; orienting it by degree is included"]
    return table


def _both(graph: Graph, law: EdgeLaw) -> list[Answer]:
    """Triads and transitivity with errors, of a graph that was not asked before."""
    seen = Published(Graph(graph.indptr, graph.targets), law)
    names = ("triads", "transitivity")
    return [a for name in names for a in load(STATISTICS[name]).estimate(seen, Run.seeded(1))]


def _igraph(graph: Graph, _quick: bool) -> tuple[str, int, dict[str, Any]]:
    try:
        import igraph
    except ImportError:
        raise data.Absent("igraph is not installed") from None
    peer = igraph.Graph(n=graph.nodes, edges=np.stack(graph.upper, axis=1))
    ratio, timing = timed(peer.transitivity_undirected)
    d = graph.degrees
    total = round(ratio * float((d * (d - 1) // 2).sum()) / 3)
    return f"igraph {metadata.version('igraph')}, transitivity", total, timing.cells()


def _networkit(graph: Graph, quick: bool) -> tuple[str, int, dict[str, Any]]:
    python = environment(PLACE, PACKAGES, quick)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "edges.npy"
        np.save(file, np.stack(graph.upper))
        script = Path(__file__).with_name("networkit_script.py")
        command = [str(python), str(script), str(file), str(graph.nodes)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    times = {"wall s": found["wall"], "cpu s": found["cpu"], "others": None}
    return f"networkit {found['version']}, scores of edges", found["triangles"], times


def _all_counts(quick: bool) -> Table:
    table = Table("graph statistics: Enron at mu = 0.001, all counts with errors")
    law = EdgeLaw(1e-3, 1e-3)
    graph = published(real("email_enron"), law)
    for names in (("edges", "density", "triads", "transitivity"), ("patterns-4",)):
        statistics = [load(STATISTICS[name]) for name in names]

        def work(statistics: list[Any] = statistics) -> list[Any]:
            fresh = Graph(graph.indptr, graph.targets)  # counts are kept with their graph
            return [s.estimate(Published(fresh, law), Run.seeded(1)) for s in statistics]

        work()
        _, timing = timed(work, 1 if quick else 3)
        wanted = target("1 s", (timing.wall, 1.0)) if len(names) > 1 else {}
        table.rows.append({"statistics": ", ".join(names), **timing.cells(), **wanted})
    return table


def _degrees(quick: bool) -> Table:
    table = Table("graph statistics: Kolmogorov-Smirnov distance of degree distributions")
    for name in ("email_enron", "wiki_vote"):
        graph = real(name)
        for mu, most in ((1e-4, 0.025), (1e-3, 0.055)):
            law = EdgeLaw(mu, mu)
            far, naive, cpu = [], [], []
            for seed in range(1 if quick else REPEATS):
                seen = Published(published(graph, law, 100 + seed), law, FACT)
                work = lambda seen=seen, seed=seed: degree_distribution(seen, Run.seeded(seed))  # noqa: E731
                found, timing = timed(work)
                raw = np.maximum(np.floor(degree_estimates(seen)[0] + 0.5), 0).astype(np.int64)
                naive.append(_apart(np.bincount(raw) / graph.nodes, graph))
                far.append(_apart(found.share, graph))
                cpu.append(timing.cpu)
            table.rows.append(
                {"graph": name, "mu": mu, "node by node": float(np.mean(naive)),
                 "distance": float(np.mean(far)), "worst": max(far), "cpu s": min(cpu),
                 **target(f"{most}", (float(np.mean(far)), most))}
            )  # fmt: skip
    table.notes = [f"no isolated node is published as a fact; mean of {REPEATS} perturbations"]
    return table


def _apart(share: NDArray[np.float64], graph: Graph) -> float:
    size = max(len(share), int(graph.degrees.max()) + 1)
    one, two = np.zeros(size), np.bincount(graph.degrees, minlength=size) / graph.nodes
    one[: len(share)] = share
    return float(np.abs(np.cumsum(one) - np.cumsum(two)).max())


def real(name: str) -> Graph:
    """A graph of the real data as a simple one."""
    path = data.DATA / f"graph_{name}.parquet"
    if not path.is_file():
        raise data.Absent(f"no {path.name}: set SFUMATO_DATA to the folder that holds it")
    table = pq.read_table(path)
    ends = np.sort(np.stack([np.asarray(table.column(i)) for i in (0, 1)], axis=1), axis=1)
    pairs = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    names, number = np.unique(pairs, return_inverse=True)
    one, two = number.reshape(-1, 2).astype(np.int32).T
    return Graph.of(len(names), one, two)


def power_law(nodes: int, edges: int) -> Graph:
    """Ends drawn by weights that fall off as a power of the rank, nodes in random order."""
    rng = np.random.default_rng(7)
    weight = (np.arange(nodes) + 100.0) ** -0.75
    upto = np.cumsum(weight / weight.sum())
    keys = np.empty(0, np.int64)
    while len(keys) < edges:
        draws = rng.random((2, edges - len(keys) + 1000))
        u, v = np.minimum(np.searchsorted(upto, draws), nodes - 1)
        keys = np.union1d(keys, _keys(u, v, nodes)[u != v])
    chosen = rng.permutation(keys)[:edges]
    label = rng.permutation(nodes).astype(np.int32)
    return Graph.of(nodes, label[chosen % nodes], label[chosen // nodes])


def published(graph: Graph, law: EdgeLaw, seed: int = 1) -> Graph:
    """The graph with its edges perturbed, by a plain sampler that owes nothing to the method."""
    rng = np.random.default_rng(seed)
    u, v = (ends.astype(np.int64) for ends in graph.upper)
    edges = _keys(u, v, graph.nodes)
    kept = edges[rng.random(len(edges)) >= law.delete]
    count = rng.binomial(graph.pairs, law.add)
    drawn = np.empty(0, np.int64)
    while len(drawn) < count:
        u, v = rng.integers(0, graph.nodes, (2, count - len(drawn)))
        drawn = np.union1d(drawn, _keys(u, v, graph.nodes)[u != v])
    keys = np.concatenate([kept, np.setdiff1d(drawn, edges, assume_unique=True)])
    return Graph.of(graph.nodes, keys % graph.nodes, keys // graph.nodes)


def _keys(u: NDArray[np.int64], v: NDArray[np.int64], nodes: int) -> NDArray[np.int64]:
    return np.maximum(u, v) * nodes + np.minimum(u, v)
