"""The models against their papers: worked examples, exact ties, and what they refuse."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.models.transport import cheapest_transport

from sfumato.core.errors import BadJob, CannotBeMet
from sfumato.data.hierarchy import Hierarchy, from_breaks, from_levels
from sfumato.data.table import encode
from sfumato.models.alpha_k import AlphaK
from sfumato.models.base import Whole, parse_model, whole_of
from sfumato.models.belief import BeliefChange
from sfumato.models.k_anonymity import KAnonymity
from sfumato.models.l_diversity import (
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
)
from sfumato.models.p_sensitive import PAlpha, PSensitive
from sfumato.models.t_closeness import TCloseness

SALARIES = [3, 4, 5, 6, 7, 8, 9, 10, 11]
DISEASES = [
    ("flu", "respiratory infection", "respiratory", "*"),
    ("pneumonia", "respiratory infection", "respiratory", "*"),
    ("bronchitis", "respiratory infection", "respiratory", "*"),
    ("pulmonary edema", "vascular lung", "respiratory", "*"),
    ("pulmonary embolism", "vascular lung", "respiratory", "*"),
    ("gastric ulcer", "stomach", "digestive", "*"),
    ("stomach cancer", "stomach", "digestive", "*"),
    ("gastritis", "stomach", "digestive", "*"),
    ("colitis", "colon", "digestive", "*"),
    ("colon cancer", "colon", "digestive", "*"),
]


def whole(values: list[Any], tree: Hierarchy | None = None) -> Whole:
    """The whole table's view of a sensitive column s."""
    return whole_of(encode("s", pa.chunked_array([pa.array(values)])), tree)


def counts(part: list[Any], of: Whole) -> list[int]:
    """How often each value occurs in a group."""
    return [[str(value) for value in part].count(text) for text in of.texts]


@pytest.mark.parametrize(
    ("group", "distance"), [([3, 4, 5], "3/8"), ([6, 8, 11], "1/6"), (SALARIES, "0")]
)
def test_ordered_closeness_of_salaries(group: list[int], distance: str) -> None:
    """Li, Li, Venkatasubramanian 2007, section 4.2: 0.375 and 0.167."""
    table = whole(SALARIES)
    exact = Fraction(distance)
    model = TCloseness(column="s", t=float(exact), distance="ordered")
    assert model.number(counts(group, table), table) == float(exact)
    assert TCloseness(column="s", t=0.375, distance="ordered").holds(counts(group, table), table)


def test_distances_of_diseases() -> None:
    """Li, Li, Venkatasubramanian 2007, section 4.3: flu to three others."""
    tree = from_levels("s", DISEASES)
    for other, exact in (("bronchitis", 1), ("pulmonary embolism", 2), ("stomach cancer", 3)):
        table = whole(["flu", other], tree)
        model = TCloseness(column="s", t=1, distance="hierarchical")
        # half of the mass moves from one to the other
        assert model.number(counts(["flu"], table), table) == float(Fraction(exact, 6))


@pytest.mark.parametrize(
    ("group", "distance"),
    [
        (["gastric ulcer", "stomach cancer", "pneumonia"], "7/27"),
        (["gastritis", "flu", "bronchitis"], "8/27"),
        (["gastritis", "bronchitis", "stomach cancer"], "5/27"),
    ],
)
def test_hierarchical_closeness_by_hand(group: list[str], distance: str) -> None:
    """The nine records of the paper's table 5, over a tree with three equal steps."""
    nine = ["gastric ulcer", "stomach cancer", "pneumonia", "gastritis", "flu", "bronchitis"]
    table = whole([*nine, "gastritis", "bronchitis", "stomach cancer"], from_levels("s", DISEASES))
    model = TCloseness(column="s", t=1, distance="hierarchical")
    assert model.number(counts(group, table), table) == float(Fraction(distance))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any),
    st.lists(st.integers(0, 3), min_size=4, max_size=4),
    st.sampled_from(["equal", "ordered", "hierarchical"]),
)
def test_closeness_is_the_cheapest_transport(
    group: list[int], rest: list[int], distance: str
) -> None:
    tree = from_levels("s", [("a", "A", "X"), ("b", "A", "X"), ("c", "B", "X"), ("d", "C", "Y")])
    all_ = [one + other for one, other in zip(group, rest, strict=True)]
    table = Whole("s", tuple("abcd"), tuple(all_), True, tree, (0, 1, 2, 3))
    low, high = np.indices((4, 4)).reshape(2, -1)
    height = tree.height[tree.lowest(low, high)].reshape(4, 4)
    between = {
        "equal": lambda i, j: Fraction(i != j),
        "ordered": lambda i, j: Fraction(abs(i - j), 3),
        "hierarchical": lambda i, j: Fraction(int(height[i, j]), 3),
    }[distance]
    have = [Fraction(n, sum(group)) for n in group]
    want = [Fraction(n, sum(all_)) for n in all_]
    exact = cheapest_transport(have, want, between)
    model = TCloseness(column="s", t=1, distance=distance)
    assert model.number(group, table) == pytest.approx(float(exact), abs=1e-15)


