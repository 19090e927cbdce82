"""The search by likelihood: planted nodes are placed one after the other, the best kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.evidence import Floats, Weights, as_words
from sfumato.attacks.graph_plant import Embedded, Flags
from sfumato.data.graph import Graph, Nodes
from sfumato.kernels.placing import extend, refine

Order = NDArray[np.int64]
SEEDS = 4  # positions placed with the wide beam


@dataclass(frozen=True)
class Search:
    """How wide it looks: placements kept, those kept at the first four positions, restarts."""

    beam: int
    first: int
    restarts: int
    mixed: bool


@dataclass(frozen=True, eq=False)
class Placed:
    """The best placement of a search, its score, and how many placements were extended."""

    nodes: Nodes
    score: float
    work: int


def place(graph: Graph, planted: Embedded, weight: Weights, search: Search) -> Placed:
    """Search from one position after another, until a score is as good as the right one's."""
    best = Placed(np.zeros(0, np.int32), -np.inf, 0)
    inside, work = as_words(planted.inside), 0
    for start in starts(weight.fit, graph.degrees)[: search.restarts]:
        order = order_of(planted.inside, weight, int(start), search.mixed)
        ends, looked = _grow(graph, planted.inside, weight, search, order)
        work += looked
        for end in ends:
            nodes, score = refine(
                graph.indptr, graph.targets, end, inside, weight.pairs, weight.fit
            )
            if score > best.score:
                best = Placed(nodes, score, work)
        if best.score >= weight.stop:
            break
    return Placed(best.nodes, best.score, work)


def _grow(
    graph: Graph, inside: Flags, weight: Weights, search: Search, order: Order
) -> tuple[list[Nodes], int]:
    """The best few full placements, positions back in their own order."""
    score = weight.fit[order[0]][graph.degrees]
    best = np.argsort(-score, kind="stable")[: search.first]
    beam, scores, work = best.astype(np.int32)[:, None], score[best], 0
    for level in range(1, len(order)):
        wanted = as_words(inside[order[level], order[:level]][None])[0]
        keep = search.first if level < SEEDS else search.beam
        work += len(beam)
        beam, scores = extend(
            graph.indptr,
            graph.targets,
            beam,
            scores,
            wanted,
            weight.pairs,
            weight.fit[order[level]],
            keep,
        )
        if not len(beam):
            return [], work
    full = np.empty_like(beam[:3])
    full[:, order] = beam[:3]
    return list(full), work


def starts(fit: Floats, degrees: NDArray[np.int64]) -> Order:
    """Positions, those first whose degree leaves the fewest other nodes in question."""
    rivals = np.exp(np.minimum(fit, 0.0))[:, degrees].sum(1)
    order: Order = np.argsort(rivals, kind="stable")
    return order


def order_of(inside: Flags, weight: Weights, start: int, mixed: bool) -> Order:
    """Positions in the order they are placed, each knowing at least one before it.

    Mixed: as close as can be to half of the earlier ones known, so that neither a clique nor an
    empty place of the graph looks like the beginning; otherwise those that know most come first.
    """
    order = [start]
    while len(order) < len(inside):
        left = np.setdiff1d(np.arange(len(inside)), order)
        known = inside[np.ix_(left, order)].sum(1)
        wish = np.abs(known - (len(order) + 1) / 2) if mixed else -known.astype(float)
        wish[known == 0] = np.inf
        order.append(int(left[np.argmin(wish)]))
    return np.array(order)
