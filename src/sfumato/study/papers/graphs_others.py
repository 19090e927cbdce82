"""Other ways of publishing a graph, for comparison: k-degree anonymity, a fixed number of changes.

They publish no law, so that what is told of them is what is published, as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import result_table
from sfumato.core.errors import CannotBeMet
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.methods.graphs.flips import renumbered
from sfumato.query.graph_flips import keys_of
from sfumato.query.statistic import Published
from sfumato.releases.edge_law import EdgeLaw
from sfumato.study.findings import Curves, Finding, Setting
from sfumato.study.papers import graphs_data as data
from sfumato.study.papers import graphs_runs as runs
from sfumato.study.papers.graphs_compared import (
    ATTACKS,
    ERRORS,
    NOTES,
    Told,
    as_it_is,
    errors_of,
    estimates,
    successes,
)

KS, FEW_KS = (2, 5, 20), (2, 10)
SHARES, FEW_SHARES = (0.05, 0.1, 0.3), (0.05, 0.3)
ROUNDS = 200
UNLIKELY = 1e-6  # what attackers take for the chance of what never happens
Ints = NDArray[np.int64]
Change = Callable[[Graph, np.random.Generator], Graph]


def anonymous_degrees(degrees: Ints, k: int) -> Ints:
    """The least degrees, none below those given, such that every one is had by k nodes or more.

    Liu and Terzi's program: in falling order, groups of k to 2k - 1 nodes get the highest degree
    among them.

    >>> anonymous_degrees(np.array([5, 3, 3, 2, 1]), 2).tolist()
    [5, 5, 3, 3, 3]
    """
    order = np.argsort(-degrees, kind="stable")
    falling = degrees[order]
    total = np.concatenate([[0], np.cumsum(falling)])
    best, begin = np.full(len(falling) + 1, np.inf), np.zeros(len(falling) + 1, np.int64)
    best[0] = 0.0
    for end in range(k, len(falling) + 1):
        starts = np.arange(max(0, end - 2 * k + 1), end - k + 1)
        cost = best[starts] + falling[starts] * (end - starts) - (total[end] - total[starts])
        place = int(np.argmin(cost))
        best[end], begin[end] = cost[place], starts[place]
    raised, end = degrees.copy(), len(falling)
    while end > 0:
        start = begin[end]
        raised[order[start:end]] = falling[start]
        end = start
    return raised


def k_degree(graph: Graph, rng: np.random.Generator, k: int) -> Graph:
    """Edges added until every degree is had by k nodes or more.

    Nodes that need more edges are joined to one another; partners that are lacking are drawn from
    all others, and what that spoils is mended in the next round.
    """
    if graph.nodes < k:
        raise CannotBeMet(f"{graph.nodes} nodes, fewer than k, which is {k}", "lower k")
    known = [set(graph.row(node).tolist()) for node in range(graph.nodes)]
    for _ in range(ROUNDS):
        degrees = np.array([len(row) for row in known])
        wanted = anonymous_degrees(degrees, k) - degrees
        if not wanted.any():
            ends = [(u, v) for u, row in enumerate(known) for v in row if u < v]
            return Graph.of(graph.nodes, *np.array(ends, np.int32).reshape(-1, 2).T)
        _join(known, wanted, rng)
    raise CannotBeMet(f"degrees did not become {k}-anonymous in {ROUNDS} rounds", "lower k")


def _join(known: list[set[int]], wanted: Ints, rng: np.random.Generator) -> None:
    """Give every node as many new neighbours as it wants, those first that want some too."""
    while wanted.any():
        node = int(np.argmax(wanted))
        free = np.ones(len(known), bool)
        free[[node, *known[node]]] = False
        others = rng.permutation(np.flatnonzero(free))
        others = others[np.argsort(-wanted[others], kind="stable")][: wanted[node]]
        wanted[node] = 0
        for other in others.tolist():
            known[node].add(other)
            known[other].add(node)
            wanted[other] = max(wanted[other] - 1, 0)


def changed(graph: Graph, rng: np.random.Generator, count: int) -> Graph:
    """As many edges deleted as are added, each a fixed number, drawn at random."""
    nodes = graph.nodes
    keys = keys_of(graph)
    kept = rng.permutation(keys)[count:]
    new: Ints = np.zeros(0, np.int64)
    while len(new) < count:
        u, v = np.sort(rng.integers(0, nodes, (2 * count, 2)), axis=1).T
        more = np.setdiff1d((u * nodes + v)[u < v], keys)
        new = rng.permutation(np.union1d(new, more))[:count]
    return Graph.of(nodes, *np.divmod(np.concatenate([kept, new]), nodes))


def told_of(change: Change) -> Callable[[Graph, Run], Told]:
    """What the changed graph says, taken as it is."""
    return lambda graph, run: as_it_is(change(graph, run.rng("change")), run)


def publishing(change: Change) -> runs.Publish:
    """The changed graph, renumbered. Attackers are told how many edges went and came."""

    def publish(graph: Graph, run: Run) -> tuple[Published, NDArray[np.int32]]:
        shown = change(graph, run.rng("change"))
        both = np.intersect1d(keys_of(graph), keys_of(shown))
        lost = 1 - len(both) / graph.edges
        came = (shown.edges - len(both)) / (graph.pairs - graph.edges)
        law = EdgeLaw(max(lost, UNLIKELY), max(came, UNLIKELY))
        renamed, number = renumbered(shown, run)
        return Published(renamed, law), number

    return publish


def findings(setting: Setting) -> Iterator[Finding]:
    """Both, and edge perturbation where it changes as many edges, on the part of Enron."""
    graph = data.enron_part(setting)
    true = as_it_is(graph, setting.run)
    ks = FEW_KS if setting.quick else KS
    lines = [_line(setting, graph, true, ("k", k), partial(k_degree, k=k)) for k in ks]
    title = "Enron: k-degree anonymity"
    table = result_table(title, lines, NOTES)
    drawn = Curves("k", ATTACKS, "k", "share of runs that succeed", log_x=True)
    yield Finding("k-degree", title, "", table, drawn)
    title = "Enron: k-degree anonymity, what is told of the graph"
    some = result_table(title, [{x: line[x] for x in ("k", *ERRORS)} for line in lines])
    drawn = Curves("k", ERRORS, "k", "error", log=True, log_x=True)
    yield Finding("k-degree-errors", title, "", some, drawn)
    yield _fixed(setting, graph, true)


def _line(
    setting: Setting, graph: Graph, true: Told, x: tuple[str, float], change: Change
) -> dict[str, float | None]:
    """Errors of the changed graph as it is, and the success of attacks."""
    shown = change(graph, setting.run.rng("edges"))
    line: dict[str, float | None] = {x[0]: x[1], "published edges": shown.edges / graph.edges}
    errors = errors_of(graph, told_of(change), true, setting)
    return line | errors | successes(graph, publishing(change), setting)


def _fixed(setting: Setting, graph: Graph, true: Told) -> Finding:
    """A fixed number of edges deleted and added, beside the law that keeps the density."""
    lines, compared = [], ("transitivity", "degrees", "path length")
    for share in FEW_SHARES if setting.quick else SHARES:
        change = partial(changed, count=round(share * graph.edges))
        line = _line(setting, graph, true, ("share", share), change)
        ours = errors_of(graph, estimates(runs.keeping(graph, share)), true, setting)
        lines.append(line | {f"{name}, perturbed": ours[name] for name in compared})
    title = "Enron: a fixed number of edges deleted and added"
    notes = [
        *NOTES,
        "perturbed: errors of estimates where each edge is deleted with this probability and "
        "density is kept; the others are of the graph as published",
    ]
    table = result_table(title, lines, notes)
    curves = [name + end for name in compared for end in ("", ", perturbed")]
    drawn = Curves(
        "share", curves, "share of edges deleted, and added", "error", log=True, log_x=True
    )
    return Finding("fixed", title, "", table, drawn)
