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
ENDS = 3  # full placements that are improved
AGAIN = 300  # placements kept when some nodes are placed again
HOPEFUL = 0.25  # of the right score: below it hardly a node can be right
CORES = (0.7, 0.5, 0.35)  # shares of nodes that then stay


@dataclass(frozen=True)
class Search:
    """How wide it looks: placements kept, those kept at the first four positions, starts."""

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
    work = 0
    for start in starts(weight.fit, graph.degrees)[: search.restarts]:
        order = order_of(planted.inside, int(start), search.mixed)
        ends, looked = _grow(graph, planted.inside, weight, search, order)
        work += looked
        for nodes, score in _improved(graph, planted.inside, weight, ends):
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
        keep = search.first if level < SEEDS else search.beam
        work += len(beam)
        beam, scores = _longer(
            graph, inside, weight, (beam, scores), (order[:level], order[level]), keep
        )
    return _full(beam, order), work


def _longer(
    graph: Graph,
    inside: Flags,
    weight: Weights,
    beam: tuple[Nodes, Floats],
    step: tuple[Order, int],
    keep: int,
) -> tuple[Nodes, Floats]:
    """One position more; `step` has the positions placed so far, and the next."""
    before, position = step
    wanted = as_words(inside[position, before][None])[0]
    fit = weight.fit[position]
    return extend(graph.indptr, graph.targets, *beam, wanted, weight.pairs, fit, keep)


def _full(beam: Nodes, order: Order) -> list[Nodes]:
    """The best few placements, positions back in their own order; none where some are missing."""
    if not len(beam):
        return []
    full = np.empty_like(beam[:ENDS])
    full[:, order] = beam[:ENDS]
    return list(full)


def _improved(
    graph: Graph, inside: Flags, weight: Weights, ends: list[Nodes]
) -> list[tuple[Nodes, float]]:
    """Move single nodes; then, where it may help, place those again that fit least.

    The second step is for nodes that stand in one another's places: no single move mends that. It
    is left out for a score so low that hardly a node can be right.
    """
    words, found = as_words(inside), {}
    for end in ends:
        nodes, score = refine(graph.indptr, graph.targets, end, words, weight.pairs, weight.fit)
        found[nodes.tobytes()] = nodes, score
    return [
        (nodes, score)
        if score < HOPEFUL * weight.stop
        else _replaced(graph, inside, weight, nodes, score)
        for nodes, score in found.values()
    ]


def _replaced(
    graph: Graph, inside: Flags, weight: Weights, best: Nodes, score: float
) -> tuple[Nodes, float]:
    """Keep the nodes worth most and place the others again, until that no longer helps."""
    words, before = as_words(inside), -np.inf
    while before < score < weight.stop:
        before = score
        for kept in CORES:
            for full in _again(graph, inside, weight, best, int(len(best) * kept)):
                nodes, found = refine(
                    graph.indptr, graph.targets, full, words, weight.pairs, weight.fit
                )
                if found > score:
                    best, score = nodes, found
    return best, score


def _again(graph: Graph, inside: Flags, weight: Weights, placed: Nodes, kept: int) -> list[Nodes]:
    """Full placements that keep the nodes worth most; those known most are placed first."""
    there = np.array([np.isin(placed, graph.row(int(node))) for node in placed])
    worth = weight.pairs[inside.astype(int), there.astype(int)]
    np.fill_diagonal(worth, 0.0)
    value = worth.sum(1) + weight.fit[np.arange(len(placed)), graph.degrees[placed]]
    order = np.argsort(-value, kind="stable")[:kept]
    beam, scores = placed[order][None], np.zeros(1)
    while len(order) < len(placed) and len(beam):
        left = np.setdiff1d(np.arange(len(placed)), order)
        position = int(left[np.argmax(inside[left][:, order].sum(1))])
        beam, scores = _longer(graph, inside, weight, (beam, scores), (order, position), AGAIN)
        order = np.append(order, position)
    return _full(beam, order)


def starts(fit: Floats, degrees: NDArray[np.int64]) -> Order:
    """Positions, those first whose degree leaves the fewest other nodes in question."""
    rivals = np.exp(np.minimum(fit, 0.0))[:, degrees].sum(1)
    order: Order = np.argsort(rivals, kind="stable")
    return order


def order_of(inside: Flags, start: int, mixed: bool) -> Order:
    """Positions in the order they are placed, each knowing at least one before it.

    Mixed: as close as can be to half of the earlier ones known, so that neither a clique nor an
    empty place of the graph looks like the beginning; otherwise those that know most come first.
    """
    order = [start]
    while len(order) < len(inside):
        left = np.setdiff1d(np.arange(len(inside)), order)
        known = inside[left][:, order].sum(1)
        wish = np.abs(known - (len(order) + 1) / 2) if mixed else -known.astype(float)
        wish[known == 0] = np.inf
        order.append(int(left[np.argmin(wish)]))
    return np.array(order)
