"""Generalizations, tolerances and fakes against everything tried, on thousands of tiny buckets."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.naive import distribution as naive
from tests.unit.methods.distribution_cases import (
    buckets_of,
    nodes_of,
    random_case,
    random_values,
    scale_of,
    targets_of,
)

from sfumato.methods.tables.distribution_entries import (
    Tolerance,
    entries_of,
    entries_with_fakes,
)

TOLERANCES = (0.05, 0.1, 0.25, 0.5)


@pytest.mark.parametrize("seed", range(60))
def test_generalizations_are_optimal(seed: int) -> None:
    """60 trees, 40 buckets each: private, a generalization, and as cheap as any of them."""
    rng = np.random.default_rng(seed)
    case = random_case(rng, int(rng.integers(1, 6)))
    values = random_values(rng, len(case.value), 5, 40)
    runs, of = buckets_of(values, len(case.value))
    entries = entries_of(scale_of(case), runs, targets_of(case), of)
    private = {size: naive.all_private(case, size) for size in range(1, 6)}
    for bucket, own in enumerate(values):
        found = nodes_of(entries, bucket)
        assert naive.is_private(case, found)
        assert naive.generalizes(case, found, own)
        assert naive.cost_of(case, found) == naive.best(case, own, private[len(own)])


@pytest.mark.parametrize("seed", range(100))
def test_fakes_are_optimal_and_as_few_as_can_be(seed: int) -> None:
    """100 trees, 12 buckets each, up to 3 fakes: cost and number, and the fakes themselves."""
    rng = np.random.default_rng(seed)
    case = random_case(rng, int(rng.integers(2, 5)))
    values = random_values(rng, len(case.value), 3, 12)
    runs, of = buckets_of(values, len(case.value))
    most = rng.integers(0, 4, len(values))
    entries = entries_with_fakes(scale_of(case), runs, targets_of(case), of, most)
    for bucket, own in enumerate(values):
        fakes = entries.fakes[entries.fakes[:, 0] == bucket, 1].tolist()
        found = nodes_of(entries, bucket)
        assert naive.is_private(case, found)
        assert naive.generalizes(case, found, [*own, *fakes])
        best = naive.best_with_fakes(case, own, int(most[bucket]))
        assert (naive.cost_of(case, found), len(fakes)) == best


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_tolerances_are_kept_and_pay(seed: int, ordered: bool) -> None:
    """40 trees, 40 buckets each: within the tolerance, a generalization, never worse than exact."""
    rng = np.random.default_rng(seed)
    case = random_case(rng, int(rng.integers(2, 9)))
    values = random_values(rng, len(case.value), 12, 40)
    runs, of = buckets_of(values, len(case.value))
    scale, targets = scale_of(case), targets_of(case)
    exact = entries_of(scale, runs, targets, of)
    distance = naive.earth if ordered else naive.variation
    for most in TOLERANCES:
        entries = entries_of(scale, runs, targets, of, Tolerance(most, ordered))
        for bucket, own in enumerate(values):
            found = nodes_of(entries, bucket)
            assert len(found) == len(own)
            implied = naive.implied(case, found)
            assert distance(implied, case.target) <= Fraction(str(most))
            assert naive.cost_of(case, found) <= naive.cost_of(case, nodes_of(exact, bucket))
            assert all(case.mass[node] for node in found)
            if len(own) <= 6:
                assert naive.generalizes(case, found, own)


@pytest.mark.parametrize("ordered", [False, True])
def test_a_tolerance_comes_near_the_best_there_is(ordered: bool) -> None:
    """Not proved optimal: over 800 tiny buckets the cost is within 15 % of the least."""
    rng = np.random.default_rng(7)
    reached, least = 0, 0
    for _ in range(40):
        case = random_case(rng, int(rng.integers(2, 5)), arity=3)
        values = random_values(rng, len(case.value), 5, 20)
        runs, of = buckets_of(values, len(case.value))
        tolerance = float(rng.choice(TOLERANCES))
        entries = entries_of(
            scale_of(case), runs, targets_of(case), of, Tolerance(tolerance, ordered)
        )
        for bucket, own in enumerate(values):
            cost = naive.cost_of(case, nodes_of(entries, bucket))
            best = naive.best_within(case, own, Fraction(str(tolerance)), ordered)
            assert cost >= best
            reached, least = reached + cost, least + best
    assert reached <= 1.15 * least


@pytest.mark.parametrize("seed", range(30))
def test_what_entries_imply_is_what_they_let_believe(seed: int) -> None:
    """The implied distribution is the one for which the entries are exactly private."""
    rng = np.random.default_rng(seed)
    case = random_case(rng, int(rng.integers(2, 7)))
    for _ in range(30):
        able = [node for node, mass in enumerate(case.mass) if mass]
        chosen = tuple(rng.choice(able, int(rng.integers(1, 8))).tolist())
        share = naive.implied(case, chosen)
        assert sum(share) == 1
        assert naive.believed(share, case.leaves, chosen) == share
        assert naive.is_private(case, chosen) == (share == case.target)
