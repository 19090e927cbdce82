"""The worked examples of the table metrics: formulas on their own, and whole small releases."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.papers.known_answers import known, number, of_kind
from tests.unit.metrics.releases import evidence_of, value

from sfumato.data.hierarchy import Hierarchy, from_levels
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.metrics.ambiguity import log10_mean_combinations, mean_combinations
from sfumato.metrics.cells import fraction_lost
from sfumato.metrics.classes import (
    classification_cost,
    classification_of,
    discernibility_cost,
    majority_counts,
    smallest_group,
)
from sfumato.metrics.diameter import diameter
from sfumato.metrics.distortion import relative_errors
from sfumato.metrics.entropy import entropy
from sfumato.metrics.loss import mean_loss, suppressed, total_loss
from sfumato.releases.cells import ValueSets
from sfumato.releases.recoded import Recoded
from sfumato.releases.release import Evidence, Release


def exactly(expected: Any) -> Any:
    """The file's number, up to rounding."""
    return pytest.approx(float(number(expected)), rel=1e-14)


def numbered(labels: Sequence[Any]) -> list[int]:
    """Equal labels, equal number, in order of first appearance."""
    seen: dict[Any, int] = {}
    return [seen.setdefault(str(label), len(seen)) for label in labels]


def as_sets(column: Sequence[Sequence[Any]]) -> ValueSets:
    """One published set per group, exactly as a document prints them."""
    values = sorted({str(each) for cell in column for each in cell})
    codes = [values.index(str(each)) for cell in column for each in cell]
    offsets = np.cumsum([0, *(len(cell) for cell in column)])
    which = np.arange(len(column), dtype=np.int32)
    return ValueSets(which, offsets, np.array(codes, np.int32), pa.array(values), False, True)


def published(columns: dict[str, ValueSets], group: Sequence[int], original: Table) -> Evidence:
    """A release whose cells were printed rather than computed."""
    members, nothing = np.array(group, np.int32), Table({}, len(group))
    content = Recoded(dict(columns), members, len(set(group)), nothing)
    schema = Schema.of(quasi=list(columns))
    return Evidence(Release("table", "recoded", schema, content, ()), original)


def test_discernibility() -> None:
    case = known("M-dm")
    sizes = np.array(case.input["class_sizes"])
    assert discernibility_cost(sizes, case.input["suppressed"]) == exactly(case.expected)


def test_classification() -> None:
    case = known("M-cm")
    classes = case.input["classes"]
    group = np.repeat(np.arange(len(classes)), [len(each) for each in classes]).astype(np.int32)
    codes = np.unique([label for each in classes for label in each], return_inverse=True)[1]
    majority = majority_counts(codes, group, len(classes))
    dropped = len(case.input["suppressed_labels"])
    cost = classification_cost(np.bincount(group), majority, dropped)
    assert cost == exactly(case.expected)


@pytest.mark.parametrize("case", of_kind("lm"), ids=lambda case: case.id)
def test_loss(case: Any) -> None:
    each = fraction_lost(case.input["f"], case.input["g"])
    sizes = np.ones(len(each), np.int64)
    assert total_loss(each, sizes) == exactly(case.expected["sum"])
    if "normalised" in case.expected:
        assert mean_loss(each, sizes) == exactly(case.expected["normalised"])


def test_ambiguity() -> None:
    case = known("M-am")
    each = np.array(case.input["f"], float)
    sizes = np.ones(len(each), np.int64)
    assert mean_combinations(each, sizes) == exactly(case.expected)
    assert 10 ** log10_mean_combinations(each, sizes) == exactly(case.expected)


def test_entropy() -> None:
    case = known("M-entropy")
    original, generalized = case.input["original"], case.input["generalized"]
    columns = {str(j): as_sets([row[j] for row in generalized]) for j in range(2)}
    values = {str(j): [str(row[j]) for row in original] for j in range(2)}
    truth = evidence_of(values, [0] * len(original)).original
    assert truth is not None
    result = value(entropy, published(columns, range(len(original)), truth))
    assert result == pytest.approx(case.expected, abs=case.tolerance)


def tree_of(tree: Any) -> Hierarchy:
    """The occupations: two branches below the root."""
    rows = [
        (leaf, f"branch {i}", "*") for i, branch in enumerate(tree["c"]) for leaf in branch["c"]
    ]
    return from_levels("job", rows)


