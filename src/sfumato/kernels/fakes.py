"""The best fake values to add, at any arity, by dynamic programming.

State of a node: (m, x), the entries kept at or below it and how many of them are fakes. Values
below it that are neither kept nor fakes are lifted above it and cost nothing here. A fake that is
lifted is counted where it is lifted to, so a node with g values has at most g + 1 numbers of fakes
for every m: from m - g to m. With m = c * (sum of weights) entries below the children each child
has c times its weight, and the children's numbers of fakes are joined by (min, +) convolution. One
more entry at the node itself costs its range. More fakes among m entries never cost more.

The paper's numbers k (inserted) and r (removed) are x and g + x - m.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.tree import Runs, Tree, Weights, below, seek


class Plan(NamedTuple):
    """The states of all nodes of one bucket; node v owns [offset[v], offset[v + 1])."""

    values: NDArray[np.int64]  # (nodes,) values below
    most: NDArray[np.int64]  # (nodes,) largest m, -1 where the target has no mass
    width: NDArray[np.int64]  # (nodes,) numbers of fakes per m
    offset: NDArray[np.int64]  # (nodes + 1,)
    least: NDArray[np.float64]  # least cost of a state
    times: NDArray[np.int32]  # its c
    at: NDArray[np.int64]  # (nodes,) where the children stand in the target
    stop: NDArray[np.int64]  # (nodes,) their end
    fakes: int  # most fakes


@inlined
def _fewest(plan: Plan, node: int, m: int) -> Any:
    """Fewest fakes among m entries."""
    return max(0, m - plan.values[node])


@inlined
def _place(plan: Plan, node: int, m: int, x: int) -> Any:
    """Where a state is kept."""
    return plan.offset[node] + m * plan.width[node] + x - _fewest(plan, node, m)


@compiled
def plan_of(tree: Tree, runs: Runs, bucket: int, weights: Weights, target: int, fakes: int) -> Plan:
    """Room for the states of one bucket; only nodes that the target reaches have any."""
    nodes = len(tree.children)
    values, most = np.zeros(nodes, np.int64), np.full(nodes, -1, np.int64)
    at, stop = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    begin, end = runs.start[bucket], runs.start[bucket + 1]
    first_line, last_line = weights.start[target], weights.start[target + 1]
    for node in range(nodes):
        values[node] = below(tree, runs, begin, end, node)
    most[0] = values[0] + fakes
    for node in range(nodes):
        if most[node] < 0 or tree.children[node] == 0:
            continue
        first = tree.first_child[node]
        line = seek(weights, first_line, last_line, first)
        at[node] = line
        whole, times = np.int64(0), most[node]
        while line < last_line and weights.node[line] < first + tree.children[node]:
            whole += weights.weight[line]
            times = min(times, (values[weights.node[line]] + fakes) // weights.weight[line])
            line += 1
        stop[node] = line
        times = min(times, most[node] // max(whole, 1))
        for i in range(at[node], line):
            most[weights.node[i]] = times * weights.weight[i]
    width = np.minimum(values, fakes) + 1
    offset = np.zeros(nodes + 1, np.int64)
    for node in range(nodes):
        offset[node + 1] = offset[node] + (most[node] + 1) * width[node]
    least = np.full(offset[nodes], np.inf)
    times_of = np.zeros(offset[nodes], np.int32)
    return Plan(values, most, width, offset, least, times_of, at, stop, fakes)


@inlined
def _join(
    plan: Plan,
    weights: Weights,
    node: int,
    times: int,
    low: NDArray[np.int64],
    cost: NDArray[np.float64],
) -> int:
    """Least costs of the children together: row i of `cost` is that of the first i children, from
    low[i, 0] fakes on, for low[i, 1] numbers; returns how many the last row has, 0 if it can't be.
    """
    low[0, 0], low[0, 1], cost[0, 0] = 0, 1, 0.0
    held = 1
    for i in range(plan.stop[node] - plan.at[node]):
        line = plan.at[node] + i
        child = weights.node[line]
        m = times * weights.weight[line]
        fewest = _fewest(plan, child, m)
        low[i + 1, 0] = low[i, 0] + fewest
        room = min(plan.fakes, low[i, 0] + held - 1 + min(m, plan.fakes)) - low[i + 1, 0] + 1
        low[i + 1, 1] = room
        if room <= 0:
            return 0
        begin = _place(plan, child, m, fewest)
        for x in range(room):
            cost[i + 1, x] = np.inf
        for x in range(min(min(m, plan.fakes) - fewest + 1, room)):
            own = plan.least[begin + x]
            for y in range(min(held, room - x)):
                cost[i + 1, x + y] = min(cost[i + 1, x + y], own + cost[i, y])
        held = room
    return held


@inlined
def _solve(
    plan: Plan,
    tree: Tree,
    weights: Weights,
    node: int,
    low: NDArray[np.int64],
    cost: NDArray[np.float64],
) -> None:
    """All states of one node, from those of its children."""
    whole: Any = np.int64(0)
    for line in range(plan.at[node], plan.stop[node]):
        whole += weights.weight[line]
    kinds = plan.stop[node] - plan.at[node]
    for m in range(plan.most[node] + 1):
        fewest = _fewest(plan, node, m)
        for x in range(fewest, min(m, plan.fakes) + 1):
            here = _place(plan, node, m, x)
            if m == 0:
                plan.least[here], plan.times[here] = 0.0, 0
            else:
                before = _place(plan, node, m - 1, min(x, m - 1))
                plan.least[here] = plan.least[before] + tree.cost[node]
                plan.times[here] = plan.times[before]
        if m and whole and m % whole == 0:
            held = _join(plan, weights, node, m // whole, low, cost)
            base = low[kinds, 0]
            for x in range(max(fewest, base), min(base + held, m + 1)):
                here = _place(plan, node, m, x)
                if cost[kinds, x - base] <= plan.least[here]:
                    plan.least[here] = cost[kinds, x - base]
                    plan.times[here] = m // whole


@compiled
def solve(plan: Plan, tree: Tree, weights: Weights) -> None:
    """Fill in the least cost of every state, from the leaves up.

    For a node with children of g and h values and sum of weights w: (g + h + fakes) / w times
    min(g, fakes) * min(h, fakes).
    """
    widest = max(1, tree.children.max())
    low = np.zeros((widest + 1, 2), np.int64)
    cost = np.empty((widest + 1, plan.fakes + 1))
    for node in range(len(tree.children) - 1, -1, -1):
        if plan.most[node] < 0:
            continue
        if tree.children[node]:
            _solve(plan, tree, weights, node, low, cost)
        else:
            plan.least[plan.offset[node] : plan.offset[node + 1]] = 0.0


@compiled
def cost_by_fakes(plan: Plan) -> NDArray[np.float64]:
    """Least sum of ranges with exactly 0, 1, ... fakes, (fakes + 1,)."""
    found = np.empty(plan.fakes + 1)
    for x in range(plan.fakes + 1):
        found[x] = plan.least[_place(plan, 0, plan.values[0] + x, x)]
    return found


@compiled
def trace(plan: Plan, tree: Tree, weights: Weights, number: int) -> NDArray[np.int64]:
    """A best multiset of that many fakes: how many at every leaf, (leaves,)."""
    fakes = np.zeros(tree.last[0] + 1, np.int64)
    kept, faked = np.zeros(len(tree.children), np.int64), np.zeros(len(tree.children), np.int64)
    widest = max(1, tree.children.max())
    low = np.zeros((widest + 1, 2), np.int64)
    cost = np.empty((widest + 1, plan.fakes + 1))
    kept[0], faked[0] = plan.values[0] + number, number
    for node in range(len(tree.children)):
        x = faked[node]
        if plan.most[node] < 0 or kept[node] == 0 or x == 0:
            continue
        if tree.children[node] == 0:
            fakes[tree.first[node]] += x
            continue
        times = plan.times[_place(plan, node, kept[node], x)]
        under = np.int64(0)
        for line in range(plan.at[node], plan.stop[node]):
            kept[weights.node[line]] = times * weights.weight[line]
            under += kept[weights.node[line]]
        fakes[_some_leaf(plan, tree, weights, node)] += x - min(x, under)
        _split(plan, weights, node, times, min(x, under), low, cost, faked)
    return fakes


@inlined
def _some_leaf(plan: Plan, tree: Tree, weights: Weights, node: int) -> Any:
    """A leaf of positive mass below a node."""
    here = node
    while tree.children[here] and plan.stop[here] > plan.at[here]:
        here = weights.node[plan.at[here]]
    return tree.first[here]


@inlined
def _split(
    plan: Plan,
    weights: Weights,
    node: int,
    times: int,
    x: int,
    low: NDArray[np.int64],
    cost: NDArray[np.float64],
    faked: NDArray[np.int64],
) -> None:
    """Deal x fakes out among the children, at the least cost."""
    if times == 0:
        return
    _join(plan, weights, node, times, low, cost)
    left = x
    for i in range(plan.stop[node] - plan.at[node], 0, -1):
        line = plan.at[node] + i - 1
        child = weights.node[line]
        m = times * weights.weight[line]
        fewest = _fewest(plan, child, m)
        for own in range(fewest, min(m, plan.fakes, left - low[i - 1, 0]) + 1):
            rest = left - own - low[i - 1, 0]
            if rest >= low[i - 1, 1]:
                continue
            price = plan.least[_place(plan, child, m, own)] + cost[i - 1, rest]
            if price == cost[i, left - low[i, 0]]:
                faked[child] = own
                left -= own
                break
