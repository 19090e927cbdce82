"""The privacy models, written from their definitions with exact fractions: the oracle of rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

TIE = Fraction(1, 10**12)


def distinct_values(counts: Sequence[int]) -> int:
    """How many values occur."""
    return len([count for count in counts if count > 0])


def entropy(counts: Sequence[int]) -> float:
    """Entropy of the distribution of values, in nats."""
    shares = [count / sum(counts) for count in counts if count > 0]
    return -math.fsum(share * math.log(share) for share in shares)


def recursive_holds(counts: Sequence[int], c: float, length: int) -> bool:
    """Recursive (c, l)-diversity: r1 < c (r_l + ... + r_m); fewer than l values fail."""
    ordered = sorted((count for count in counts if count > 0), reverse=True)
    if len(ordered) < length:
        return False
    return ordered[0] < Fraction(c) * (1 - TIE) * sum(ordered[length - 1 :])


def differences(counts: Sequence[int], reference: Sequence[float]) -> list[Fraction]:
    """Share of each value minus its reference share."""
    total = sum(counts)
    return [Fraction(count, total) - Fraction(share) for count, share in zip(counts, reference)]


def equal_distance(counts: Sequence[int], reference: Sequence[float]) -> Fraction:
    """Earth mover's distance when any two values are one unit apart."""
    return sum((abs(each) for each in differences(counts, reference)), Fraction(0)) / 2


def ordered_distance(counts: Sequence[int], reference: Sequence[float]) -> Fraction:
    """Earth mover's distance when values i and j are |i - j| / (m - 1) apart."""
    each = differences(counts, reference)
    if len(each) == 1:
        return Fraction(0)
    moved = [abs(sum(each[: end + 1])) for end in range(len(each) - 1)]
    return sum(moved, Fraction(0)) / (len(each) - 1)


def tree_distance(
    counts: Sequence[int], reference: Sequence[float], parent: Sequence[int], height: Sequence[int]
) -> Fraction:
    """Hierarchical distance of Li, Li and Venkatasubramanian (2007), node by node, by recursion."""
    leaves = differences(counts, reference)
    root = len(parent) - 1

    def children(node: int) -> list[int]:
        return [child for child in range(root) if parent[child] == node]

    def extra(node: int) -> Fraction:
        if node < len(leaves):
            return leaves[node]
        return sum((extra(child) for child in children(node)), Fraction(0))

    cost = Fraction(0)
    for node in range(len(leaves), len(parent)):
        brought = [extra(child) for child in children(node)]
        surplus = sum((each for each in brought if each > 0), Fraction(0))
        deficit = -sum((each for each in brought if each < 0), Fraction(0))
        cost += Fraction(height[node], height[root]) * min(surplus, deficit)
    return cost


def distinct_categories(counts: Sequence[int], category: Sequence[int]) -> int:
    """How many categories occur."""
    return len({name for count, name in zip(counts, category) if count > 0})


def largest_share(counts: Sequence[int], listed: Sequence[bool]) -> Fraction:
    """Share of the most frequent listed value."""
    return max(
        (Fraction(count, sum(counts)) for count, keep in zip(counts, listed) if keep),
        default=Fraction(0),
    )
