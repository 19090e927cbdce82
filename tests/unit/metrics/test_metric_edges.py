"""Data at the edge: one row, all rows equal, one group, odd types; and what is refused, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.unit.metrics.releases import answer, evidence_of, public_half, value

from sfumato.core.answers import ResultTable
from sfumato.core.errors import BadJob, SfumatoError
from sfumato.data.hierarchy import from_breaks, from_levels
from sfumato.data.table import encode
from sfumato.metrics.ambiguity import ambiguity, log10_mean_combinations, mean_combinations
from sfumato.metrics.base import Metric
from sfumato.metrics.classes import (
    average_class_size,
    class_size,
    classification,
    classification_of,
    discernibility,
    groups,
    smallest_group,
)
from sfumato.metrics.climb import hierarchy_distance, hierarchy_levels
from sfumato.metrics.diameter import diameter
from sfumato.metrics.distortion import distortion
from sfumato.metrics.entropy import entropy
from sfumato.metrics.loss import loss_metric, ncp, ncp_columns, suppressed, weighted_ncp

ALL: list[Metric] = [
    *(ncp, ncp_columns, loss_metric, suppressed, hierarchy_distance, hierarchy_levels),
    *(groups, smallest_group, class_size, average_class_size, discernibility, classification),
    *(ambiguity, entropy, diameter, distortion),
]
TREE = from_levels("place", [("p", "low", "*"), ("q", "low", "*"), ("r", "high", "*")])


def table(rows: int) -> dict[str, Any]:
    """The same person several times."""
    one: dict[str, list[Any]] = {"age": [34], "job": ["clerk"], "place": ["p"], "disease": ["flu"]}
    return {name: column * rows for name, column in one.items()}


@pytest.mark.parametrize("group", [[0], [0, 0, 0], [0, 1, 1, 2]])
def test_equal_rows_lose_nothing(group: list[int]) -> None:
    made = evidence_of(table(len(group)), group, {"place": TREE}, sensitive=["disease"], k=1)
    for metric in (ncp, loss_metric, suppressed, hierarchy_distance, entropy, diameter, distortion):
        assert value(metric, made) == 0
    assert value(ambiguity, made) == 1
    assert value(classification_of("disease"), made) == 0
    assert value(average_class_size, made) == pytest.approx(len(group) / len(set(group)))


def test_one_group_of_everybody_loses_everything() -> None:
    data = {"age": [20, 30, 40], "job": ["a", "b", "c"], "place": ["p", "q", "r"]}
    made = evidence_of(data, [0, 0, 0], {"place": TREE}, k=3)
    assert value(ncp, made) == 1
    assert value(loss_metric, made) == value(suppressed, made) == 9
    assert value(hierarchy_distance, made) == 2
    assert value(ambiguity, made) == 21 * 3 * 3
    assert value(entropy, made) == pytest.approx(np.log2(3))
    assert value(diameter, made) == 3 * 3
    assert value(discernibility, made) == 9
    assert value(groups, made) == value(average_class_size, made) == 1
    assert value(class_size, made) == value(smallest_group, made) == 3


def test_every_metric_names_itself_and_says_what_it_needs() -> None:
    made = evidence_of(table(3), [0, 1, 1], {"place": TREE}, sensitive=["disease"], k=1)
    assert len({metric.name for metric in ALL}) == len(ALL)
    for metric in ALL:
        result = metric.compute(made)
        assert metric.meaning
        assert metric.source
        if not isinstance(result, ResultTable):
            assert (result.name, result.unit, result.refused) == (metric.name, metric.unit, False)
        if not metric.public:
            with pytest.raises(SfumatoError, match=f"this needs the {metric.needs[0]}"):
                metric.compute(public_half(made))


def test_a_release_without_records_is_refused() -> None:
    made = evidence_of({"age": pa.array([1], pa.int64())}, [], kept=[])
    for metric in ALL:
        assert answer(metric, made).refused


def test_a_release_without_quasi_identifiers() -> None:
    made = evidence_of({"disease": ["flu", "cold"]}, [0, 0], sensitive=["disease"])
    assert "no quasi-identifier" in answer(ncp, made).basis
    assert answer(diameter, made).refused
    assert value(groups, made) == 1


def test_missing_mixed_with_present_loses_all_but_is_not_silent() -> None:
    made = evidence_of({"age": [20, None, 20, 30]}, [0, 0, 1, 2])
    assert value(loss_metric, made) == 2
    assert value(suppressed, made) == 0
    assert value(ambiguity, made) == (2 + 2 + 1 + 1) / 4


def test_a_constant_column_with_missing_values_can_be_silent() -> None:
    made = evidence_of({"age": [5, None, 5]}, [0, 0, 1])
    assert value(suppressed, made) == value(loss_metric, made) == 2


def test_a_column_of_missing_values_only() -> None:
    made = evidence_of({"age": pa.array([None, None], pa.int64())}, [0, 0])
    assert value(loss_metric, made) == value(suppressed, made) == value(diameter, made) == 0
    assert value(entropy, made) == 0
    assert value(ambiguity, made) == 1
    assert answer(distortion, made).refused


def test_a_dropped_record_counts_as_lost() -> None:
    made = evidence_of({"age": [20, 30, 30, 40]}, [0, 1, 1], kept=[0, 1, 2])
    assert value(loss_metric, made) == value(suppressed, made) == 1
    assert value(ncp, made) == 1 / 4
    assert value(ambiguity, made) == (1 + 1 + 1 + 11) / 4
    assert "1 dropped" in answer(ncp, made).basis


def test_ambiguity_counts_days_and_whole_floats_and_refuses_the_rest() -> None:
    days = pa.array([10, 13], pa.int32()).cast(pa.date32())
    assert value(ambiguity, evidence_of({"day": days}, [0, 0])) == 4
    assert value(ambiguity, evidence_of({"age": [10.0, 13.0]}, [0, 0])) == 4
    assert value(ambiguity, evidence_of({"pay": [1.5, 2.5]}, [0, 1])) == 1
    assert "intervals of 'pay'" in answer(ambiguity, evidence_of({"pay": [1.5, 2]}, [0, 0])).basis
    tree = from_breaks(encode("pay", pa.chunked_array([[1.5, 2.5]])), [[1.0, 2.0, 3.0]])
    assert answer(ambiguity, evidence_of({"pay": [1.5, 2.5]}, [0, 0], {"pay": tree})).refused
    times = pa.array([0, 1], pa.timestamp("s"))
    assert answer(ambiguity, evidence_of({"seen": times}, [0, 0])).refused


def test_ambiguity_of_a_domain_that_cannot_be_counted() -> None:
    made = evidence_of({"pay": [1.5, 2.5, 3.5]}, [0, 1], kept=[0, 2])
    assert "records were dropped" in answer(ambiguity, made).basis


def test_ambiguity_too_large_for_a_number_gives_the_power_of_ten() -> None:
    data = {f"c{i}": [0, 10**15 - 1] for i in range(21)}
    assert "10 to the power 315.0" in answer(ambiguity, evidence_of(data, [0, 0])).basis
    each, sizes = np.array([[2.0, 3.0], [5.0, 1.0]]), np.array([1, 3])
    assert mean_combinations(each, sizes) == (6 + 3 * 5) / 4
    assert 10 ** log10_mean_combinations(each, sizes) == pytest.approx(21 / 4)


def test_interval_hierarchies_are_measured_as_published() -> None:
    ages = [20, 25, 34, 47]
    tree = from_breaks(encode("age", pa.chunked_array([ages])), [[20, 30, 40, 50], [20, 40]])
    made = evidence_of({"age": ages}, [0, 0, 1, 1], {"age": tree})
    assert value(loss_metric, made) == pytest.approx(2 * 9 / 29 + 2)
    assert answer(hierarchy_distance, made).refused
    assert value(entropy, made) == pytest.approx((1 + 1 + 2 + 2) / 4)
    assert value(diameter, made) == pytest.approx(2 * 5 / 27 + 2 * 13 / 27)


def test_entropy_finds_values_whose_codes_differ_in_the_release() -> None:
    made = evidence_of({"job": ["a", None, "b", "c"]}, [0, 0, 1, 1])
    original = replace(made, original=evidence_of({"job": ["b", "c", "a", "0"]}, [0] * 4).original)
    assert value(entropy, made) == 1
    assert value(entropy, original) == 0.5


def test_entropy_of_missing_values_that_the_published_tree_lacks() -> None:
    made = evidence_of({"place": ["p", "q", "r"]}, [0, 0, 1], {"place": TREE})
    more = evidence_of({"place": ["p", "q", "r", None, None]}, [0] * 5, {"place": TREE})
    assert value(entropy, replace(made, original=more.original)) == pytest.approx(2 / 3)
    assert value(diameter, replace(made, original=more.original)) == pytest.approx(2 / 2)


def test_distortion_skips_zeros_and_needs_numbers() -> None:
    result = answer(distortion, evidence_of({"pay": [0, 10, None, 5]}, [0, 0, 0, 1]))
    assert result.value == 0.25
    assert "2 entries of pay; 1 zero and 1 missing entries skipped" in result.basis
    assert answer(distortion, evidence_of({"pay": [0, 0]}, [0, 0])).refused
    assert answer(distortion, evidence_of({"job": ["a", "b"]}, [0, 0])).refused


def test_a_number_that_overflows_is_refused() -> None:
    made = evidence_of({"pay": [5e-324, 1e300]}, [0, 0])
    assert "too large" in answer(distortion, made).basis


def test_claims_and_classes_that_are_absent() -> None:
    made = evidence_of(table(2), [0, 0], sensitive=["disease"])
    assert "claims no k" in answer(average_class_size, made).basis
    assert "not a published sensitive" in answer(classification_of("age"), made).basis
    bare = evidence_of({"age": [1, 2]}, [0, 0])
    assert "no sensitive column" in answer(classification, bare).basis


def test_weights() -> None:
    made = evidence_of({"age": [1, 2], "job": ["a", "a"]}, [0, 0])
    assert value(weighted_ncp({"age": 3}), made) == 0.75
    assert value(weighted_ncp({"age": 0}), made) == 0
    for weights in ({"agee": 1.0}, {"age": -1.0}, {"age": 0.0, "job": 0.0}):
        with pytest.raises(BadJob, match="weights"):
            weighted_ncp(weights).compute(made)


def test_a_constant_hierarchy_with_one_value() -> None:
    tree = from_levels("place", [("p", "*")])
    made = evidence_of({"place": ["p", "p"]}, [0, 0], {"place": tree})
    for metric in (ncp, suppressed, hierarchy_distance, entropy, diameter):
        assert value(metric, made) == 0
