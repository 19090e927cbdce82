"""Edge perturbation: the kernel, file to release, and the double loop that it replaces."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.files import Phases
from bench.graphs import kept_graph, power_law, slope
from bench.measure import fresh, timed, weighed
from bench.tables import Table, target
from sfumato.core.run import Run, cores
from sfumato.methods.graphs.flips import perturbed, renumbered
from sfumato.pipeline.job import make_job
from sfumato.pipeline.publish import Outcome, run_job
from sfumato.releases.edge_law import EdgeLaw

SIZES = (10_000, 100_000, 1_000_000)
EACH = 10  # edges of a node, and expected flips
AT_ONCE, SOON, TIMES = 0.4, 10.0, 500
LOOPED = 10_000


def run(quick: bool) -> list[Table]:
    """In memory, from file to file, and against NetworkX."""
    sizes = SIZES[:1] if quick else SIZES
    return [_kernel(sizes), *_files(sizes), _double_loop(1_000 if quick else LOOPED)]


def _kernel(sizes: tuple[int, ...]) -> Table:
    table = Table(f"graph-perturbation: in memory, {EACH} edges and {EACH} flips a node")
    for nodes in sizes:
        found = fresh("bench.graph_perturbation:flips", nodes=nodes)
        judged = {"target": "", "met": ""}
        if nodes == SIZES[-1]:
            judged = target(f"{AT_ONCE:g} s", (found["wall s"], AT_ONCE))
        table.add(**found, **judged)
    if len(sizes) > 1:
        rows = table.rows
        table.notes.append(slope("flips", list(sizes), [row["cpu s"] for row in rows]))
    table.notes.append(f"{cores()} threads; number s: wall seconds to number the nodes anew before")
    return table


def flips(nodes: int) -> dict[str, Any]:
    """One size; rows are joined and made symmetric, as a release has them."""
    graph, law = power_law(nodes, EACH * nodes), _law(nodes)
    perturbed(graph, law, Run.seeded(0))
    made, timing = timed(lambda: perturbed(graph, law, Run.seeded(1)), repeat=5)
    _, numbering = timed(lambda: renumbered(graph, Run.seeded(1)), repeat=2)
    return {
        "nodes": nodes,
        "edges": graph.edges,
        "flips": made.deleted + made.added,
        **timing.cells(),
        "ns a flip": 1e9 * timing.wall / (made.deleted + made.added),
        "number s": numbering.wall,
    }


def _law(nodes: int) -> EdgeLaw:
    mu = EACH * nodes / (nodes * (nodes - 1) / 2)
    return EdgeLaw(mu, mu)


def _files(sizes: tuple[int, ...]) -> list[Table]:
    table = Table("graph-perturbation: from a Parquet file of edges to an audited release")
    phases = Table("graph-perturbation: wall seconds by phase")
    for nodes in sizes:
        kept_graph(nodes, EACH * nodes)
        found = fresh("bench.graph_perturbation:case", nodes=nodes)
        steps = found.pop("phases")
        judged = {"target": "", "met": ""}
        if nodes == SIZES[-1]:
            judged = target(f"{SOON:g} s", (found["wall s"], SOON))
        table.add(**found, **judged)
        phases.rows.append({"nodes": nodes} | steps)
    if len(sizes) > 1:
        rows = table.rows
        table.notes.append(slope("file to release", list(sizes), [row["cpu s"] for row in rows]))
    return [table, phases]


def case(nodes: int) -> dict[str, Any]:
    """One size; a small run before it has every kernel compiled."""
    with TemporaryDirectory() as folder:
        kept_graph(SIZES[0], EACH * SIZES[0])
        _publish(SIZES[0], Path(folder), "warm", Phases())
        phases = Phases()
        work = partial(_publish, nodes, Path(folder), "release", phases)
        outcome, timing, memory = weighed(work)
        size = sum(path.stat().st_size for path in outcome.release.rglob("*")) / 1e6
    return {
        "nodes": nodes,
        "edges published": outcome.publication.release.network.graph.edges,
        **timing.cells(),
        "peak MB": memory.peak,
        "file MB": kept_graph(nodes, EACH * nodes).stat().st_size / 1e6,
        "release MB": size,
        "phases": phases.seconds,
    }


def _publish(nodes: int, folder: Path, name: str, phases: Phases) -> Outcome:
    values = {
        "source": {"kind": "graph", "path": str(kept_graph(nodes, EACH * nodes))},
        "method": {"name": "edge-perturbation", "mu": _law(nodes).add},
        "output": {"path": name, "ledger": f"{name}-ledger"},
    }
    outcome = run_job(make_job(values, folder), Run.secure(progress=phases))
    phases("end", 0, 1)
    return outcome


def _double_loop(nodes: int) -> Table:
    """Every pair by itself, on a graph of NetworkX, as scripts do it."""
    import networkx as nx

    graph, mu = power_law(nodes, EACH * nodes), 0.001
    u, v = graph.upper
    theirs = nx.Graph(zip(u.tolist(), v.tolist()))
    theirs.add_nodes_from(range(nodes))
    _, loop = timed(lambda: _flip_pairs(theirs, nodes, mu))
    law = EdgeLaw(mu, mu)
    perturbed(graph, law, Run.seeded(0))
    _, ours = timed(lambda: perturbed(graph, law, Run.seeded(1)), repeat=20)
    table = Table(f"graph-perturbation: {nodes:,} nodes, mu = {mu:g}, both in this run")
    times = loop.cpu / ours.cpu
    table.add(who="NetworkX, a double loop", **loop.cells())
    table.add(
        who="sfumato", **ours.cells(), times=times, **target(f"{TIMES} times", (TIMES, times))
    )
    return table


def _flip_pairs(graph: Any, nodes: int, mu: float) -> Any:
    made, draw = graph.copy(), random.Random(1).random
    for u in range(nodes):
        for v in range(u + 1, nodes):
            if draw() < mu:
                if graph.has_edge(u, v):
                    made.remove_edge(u, v)
                else:
                    made.add_edge(u, v)
    return made
