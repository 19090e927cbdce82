"""Attacks on perturbed graphs: how often they succeed, and what a run takes."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from bench.data import DATA, Absent
from bench.graphs import power_law
from bench.tables import Row, Table, target
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.methods.graphs.edge_perturbation import EdgePerturbation
from sfumato.pipeline.attack import publisher
from sfumato.pipeline.attack_plan import make_attack
from sfumato.study.trial import Trial, trial

RUNS = 12
WALK: Row = {"name": "walk-based"}
INTERVAL: Row = {"name": "interval-walk", "width": 5, "widest": 5, "most_errors": 0}
BEAM: Row = {"name": "likelihood-beam"}
# Where each attack goes from mostly succeeding to mostly failing, on either graph.
SETTINGS: dict[str, list[tuple[Row, list[Row]]]] = {
    "E": [
        (WALK, [{"mu": 1e-6}, {"mu": 1e-5}, {"mu": 1e-4}]),
        (INTERVAL, [{"mu": 1e-4}, {"mu": 1e-3}, {"mu": 2e-3}, {"mu": 5e-3}, {"delete": 0.05}]),
        (BEAM, [{"mu": 5e-3}, {"mu": 1e-2}, {"mu": 2e-2}, {"delete": 0.2}, {"delete": 0.3}]),
    ],
    "D": [
        (WALK, [{"mu": 1e-6}, {"mu": 1e-5}]),
        (INTERVAL, [{"mu": 1e-4}, {"mu": 4e-4}, {"mu": 1e-3}, {"delete": 0.05}]),
        (BEAM, [{"mu": 1e-3}, {"mu": 2e-3}, {"mu": 5e-3}, {"delete": 0.1}, {"delete": 0.2}]),
    ],
}
INTERVAL_MOST, BEAM_MOST, TRIAL_MOST = 1.0, 3.0, 600.0


def run(quick: bool) -> list[Table]:
    """Success by setting, then times at the setting that the targets name."""
    if quick:
        graphs = {"made up": power_law(1_500, 6_000)}
        short = [(WALK, [{"mu": 1e-5}]), (INTERVAL, [{"mu": 1e-4}]), (BEAM, [{"mu": 1e-3}])]
        return [success("made up", graphs["made up"], short, 2), times(graphs["made up"], 2)]
    tables = [success(name, graph(name), SETTINGS[name], RUNS) for name in ("E", "D")]
    return [*tables, times(graph("D"), 200)]


@cache
def graph(name: str) -> Graph:
    """E: 4,644 nodes of Enron around its hub; D: 20,000 co-authors of HepPh and HepTh."""
    if name == "E":
        whole = _read("graph_email_enron.parquet")
        return _among(whole, _snowball(whole, int(np.argmax(whole.degrees)), 4_644))
    one, two = _read("graph_ca_hepph.parquet"), _read("graph_ca_hepth.parquet")
    u, v = (np.concatenate([a, b + one.nodes]) for a, b in zip(one.upper, two.upper, strict=True))
    whole = Graph.of(one.nodes + two.nodes, u, v)
    kept = np.random.default_rng(0).permutation(whole.nodes)[:20_000]
    return _among(whole, np.sort(kept))


def _read(name: str) -> Graph:
    if not (DATA / name).is_file():
        raise Absent(f"no {name}: set SFUMATO_DATA to the folder that holds it")
    table = pq.read_table(DATA / name)
    ends = np.concatenate([table.column(side).to_numpy() for side in ("source", "target")])
    ids, numbers = np.unique(ends, return_inverse=True)
    return Graph.of(len(ids), *numbers.reshape(2, -1))


def _snowball(whole: Graph, start: int, size: int) -> np.ndarray:
    """The first nodes reached from one, breadth first."""
    order, seen, place = [start], {start}, 0
    while len(order) < size:
        new = [node for node in whole.row(order[place]).tolist() if node not in seen]
        order += new
        seen.update(new)
        place += 1
    return np.array(order[:size])


def _among(whole: Graph, kept: np.ndarray) -> Graph:
    number = np.full(whole.nodes, -1)
    number[kept] = np.arange(len(kept))
    u, v = (number[end] for end in whole.upper)
    both = (u >= 0) & (v >= 0)
    return Graph.of(len(kept), u[both], v[both])


def success(name: str, people: Graph, parts: list[tuple[Row, list[Row]]], runs: int) -> Table:
    """A row for every attack and setting."""
    table = Table(
        f"graph-attacks: {name}, {people.nodes:,} nodes, {people.edges:,} edges, 20 planted"
    )
    for attack, settings in parts:
        table.rows += [cells(tried(people, attack, setting, runs), setting) for setting in settings]
    table.notes.append("low, high: 95 % interval; seconds: CPU of one attempt, mean")
    return table


def tried(people: Graph, attack: Row, setting: Row, runs: int, **other: Any) -> Trial:
    """One trial; a deletion probability keeps the density."""
    stated = setting | ({"add": "keep-density"} if "delete" in setting else {})
    method = EdgePerturbation(**stated)
    return trial(make_attack(attack | other), publisher(method), people, runs, Run.seeded(5))


def cells(found: Trial, setting: Row) -> Row:
    """A line of a table."""
    row = found.as_row()
    row.pop("concludes")
    told = " ".join(f"{key} {value:g}" for key, value in setting.items())
    return {"attack": row.pop("attack"), "setting": told} | row


def times(people: Graph, runs: int) -> Table:
    """One attempt, the slowest of some, and a whole trial with its interval."""
    table = Table(f"graph-attacks: {people.nodes:,} nodes, mu = 0.001")
    for attack, planted, most in ((INTERVAL, 20, INTERVAL_MOST), (INTERVAL, 40, INTERVAL_MOST)):
        found = tried(people, attack, {"mu": 1e-3}, min(runs, 12), planted=planted)
        slowest = max(one.seconds for one in found.main)
        table.rows.append(_timed(found, planted, slowest) | target(f"{most:g} s", (slowest, most)))
    begin = time.perf_counter()
    found = tried(people, BEAM, {"mu": 1e-3}, runs)
    whole = time.perf_counter() - begin
    slowest = max(one.seconds for one in found.main)
    pairs = (slowest, BEAM_MOST), (whole, TRIAL_MOST)
    row = _timed(found, 20, slowest) | {"trial wall s": whole}
    table.rows.append(row | target(f"{BEAM_MOST:g} s, trial {TRIAL_MOST:g} s", *pairs))
    table.notes.append("CPU seconds of one attempt; a trial has as many attempts as controls")
    return table


def _timed(found: Trial, planted: int, slowest: float) -> Row:
    row = found.as_row()
    return {
        "attack": row["attack"],
        "planted": planted,
        "attempts": row["attempts"],
        "success": row["success"],
        "low": row["low"],
        "high": row["high"],
        "false claims": row["false claims"],
        "cpu s": row["seconds"],
        "slowest": slowest,
    }
