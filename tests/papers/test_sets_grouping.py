"""The worked examples on sets of items: no method keeps more than the best grouping there is."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive import sets_two_phase as naive
from tests.naive.sets_drawn import classes_of, rows_of
from tests.papers.known_answers import KnownAnswer, known, of_kind

from sfumato.kernels.sets_cluster import ALL, DRAWN, HASHED, Candidates, cluster
from sfumato.kernels.sets_common import retained
from sfumato.kernels.sets_two_phase import two_phase

METHODS = {
    "two-phase": two_phase,
    "cluster, all": lambda *given: cluster(*given, Candidates(ALL), 7),
    "cluster, drawn": lambda *given: cluster(*given, Candidates(DRAWN), 7),
    "cluster, hashed": lambda *given: cluster(*given, Candidates(HASHED), 7),
}


def problem(case: KnownAnswer):
    """(sets, utilities, k) of an example; utilities are 1 where none are given."""
    data = case.input["data"]
    names = sorted({item for row in data for item in row})
    utility = [float(case.input.get("utility", {}).get(name, 1)) for name in names]
    return [frozenset(map(names.index, row)) for row in data], utility, case.input.get("k", 1)


def kept(method: str, case: KnownAnswer) -> float:
    """Utility that a method keeps, counted by the slow counterpart."""
    rows, utility, k = problem(case)
    group = METHODS[method](rows_of(rows), np.array(utility), k)
    assert min(map(len, classes_of(group))) >= k
    return naive.kept(rows, classes_of(group), utility)


@pytest.mark.parametrize("case", of_kind("best_k_anon"), ids=lambda case: case.id)
def test_optimum_of_the_examples(case):
    rows, utility, k = problem(case)
    assert naive.optimum(rows, utility, k) == case.expected["utility"]
    assert naive.kept(rows, case.expected["partition_0based"], utility) == case.expected["utility"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", of_kind("best_k_anon"), ids=lambda case: case.id)
def test_no_method_exceeds_the_optimum(method, case):
    assert 0 <= kept(method, case) <= case.expected["utility"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", of_kind("two_phase_must_terminate"), ids=lambda case: case.id)
def test_methods_end_where_the_printed_ones_do_not(method, case):
    assert kept(method, case) <= case.expected["best_utility"]


def test_two_phase_solves_the_inputs_on_which_the_printed_one_does_not_end():
    for name in ("M-alg7-stuck", "M-alg8-loop", "M-t12-k2"):
        wanted = known(name).expected
        assert kept("two-phase", known(name)) == wanted.get("best_utility", wanted.get("utility"))


def test_utility_of_the_example_table():
    case = known("M-t12")
    rows, utility, _ = problem(case)
    assert [naive.worth(row, utility) for row in rows] == case.expected["records"]
    alone = np.arange(len(rows), dtype=np.int32)
    found = retained(rows_of(rows), np.array(utility), alone, len(rows))
    assert found == case.expected["total"]
