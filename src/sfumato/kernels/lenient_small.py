"""Generalization within a tolerance for small buckets: a dynamic programme over all counts.

A price on deviation turns the problem into one that falls apart by nodes: with m entries at or
below a node the rest of the tree does not matter. Children are taken one by one, each against those
after it. Prices are searched by halving; caps on the deviation at one node are tried besides,
because the price alone jumps over what lies between pushing everything down and lifting it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.apart import Ground, clear, end_at, moved
from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.tree import Case, Tree, Weights, below, seek

CAPS = np.array([np.inf, 1.5, 1.0, 0.7, 0.5, 0.35, 0.2])  # of the tolerance
HALVINGS = 12


class Small(NamedTuple):
    """The states of one bucket. Stage i is the i-th positive line of the target in this bucket's
    tree: a child against the children after it."""

    values: NDArray[np.int64]  # (nodes,) values below, -1 where the target does not reach
    mass: NDArray[np.float64]  # (nodes,) of the target
    at: NDArray[np.int64]  # (nodes,) first line of the children
    stop: NDArray[np.int64]  # (nodes,) their end
    kept: NDArray[np.int64]  # (nodes + 1,) where a node's states begin
    least: NDArray[np.float64]  # least price of m entries at or below a node
    under: NDArray[np.int32]  # how many of them lie below it
    rest: NDArray[np.int64]  # (lines + 1,) where the states of a line begin
    joint: NDArray[np.float64]  # least price of T entries below a child and those after it
    own: NDArray[np.int32]  # how many of them lie below the child
    room: NDArray[np.int64]  # (lines,) largest T
    ground: Ground


@compiled
def lay_out(case: Case, bucket: int, target: int, ground: Ground) -> Small:
    """Room for the states of one bucket."""
    tree, runs, weights = case.tree, case.runs, case.weights
    nodes = len(tree.children)
    begin, end = runs.start[bucket], runs.start[bucket + 1]
    base, limit = weights.start[target], weights.start[target + 1]
    values, mass = np.full(nodes, -1, np.int64), np.zeros(nodes)
    at, stop = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    room = np.zeros(limit - base, np.int64)
    values[0], mass[0] = below(tree, runs, begin, end, 0), 1.0
    for node in range(nodes):
        if values[node] < 0 or tree.children[node] == 0:
            continue
        first = tree.first_child[node]
        line = seek(weights, base, limit, first)
        at[node] = line - base
        whole = 0.0
        while line < limit and weights.node[line] < first + tree.children[node]:
            whole += weights.weight[line]
            line += 1
        stop[node] = line - base
        held = np.int64(0)
        for i in range(stop[node] - 1, at[node] - 1, -1):
            child = weights.node[base + i]
            mass[child] = mass[node] * weights.weight[base + i] / whole
            values[child] = below(tree, runs, begin, end, child)
            held += values[child]
            room[i] = held
    kept, rest = np.zeros(nodes + 1, np.int64), np.zeros(limit - base + 1, np.int64)
    for node in range(nodes):
        kept[node + 1] = kept[node] + values[node] + 1
    for i in range(limit - base):
        rest[i + 1] = rest[i] + room[i] + 1
    return Small(
        values,
        mass,
        at,
        stop,
        kept,
        np.zeros(kept[nodes]),
        np.zeros(kept[nodes], np.int32),
        rest,
        np.zeros(rest[-1]),
        np.zeros(rest[-1], np.int32),
        room,
        ground,
    )


class Stage(NamedTuple):
    """One child against those after it, at one price."""

    line: int
    child: int
    last: bool
    share: float  # of the child among these
    mass: float  # of all these, times the largest distance between them
    price: float
    cap: float


@inlined
def _join(small: Small, stage: Stage) -> None:
    """All states of a child against the children after it."""
    begin, here = small.kept[stage.child], small.rest[stage.line]
    if stage.last:
        for total in range(small.room[stage.line] + 1):
            small.joint[here + total] = small.least[begin + total]
            small.own[here + total] = total
        return
    after, later = small.rest[stage.line + 1], small.room[stage.line + 1]
    small.joint[here], small.own[here] = 0.0, 0
    for total in range(1, small.room[stage.line] + 1):
        best, chosen = np.inf, 0
        for own in range(max(0, total - later), min(total, small.values[stage.child]) + 1):
            off = stage.mass * abs(own / total - stage.share)
            if off <= stage.cap:
                rest = small.joint[after + total - own]
                worth = stage.price * off + small.least[begin + own] + rest
                if worth < best:
                    best, chosen = worth, own
        small.joint[here + total] = best
        small.own[here + total] = chosen


@compiled
def solve(
    small: Small, tree: Tree, weights: Weights, target: int, price: float, cap: float
) -> None:
    """All states at one price and cap, from the leaves up."""
    base = weights.start[target]
    for node in range(len(tree.children) - 1, -1, -1):
        if small.values[node] < 0 or tree.children[node] == 0:
            continue
        at, stop = small.at[node], small.stop[node]
        whole, tail = 0.0, 0.0
        for i in range(at, stop):
            whole += weights.weight[base + i]
        for i in range(stop - 1, at - 1, -1):
            tail += weights.weight[base + i]
            share = weights.weight[base + i] / tail
            mass = small.mass[node] * small.ground.reach[node] * tail / whole
            child = weights.node[base + i]
            _join(small, Stage(i, child, i == stop - 1, share, mass, price, cap))
        _keep(small, tree.cost[node], node)


@inlined
def _keep(small: Small, cost: float, node: int) -> None:
    """The states of a node from those of its children together."""
    first, at = small.kept[node], small.at[node]
    some = small.stop[node] > at
    small.least[first], small.under[first] = 0.0, 0
    for m in range(1, small.values[node] + 1):
        small.least[first + m] = small.least[first + m - 1] + cost
        small.under[first + m] = small.under[first + m - 1]
        if some and m <= small.room[at]:
            joint = small.joint[small.rest[at] + m]
            if joint <= small.least[first + m]:
                small.least[first + m], small.under[first + m] = joint, m


@compiled
def read(
    small: Small, tree: Tree, weights: Weights, target: int, kept: NDArray[np.int64]
) -> tuple[float, float]:
    """Entries at every node of the solution, into `kept`; returns cost and distance."""
    base, nodes = weights.start[target], len(tree.children)
    owed, implied = np.zeros(nodes, np.int64), np.zeros(nodes)
    owed[0], implied[0] = small.values[0], 1.0
    cost, apart = 0.0, 0.0
    kept[:] = 0
    ordered = small.ground.ordered
    if ordered:
        clear(small.ground)
    for node in range(nodes):
        if small.values[node] < 0:
            continue
        total = np.int64(0)
        if tree.children[node]:
            total = np.int64(small.under[small.kept[node] + owed[node]])
        kept[node] = owed[node] - total
        cost += kept[node] * tree.cost[node]
        if total == 0:
            reached = owed[node] > 0 or implied[node] > 0.0 or node == 0
            if reached:
                apart += abs(implied[node] - small.mass[node])
            if reached and ordered:
                end_at(small.ground, tree, node, implied[node] / small.mass[node])
            continue
        left = total
        for i in range(small.at[node], small.stop[node]):
            child = weights.node[base + i]
            own = np.int64(small.own[small.rest[i] + left])
            owed[child], implied[child] = own, implied[node] * own / total
            left -= own
            if own == 0:
                apart += small.mass[child]
    return cost, moved(small.ground) if ordered else apart / 2


@compiled
def best_small(
    case: Case,
    bucket: int,
    target: int,
    tolerance: float,
    ground: Ground,
    held: NDArray[np.int64],
    found: NDArray[np.int64],
) -> float:
    """The cheapest solution over prices and caps that keeps to the tolerance, its entries in
    `found`; infinite if none does."""
    small = lay_out(case, bucket, target, ground)
    unit = small.values[0] * case.tree.cost[0]
    best = np.inf
    for share in CAPS:
        low, high = 0.0, 30.0 * unit
        for step in range(HALVINGS):
            price = 0.0 if step == 0 else (low + high) / 2 if low else high / 4
            solve(small, case.tree, case.weights, target, price, share * tolerance)
            cost, apart = read(small, case.tree, case.weights, target, held)
            if apart > tolerance:
                low = price
                continue
            if cost < best:
                best = cost
                found[:] = held
            if step == 0:
                break
            high = price
    return best
