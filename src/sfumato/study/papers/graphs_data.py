"""Data of the study of graphs: real graphs, parts of them, and one made up after DBLP."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.data.schema import Schema
from sfumato.io.graph_sources import SIMPLIFY, GraphFrom, load_graph
from sfumato.study.findings import Setting

ENRON_NODES, COAUTHORS, MADE_UP, FEW = 4_644, 20_000, 20_000, 400
ENRON, HEPPH, HEPTH = "graph_email_enron", "graph_ca_hepph", "graph_ca_hepth"
WIKI, TWITTER = "graph_wiki_vote", "graph_ego_twitter"

# Degrees d of the made-up graph: chances proportional to (d + SHIFT) ** -EXPONENT up to HIGHEST.
# Shift and exponent are fitted to com-DBLP of SNAP as KONECT counts it: mean degree 6.6221, 68.69
# two-paths a node, highest degree 343. Its Gini coefficient then is .55, theirs is .536.
SHIFT, EXPONENT, HIGHEST = 11.3628, 3.94, 343
# Co-authors on one paper: geometric with this mean, cut to one of these numbers and to the links
# that an author has left. The mean is fitted to the transitivity of com-DBLP, .306.
CO_AUTHORS, SIZES = 9.0, np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32])


def read(setting: Setting, name: str) -> Graph:
    """A whole real graph, made simple; a quick study takes little of it."""
    how = GraphFrom(simplify=tuple(SIMPLIFY))
    graph = load_graph(str(setting.file(f"{name}.parquet")), how, Schema.of()).graph
    return snowball(graph, FEW, setting.run) if setting.quick else graph


def enron_part(setting: Setting) -> Graph:
    """As many accounts of Enron as the thesis has, found by a snowball."""
    return snowball(read(setting, ENRON), ENRON_NODES, setting.run)


def coauthors(setting: Setting) -> Graph:
    """Two co-author graphs beside one another, cut to the first 20,000 authors."""
    one, two = read(setting, HEPPH), read(setting, HEPTH)
    ends = [np.concatenate([a, b + one.nodes]) for a, b in zip(one.upper, two.upper, strict=True)]
    nodes = min(one.nodes + two.nodes, COAUTHORS)
    kept = (ends[0] < nodes) & (ends[1] < nodes)
    return Graph.of(nodes, ends[0][kept], ends[1][kept])


def snowball(graph: Graph, nodes: int, run: Run) -> Graph:
    """The nodes nearest to one drawn by its links, and all edges among them.

    Where a snowball comes to an end, another one begins.
    """
    rng = run.rng("snowball")
    taken = np.zeros(graph.nodes, bool)
    found: list[int] = []
    place = 0
    while len(found) < min(nodes, graph.nodes):
        row = graph.row(found[place]) if place < len(found) else rng.choice(graph.targets, 1)
        new = row[~taken[row]]
        taken[new] = True
        found += new.tolist()
        place += place < len(found) - len(new)
    return induced(graph, np.array(found[:nodes]))


def induced(graph: Graph, nodes: NDArray[np.int64]) -> Graph:
    """Some nodes, in their old order, and all edges among them."""
    number = np.full(graph.nodes, -1, np.int32)
    number[np.sort(nodes)] = np.arange(len(nodes))
    u, v = (number[ends] for ends in graph.upper)
    kept = (u >= 0) & (v >= 0)
    return Graph.of(len(nodes), u[kept], v[kept])


def made_up(setting: Setting) -> Graph:
    """Authors with the degree law of DBLP, connected by papers that all their authors share."""
    nodes, rng = FEW if setting.quick else MADE_UP, setting.run.rng("made-up")
    degrees = drawn_degrees(nodes, rng)
    pairs = _papers(degrees, rng)
    u, v = np.divmod(np.unique(pairs), nodes)
    return Graph.of(nodes, u, v)


def drawn_degrees(nodes: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Degrees by the law of `SHIFT`, `EXPONENT` and `HIGHEST`."""
    each = np.arange(1, HIGHEST + 1)
    chance = (each + SHIFT) ** -EXPONENT
    return rng.choice(each, nodes, p=chance / chance.sum())


def _papers(degrees: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Pairs that write together, as numbers u * nodes + v, u < v.

    Every author takes seats on papers of drawn sizes until all links are used up; seats on papers
    of the same size are put together at random. Seats left over go to smaller papers.
    """
    nodes, found, over = len(degrees), [], np.zeros(0, np.int64)
    for size, seats in reversed(_seats(degrees, rng).items()):
        seats = rng.permutation(np.concatenate([seats, over]))
        full = len(seats) // size * size
        papers, over = np.sort(seats[:full].reshape(-1, size), axis=1), seats[full:]
        i, j = np.triu_indices(size, 1)
        u, v = papers[:, i].ravel(), papers[:, j].ravel()
        found.append((u * nodes + v)[u != v])
    return np.concatenate(found)


def _seats(degrees: NDArray[np.int64], rng: np.random.Generator) -> dict[int, NDArray[np.int64]]:
    """By size of paper, the authors who want a seat on one, as often as they do."""
    left = degrees.copy()
    seats: dict[int, list[NDArray[np.int64]]] = {int(size) + 1: [] for size in SIZES}
    while left.any():
        wanting = np.flatnonzero(left)
        most = np.minimum(rng.geometric(1 / CO_AUTHORS, len(wanting)), left[wanting])
        links = SIZES[np.searchsorted(SIZES, most, side="right") - 1]
        left[wanting] -= links
        for each in SIZES:
            seats[int(each) + 1].append(wanting[links == each])
    return {size: np.concatenate(parts) for size, parts in seats.items()}
