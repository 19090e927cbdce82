"""The workload: repeatable, answerable, and every bound holds the truth."""

from __future__ import annotations

import numpy as np
import pytest
from tests.contracts.variants import coarse, people

from sfumato.core.run import Run
from sfumato.methods.tables.mondrian import Mondrian
from sfumato.study.workload import Asked, ask_all, draw_queries, query_error


@pytest.fixture(scope="module")
def scene():
    data = people(coarse().schema, 500)
    return data, Mondrian(k=5).publish(data, [], Run.seeded(1)).sealed().release


def test_a_seed_repeats_the_queries(scene):
    _, release = scene
    one, two = (draw_queries(release, 40, np.random.default_rng(3)) for _ in range(2))
    assert one == two
    assert {number for number, _ in one} == {1, 2, 3, 4}


def test_the_truth_lies_in_the_bounds(scene):
    data, release = scene
    asked = ask_all(release, draw_queries(release, 150, np.random.default_rng(4)), data.table)
    assert all(one.lower <= one.truth <= one.upper for one in asked)
    assert all(one.lower <= one.estimate <= one.upper for one in asked)
    assert any(one.lower < one.upper for one in asked)


def test_errors_by_hand():
    asked = [
        Asked("a", 1, estimate=90, lower=50, upper=150, truth=100),
        Asked("b", 1, estimate=3, lower=0, upper=10, truth=0),
    ]
    [line] = list(query_error(asked, rows=1000))
    assert line["mean error"] == pytest.approx((0.1 + 3) / 2)
    assert line["truth in bounds"] == 1
    assert line["mean width of bounds, share of records"] == pytest.approx(0.055)


def test_without_the_original_there_is_no_error(scene):
    _, release = scene
    table = query_error(ask_all(release, draw_queries(release, 9, np.random.default_rng(5))), 500)
    assert "mean error" not in table.columns
