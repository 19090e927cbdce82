"""Random edge perturbation of a whole graph, part by part, by several threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.data.graph import Graph, symmetric
from sfumato.kernels.edge_flips import (
    Flipped,
    flip_rows,
    rows_of_numbered,
    shuffled,
    upper_rows,
)
from sfumato.releases.edge_law import EdgeLaw

MOST_PARTS, PART = 64, 1 << 16  # by the work alone: the same flips for any number of threads
Rows = tuple[NDArray[np.int64], NDArray[np.int32]]


class Perturbed(NamedTuple):
    """A perturbed graph, and how many edges went and came."""

    graph: Graph
    deleted: int
    added: int


def renumbered(graph: Graph, run: Run) -> tuple[Graph, NDArray[np.int32]]:
    """The graph with its nodes in a random order, and the number that each node got."""
    number = shuffled(run.words(graph.nodes, "numbers"))
    return Graph(*rows_of_numbered(graph.indptr, graph.targets, number)), number


def perturbed(graph: Graph, law: EdgeLaw, run: Run) -> Perturbed:
    """The graph with every pair drawn anew: lost with probability a, gained with b."""
    start, other = upper_rows(graph.indptr, graph.targets)
    borders = _borders(start, law)

    def part(ends: tuple[int, int]) -> Flipped:
        return _flipped((start, other), ends, law, run)

    with ThreadPoolExecutor(run.workers) as pool:
        parts = list(pool.map(part, pairwise(borders)))
    offsets = np.cumsum([0, *(len(one.other) for one in parts)])
    ends = [one.ends + offset for one, offset in zip(parts, offsets[:-1], strict=True)]
    rows = np.concatenate([np.zeros(1, np.int64), *ends])
    joined = symmetric(rows, np.concatenate([one.other for one in parts]), run.workers)
    return Perturbed(joined, sum(p.deleted for p in parts), sum(p.added for p in parts))


def _borders(start: NDArray[np.int64], law: EdgeLaw) -> list[int]:
    """First rows of the parts: about equal in edges and expected additions."""
    nodes = len(start) - 1
    pairs = np.cumsum(np.arange(nodes - 1, -1, -1, dtype=np.int64))
    work = start[1:] + pairs * (2 * law.add) + 1e-9 * np.arange(nodes)
    parts = int(np.clip(work[-1] / PART, 1, MOST_PARTS))
    inner = np.searchsorted(work, np.linspace(0, work[-1], parts + 1)[1:-1])
    return sorted({0, *inner.tolist(), nodes})


def _flipped(rows: Rows, ends: tuple[int, int], law: EdgeLaw, run: Run) -> Flipped:
    """One part; in the rare case that its words run out, once more with more of the same stream."""
    (first, last), (start, other) = ends, rows
    nodes = len(start) - 1
    edges = int(start[last] - start[first])
    pairs = (last - first) * (2 * nodes - 1 - first - last) // 2
    spread = 8.0
    while True:
        drops = run.words(_enough(edges * law.delete, spread), "deletions", first)
        joins = run.words(_enough(pairs * law.add, spread), "additions", first)
        made = flip_rows(start, other, first, last, (law.delete, law.add), (drops, joins))
        if not made.short:
            return made
        spread *= 2


def _enough(mean: float, spread: float) -> int:
    """Words that do for a number of flips with this mean, but for one case in 1e15."""
    return ceil(mean + spread * sqrt(mean)) + 8 * ceil(spread)
