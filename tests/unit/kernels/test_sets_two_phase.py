"""Two-phase aggregation against its slow counterpart, and what must hold for any input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import sets_two_phase as naive
from tests.naive.sets_drawn import ITEMS, classes_of, rows_of, sets, sorted_classes, utilities

from sfumato.kernels.sets_common import retained
from sfumato.kernels.sets_index import NONE, enter, find, leave, new_index
from sfumato.kernels.sets_two_phase import PER_NAT, THESIS, Reading, two_phase
from sfumato.kernels.sets_two_phase_merge import FIRST_IN, LAST_IN

READINGS = [Reading(order, nat) for order in (FIRST_IN, LAST_IN) for nat in (False, True)]


@settings(deadline=None, max_examples=300)
@given(sets(2), utilities(), st.integers(1, 6), st.sampled_from(READINGS))
def test_each_reading_is_the_slow_one(rows, utility, k, reading):
    k = min(k, len(rows))
    found = two_phase(rows_of(rows), np.array(utility), k, (reading,))
    wanted = naive.two_phase(rows, utility, k, reading.order == LAST_IN, reading.per_nat)
    if not reading.per_nat:  # logarithms may differ in the last bit, and break ties otherwise
        assert classes_of(found) == sorted_classes(wanted)
    assert min(map(len, classes_of(found))) >= k


@settings(deadline=None, max_examples=60)
@given(sets(4, 8), utilities(), st.integers(2, 4), st.sampled_from([THESIS, PER_NAT]))
def test_never_above_the_optimum_and_the_better_of_its_readings(rows, utility, k, readings):
    def kept(chosen):
        group = two_phase(rows_of(rows), np.array(utility), k, chosen)
        own = retained(rows_of(rows), np.array(utility), group, int(group.max()) + 1)
        assert own == pytest.approx(naive.kept(rows, classes_of(group), utility))
        return own

    assert kept(readings) <= naive.optimum(rows, utility, k) + 1e-9
    assert kept(readings) == max(kept((one,)) for one in readings)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize(
    "rows",
    [
        [frozenset()] * 9,
        [frozenset({1, 2})] * 9,
        [frozenset({item % ITEMS}) for item in range(9)],
        [frozenset(range(ITEMS))] + [frozenset()] * 8,
    ],
)
def test_odd_tables(rows, wide):
    for k in (1, 2, 5, 9):
        group = two_phase(rows_of(rows, wide), np.ones(ITEMS), k)
        assert min(map(len, classes_of(group))) >= k


def test_identical_rows_lose_nothing_and_threads_change_nothing():
    rng = np.random.default_rng(5)
    kinds = [frozenset(np.flatnonzero(rng.random(ITEMS) < 0.5).tolist()) for _ in range(40)]
    rows, utility = rows_of(kinds * 4), rng.integers(1, 9, ITEMS).astype(float)
    group = two_phase(rows, utility, 4)
    total = float(utility[rows.items].sum())
    assert retained(rows, utility, group, int(group.max()) + 1) == total
    for k in (5, 9, 30):
        alone, together = (two_phase(rows, utility, k, workers=count) for count in (1, 2))
        assert np.array_equal(alone, together)


def test_steps_never_go_back():
    heard: list[tuple[int, int]] = []
    rows = rows_of([frozenset({row % ITEMS, row % 3}) for row in range(50)])
    two_phase(rows, np.ones(ITEMS), 4, THESIS[:1], 1, lambda *told: heard.append(told))
    assert heard == sorted(heard)
    assert heard[-1][0] == heard[-1][1]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 15), st.booleans()), max_size=80))
def test_index_is_a_dictionary(moves):
    """Keys share their lower bits, so that searches run into one another."""
    index, held = new_index(16, 16), {}
    for number, enters in moves:
        key = np.uint64(number % 4 + (number << 40))
        if enters and number not in held:
            enter(index, number, key)
            held[number] = key
        elif not enters and number in held:
            leave(index, number)
            del held[number]
        for other in range(16):
            wanted = other if other in held else NONE
            assert find(index, np.uint64(other % 4 + (other << 40))) == wanted
