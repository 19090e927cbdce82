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
Beam = tuple[Nodes, Floats]
SEEDS = 4  # positions placed with the wide beam
ENDS = 3  # full placements that are improved
AGAIN = 300  # placements kept when some nodes are placed again
HOPEFUL = 0.25  # of the right score: below it hardly a node can be right
REACH = 5.0  # standard deviations below the right score at which a start is given up halfway
MENDED = 30  # partial placements that are improved before
CORES = (0.7, 0.5, 0.35)  # shares of nodes that then stay


@dataclass(frozen=True)
class Search:
    """How wide it looks: placements kept, those kept at the first four positions, starts.

    It ends with a score of `stop`, or where two starts lead to the same placement that scores
    `agreed`.
    """

    beam: int
    first: int
    restarts: int
    mixed: bool
    stop: float
    agreed: float


@dataclass(frozen=True, eq=False)
class Placed:
    """The best placement of a search, its score, and how many placements were extended.

    `agreed`: two starts led to it.
    """

    nodes: Nodes
    score: float
    work: int
    agreed: bool = False


def place(graph: Graph, planted: Embedded, weight: Weights, search: Search) -> Placed:
    """Search from one position after another, until a score is as good as the right one's."""
    best = Placed(np.zeros(0, np.int32), -np.inf, 0)
    work, agreed = 0, False
    for start in starts(weight.fit, graph.degrees)[: search.restarts]:
        order = order_of(planted.inside, int(start), search.mixed)
        ends, looked = _grow(graph, planted.inside, weight, search, order)
        work += looked
        before = best
        for nodes, score in _improved(graph, planted.inside, weight, search.stop, ends):
            agreed = agreed or (score >= search.agreed and np.array_equal(nodes, before.nodes))
            if score > best.score:
                best = Placed(nodes, score, work)
        agreed = agreed and best is before
        if best.score >= search.stop or agreed:
            break
    return Placed(best.nodes, best.score, work, agreed)


def _grow(
    graph: Graph, inside: Flags, weight: Weights, search: Search, order: Order
) -> tuple[list[Nodes], int]:
    """The best few full placements, positions back in their own order.

    None where halfway nothing scores as the right one would: most starts end there.
    """
    score = weight.fit[order[0]][graph.degrees]
    best = np.argsort(-score, kind="stable")[: search.first]
    beam, work = (best.astype(np.int32)[:, None], score[best]), 0
    for level in range(1, len(order)):
        keep = search.first if level < SEEDS else search.beam
        work += len(beam[1])
        beam = _longer(graph, inside, weight, beam, (order[:level], int(order[level])), keep)
        if level == len(order) // 2:
            beam = _mended(graph, inside, weight, order[: level + 1], beam)
        if not len(beam[1]):
            return [], work
    return _full(beam[0], order), work


def _mended(graph: Graph, inside: Flags, weight: Weights, order: Order, beam: Beam) -> Beam:
    """The best partial placements once single nodes are moved, before all others.

    A wrong node or two hide a right placement among many false ones; moving mends it. None are
    returned where not even then one scores as the right nodes hardly miss to.
    """
    nodes, scores = beam
    least = weight.least(order, REACH)[-1]
    if not len(scores) or scores[0] > least:
        return beam
    words, fit = as_words(inside[np.ix_(order, order)]), weight.fit[order]
    found = {}
    for placed in nodes[:MENDED]:
        moved, score = refine(graph.indptr, graph.targets, placed, words, weight.pairs, fit)
        if score > least:
            found[moved.tobytes()] = moved, score
    if not found:
        return nodes[:0], scores[:0]
    good = sorted(found.values(), key=lambda one: -one[1])
    return (
        np.concatenate([[one for one, _ in good], nodes]).astype(np.int32),
        np.concatenate([[score for _, score in good], scores]),
    )


def _longer(
    graph: Graph,
    inside: Flags,
    weight: Weights,
    beam: Beam,
    step: tuple[Order, int],
    keep: int,
) -> Beam:
    """One position more; `step` has the positions placed so far, and the next."""
    before, position = step
    wanted = as_words(inside[position, before][None])[0]
    fit = weight.fit[position]
    return extend(graph.indptr, graph.targets, beam, wanted, weight.pairs, fit, keep)


def _full(beam: Nodes, order: Order) -> list[Nodes]:
    """The best few placements, positions back in their own order; none where some are missing."""
    if not len(beam):
        return []
    full = np.empty_like(beam[:ENDS])
    full[:, order] = beam[:ENDS]
    return list(full)


def _improved(
    graph: Graph, inside: Flags, weight: Weights, stop: float, ends: list[Nodes]
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
        if score < HOPEFUL * stop
        else _replaced(graph, inside, weight, stop, (nodes, score))
        for nodes, score in found.values()
    ]


def _replaced(
    graph: Graph, inside: Flags, weight: Weights, stop: float, found: tuple[Nodes, float]
) -> tuple[Nodes, float]:
    """Keep the nodes worth most and place the others again, until that no longer helps."""
    words, before = as_words(inside), -np.inf
    best, score = found
    while before < score < stop:
        before = score
        for kept in CORES:
            for full in _again(graph, inside, weight, best, int(len(best) * kept)):
                nodes, value = refine(
                    graph.indptr, graph.targets, full, words, weight.pairs, weight.fit
                )
                if value > score:
                    best, score = nodes, value
    return best, score


def _again(graph: Graph, inside: Flags, weight: Weights, placed: Nodes, kept: int) -> list[Nodes]:
    """Full placements that keep the nodes worth most; those known most are placed first."""
    there = np.array([np.isin(placed, graph.row(int(node))) for node in placed])
    worth = weight.pairs[inside.astype(int), there.astype(int)]
    np.fill_diagonal(worth, 0.0)
    value = worth.sum(1) + weight.fit[np.arange(len(placed)), graph.degrees[placed]]
    order = np.argsort(-value, kind="stable")[:kept]
    beam = placed[order][None], np.zeros(1)
    while len(order) < len(placed) and len(beam[0]):
        left = np.setdiff1d(np.arange(len(placed)), order)
        position = int(left[np.argmax(inside[left][:, order].sum(1))])
        beam = _longer(graph, inside, weight, beam, (order, position), AGAIN)
        order = np.append(order, position)
    return _full(beam[0], order)


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