@pytest.mark.parametrize("case", of_kind("delta_c"), ids=lambda case: case.id)
def test_distance_in_a_tree(case: Any) -> None:
    data = {"job": [case.input["a"], case.input["b"]]}
    made = evidence_of(data, [0, 0], {"job": tree_of(case.input["tree"])})
    assert value(diameter, made) == 2 * number(case.expected)


def test_diameter() -> None:
    case = known("M-diam")
    rows = [(i, *row) for i, each in enumerate(case.input["classes"]) for row in each]
    group, ages, jobs = (list(column) for column in zip(*rows, strict=True))
    assert max(ages) - min(ages) == case.input["range"]
    made = evidence_of({"age": ages, "job": jobs}, group, {"job": tree_of(case.input["tree"])})
    assert value(diameter, made) == exactly(case.expected)


def test_distortion() -> None:
    case = known("P-dst")
    errors = relative_errors(case.input["original"], case.input["anonymized"])
    assert errors.total / errors.entries == exactly(case.expected)
    assert (errors.zeros, errors.missing) == (0, 0)


def test_suppressed_cells_of_table_7() -> None:
    case = known("M-t7")
    rows = [[["0", "1"] if cell == "x" else [cell] for cell in row] for row in case.input["rows"]]
    group = numbered(rows)
    one_each = [rows[group.index(g)] for g in range(len(set(group)))]
    columns = {str(j): as_sets([row[j] for row in one_each]) for j in range(3)}
    made = published(columns, group, Table({}, len(rows)))
    assert value(suppressed, made) == case.expected["suppressed_cells"]
    assert (value(smallest_group, made) >= case.input["k"]) == case.expected["k_anonymous"]


def test_table_8_needs_two_suppressed_cells() -> None:
    """Its groups as printed leave two records alone; joining them suppresses a cell in each."""
    case = known("M-t8")
    original = {str(j): [row[j] for row in case.input["original"]] for j in range(3)}
    data = {name: pa.array(map(str, column)) for name, column in original.items()}
    as_printed = evidence_of(data, numbered(case.input["rows"]))
    assert (value(smallest_group, as_printed) >= 2) == case.expected["k_anonymous"]
    joined = evidence_of(data, [0, 1, 0, 1])
    assert value(smallest_group, joined) == case.input["k"]
    assert value(suppressed, joined) == case.expected["suppressed_cells_needed_strict"]


def test_table_4() -> None:
    case = known("M-t4")
    sex, age = (list(column) for column in zip(*case.input["rows"], strict=True))
    made = evidence_of({"sex": sex, "age": age}, numbered(case.input["rows"]))
    assert (value(smallest_group, made) == case.input["k"]) == case.expected["k_anonymous"]


def test_posterior_of_table_4_is_one_less_the_classification_metric() -> None:
    case = known("M-t4-post")
    data = {"sex": ["Male"] * 3, "condition": case.input["class"]}
    made = evidence_of(data, [0, 0, 0], sensitive=["condition"])
    outside = value(classification_of("condition"), made)
    assert 1 - outside == exactly(Fraction(case.expected))


def test_table_5() -> None:
    case = known("M-t5")
    made = evidence_of({"age": case.input["ages"]}, numbered(case.input["ranges"]))
    assert (value(smallest_group, made) >= case.input["k"]) == case.expected
    ages = made.release.content.cells["age"]
    assert ages.labels().to_pylist() == ["[21, 22]", "[34, 36]"]


def test_table_3_is_2_anonymous() -> None:
    """A set-valued table as columns of yes and no: equal published sets are one group."""
    case = known("M-t3")
    items = sorted({item for row in case.input["data"] for item in row})
    data = {item: [str(item in row) for row in case.input["data"]] for item in items}
    made = evidence_of(data, numbered(case.input["published"]))
    assert (value(smallest_group, made) >= case.input["k"]) == case.expected["k_anonymous"]
    best = known("M-t1-k2").expected["partition_0based"]
    assert sorted(best) == [[0, 2], [1, 3]]
    shown = sum(len(row) for row in case.input["published"])
    assert shown == known("M-t1-k2").expected["utility"]
