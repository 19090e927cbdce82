"""The fast rules agree with the definitions, on random counts and on known cases."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import rules as naive

from sfumato.kernels import rules as fast

COUNTS = st.lists(st.integers(0, 6), min_size=1, max_size=7).filter(lambda counts: sum(counts) > 0)
BOUND = st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 1.0])
AGREE = settings(max_examples=200, deadline=None)


def one_rule(counts: Any, kind: int, first: float, second: float = 0.0, extra: Any = ()) -> Any:
    """Achieved number and verdict of a single rule on one column, checked in batch as well."""
    offset = np.array([0, len(counts)])
    rules = fast.stack([(kind, 0, first, second, np.array(extra, dtype=float))], offset)
    flat = np.array(counts, dtype=np.int64)
    holds = fast.rules_hold(rules, flat, flat.sum())
    batch = fast.groups_hold(rules, np.array([flat.sum()] * 2), np.stack([flat, flat]))
    assert batch.tolist() == [holds, holds]
    return fast.rule_value(rules, 0, flat, flat.sum()), holds


def shares(data: Any, values: int) -> list[float]:
    """A reference distribution: random counts over their sum, some of them zero."""
    counts = data.draw(st.lists(st.integers(0, 5), min_size=values, max_size=values))
    counts[0] += 1
    return [count / sum(counts) for count in counts]


@AGREE
@given(COUNTS, st.integers(1, 8))
def test_distinct(counts: list[int], length: int) -> None:
    value, holds = one_rule(counts, fast.DISTINCT, length)
    assert value == naive.distinct_values(counts)
    assert holds == (naive.distinct_values(counts) >= length)


@AGREE
@given(COUNTS, st.integers(1, 8))
def test_entropy(counts: list[int], length: int) -> None:
    value, holds = one_rule(counts, fast.ENTROPY, length)
    assert value == pytest.approx(math.exp(naive.entropy(counts)), rel=1e-12)
    assert holds == (naive.entropy(counts) >= math.log(length) - 1e-12)


@pytest.mark.parametrize("length", [1, 2, 3, 7, 49, 1000])
@pytest.mark.parametrize("times", [1, 3, 11])
def test_entropy_ties_pass(length: int, times: int) -> None:
    assert one_rule([times] * length, fast.ENTROPY, length)[1]
    assert not one_rule([times] * length, fast.ENTROPY, length + 1e-6)[1]


@AGREE
@given(COUNTS, st.sampled_from([0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 10.0]), st.integers(1, 9))
def test_recursive(counts: list[int], c: float, length: int) -> None:
    value, holds = one_rule(counts, fast.RECURSIVE, c, length)
    assert holds == naive.recursive_holds(counts, c, length)
    assert math.isinf(value) == (naive.distinct_values(counts) < length)


def test_recursive_ties_fail() -> None:
    assert one_rule([1, 10], fast.RECURSIVE, 0.1, 1)[1] is False
    assert one_rule([4, 2, 2], fast.RECURSIVE, 1.0, 2)[1] is False
    assert one_rule([4, 3, 2], fast.RECURSIVE, 1.0, 2)[1] is True


@AGREE
@given(COUNTS, BOUND, st.data())
def test_closeness_equal_and_ordered(counts: list[int], t: float, data: Any) -> None:
    reference = shares(data, len(counts))
    for kind, distance in (
        (fast.TCLOSE_EQUAL, naive.equal_distance(counts, reference)),
        (fast.TCLOSE_ORDERED, naive.ordered_distance(counts, reference)),
    ):
        value, holds = one_rule(counts, kind, t, extra=reference)
        assert value == pytest.approx(float(distance), abs=1e-13)
        assert holds == (distance <= Fraction(t) + naive.TIE)


@AGREE
@given(COUNTS, BOUND, st.data())
def test_closeness_tree(counts: list[int], t: float, data: Any) -> None:
    reference, parent, height = shares(data, len(counts)), *random_tree(data, len(counts))
    distance = naive.tree_distance(counts, reference, parent, height)
    relative = [each / height[-1] for each in height]
    value, holds = one_rule(counts, fast.TCLOSE_TREE, t, extra=[*reference, *parent, *relative])
    assert value == pytest.approx(float(distance), abs=1e-13)
    assert holds == (distance <= Fraction(t) + naive.TIE)


def random_tree(data: Any, leaves: int) -> tuple[list[int], list[int]]:
    """Parents and heights of a tree over the leaves: a middle level, then a root."""
    middle = data.draw(st.integers(1, 3))
    under = data.draw(
        st.lists(st.integers(leaves, leaves + middle), min_size=leaves, max_size=leaves)
    )
    root = leaves + middle
    return [*under, *[root] * middle, root], [0] * leaves + [1] * middle + [2]


def test_flat_tree_is_equal_distance_and_known_value() -> None:
    counts, reference = [2, 1, 0, 1], [0.25, 0.25, 0.25, 0.25]
    flat = [*reference, 4, 4, 4, 4, 4, 0, 0, 0, 0, 1]
    assert one_rule(counts, fast.TCLOSE_TREE, 1, extra=flat)[0] == pytest.approx(0.25)
    # Values {0, 1} and {2, 3} under two nodes of height 1 of 2: all of the mass crosses the root.
    deep = [*reference, 4, 4, 5, 5, 6, 6, 6, 0, 0, 0, 0, 0.5, 0.5, 1]
    assert one_rule([1, 1, 0, 0], fast.TCLOSE_TREE, 1, extra=deep)[0] == pytest.approx(0.5)
    assert one_rule([1, 0, 1, 0], fast.TCLOSE_TREE, 1, extra=deep)[0] == pytest.approx(0.25)


def test_ordered_distance_of_the_paper() -> None:
    """Li et al. 2007, section 5: salaries 3k..11k, classes {3, 4, 5} and {6, 8, 11}."""
    reference = [1 / 9] * 9
    low = one_rule([1, 1, 1, 0, 0, 0, 0, 0, 0], fast.TCLOSE_ORDERED, 1, extra=reference)[0]
    spread = one_rule([0, 0, 0, 1, 0, 1, 0, 0, 1], fast.TCLOSE_ORDERED, 1, extra=reference)[0]
    assert low == pytest.approx(0.375)
    assert spread == pytest.approx(0.167, abs=5e-4)


@AGREE
@given(COUNTS, st.integers(1, 5), st.data())
def test_categories(counts: list[int], p: int, data: Any) -> None:
    names = st.integers(0, len(counts) - 1)
    category = data.draw(st.lists(names, min_size=len(counts), max_size=len(counts)))
    value, holds = one_rule(counts, fast.PALPHA, p, extra=category)
    assert value == naive.distinct_categories(counts, category)
    assert holds == (value >= p and (not holds or naive.distinct_values(counts) >= p))


@AGREE
@given(COUNTS, BOUND, st.data())
def test_frequency(counts: list[int], alpha: float, data: Any) -> None:
    listed = data.draw(st.lists(st.booleans(), min_size=len(counts), max_size=len(counts)))
    value, holds = one_rule(counts, fast.FREQUENCY, alpha, extra=listed)
    assert value == pytest.approx(float(naive.largest_share(counts, listed)), abs=1e-15)
    assert holds == (naive.largest_share(counts, listed) <= Fraction(alpha) + naive.TIE)


def test_rules_read_their_own_columns_and_all_must_hold() -> None:
    entries = [
        (fast.DISTINCT, 1, 2.0, 0.0, np.zeros(0)),
        (fast.FREQUENCY, 0, 0.5, 0.0, np.ones(2)),
    ]
    rules = fast.stack(entries, np.array([0, 2, 5]))
    counts = np.array([[1, 1, 2, 0, 0], [1, 1, 1, 0, 1], [2, 0, 1, 1, 0], [0, 0, 0, 0, 0]])
    holds = fast.groups_hold(rules, np.array([2, 2, 2, 0]), counts)
    assert holds.tolist() == [False, True, False, True]


def test_no_rules_hold_always() -> None:
    rules = fast.empty_rules(np.array([0]))
    assert fast.rules_hold(rules, np.zeros(0, dtype=np.int64), 5)
