"""Structure of real graphs, estimated from published ones: errors and time."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow.parquet as pq

from bench.data import DATA, Absent
from bench.measure import timed
from bench.tables import Table, target
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.io.sample_graph import friends, friends_graph
from sfumato.query.graph_flips import flipped
from sfumato.query.graph_found import found_groups, groups_of
from sfumato.query.graph_modularity import judged, modularity
from sfumato.query.graph_pairs import published_pairs
from sfumato.query.graph_paths import estimated_paths, path_figures
from sfumato.query.statistic import Published
from sfumato.releases.edge_law import EdgeLaw

GRAPHS = {
    "wiki-Vote": "graph_wiki_vote",
    "HepTh": "graph_ca_hepth",
    "Enron": "graph_email_enron",
    "AstroPh": "graph_ca_astroph",
}
WITHIN, NEAR = 0.02, 0.06
NONE = EdgeLaw(0.0, 0.0)


def run(quick: bool) -> list[Table]:
    """Groups that are found, path lengths, and the sample."""
    names = list(GRAPHS)[: 1 if quick else None]
    graphs = {name: real(name) for name in names}
    return [_groups(graphs, 1 if quick else 3), _paths(graphs, 1 if quick else 2), _sample(quick)]


def real(name: str) -> Graph:
    """A real graph as a simple one."""
    path = DATA / f"{GRAPHS[name]}.parquet"
    if not path.is_file():
        raise Absent(f"no {path.name}: set SFUMATO_DATA to the folder that holds it")
    table = pq.read_table(path)
    ends = np.stack([np.asarray(table.column(name), np.int64) for name in ("source", "target")])
    names, number = np.unique(ends, return_inverse=True)
    one, two = np.sort(number.reshape(2, -1), axis=0)
    keys = np.unique((one * len(names) + two)[one != two])
    return Graph.of(len(names), keys // len(names), keys % len(names))


def kept_density(graph: Graph, delete: float) -> EdgeLaw:
    """The law that leaves as many edges as there were."""
    return EdgeLaw(delete, delete * graph.edges / (graph.pairs - graph.edges))


def _groups(graphs: dict[str, Graph], runs: int) -> Table:
    table = Table(f"graph-structure: modularity of groups that are found, {runs} perturbations")
    for name, graph in graphs.items():
        best = modularity(graph, groups_of(graph, NONE, Run.seeded(1)))
        for mu in (1e-4, 1e-3):
            table.rows.append(_group_row(name, graph, EdgeLaw(mu, mu), runs) | {"best": best})
        law = kept_density(graph, 0.2)
        row = _group_row(name, graph, law, runs, "a = 0.2, density kept")
        table.rows.append(row | {"best": best})
    table.notes.append("uncorrected: groups found and judged on the same published graph")
    return table


def _group_row(name: str, graph: Graph, law: EdgeLaw, runs: int, title: str = "") -> dict:
    found, plain = [], []
    for seed in range(runs):
        noisy = flipped(graph, law, Run.seeded(100 + seed))
        result, timing = timed(partial(found_groups, Published(noisy, law), Run.seeded(seed)))
        truth = modularity(graph, result.groups)
        found.append((truth, abs(result.judged.value - truth), result.judged.error, timing.cpu))
        groups = groups_of(noisy, law, Run.seeded(seed))
        claimed = judged(published_pairs(noisy, law), groups).value
        plain.append(abs(claimed - modularity(graph, groups)))
    quality, off, error, cpu = np.array(found).T
    row = {"graph": name, "law": title or f"mu = {law.add:g}", "true": quality.mean()}
    row |= {"largest error": off.max(), "stated error": error.mean()}
    row |= {"uncorrected error": max(plain), "cpu s": cpu.mean()}
    return row | target(f"{WITHIN}", (float(off.max()), WITHIN))


def _paths(graphs: dict[str, Graph], runs: int) -> Table:
    table = Table(f"graph-structure: path lengths, largest relative error of {runs} perturbations")
    for name, graph in graphs.items():
        true = path_figures(graph, Run.seeded(1))
        for noise in (0.02, 0.1, 0.4):
            mu = noise * graph.edges / graph.pairs
            table.rows.append(_path_row(name, graph, EdgeLaw(mu, mu), true, runs))
        table.rows.append(_path_row(name, graph, kept_density(graph, 0.2), true, runs))
    return table


def _path_row(name: str, graph: Graph, law: EdgeLaw, true: np.ndarray, runs: int) -> dict:
    offs, raws, cpus = [], [], []
    for seed in range(runs):
        noisy = flipped(graph, law, Run.seeded(200 + seed))
        found, timing = timed(partial(estimated_paths, Published(noisy, law), Run.seeded(seed)))
        offs.append(abs(found / true - 1))
        raws.append(abs(path_figures(noisy, Run.seeded(1)) / true - 1))
        cpus.append(timing.cpu)
    off, raw = np.max(offs, axis=0), np.max(raws, axis=0)
    noise = law.add * (graph.pairs - graph.edges) / graph.edges
    row = {"graph": name, "added": noise, "deleted": law.delete, "true length": true[0]}
    row |= {"length": off[0], "diameter": off[1], "reachable": off[2]}
    row |= {"length, raw": raw[0], "diameter, raw": raw[1], "cpu s": float(np.mean(cpus))}
    return row | target(f"{NEAR}", (float(max(off[:2])), NEAR))


def _sample(quick: bool) -> Table:
    table = Table("graph-structure: the sample friends, and groups found in it")
    for rows in (2_000,) if quick else (20_000, 200_000, 1_000_000):
        _, drawn = timed(partial(friends, rows, Run.seeded(1)))
        graph, community = friends_graph(rows, Run.seeded(1))
        groups, sought = timed(partial(groups_of, graph, NONE, Run.seeded(1)))
        table.add(
            people=rows,
            edges=graph.edges,
            draw_cpu_s=drawn.cpu,
            louvain_cpu_s=sought.cpu,
            of_communities=modularity(graph, community),
            of_groups=modularity(graph, groups),
        )
    return table
