"""Localities by the definition: every triple, in cubic time; and what follows from some of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

Locality = tuple[int, int, int, str]


def every_locality(d: list) -> set[Locality]:
    """All triples i < j < k of sorted values, numbered from 1, with the relation that holds."""
    exact = [Fraction(str(value)) for value in d]
    return {
        (i + 1, j + 1, k + 1, ">=" if 2 * exact[j] - exact[i] - exact[k] >= 0 else "<")
        for i, j, k in combinations(range(len(d)), 3)
    }


def closure(known: set[Locality], n: int) -> set[Locality]:
    """Everything that follows by the two rules, with values in order.

    If j is at least as far from i as from k, then also from every k' between j and k, and i' before
    i; if it is nearer to i, then also than to every k' beyond k, and for i' between i and j.
    """
    found = set()
    for i, j, k, sign in known:
        ks = range(j + 1, k + 1) if sign == ">=" else range(k, n + 1)
        starts = range(1, i + 1) if sign == ">=" else range(i, j)
        found |= {(a, j, b, sign) for a in starts for b in ks}
    return found
