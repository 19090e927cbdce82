"""Known answers of the paper on pattern-preserving publication, and of its errata."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.naive.localities import closure, every_locality
from tests.naive.walk import chord, keeps, rows_of
from tests.papers.known_answers import known, of_kind

from sfumato.kernels.direction_walk import chord_along
from sfumato.kernels.localities import LESS, complete_localities
from sfumato.metrics.distortion import relative_errors
from sfumato.metrics.replaced import alike
from sfumato.study.papers.patterns_clusters import moved

LOCALITIES = of_kind("localities")


def found(d: list) -> set:
    """Our complete set, as the known answers write it."""
    rows = complete_localities(np.array(d, np.int64)).tolist()
    return {(i + 1, j + 1, k + 1, "<" if sort == LESS else ">=") for i, j, k, sort in rows}


@pytest.mark.parametrize("case", LOCALITIES, ids=lambda case: case.id)
def test_localities_are_those_of_the_mended_algorithm(case):
    d, expected = case.input["d"], case.expected
    assert found(d) == {tuple(row) for row in expected["fixed"]}
    assert closure(found(d), len(d)) == every_locality(d)
    if "naive" in expected:
        assert every_locality(d) == {tuple(row) for row in expected["naive"]}


def test_the_printed_algorithm_is_not_complete():
    """A breakpoint on a value of the data: [0, 1, 2] already."""
    case = known("P-loc-0_1_2")
    printed = {tuple(row) for row in case.expected["printed_algorithm"]}
    assert not case.expected["printed_complete"]
    assert (1, 2, 3, ">=") not in printed


@pytest.mark.parametrize("case", of_kind("chord"), ids=lambda case: case.id)
def test_chords(case):
    given, expected = case.input, case.expected
    rows = rows_of([tuple(row) for row in given["localities"]], len(given["d"]))
    least, most = chord(rows, given["bounds"], given["x"], given["dx"])
    assert float(least) == pytest.approx(expected["theta_min"], abs=case.tolerance)
    assert float(most) == pytest.approx(expected["theta_max"], abs=case.tolerance)
    slack = np.array([float(b - sum(c * given["x"][i] for i, c in row.items())) for row, b in rows])
    slope = np.array([float(sum(c * given["dx"][i] for i, c in row.items())) for row, _ in rows])
    x, step = np.array(given["x"], float), np.array(given["dx"], float)
    low, high = (np.full(len(x), float(end)) for end in given["bounds"])
    assert chord_along(slack, slope, x, step, low, high) == pytest.approx((least, most))


@pytest.mark.parametrize("case", of_kind("polytope_membership"), ids=lambda c: c.id)
def test_order_is_needed_beside_localities(case):
    given = case.input
    rows = rows_of([tuple(row) for row in given["localities"]], 0)
    ordered = rows_of([tuple(row) for row in given["localities"]], len(given["x"]))
    assert keeps(rows, given["x"]) == case.expected["without_order_constraints"]
    # what the case expects with the order is of the original, which keeps it
    assert keeps(ordered, given["d"])
    assert not keeps(ordered, given["x"])


def test_the_example_statements_of_the_thesis():
    ages = [Fraction(a) for a in (42, 40, 49, 54, 55, 60)]
    case = known("P-order")
    assert (ages[0] < ages[1]) == case.expected["d1<d2"]
    assert (ages[3] - ages[2] < ages[2] - ages[0]) == case.expected["d4-d3<d3-d1"]
    assert (ages[5] < ages[0] + ages[1]) == case.expected["d6<d1+d2"]


@pytest.mark.parametrize("case", of_kind("k_t"), ids=lambda case: case.id)
def test_neighbours_with_the_same_value(case):
    given = case.input
    truth, shown = (np.array(given[name], float) for name in ("original", "anonymized"))
    codes = np.unique(given["sensitive"], return_inverse=True)[1]
    wide = np.array(given["ranges"], float)
    found = alike(truth, shown, wide, codes, np.arange(len(truth)), len(truth))
    assert found.first.tolist() == case.expected["k_t"]
    assert found.each.tolist() == case.expected["all_k"]


def test_distortion():
    case = known("P-dst")
    errors = relative_errors(case.input["original"], case.input["anonymized"])
    assert errors.total / errors.entries == pytest.approx(float(Fraction(case.expected)))


def test_clustering_error_matches_labels_first():
    case = known("P-ce")
    before, after = (np.array(case.input[n]) for n in ("labels", "labels_anonymized"))
    assert moved(before, after, 3) == pytest.approx(case.expected["matched"])
