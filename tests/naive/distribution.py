"""Distribution-based publication by its definitions: everything tried, in whole numbers.

A tree is a nested list: an int is a leaf, a list its children in order. Nodes are numbered level by
level, the root 0. `weight[v]` is the weight of node v among its siblings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, combinations_with_replacement, pairwise, product
from math import lcm
from typing import Any

Nodes = tuple[int, ...]
NONE = Fraction(0)


@dataclass(frozen=True)
class Case:
    """A tree over leaves with numbers as values, and a target as weights on its edges."""

    tree: Any
    value: tuple[int, ...]
    weight: tuple[int, ...]

    @cached_property
    def nodes(self) -> list[Any]:
        """Nodes as nested lists, level by level."""
        queue = [self.tree]
        for node in queue:
            queue.extend(node if isinstance(node, list) else [])
        return queue

    @cached_property
    def children(self) -> list[list[int]]:
        """The numbers of every node's children."""
        found, free = [], 1
        for node in self.nodes:
            many = len(node) if isinstance(node, list) else 0
            found.append(list(range(free, free + many)))
            free += many
        return found

    @cached_property
    def leaves(self) -> list[list[int]]:
        """The leaves under every node."""
        return [list(flat(node)) for node in self.nodes]

    @cached_property
    def cost(self) -> list[int]:
        """Largest less smallest value under every node."""
        return [self.value[leaf[-1]] - self.value[leaf[0]] for leaf in self.leaves]

    @cached_property
    def mass(self) -> list[Fraction]:
        """The target's mass of every node."""
        found = [NONE] * len(self.nodes)
        found[0] = Fraction(1)
        for node, below in enumerate(self.children):
            whole = sum(self.weight[child] for child in below)
            for child in below:
                found[child] = found[node] * Fraction(self.weight[child], whole) if whole else NONE
        return found

    @cached_property
    def target(self) -> list[Fraction]:
        """The target's mass of every leaf."""
        found = [NONE] * len(self.value)
        for node, leaf in enumerate(self.nodes):
            if not isinstance(leaf, list):
                found[leaf] = self.mass[node]
        return found

    @cached_property
    def units(self) -> tuple[list[int], list[list[int] | None]]:
        """The target, and inside every node of positive mass, as whole numbers of one sum."""
        inside = [
            [self.target[x] / mass if x in leaves else NONE for x in range(len(self.value))]
            if mass
            else None
            for mass, leaves in zip(self.mass, self.leaves, strict=True)
        ]
        parts = [part for share in [self.target, *filter(None, inside)] for part in share]
        whole = lcm(*(part.denominator for part in parts))
        scaled = [None if share is None else [int(p * whole) for p in share] for share in inside]
        return [int(part * whole) for part in self.target], scaled


def flat(node: Any) -> Iterator[int]:
    """The leaves of a nested list."""
    if isinstance(node, list):
        for child in node:
            yield from flat(child)
    else:
        yield node


def is_private(case: Case, chosen: Nodes) -> bool:
    """Definition 3.2: P(x) = 1/n (P(x | D1) + ... + P(x | Dn)) for every x, in whole numbers."""
    target, inside = case.units
    if any(inside[node] is None for node in chosen):
        return False
    return all(
        sum(inside[node][x] for node in chosen) == len(chosen) * target[x]  # type: ignore[index]
        for x in range(len(target))
    )


def all_private(case: Case, size: int) -> list[tuple[int, Nodes]]:
    """Every multiset of nodes of that size that is P-private, with its cost, the cheapest first."""
    every = combinations_with_replacement(range(len(case.nodes)), size)
    return sorted((cost_of(case, found), found) for found in every if is_private(case, found))


def cost_of(case: Case, chosen: Sequence[int]) -> int:
    """The sum of ranges."""
    return sum(case.cost[node] for node in chosen)


def most_matched(inside: Sequence[Sequence[int]]) -> int:
    """How many values find an entry of their own; inside[i]: the entries that contain value i."""
    if not inside:
        return 0
    first, rest = inside[0], inside[1:]
    without = most_matched(rest)
    taken = (
        1 + most_matched([[e for e in other if e != entry] for other in rest]) for entry in first
    )
    return max((without, *taken))


def generalizes(case: Case, chosen: Nodes, values: Sequence[int]) -> bool:
    """Definition 3.1: every value (a leaf) has an entry of its own that contains it."""
    inside = [[i for i, node in enumerate(chosen) if x in case.leaves[node]] for x in values]
    return len(chosen) == len(values) and most_matched(inside) == len(values)


