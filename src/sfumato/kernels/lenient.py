"""Generalization to within a tolerance of the target.

Entries below a node imply shares of its children; elsewhere the target's own shares hold. The
distribution P_G implied so may differ from the target by at most `tolerance`, in total variation or
in earth mover's distance along the leaves. A deviation at a node of mass P(v) costs at most P(v) *
deviation * the largest distance under v of that budget, and every entry that is pushed below it
saves the node's cost.

One walk from the root down gives each node as many entries below as pay at a price per unit of
budget, as long as budget is left. Walks at several prices are tried, and at each the budget is
stretched until the distance itself, which is less than the sum of what was spent, reaches the
tolerance. Small buckets are also solved by a dynamic programme. Not proved optimal; never worse
than the exact generalization.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.apart import Ground, aim, clear, end_at, ground_of, moved
from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.edge_weights import doubled
from sfumato.kernels.lenient_small import best_small
from sfumato.kernels.push_down import Entries, push_down
from sfumato.kernels.tree import Case, Runs, Tree, Weights, below, seek

PRICES = np.array([0.0, 0.1, 0.2, 0.35, 0.6, 1.0, 1.7, 3.0, 6.0])
TILTS = np.array([0.0, 0.5, 1.0, -0.5])
STRETCHES = 7  # halvings of the search for the budget
FAR, FARTHER = 8.0, 64.0  # largest budget, in tolerances: what is spent adds up, distance does not
SMALL = 256
FEW = 64  # numbers of entries tried below a node


class Walk(NamedTuple):
    """Room for one walk: the nodes reached, in order, and what each got."""

    node: NDArray[np.int32]
    owed: NDArray[np.int64]  # entries at or below a node
    kept: NDArray[np.int64]  # entries at the node itself
    mass: NDArray[np.float64]  # of the target
    implied: NDArray[np.float64]  # of the distribution that the entries imply
    share: NDArray[np.float64]  # (children,) of one node
    have: NDArray[np.int64]
    give: NDArray[np.int64]
    best: NDArray[np.int64]
    ground: Ground


@inlined
def _deal(walk: Walk, many: int, total: int) -> float:
    """Deal `total` entries out to children by share, as far as each has values; returns the
    deviation from the shares."""
    given: Any = 0
    for i in range(many):
        walk.give[i] = min(walk.have[i], np.int64(walk.share[i] * total + 0.5))
        given += walk.give[i]
    while given != total:
        step = 1 if given < total else -1
        worth, at, able = -np.inf, 0, 0.0
        for i in range(many):
            lack = step * (walk.share[i] * total - walk.give[i])
            free = walk.give[i] < walk.have[i] if step > 0 else walk.give[i] > 0
            if free:
                able += walk.share[i]
                if lack > worth:
                    worth, at = lack, i
        # who lacks most takes what it lacks, or its share of what is left
        rest = step * (total - given)
        bulk: Any = max(1, np.int64(max(worth, rest * walk.share[at] / able)))
        bulk = min(bulk, rest, walk.have[at] - walk.give[at] if step > 0 else walk.give[at])
        walk.give[at] += step * bulk
        given += step * bulk
    off = 0.0
    for i in range(many):
        off += abs(walk.give[i] / total - walk.share[i])
    return off / 2


@inlined
def _exact_total(walk: Walk, many: int) -> float:
    """How many entries the shares allow before a child runs out."""
    most = np.inf
    for i in range(many):
        most = min(most, walk.have[i] / walk.share[i])
    return most


@inlined
def _choose(
    walk: Walk, many: int, most: int, saved: float, price: float, budget: float, mass: float
) -> tuple[Any, float]:
    """The number of entries below a node that pays best, and what it costs of the budget."""
    whole: Any = np.int64(0)
    for i in range(many):
        whole += walk.have[i]
    most = min(most, whole)
    least: Any = np.int64(1)
    if most > FEW:
        least = max(least, min(most, np.int64(_exact_total(walk, many))))
    steps = min(most - least + 1, FEW)
    chosen: Any = np.int64(0)
    gain, spent = 0.0, 0.0
    for step in range(steps):
        total = least + (most - least) * step // max(1, steps - 1)
        off = mass * _deal(walk, many, total)
        if off <= budget and saved * total - price * off > gain + 1e-12:
            gain, chosen, spent = saved * total - price * off, total, off
            for i in range(many):
                walk.best[i] = walk.give[i]
    return chosen, spent


@inlined
def _children(case: Case, bucket: int, target: int, node: int, walk: Walk) -> tuple[Any, Any]:
    """Values and shares of the children that have weight, into the walk; where they stand in the
    target, and how many there are."""
    weights, runs = case.weights, case.runs
    begin, end = runs.start[bucket], runs.start[bucket + 1]
    first, limit = case.tree.first_child[node], weights.start[target + 1]
    line = seek(weights, weights.start[target], limit, first)
    many, whole = 0, 0.0
    while line + many < limit and weights.node[line + many] < first + case.tree.children[node]:
        walk.have[many] = below(case.tree, runs, begin, end, weights.node[line + many])
        whole += weights.weight[line + many]
        many += 1
    for i in range(many):
        walk.share[i] = weights.weight[line + i] / whole
    return line, many


@compiled
def walk_down(
    case: Case, bucket: int, target: int, walk: Walk, price: float, tilt: float, budget: float
) -> tuple[float, float, int]:
    """Walk down once; returns cost, distance from the target, and nodes reached."""
    tree = case.tree
    walk.node[0], walk.owed[0] = 0, values_of(case.runs, bucket)
    walk.mass[0] = walk.implied[0] = 1.0
    reached, done, cost, apart = 1, 0, 0.0, 0.0
    ground = walk.ground
    if ground.ordered:
        clear(ground)
    total: Any
    many: Any
    while done < reached:
        here, owed = walk.node[done], walk.owed[done]
        mass, implied = walk.mass[done], walk.implied[done]
        total, line, many = np.int64(0), np.int64(0), np.int64(0)
        if tree.children[here]:
            line, many = _children(case, bucket, target, here, walk)
        if many:
            dear = price * (tree.cost[here] / tree.cost[0]) ** tilt
            heft = mass * ground.reach[here]
            total, spent = _choose(walk, many, owed, tree.cost[here], dear, budget, heft)
            budget -= spent
        walk.kept[done] = owed - total
        cost += (owed - total) * tree.cost[here]
        if total == 0:
            apart += abs(mass - implied)
            many = 0
            if ground.ordered:
                end_at(ground, tree, here, implied / mass)
        for i in range(many):
            part = mass * walk.share[i]
            if walk.best[i] == 0:
                apart += part
                continue
            walk.node[reached], walk.owed[reached] = case.weights.node[line + i], walk.best[i]
            walk.mass[reached] = part
            walk.implied[reached] = implied * walk.best[i] / total
            reached += 1
        done += 1
    return cost, moved(ground) if ground.ordered else apart / 2, reached


@inlined
def values_of(runs: Runs, bucket: int) -> Any:
    """How many values a bucket has."""
    end = runs.start[bucket + 1]
    return runs.upto[end - 1] if end > runs.start[bucket] else np.int64(0)


@inlined
def _stretched(
    case: Case, bucket: int, target: int, walk: Walk, price: float, tilt: float, tolerance: float
) -> tuple[float, float]:
    """The least cost at one price over budgets that keep to the tolerance, and its budget."""
    low, high = tolerance, (FARTHER if walk.ground.ordered else FAR) * tolerance
    best, chosen = np.inf, 0.0
    for step in range(STRETCHES):
        budget = tolerance if step == 0 else np.sqrt(low * high)
        cost, apart, _ = walk_down(case, bucket, target, walk, price, tilt, budget)
        if apart <= tolerance:
            low = budget
            if cost < best:
                best, chosen = cost, budget
        else:
            high = budget
    return best, chosen


@compiled
def new_walk(tree: Tree, ordered: bool) -> Walk:
    """Room for walks over a tree."""
    nodes, widest = len(tree.children), max(1, tree.children.max())
    return Walk(
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(nodes),
        np.zeros(nodes),
        np.zeros(widest),
        np.zeros(widest, np.int64),
        np.zeros(widest, np.int64),
        np.zeros(widest, np.int64),
        ground_of(tree, ordered),
    )


@compiled
def best_walk(
    case: Case, bucket: int, target: int, walk: Walk, tolerance: float
) -> tuple[float, int]:
    """The cheapest walk of a bucket, left in `walk`: its cost, and the nodes reached."""
    unit = values_of(case.runs, bucket) * case.tree.cost[0]
    best, price, tilt, budget = np.inf, 0.0, 0.0, 0.0
    for slope in TILTS:
        for factor in PRICES:
            cost, stretched = _stretched(
                case, bucket, target, walk, factor * unit, slope, tolerance
            )
            if cost < best:
                best, price, tilt, budget = cost, factor * unit, slope, stretched
        if best == 0.0:
            break
    cost, _, reached = walk_down(case, bucket, target, walk, price, tilt, budget)
    return cost, reached


@inlined
def _from_counts(walk: Walk, held: NDArray[np.int64]) -> int:
    """Write entries that are known node by node as a walk; returns its length."""
    reached = 0
    for node in range(len(held)):
        if held[node]:
            walk.node[reached], walk.kept[reached] = node, held[node]
            reached += 1
    return reached


@inlined
def _from_lines(walk: Walk, lines: Entries, bucket: int) -> Any:
    """Write the lines of a bucket as a walk; returns its length."""
    start, node, count = lines
    for i in range(start[bucket], start[bucket + 1]):
        walk.node[i - start[bucket]], walk.kept[i - start[bucket]] = node[i], count[i]
    return start[bucket + 1] - start[bucket]


@compiled
def push_down_within(
    tree: Tree,
    runs: Runs,
    weights: Weights,
    target: NDArray[np.int32],
    tolerance: float,
    ordered: bool,
) -> Entries:
    """Entries of every bucket, (start, node, count), nodes ascending, within the tolerance."""
    exact = push_down(tree, runs, weights, target)
    case, walk, aimed = Case(tree, runs, weights), new_walk(tree, ordered), -1
    held, found = np.zeros(len(tree.children), np.int64), np.zeros(len(tree.children), np.int64)
    start = np.zeros(len(runs.start), np.int64)
    node, count = np.empty(64, np.int32), np.empty(64, np.int64)
    size = 0
    for bucket in range(len(runs.start) - 1):
        least = 0.0
        for i in range(exact[0][bucket], exact[0][bucket + 1]):
            least += exact[2][i] * tree.cost[exact[1][i]]
        cost, reached = least, 0
        if ordered and target[bucket] != aimed:
            aimed = target[bucket]
            aim(walk.ground, tree, weights, aimed)
        if least > 0.0:
            cost, reached = best_walk(case, bucket, target[bucket], walk, tolerance)
        if cost > 0.0 and values_of(runs, bucket) <= SMALL:
            small = best_small(case, bucket, target[bucket], tolerance, walk.ground, held, found)
            if small < cost:
                cost, reached = small, _from_counts(walk, found)
        if cost >= least:
            reached = _from_lines(walk, exact, bucket)
        if size + reached > len(node):
            node, count = doubled(node, count, size + reached)
        for i in range(reached):
            if walk.kept[i]:
                node[size], count[size] = walk.node[i], walk.kept[i]
                size += 1
        start[bucket + 1] = size
    return start, node[:size].copy(), count[:size].copy()
