"""Groups of nodes of high modularity in a weighted graph: local moves, then groups as nodes.

The method of Louvain (Blondel et al. 2008) with a queue for the nodes whose neighbours moved
(Traag 2015), and moves of single nodes once more after the groups are found, as long as they help.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.regroup_random import draw

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Nodes = NDArray[np.int32]
LEAST = 1e-10  # a smaller share of all weight is no gain
TINY = 1e-300  # marks a group as seen
ROUNDS = 5


class Weighted(NamedTuple):
    """Rows of neighbours with weights; a node that stands for many may be stronger than its row."""

    start: Ints
    other: Nodes
    weight: Floats
    strength: Floats
    total: float  # of all strengths


@compiled
def louvain(start: Ints, other: Nodes, weight: Floats, word: np.uint64) -> Ints:
    """Groups from 0 on, of high modularity; the same word gives the same groups. About linear.

    `weight` goes with `other`, is the same in both rows of an edge, and is never negative.
    """
    nodes = len(start) - 1
    strength = _strengths(start, weight)
    whole = Weighted(start, other, weight, strength, strength.sum())
    group = np.arange(nodes)
    state = np.array([word], np.uint64)
    if whole.total == 0.0:
        return group
    for _ in range(ROUNDS):
        gain = _settle(whole, group, state)
        count = _renumber(group)
        gain += _merge(whole, group, count, state)
        if gain <= LEAST:
            break
    _renumber(group)
    return group


@compiled
def _merge(whole: Weighted, group: Ints, count: int, state: NDArray[np.uint64]) -> float:
    """Move groups as wholes, level by level; `group` takes the result, the gain is returned."""
    gain, last = 0.0, len(group)
    graph, above = whole, group.copy()
    while count < last:
        last = count
        graph = _gathered(graph, above, count)
        above = np.arange(count)
        more = _settle(graph, above, state)
        if more <= LEAST:
            break
        gain += more
        count = _renumber(above)
        for node in range(len(group)):
            group[node] = above[group[node]]
    return gain


@compiled
def _strengths(start: Ints, weight: Floats) -> Floats:
    strength = np.zeros(len(start) - 1)
    for node in range(len(strength)):
        for place in range(start[node], start[node + 1]):
            strength[node] += weight[place]
    return strength


@compiled
def _settle(graph: Weighted, group: Ints, state: NDArray[np.uint64]) -> float:
    """Move nodes to the neighbouring group that gains most until none gains; the gain in Q."""
    nodes = len(group)
    mass, links = np.zeros(nodes), np.zeros(nodes)
    for node in range(nodes):
        mass[group[node]] += graph.strength[node]
    queue, waiting = np.arange(nodes), np.ones(nodes, np.bool_)
    _shuffle(queue, state)
    seen = np.empty(nodes, np.int64)
    head, left, gain = 0, nodes, 0.0
    while left > 0:
        node = queue[head]
        head = head + 1 if head + 1 < nodes else 0
        left -= 1
        waiting[node] = False
        old = group[node]
        best, more = _best(graph, group, node, mass, links, seen)
        if best == old:
            continue
        gain += 2.0 * more / graph.total
        mass[old] -= graph.strength[node]
        mass[best] += graph.strength[node]
        group[node] = best
        for place in range(graph.start[node], graph.start[node + 1]):
            near = graph.other[place]
            if not waiting[near] and group[near] != best:
                waiting[near] = True
                tail = head + left
                queue[tail if tail < nodes else tail - nodes] = near
                left += 1
    return gain


@lean
def _best(
    graph: Weighted, group: Ints, node: int, mass: Floats, links: Floats, seen: Ints
) -> tuple[int, float]:
    """The neighbouring group that a node should be in, and how much weight that is better by.

    `links` is zero before and after; `seen` lists the groups that the node touches, its own first.
    """
    old, count = group[node], 1
    seen[0], links[old] = old, TINY
    for place in range(graph.start[node], graph.start[node + 1]):
        near = group[graph.other[place]]
        if links[near] == 0.0:
            seen[count] = near
            count += 1
            links[near] = TINY
        links[near] += graph.weight[place]
    share = graph.strength[node] / graph.total
    stay = links[old] - share * (mass[old] - graph.strength[node])
    best, most = old, stay + LEAST * graph.total
    for at in range(1, count):
        near = seen[at]
        value = links[near] - share * mass[near]
        if value > most:
            best, most = near, value
    for at in range(count):
        links[seen[at]] = 0.0
    return best, most - stay


@compiled
def _shuffle(order: Ints, state: NDArray[np.uint64]) -> None:
    for place in range(len(order) - 1, 0, -1):
        other = draw(state, place + 1)
        order[place], order[other] = order[other], order[place]


@compiled
def _renumber(group: Ints) -> int:
    """Number groups from 0 in the order of their first nodes; how many there are."""
    number = np.full(len(group), -1)
    count = 0
    for node in range(len(group)):
        if number[group[node]] < 0:
            number[group[node]] = count
            count += 1
        group[node] = number[group[node]]
    return count


@compiled
def _gathered(graph: Weighted, group: Ints, count: int) -> Weighted:
    """The graph of groups: weights between them, and strengths that know of those within."""
    first, member = _members(group, count)
    start = np.zeros(count + 1, np.int64)
    other, weight = np.empty(len(graph.other), np.int32), np.empty(len(graph.other))
    strength, links, size = np.zeros(count), np.zeros(count), 0
    for own in range(count):
        for at in range(first[own], first[own + 1]):
            node = member[at]
            strength[own] += graph.strength[node]
            for place in range(graph.start[node], graph.start[node + 1]):
                near = group[graph.other[place]]
                if near != own and graph.weight[place] > 0.0:
                    if links[near] == 0.0:
                        other[size] = near
                        size += 1
                    links[near] += graph.weight[place]
        for place in range(start[own], size):
            weight[place] = links[other[place]]
            links[other[place]] = 0.0
        start[own + 1] = size
    return Weighted(start, other[:size].copy(), weight[:size].copy(), strength, graph.total)


@compiled
def _members(group: Ints, count: int) -> tuple[Ints, Ints]:
    first = np.zeros(count + 1, np.int64)
    for node in range(len(group)):
        first[group[node] + 1] += 1
    for own in range(count):
        first[own + 1] += first[own]
    free, member = first[:-1].copy(), np.empty(len(group), np.int64)
    for node in range(len(group)):
        member[free[group[node]]] = node
        free[group[node]] += 1
    return first, member
