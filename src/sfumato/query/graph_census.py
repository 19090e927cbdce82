"""How often a graph contains each shape of up to four nodes."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.kernels.graph_triangles import Triangles, cliques_of_four, triangles
from sfumato.kernels.graph_two_paths import four_cycles, two_paths_from

Floats = NDArray[np.float64]
EXACT = 500_000_000  # two-paths; with more of them, cycles are counted in a sample
SAMPLED = 100_000_000  # two-paths walked then


@dataclass(frozen=True)
class Census:
    """Contained counts, in the order of `graph_shapes.NAMES`.

    `cycle_error` is the standard error of the cycles of four nodes, 0 where all were counted.
    """

    nodes: int
    edges: int
    two_paths: int
    triangles: int
    stars: int = 0
    paths: int = 0
    paws: int = 0
    cycles: float = 0.0
    diamonds: int = 0
    cliques: int = 0
    cycle_error: float = 0.0

    @property
    def of_three(self) -> list[int]:
        """By sets of three nodes."""
        n = self.nodes
        return [comb(n, 3), self.edges * max(n - 2, 0), self.two_paths, self.triangles]

    @property
    def of_four(self) -> list[float]:
        """By sets of four nodes."""
        n, rest = self.nodes, max(self.nodes - 3, 0)
        apart = comb(self.edges, 2) - self.two_paths
        few = [comb(n, 4), self.edges * comb(max(n - 2, 0), 2), self.two_paths * rest, apart]
        threes = [self.triangles * rest, self.stars, self.paths]
        return [*few, *threes, self.paws, self.cycles, self.diamonds, self.cliques]


# Several statistics ask for the same counts; they are kept for as long as the graph is.
_KEPT: WeakKeyDictionary[Graph, dict[tuple[bytes, bool], Census]] = WeakKeyDictionary()


def census(graph: Graph, run: Run, cliques: bool = False) -> Census:
    """Everything but cliques of four nodes, which take longer, and are counted when asked for."""
    kept = _KEPT.setdefault(graph, {})
    asked = run.key, cliques
    if asked not in kept:
        kept[asked] = _counted(graph, run, cliques)
    return kept[asked]


def _counted(graph: Graph, run: Run, cliques: bool) -> Census:
    found = triangles(graph.indptr, graph.targets, run.workers)
    cycles, error = _cycles(graph, run)
    simple = _by_degrees(graph)
    on_edge = found.on_edge.astype(np.int64)
    return Census(
        nodes=graph.nodes,
        edges=graph.edges,
        two_paths=simple[0],
        triangles=found.total,
        stars=simple[1],
        paths=simple[2] - 3 * found.total,
        paws=int(found.at_node @ (graph.degrees - 2)),
        cycles=cycles,
        diamonds=int((on_edge * (on_edge - 1) // 2).sum()),
        cliques=_cliques(found) if cliques else 0,
        cycle_error=error,
    )


def _by_degrees(graph: Graph) -> tuple[int, int, int]:
    """(two-paths, stars of three, pairs of edges at both ends of an edge)."""
    d = graph.degrees
    beside = two_paths_from(graph.indptr, graph.targets)
    middle = int((d - 1) @ (beside - d)) // 2
    return int((d * (d - 1) // 2).sum()), int((d * (d - 1) * (d - 2) // 6).sum()), middle


def _cliques(found: Triangles) -> int:
    return int(cliques_of_four(found.start, found.ahead))


def _cycles(graph: Graph, run: Run) -> tuple[float, float]:
    """(cycles of four nodes, standard error).

    Where there are too many two-paths, nodes are drawn with chances in proportion to those that
    start there (Poisson sampling, Horvitz and Thompson's estimate).
    """
    steps = two_paths_from(graph.indptr, graph.targets) / 2
    chance, drawn = np.ones(graph.nodes), np.zeros(graph.nodes)
    if steps.sum() > EXACT:
        chance = np.minimum(1.0, np.maximum(steps, 1.0) * (SAMPLED / (steps**2).sum()))
        drawn = run.rng("two-paths").random(graph.nodes)
    value, variance = four_cycles(graph.indptr, graph.targets, chance, drawn, run.workers)
    return float(value), float(np.sqrt(variance))
