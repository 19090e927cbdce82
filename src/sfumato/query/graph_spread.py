"""How far the estimated counts of shapes of four nodes may be off: a bound that the data gives.

For a sum of products f of independent pairs, Efron and Stein's inequality says

    Var f(x) <= sum over pairs ij of v_ij * E (d_ij f(x))^2,

v_ij being the pair's variance. Neither the derivative nor what it is made of contains x_ij, so

    sum over pairs of v(x_ij) * (d_ij f(x))^2

estimates the right side without bias from the published graph alone. The bound is nearly reached
where the first order dominates, and at most as many times the variance as f has factors. The sum
is over all pairs of nodes, connected or not: it is taken over a sample in which pairs that weigh
much are likely.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.kernels.graph_around import around
from sfumato.query.graph_shapes import DRAWN, copies_of, shapes
from sfumato.releases.edge_law import EdgeLaw

Floats = NDArray[np.float64]
Nodes = NDArray[np.int32]
DRAWS = 1_000  # of every kind of draw


@dataclass(frozen=True, eq=False)
class Products:
    """Pairs drawn with chances (p_i q_j + p_j q_i) for i and j, p and q adding up to 1."""

    first: Floats
    second: Floats

    def draw(self, graph: Graph, rng: np.random.Generator, count: int) -> tuple[Nodes, Nodes]:
        """Pairs; some may be of a node with itself."""
        ends = [rng.choice(graph.nodes, count, p=p) for p in (self.first, self.second)]
        return ends[0].astype(np.int32), ends[1].astype(np.int32)

    def chance(self, graph: Graph, one: Nodes, two: Nodes) -> Floats:
        """Of the pair, in either order."""
        p, q = self.first, self.second
        return np.asarray(p[one] * q[two] + p[two] * q[one])


@dataclass(frozen=True, eq=False)
class Edges:
    """Published edges, each equally likely."""

    def draw(self, graph: Graph, rng: np.random.Generator, count: int) -> tuple[Nodes, Nodes]:
        """Edges."""
        u, v = graph.upper
        place = rng.integers(0, len(u), count)
        return u[place], v[place]

    def chance(self, graph: Graph, one: Nodes, two: Nodes) -> Floats:
        """Nothing for a pair that is not connected."""
        return connected(graph, one, two) / graph.edges


def connected(graph: Graph, one: Nodes, two: Nodes) -> NDArray[np.bool_]:
    """Which pairs are published edges; the rows of a graph ascend."""
    keys = np.repeat(np.arange(graph.nodes), graph.degrees) * graph.nodes + graph.targets
    wanted = one.astype(np.int64) * graph.nodes + two
    at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    return np.asarray(keys[at] == wanted) if len(keys) else np.zeros(len(one), bool)


@dataclass(frozen=True, eq=False)
class Slopes:
    """Slopes of counts by pairs, (pairs, counts), scaled so that squares add up to the bound of a
    variance; `drawn` if the pairs are a sample."""

    scaled: Floats
    drawn: bool

    def of(self, matrix: Floats) -> Slopes:
        """Of weighted sums of the counts."""
        return Slopes(self.scaled @ matrix.T, self.drawn)

    def errors(self) -> Floats:
        """Standard errors; what a sample of pairs leaves open is added, twice its own error."""
        squares = self.scaled**2
        total = squares.sum(axis=0)
        if self.drawn:
            total = total + 2 * np.sqrt(len(squares)) * squares.std(axis=0)
        return np.asarray(np.sqrt(total))


def sampled_slopes(graph: Graph, law: EdgeLaw, run: Run) -> Slopes:
    """Slopes of the contained counts of four nodes."""
    kinds = list(_kinds(graph))
    drawn = graph.pairs > len(kinds) * DRAWS
    one, two, weight = _sample(graph, kinds, run) if drawn else _all_pairs(graph)
    edge = connected(graph, one, two)
    noise = law.gap_noise + (law.edge_noise - law.gap_noise) * _corrected(edge, law)
    scale = np.sqrt(np.maximum(noise, 0.0) * weight)
    return Slopes(slopes(graph, law, one, two) * scale[:, None], drawn)


def slopes(graph: Graph, law: EdgeLaw, one: Nodes, two: Nodes) -> Floats:
    """Derivatives of the corrected contained counts by pairs, (pairs, shapes)."""
    many, between = around(graph.indptr, graph.targets, one, two)
    apart, joined = _tables(law)
    pairs = np.triu(np.einsum("pr,ps->prs", many, many).astype(float), 1)
    for kind in range(4):
        pairs[:, kind, kind] = many[:, kind] * (many[:, kind] - 1.0) / 2
    without = np.einsum("prs,frs->pf", pairs - between, apart)
    return np.asarray(without + np.einsum("prs,frs->pf", between.astype(float), joined))


def _corrected(edge: NDArray[np.bool_], law: EdgeLaw) -> Floats:
    return np.where(edge, law.corrected(1.0), law.corrected(0.0))


def _all_pairs(graph: Graph) -> tuple[Nodes, Nodes, Floats]:
    ends = np.triu_indices(graph.nodes, 1)
    return ends[0].astype(np.int32), ends[1].astype(np.int32), np.ones(graph.pairs)


def _sample(
    graph: Graph, kinds: Sequence[Products | Edges], run: Run
) -> tuple[Nodes, Nodes, Floats]:
    """(one, two, one over the expected number of draws)."""
    rng = run.rng("pairs")
    drawn = [kind.draw(graph, rng, DRAWS) for kind in kinds]
    one, two = (np.concatenate(ends) for ends in zip(*drawn, strict=True))
    one, two = one[one != two], two[one != two]
    chance = sum(kind.chance(graph, one, two) for kind in kinds)
    return one, two, 1.0 / (DRAWS * np.asarray(chance))


def _kinds(graph: Graph) -> Iterator[Products | Edges]:
    """Slopes of stars grow like the squared degree of one end, those of paths like both degrees."""
    powers = [(graph.degrees + 1.0) ** k for k in (0, 1, 2, 4)]
    flat, straight, square, fourth = (power / power.sum() for power in powers)
    yield Products(straight, straight)
    yield Products(square, square)
    yield Products(fourth, flat)
    if graph.edges:
        yield Edges()


def _tables(law: EdgeLaw) -> tuple[Floats, Floats]:
    """What nodes k and l of kinds r and s add to a slope, without and with an edge between them."""
    found = np.zeros((2, len(shapes(4).names), 4, 4))
    for place, drawn in enumerate(DRAWN[4]):
        for copy in copies_of(drawn, 4):
            if (0, 1) in copy:
                for r, s, bit in np.ndindex(4, 4, 2):
                    found[bit, place, r, s] += _product(copy - {(0, 1)}, (r, s, bit), law)
    return found[0], found[1]


def _product(pairs: frozenset[tuple[int, int]], kinds: tuple[int, int, int], law: EdgeLaw) -> float:
    """Corrected pairs multiplied; nodes 0 and 1 are the pair, 2 and 3 are of kinds r and s."""
    r, s, bit = kinds
    there = {(0, 2): r & 1, (1, 2): r >> 1, (0, 3): s & 1, (1, 3): s >> 1, (2, 3): bit}
    return float(np.prod([law.corrected(there[pair]) for pair in pairs]))