def test_ordered_closeness_needs_an_order() -> None:
    model = TCloseness(column="s", t=0.5, distance="ordered")
    with pytest.raises(BadJob, match="needs numbers or dates, and 's' is a category; use"):
        model.check_possible(whole(["a", "b"]), 2)
    model.check_possible(whole([1, 2, None]), 3)


def test_hierarchical_closeness_needs_a_hierarchy() -> None:
    model = TCloseness(column="s", t=0.5, distance="hierarchical")
    with pytest.raises(BadJob, match=r"needs a hierarchy of 's'; give one in schema\.hierarchies"):
        model.check_possible(whole(["a", "b"]), 2)


def test_missing_is_a_value_of_its_own() -> None:
    tree = from_levels("s", [("a", "A", "*"), ("b", "A", "*")])
    table = whole([None, "a", "b"], tree)
    assert table.texts == ("missing", "a", "b")
    model = TCloseness(column="s", t=1, distance="hierarchical")
    assert model.number([1, 0, 0], table) == pytest.approx(2 / 3)
    assert DistinctLDiversity(column="s", l=2).holds([1, 1, 0], table)


def test_closeness_over_breaks() -> None:
    column = encode("s", pa.chunked_array([[1, 2, 11]]))
    table = whole_of(column, from_breaks(column, [[0, 10, 20]]))
    model = TCloseness(column="s", t=1, distance="hierarchical")
    assert model.number([1, 0, 0], table) == pytest.approx(1 / 3 * 1 / 2 + 1 / 3)


TIES = [
    (KAnonymity(k=3), [2, 1], True),
    (DistinctLDiversity(column="s", l=2), [5, 1, 0], True),
    (DistinctLDiversity(column="s", l=3), [5, 1, 0], False),
    (EntropyLDiversity(column="s", l=3), [7, 7, 7], True),
    (EntropyLDiversity(column="s", l=3), [7, 7, 8], False),
    (EntropyLDiversity(column="s", l=2), [10**5, 10**5 + 1, 0], False),
    (RecursiveCLDiversity(column="s", c=2, l=2), [4, 1, 1], False),  # "less than"
    (RecursiveCLDiversity(column="s", c=2, l=2), [3, 1, 1], True),
    (RecursiveCLDiversity(column="s", c=9, l=3), [3, 1, 0], False),
    (RecursiveCLDiversity(column="s", c=0.1, l=1), [1, 9, 0], False),
    (RecursiveCLDiversity(column="s", c=1.1, l=1), [10, 0, 0], True),
    (PSensitive(column="s", p=2, k=3), [2, 1, 0], True),
    (PSensitive(column="s", p=2, k=4), [2, 1, 0], False),
    (PSensitive(column="s", p=2, k=3), [3, 0, 0], False),
    (AlphaK(column="s", alpha=0.3, k=1), [3, 4, 3], False),
    (AlphaK(column="s", alpha=0.3, k=1, values=["a", "c"]), [3, 4, 3], True),
    (AlphaK(column="s", alpha=0.3, k=11, values=["a"]), [3, 4, 3], False),
    (BeliefChange(column="s", most=0.1), [4, 3, 3], True),
    (BeliefChange(column="s", most=0.1), [5, 3, 2], False),
    (TCloseness(column="s", t=0.1), [4, 3, 3], True),
]


@pytest.mark.parametrize(("model", "group", "holds"), TIES)
def test_ties_are_decided_exactly(model: Any, group: list[int], holds: bool) -> None:
    table = Whole("s", ("a", "b", "c"), (3, 3, 4), True)
    if isinstance(model, TCloseness):
        table = Whole("s", ("a", "b", "c"), (3, 4, 3), True)
    assert model.holds(group, table) is holds


def test_p_sensitive_asks_for_values_not_for_repeats() -> None:
    """Errata M14: p different values, not every value p times."""
    model = PSensitive(column="s", p=3, k=3)
    assert model.holds([1, 1, 1], Whole("s", ("a", "b", "c"), (1, 1, 1), False))
    assert not model.holds([3, 3, 0], Whole("s", ("a", "b", "c"), (3, 3, 0), False))


