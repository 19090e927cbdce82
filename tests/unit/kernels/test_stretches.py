"""Partitions into stretches, and weights of siblings, against everything tried."""

from __future__ import annotations

from itertools import product
from math import gcd

import numpy as np
import pytest
from tests.naive import distribution as naive
from tests.unit.methods.distribution_cases import buckets_of, random_case, scale_of

from sfumato.kernels.edge_weights import edge_weights
from sfumato.kernels.strata import deal_strata
from sfumato.kernels.stretches import best_stretches, stretch_costs
from sfumato.methods.tables.distribution_entries import tree_of


@pytest.mark.parametrize("seed", range(40))
def test_the_best_partition_of_all(seed: int) -> None:
    """Up to 7 places: costs of stretches by definition, and the cheapest of all partitions."""
    rng = np.random.default_rng(seed)
    places = int(rng.integers(1, 8))
    records = rng.integers(1, 4, places)
    upto = np.concatenate([[0], np.cumsum(records)])
    ends = np.column_stack(np.triu_indices(places))
    low = rng.integers(0, 9, 12).astype(float)
    high = low + rng.integers(0, 9, 12)
    entries = [rng.integers(0, 12, upto[b + 1] - upto[a]).tolist() for a, b in ends]
    lines = [sorted(set(some)) for some in entries]
    queries = np.sort(rng.integers(0, places, (15, 2)), axis=1)
    weight = rng.random(15)
    cost = stretch_costs(
        ends,
        (
            np.cumsum([0, *map(len, lines)]),
            np.array([node for some in lines for node in some], np.int32),
            np.array([e.count(n) for e, some in zip(entries, lines, strict=True) for n in some]),
        ),
        low,
        high,
        upto,
        queries,
        weight,
    )
    by_ends = {}
    for (first, last), some, found in zip(ends.tolist(), entries, cost, strict=True):
        spans = [(low[node], high[node]) for node in some]
        asked = [
            sum(records[max(first, a) : min(last, b) + 1]) if a <= last and b >= first else 0
            for a, b in queries
        ]
        own = sum(w * naive.width(spans, s) for w, s in zip(weight, asked, strict=True))
        assert found == pytest.approx(own)
        by_ends[first, last] = found
    allowed = rng.random(len(ends)) < 0.8
    within = {tuple(e): c if ok else np.inf for e, c, ok in zip(ends.tolist(), cost, allowed)}
    least = min(sum(within[s] for s in parts) for parts in naive.partitions(places))
    heads = best_stretches(ends, np.where(allowed, cost, np.inf), places)
    if least == np.inf:
        assert len(heads) == 0
        return
    stops = [*heads[1:].tolist(), places]
    assert sum(within[a, b - 1] for a, b in zip(heads.tolist(), stops)) == pytest.approx(least)


def best_weights(mass: list[int], most: int) -> float:
    """The least that the worst share can be off, with weights of at most that sum."""
    kinds = [m for m in mass if m]
    most, found = max(most, len(kinds)), np.inf
    for weights in product(range(1, most + 1), repeat=len(kinds)):
        whole = sum(weights)
        if whole <= most:
            off = (abs(w / whole - m / sum(mass)) for w, m in zip(weights, kinds, strict=True))
            found = min(found, max(off))
    return found


@pytest.mark.parametrize("most", [0, 2, 5, 8])
@pytest.mark.parametrize("seed", range(30))
def test_weights_of_siblings(seed: int, most: int) -> None:
    """Exact ratios in lowest terms; or the nearest of small sum, and none lost."""
    rng = np.random.default_rng(seed)
    case = random_case(rng, int(rng.integers(2, 8)), arity=3)
    values = [rng.integers(0, len(case.value), int(rng.integers(1, 30))).tolist()]
    masses, _ = buckets_of(values, len(case.value))
    found = edge_weights(tree_of(scale_of(case)), masses, most)
    weight = dict(zip(found.node.tolist(), found.weight.tolist(), strict=True))
    for node, below in enumerate(case.children):
        mass = [sum(x in case.leaves[child] for x in values[0]) for child in below]
        own = [weight.get(child, 0) for child in below]
        if not any(mass):
            assert not any(own), node
            continue
        assert [m > 0 for m in mass] == [w > 0 for w in own]
        assert sum(own) <= most or not most or sum(own) == sum(m > 0 for m in mass)
        if not most:
            assert [m // gcd(*mass) for m in mass] == own
            continue
        off = max(abs(w / sum(own) - m / sum(mass)) for w, m in zip(own, mass, strict=True))
        assert off == pytest.approx(best_weights(mass, most), abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_strata_are_dealt_inside_the_span_of_each_value(seed: int) -> None:
    """In order, and where nothing binds as evenly as can be."""
    rng = np.random.default_rng(seed)
    strata, values = 8, 6
    ends = np.sort(rng.integers(0, strata, values + 1))
    ends[0], ends[-1] = 0, strata - 1
    code = np.sort(rng.integers(0, values, 40)).astype(np.int32)
    found = deal_strata(np.array([0, 40]), code, ends[:-1], ends[1:], strata)
    assert (found >= ends[:-1][code]).all() and (found <= ends[1:][code]).all()
    assert (np.diff(found) >= 0).all()
    wide = deal_strata(
        np.array([0, 40]), code, np.zeros(values, np.int64), np.full(values, strata - 1), strata
    )
    assert np.bincount(wide, minlength=strata).tolist() == [5] * strata