def best(case: Case, values: Sequence[int], private: list[tuple[int, Nodes]]) -> int:
    """The least cost of a P-private generalization of values."""
    return next(cost for cost, found in private if generalizes(case, found, values))


def best_with_fakes(case: Case, values: Sequence[int], most: int) -> tuple[int, int]:
    """(least cost, fewest fakes that reach it), over all insertions of at most `most` leaves."""
    found = []
    for number in range(most + 1):
        private = all_private(case, len(values) + number)
        for fakes in combinations_with_replacement(range(len(case.value)), number):
            found.append((best(case, [*values, *fakes], private), number))
    return min(found)


def implied(case: Case, chosen: Nodes) -> list[Fraction]:
    """The distribution for which the entries are exactly private: children share the entries below
    a node; where there are none, the target's own shares hold. By leaf."""
    under = [sum(set(case.leaves[n]) <= set(leaf) for n in chosen) for leaf in case.leaves]
    found = [NONE] * len(case.nodes)
    found[0] = Fraction(1)
    for node, below in enumerate(case.children):
        entries, weights = [under[c] for c in below], [case.weight[c] for c in below]
        part = entries if any(entries) else weights
        for child, share in zip(below, part, strict=True):
            found[child] = found[node] * Fraction(share, sum(part)) if sum(part) else NONE
    of = {leaf: node for node, leaf in enumerate(case.nodes) if not isinstance(leaf, list)}
    return [found[of[x]] for x in range(len(case.value))]


def believed(share: Sequence[Fraction], leaves: Sequence[Sequence[int]], chosen: Nodes) -> Any:
    """1/n of the sum over entries of share(x | entry), by leaf."""
    found = [NONE] * len(share)
    for node in chosen:
        whole = sum((share[x] for x in leaves[node]), NONE)
        for x in leaves[node]:
            found[x] += share[x] / whole / len(chosen)
    return found


def variation(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """Total variation."""
    return sum((abs(a - b) for a, b in zip(one, other, strict=True)), NONE) / 2


def earth(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """Earth mover's distance along the leaves, the ends at distance 1."""
    carried, moved = NONE, NONE
    for a, b in zip(one, other, strict=True):
        carried += a - b
        moved += abs(carried)
    return moved / max(len(one) - 1, 1)


def bounds(entries: Sequence[tuple[Any, Any, bool]], selected: int) -> dict[str, tuple[Any, Any]]:
    """Least and largest answers over all ways to be so many of the entries (low, high, may be
    missing; None if nothing else), taking only ends: all answers grow with their values."""
    found: dict[str, list[Any]] = {name: [] for name in ("sum", "min", "max", "present")}
    for some in combinations(entries, selected):
        ends = [{low, high, *((None,) if able else ())} for low, high, able in some]
        for world in product(*ends):
            values = [value for value in world if value is not None]
            found["sum"].append(sum(values))
            found["present"].append(len(values))
            found["min"] += [min(values)] if values else []
            found["max"] += [max(values)] if values else []
    return {n: (min(v), max(v)) if v else (None, None) for n, v in found.items()}


def partitions(places: int) -> Iterator[list[tuple[int, int]]]:
    """Every partition of 0 .. places - 1 into stretches of neighbours."""
    for cuts in product((False, True), repeat=places - 1):
        heads = [0, *(i + 1 for i, cut in enumerate(cuts) if cut), places]
        yield [(a, b - 1) for a, b in pairwise(heads)]


def width(ends: Sequence[tuple[float, float]], selected: int) -> float:
    """How far the bounds of a sum over so many entries are apart."""
    high = sorted((b for _, b in ends), reverse=True)[:selected]
    return sum(high) - sum(sorted(a for a, _ in ends)[:selected])


def best_within(case: Case, values: Sequence[int], most: Fraction, ordered: bool) -> int:
    """The least cost of a generalization whose implied distribution is near enough to the target;
    an entry lies at a node of positive mass."""
    able = [node for node, mass in enumerate(case.mass) if mass]
    every = combinations_with_replacement(able, len(values))
    distance = earth if ordered else variation
    return next(
        cost
        for cost, found in sorted((cost_of(case, one), one) for one in every)
        if generalizes(case, found, values) and distance(implied(case, found), case.target) <= most
    )