def test_categories_of_p_alpha() -> None:
    table = whole(["flu", "cold", "HIV", None])
    grave = {"grave": ["HIV"], "light": ["flu", "cold"], "none": ["missing", "not in the data"]}
    model = PAlpha(column="s", p=2, categories=grave)
    assert model.number(counts(["flu", "cold"], table), table) == 1
    assert model.holds(counts(["flu", "HIV"], table), table)
    assert model.holds([1, 0, 0, 1], table)
    with pytest.raises(BadJob, match="2 of the 4 values of 's' are in no category") as error:
        PAlpha(column="s", p=2, categories={"a": ["flu", "cold"]}).check_possible(table, 4)
    assert "HIV" not in str(error.value)
    twice = {"a": ["flu", "cold", "missing"], "b": ["HIV", "flu"]}
    with pytest.raises(BadJob, match="a value of 's' is in two categories"):
        PAlpha(column="s", p=2, categories=twice).check_possible(table, 4)


def test_values_listed_for_alpha_k() -> None:
    table = whole(["flu", "HIV"])
    with pytest.raises(BadJob, match="1 listed value not found in 's'") as error:
        AlphaK(column="s", alpha=0.5, k=2, values=["HIV", "typo"]).check_possible(table, 2)
    assert "typo" not in str(error.value)


def test_what_can_not_be_met() -> None:
    table = whole(["a", "a", "b", "c"])
    with pytest.raises(CannotBeMet, match="because the data has 4 records and a group needs 5"):
        KAnonymity(k=5).check_possible(None, 4)
    with pytest.raises(CannotBeMet, match="reaches 3 where at least 4 is asked; ask for less"):
        DistinctLDiversity(column="s", l=4).check_possible(table, 4)
    with pytest.raises(CannotBeMet, match=r"reaches 0\.5 where at most 0\.4 is asked"):
        AlphaK(column="s", alpha=0.4, k=1).check_possible(table, 4)
    TCloseness(column="s", t=0).check_possible(table, 4)


@pytest.mark.parametrize("values", [{"k": True}, {"k": "2"}, {"k": 2.0}, {"k": None}])
def test_parameters_are_taken_as_they_are(values: dict[str, Any]) -> None:
    with pytest.raises(BadJob, match="whole number"):
        parse_model("k-anonymity", values, "require")


def test_whole_numbers_do_for_decimal_ones() -> None:
    assert parse_model("entropy-l-diversity", {"column": "s", "l": 2}, "require").l == 2.0
    with pytest.raises(BadJob, match="finite"):
        parse_model("recursive-cl-diversity", {"column": "s", "c": float("inf"), "l": 2}, "x")


def test_no_listed_value_is_no_rule() -> None:
    with pytest.raises(BadJob, match="at least 1"):
        parse_model("alpha-k-anonymity", {"column": "s", "alpha": 0.1, "k": 2, "values": []}, "x")


@pytest.mark.parametrize(
    ("counts", "l", "holds"),
    [
        ([400_000, 400_000], 2, True),
        ([400_001, 400_000], 2, False),
        ([400_001, 400_000], 1.999999999998, True),
        ([400_000] * 3 + [0], 3, True),
        ([10_000, 9_999], 1.9999999999999, False),
        ([10_000, 9_999], 2, False),
    ],
)
def test_entropy_of_large_groups(counts: list[int], l: float, holds: bool) -> None:  # noqa: E741
    table = Whole("s", tuple(map(str, range(len(counts)))), tuple(counts), False)
    assert EntropyLDiversity(column="s", l=l).holds(counts, table) is holds


@pytest.mark.parametrize(
    ("rows", "idle"),
    [
        ([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")], None),
        ([("a", "*"), ("b", "*")], None),
        ([("a", "a", "*"), ("b", "b", "*")], 1),
        ([("a", "x", "x", "*"), ("b", "x", "x", "*"), ("c", "y", "y", "*")], 2),
        ([("a", "all", "*"), ("b", "all", "*")], 2),
    ],
)
@pytest.mark.parametrize("holes", [[], [None]])
def test_idle_levels_are_refused(rows: list[Any], idle: int | None, holes: list[None]) -> None:
    table = whole([row[0] for row in rows] + holes, from_levels("s", rows))
    model = TCloseness(column="s", t=1, distance="hierarchical")
    if idle is None:
        model.check_possible(table, len(rows))
        assert model.entry(0, table) is not None
        return
    for ask in (lambda: model.check_possible(table, len(rows)), lambda: model.entry(0, table)):
        with pytest.raises(BadJob, match=f"level {idle} of the hierarchy of 's' joins nothing"):
            ask()


def test_a_tail_that_can_not_be_is_told_in_words() -> None:
    model = RecursiveCLDiversity(column="s", c=2, l=3)
    with pytest.raises(CannotBeMet, match="because the column has 2 values and l is 3; ask"):
        model.check_possible(whole(["a", "a", "b"]), 3)
    assert "from the 3rd most frequent on" in model.statement()
