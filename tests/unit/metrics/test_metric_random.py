"""Every metric agrees with its definition on random tables with missing values and hierarchies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import metrics as naive
from tests.naive.loss import grouping_loss
from tests.unit.metrics.releases import answer, evidence_of, public_half, value

from sfumato.core.answers import ResultTable
from sfumato.data.grid import grid_of
from sfumato.data.hierarchy import Hierarchy, from_levels
from sfumato.metrics.ambiguity import ambiguity
from sfumato.metrics.classes import (
    classification,
    classification_of,
    discernibility,
    smallest_group,
)
from sfumato.metrics.classes import groups as group_count
from sfumato.metrics.climb import hierarchy_distance, hierarchy_levels
from sfumato.metrics.diameter import diameter
from sfumato.metrics.distortion import distortion
from sfumato.metrics.entropy import entropy
from sfumato.metrics.loss import loss_metric, ncp, ncp_columns, suppressed, weighted_ncp
from sfumato.releases.release import Evidence

PLACES = ("p0", "p1", "p2", "p3", "p4")
AGREE = settings(max_examples=60, deadline=None)


@dataclass(frozen=True)
class Case:
    """A release with the same as plain lists: columns of the kept rows, and of all rows."""

    evidence: Evidence
    columns: list[naive.Column]
    originals: list[list[Any]]
    classes: list[Any]
    group: list[int]

    @property
    def dropped(self) -> int:
        """Rows of the original that are not published."""
        return len(self.originals[0]) - len(self.group)


def paths(draw: Any, has_missing: bool) -> dict[Any, tuple[str, ...]]:
    """A random tree over the places: two levels below the root, missing right under the root."""
    middle = draw(st.lists(st.integers(0, 2), min_size=5, max_size=5))
    upper = draw(st.lists(st.integers(0, 1), min_size=3, max_size=3))
    tree: dict[Any, tuple[str, ...]] = {
        place: (place, f"m{m}", f"u{upper[m]}", "*") for place, m in zip(PLACES, middle)
    }
    return tree | ({None: ("missing", "*", "*", "*")} if has_missing else {})


@st.composite
def cases(draw: Any, may_drop: bool = True) -> Case:
    """A random release of 1 to 12 rows, some perhaps dropped."""
    rows = draw(st.integers(1, 12))

    def column(values: Any) -> list[Any]:
        some = draw(st.sampled_from([values, st.none() | values]))
        return list(draw(st.lists(some, min_size=rows, max_size=rows)))

    age, job = column(st.integers(-3, 9)), column(st.sampled_from("abc"))
    place, disease = column(st.sampled_from(PLACES)), column(st.sampled_from("xyz"))
    fewest = 1 if may_drop else rows
    kept = draw(st.lists(st.sampled_from(range(rows)), min_size=fewest, unique=True))
    label = draw(st.lists(st.integers(0, 3), min_size=len(kept), max_size=len(kept)))
    group = [sorted(set(label)).index(each) for each in label]
    tree = paths(draw, None in place)
    data = {
        "age": pa.array(age, pa.int32()),
        "job": pa.array(job, pa.string()),
        "place": pa.array(place, pa.string()),
        "disease": pa.array(disease, pa.string()),
    }
    hierarchy = from_levels("place", [path for name, path in tree.items() if name])
    made = evidence_of(data, group, {"place": hierarchy}, sensitive=["disease"], kept=kept)
    columns: list[naive.Column] = [
        naive.Numbers([age[i] for i in kept]),
        naive.Categories([job[i] for i in kept]),
        naive.Tree([place[i] for i in kept], tree),
    ]
    return Case(made, columns, [age, job, place], [disease[i] for i in kept], group)


def close(expected: float) -> Any:
    return pytest.approx(expected, rel=1e-12, abs=1e-12)


@AGREE
@given(cases(), st.lists(st.floats(0.1, 5), min_size=3, max_size=3))
def test_loss(case: Case, weights: list[float]) -> None:
    total = naive.total_loss(case.columns, case.group, case.dropped)
    assert value(loss_metric, case.evidence) == close(total)
    equal = naive.mean_loss(case.columns, case.group, case.dropped, [1, 1, 1])
    assert value(ncp, case.evidence) == close(equal)
    assert equal == close(total / 3 / (len(case.group) + case.dropped))
    given_weights = dict(zip(("age", "job", "place"), weights, strict=True))
    assert value(weighted_ncp(given_weights), case.evidence) == close(
        naive.mean_loss(case.columns, case.group, case.dropped, weights)
    )


@AGREE
@given(cases(may_drop=False))
def test_ncp_is_the_loss_that_methods_minimise(case: Case) -> None:
    original, ledger = case.evidence.original, case.evidence.ledger
    trees = {"place": naive_tree(case)}
    assert original is not None
    assert ledger is not None
    columns = [original[name].take(ledger.rows) for name in ("age", "job", "place")]
    grid = grid_of(columns, trees)
    expected = grouping_loss(grid, case.evidence.release.content.group)
    assert value(ncp, case.evidence) == close(expected)


def naive_tree(case: Case) -> Hierarchy:
    """The hierarchy of the places, as it was before missing got a leaf."""
    tree = case.columns[2]
    assert isinstance(tree, naive.Tree)
    return from_levels("place", [path for name, path in tree.paths.items() if name])


@AGREE
@given(cases())
def test_loss_per_column(case: Case) -> None:
    table = ncp_columns.compute(case.evidence)
    assert isinstance(table, ResultTable)
    assert table.column("ncp") == [
        close(naive.mean_loss([column], case.group, case.dropped, [1])) for column in case.columns
    ]


@AGREE
@given(cases())
def test_suppressed(case: Case) -> None:
    expected = naive.suppressed(case.columns, case.group, case.dropped)
    assert value(suppressed, case.evidence) == expected


@AGREE
@given(cases())
def test_hierarchy_distance(case: Case) -> None:
    expected = naive.climb(case.columns, case.group, case.dropped)
    assert value(hierarchy_distance, case.evidence) == close(expected)
    table = hierarchy_levels.compute(case.evidence)
    assert isinstance(table, ResultTable)
    assert table.column("column") == ["place"]
    assert table.column("levels") == [close(expected)]


@AGREE
@given(cases())
def test_groups(case: Case) -> None:
    assert value(group_count, case.evidence) == len(set(case.group))
    assert value(smallest_group, case.evidence) == min(map(case.group.count, case.group))
    assert value(discernibility, case.evidence) == naive.discernibility(case.group, case.dropped)


@AGREE
@given(cases())
def test_classification(case: Case) -> None:
    expected = close(float(naive.classification(case.classes, case.group, case.dropped)))
    assert value(classification_of("disease"), case.evidence) == expected
    table = classification.compute(case.evidence)
    assert isinstance(table, ResultTable)
    assert table.rows == (("disease", expected),)


@AGREE
@given(cases())
def test_ambiguity(case: Case) -> None:
    expected = naive.ambiguity(case.columns, case.group, case.dropped)
    assert value(ambiguity, case.evidence) == close(expected)


@AGREE
@given(cases())
def test_entropy(case: Case) -> None:
    expected = naive.entropy(case.columns, case.originals, case.group)
    assert value(entropy, case.evidence) == pytest.approx(expected, abs=1e-12)


@AGREE
@given(cases())
def test_diameter(case: Case) -> None:
    # The range is that of the original column, dropped records included.
    columns = [Ranged(case.columns[0].values, case.originals[0]), *case.columns[1:]]
    assert value(diameter, case.evidence) == close(naive.diameter(columns, case.group))


@dataclass(frozen=True)
class Ranged(naive.Numbers):
    """Numbers whose range is that of more records than are published."""

    everyone: Any = ()

    def distance(self, one: Any, other: Any) -> float:
        return naive.Numbers(self.everyone).distance(one, other)


@AGREE
@given(cases())
def test_distortion(case: Case) -> None:
    ages = case.columns[0]
    assert isinstance(ages, naive.Numbers)
    expected, zeros = naive.distortion([ages], case.group)
    result = answer(distortion, case.evidence)
    assert result.refused == (expected is None)
    if expected is not None:
        assert result.value == close(expected)
        assert f"{zeros} zero" in result.basis


@AGREE
@given(cases())
def test_public_metrics_are_the_same_for_everyone(case: Case) -> None:
    metrics = [loss_metric, ncp, ncp_columns, suppressed, hierarchy_distance, hierarchy_levels]
    metrics += [group_count, smallest_group, discernibility, classification, ambiguity]
    for metric in metrics:
        assert metric.public
        assert metric.compute(public_half(case.evidence)) == metric.compute(case.evidence)
