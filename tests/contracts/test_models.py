"""What every privacy model of the catalogue must do, whatever it is.

The exact `holds`, the compiled rule that methods use and the numbers of the audit are three
implementations of one definition; they must agree on any counts, ties included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.audit.numbers import NUMBERS, different_counts, group_numbers
from sfumato.core import catalogue
from sfumato.core.errors import BadJob, CannotBeMet, SfumatoError
from sfumato.core.parameters import describe
from sfumato.data.hierarchy import from_levels
from sfumato.kernels.rules import rule_value, rules_hold, stack
from sfumato.models.base import Model, Whole, parse_model

MODELS = sorted(catalogue.MODELS)
OF_A_COLUMN = [name for name in MODELS if name != "k-anonymity"]
SHARES = [0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 0.8, 1.0]
MANY = settings(max_examples=150, deadline=None)
TREE = from_levels("s", [("v0", "a", "x"), ("v1", "a", "x"), ("v2", "b", "x"), ("v3", "c", "y")])


@dataclass(frozen=True)
class Case:
    """A model, and the counts of some groups of one table."""

    model: Model
    groups: list[list[int]]
    whole: Whole


def parameters(draw: Any, name: str, texts: list[str]) -> dict[str, Any]:
    """Parameters of one model, likely to be met exactly by small counts."""
    few, share = st.integers(1, 5), st.sampled_from(SHARES)
    if name == "p-alpha-anonymity":
        category = {text: draw(st.sampled_from("abc")) for text in texts}
        parts = {c: [t for t in texts if category[t] == c] for c in set(category.values())}
        return {"p": draw(few), "categories": parts}
    if name == "alpha-k-anonymity":
        listed = draw(st.none() | st.lists(st.sampled_from(texts), min_size=1, unique=True))
        return {"alpha": draw(share.filter(bool)), "k": draw(few), "values": listed}
    made = {
        "k-anonymity": {"k": few},
        "distinct-l-diversity": {"l": few},
        "entropy-l-diversity": {"l": st.sampled_from([1, 1.5, 2, 3, 4])},
        "recursive-cl-diversity": {"c": st.sampled_from([0.5, 1, 1.5, 2, 3]), "l": few},
        "p-sensitive-k-anonymity": {"p": few, "k": few},
        "belief-change": {"most": share},
        "t-closeness": {
            "t": share,
            "distance": st.sampled_from(["equal", "ordered", "hierarchical"]),
        },
    }
    return {key: draw(value) for key, value in made[name].items()}


@st.composite
def cases(draw: Any, name: str) -> Case:
    """A random case of one model."""
    values = draw(st.integers(1, 4))
    counts = st.lists(st.integers(0, 4), min_size=values, max_size=values).filter(any)
    groups = draw(st.lists(counts, min_size=1, max_size=5))
    texts = [f"v{i}" for i in range(values)]
    given_ = parameters(draw, name, texts)
    if name in OF_A_COLUMN:
        given_["column"] = "s"
    total = tuple(map(sum, zip(*groups, strict=True)))
    leaves = tuple(range(values))
    return Case(
        parse_model(name, given_, "require"),
        groups,
        Whole("s", tuple(texts), total, True, TREE, leaves),
    )


def rule_of(case: Case) -> Any:
    """The model as a compiled rule, if it has one."""
    entry = case.model.entry(0, case.whole)
    offset = np.array([0, len(case.whole.texts)])
    return None if entry is None else stack([entry], offset)


@pytest.mark.parametrize("name", MODELS)
@MANY
@given(data=st.data())
def test_the_compiled_rule_decides_as_the_definition(name: str, data: Any) -> None:
    case = data.draw(cases(name))
    rules = rule_of(case)
    for counts in case.groups:
        flat, total = np.array(counts), sum(counts)
        fast = total >= case.model.smallest_group
        if rules is not None:
            fast = fast and rules_hold(rules, flat, total)
            value = case.model.number(counts, case.whole)
            assert rule_value(rules, 0, flat, total) == pytest.approx(value, abs=1e-12)
        assert fast == case.model.holds(counts, case.whole)


@pytest.mark.parametrize("name", OF_A_COLUMN)
@MANY
@given(data=st.data())
def test_the_audit_finds_the_same_numbers(name: str, data: Any) -> None:
    case = data.draw(cases(name))
    group = np.concatenate([np.full(sum(counts), g) for g, counts in enumerate(case.groups)])
    codes = np.concatenate([np.repeat(np.arange(len(c)), c) for c in case.groups])
    numbers = group_numbers(case.model, group, codes, len(case.groups), case.whole)
    expected = [case.model.number(counts, case.whole) for counts in case.groups]
    assert numbers == pytest.approx(expected, abs=1e-12)
    all_ = np.ones(len(case.groups), bool)
    assert different_counts(group, codes, all_, case.whole) == set(map(tuple, case.groups))


@pytest.mark.parametrize("name", MODELS)
@MANY
@given(data=st.data())
def test_joining_groups_never_breaks_a_model(name: str, data: Any) -> None:
    case = data.draw(cases(name))
    for one in case.groups:
        for other in case.groups:
            if case.model.holds(one, case.whole) and case.model.holds(other, case.whole):
                joined = [a + b for a, b in zip(one, other, strict=True)]
                assert case.model.holds(joined, case.whole)


@pytest.mark.parametrize("name", MODELS)
@MANY
@given(data=st.data())
def test_a_model_is_possible_exactly_if_one_group_meets_it(name: str, data: Any) -> None:
    case = data.draw(cases(name))
    possible = case.model.holds(case.whole.counts, case.whole)
    try:
        case.model.check_possible(case.whole, case.whole.rows)
        assert possible
    except CannotBeMet as error:
        assert not possible
        assert name in str(error)
        assert "\n" not in str(error)


@pytest.mark.parametrize("name", MODELS)
@MANY
@given(data=st.data())
def test_a_model_survives_a_claim(name: str, data: Any) -> None:
    model = data.draw(cases(name)).model
    column = {} if model.about is None else {"column": model.about}
    again = parse_model(name, model.parameters | column, "claims.json")
    assert again == model
    assert model.statement()
    assert model.limit().split()[0] in ("at", "below")
    assert "column" not in model.parameters


@pytest.mark.parametrize("name", MODELS)
def test_a_model_says_what_it_is(name: str) -> None:
    kind = catalogue.model(name)
    assert kind.name == name
    assert kind.summary[0].islower()
    assert kind.source
    assert all(row["meaning"] for row in describe(kind))
    assert (name in NUMBERS) == (name in OF_A_COLUMN)


@pytest.mark.parametrize("name", OF_A_COLUMN)
def test_a_model_of_a_column_asks_for_it(name: str) -> None:
    with pytest.raises(BadJob, match=f"require: {name} needs a column"):
        parse_model(name, {}, "require")


@pytest.mark.parametrize("name", MODELS)
def test_unknown_parameters_are_told(name: str) -> None:
    with pytest.raises(SfumatoError) as error:
        parse_model(name, {"column": "s", "colour": 1}, "require")
    assert str(error.value).startswith("require.")


@pytest.mark.parametrize(
    ("name", "values", "says"),
    [
        ("k-anonymity", {"k": 0}, "require.k is 0, but it should be greater than or equal to 1"),
        ("k-anonymity", {"k": 2.5}, "require.k is 2.5"),
        ("k-anonymity", {}, "require.k is missing; fewest records a group may have"),
        ("entropy-l-diversity", {"l": 0.5}, "require.l is 0.5"),
        ("recursive-cl-diversity", {"c": 0, "l": 2}, "require.c is 0"),
        ("t-closeness", {"t": 1.5}, "require.t is 1.5"),
        ("t-closeness", {"t": 0.1, "distance": "far"}, "require.distance is 'far'"),
        ("alpha-k-anonymity", {"alpha": 0, "k": 2}, "require.alpha is 0"),
        ("belief-change", {"most": -1}, "require.most is -1"),
        ("magic", {}, "require.model is 'magic'; models: k-anonymity, "),
    ],
)
def test_bad_parameters(name: str, values: dict[str, Any], says: str) -> None:
    column = {"column": "s"} if name in OF_A_COLUMN else {}
    with pytest.raises(BadJob) as error:
        parse_model(name, values | column, "require")
    assert says in str(error.value)
