"""What distribution-based publication refuses, in one clear line and without a cell value."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
import pytest

from sfumato.core.errors import SfumatoError
from sfumato.core.parameters import build
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.methods.tables.distribution import Distribution
from sfumato.models.base import parse_model
from sfumato.query import prepare
from sfumato.releases.release import Publication

SCHEMA = Schema.of(quasi=["town", "age"], sensitive=["pay"])
NUMBERS = {"town": list("aabbb"), "age": [1, 2, 3, 4, None], "pay": [717, 727, 717, 737, 717]}
ILLS = NUMBERS | {"pay": ["flu", "hiv", "flu", "cold", None]}
VALUES = re.compile(r"7[123]7|flu|hiv|cold")


def published(
    rows: dict[str, list[Any]], parameters: dict[str, Any], require: Any = (), schema: Any = SCHEMA
) -> Publication:
    """A sealed publication of a few rows."""
    method = build(Distribution, parameters, "method")
    data = People(table_from_arrow(pa.table(rows)), schema, {})
    return method.publish(data, list(require), Run.seeded(1)).sealed()


def weights(**values: Any) -> dict[str, Any]:
    """A target by weights; p717 stands for the value 717."""
    return {"target": {"weights": {name.removeprefix("p"): w for name, w in values.items()}}}


def tree(*w: int, c: list[Any]) -> dict[str, Any]:
    """A hierarchy with weights, and they as the target."""
    return {"hierarchy": {"w": list(w), "c": c}, "target": "hierarchy"}


OF_NUMBERS: list[tuple[dict[str, Any], str]] = [
    (weights(p717=0, p727=0, p737=0), "must be whole numbers from 0 to .*, not all 0"),
    (weights(p717=-1, p727=1, p737=1), "must be whole numbers from 0"),
    (weights(p717=1.5, p727=1, p737=1), r"^method.target.weights is 1.5, but it should be"),
    (weights(p717=1 << 40, p727=1, p737=1), "must be whole numbers from 0 to 2147483647"),
    (weights(p717=1, p727=1), "lacks 1 values that occur in 'pay'; give each a weight; 0 is"),
    (weights(p717=1, p727=1, p737=1, p999=1), "has 1 values that are not in the domain"),
    ({"target": {}}, "a target states exactly one of weights, normal, zipf, nearest"),
    ({"target": {"zipf": 1.0, "normal": {"mean": 1.0, "sd": 1.0}}}, "states exactly one"),
    ({"target": {"normal": {"mean": 1.0, "sd": 0.0}}}, r"target\.normal\.sd is 0.0, but"),
    ({"domain": [717, 727]}, "the domain lacks 1 of the 3 values of 'pay'"),
    ({"domain": [0, 1000, 7]}, "the domain lacks 3 of the 3 values"),
    ({"domain": [5, 1]}, "method.domain needs"),
    ({"hierarchy": [[720], [730]]}, "level 2 has breakpoints that level 1 lacks"),
    ({"hierarchy": "nofile.csv"}, "no hierarchy of 'pay' was read"),
    (tree(1, 1, c=[717, 727]), "the domain lacks 1 of the 3 values"),
    (tree(1, 1, 1, c=[717, 727]), "two children or more, with a weight for each"),
    (tree(1, 1, 1, c=[717, 727, 727]), "a value stands in the tree twice"),
    (tree(1, 1, 1, c=["x", "y", "z"]), "values that are no number"),
    (tree(0, 0, 0, c=[717, 727, 737]), "all children of a node have weight 0"),
    (tree(1, -1, 1, c=[717, 727, 737]), "w = .whole numbers."),
    ({"target": "hierarchy"}, "needs a hierarchy with weights"),
    ({"fakes": "101%"}, "write a number of fakes, or a share"),
    ({"fakes": 5, "tolerance": 0.1}, "can't be used together"),
    ({"distance": "ordered"}, "measures the tolerance, and there is none"),
    ({"hierarchy": "strata", "target": "uniform"}, "made for the table's own distribution"),
    ({"groups": "pay"}, "which is no quasi column; quasi: town, age"),
    ({"groups": "age + "}, "are no expression; supported: "),
    ({"groups": "town", "targets": {"c": "uniform"}}, "names 1 groups that do not occur"),
    ({"targets": {"a": "uniform"}}, "needs method.groups to be one expression"),
    ({"target": {"nearest": {"model": "entropy-l-diversity", "l": 9}}}, "even the whole table"),
    ({"target": {"nearest": {"model": "nope"}}}, "method.target.nearest.model is 'nope'"),
    ({"leak": 0.01, "target": "uniform"}, "method.leak cannot be met"),
]
OF_ILLS: list[tuple[dict[str, Any], str]] = [
    (weights(flu=1, hiv=1, cold=1), "lacks 1 values that occur in 'pay'"),
    ({"target": {"normal": {"mean": 1.0, "sd": 1.0}}}, "method.target.normal is for numbers"),
    ({"distance": "ordered", "tolerance": 0.1}, "needs numbers or dates, and 'pay' is neither"),
    ({"hierarchy": "strata"}, "needs numbers or dates without missing values"),
    ({"hierarchy": [[3]]}, "breakpoints are for numbers and dates"),
    ({"domain": [1, 2]}, "method.domain needs a column of numbers"),
]


@pytest.mark.parametrize(
    ("rows", "parameters", "says"),
    [(NUMBERS, *one) for one in OF_NUMBERS] + [(ILLS, *one) for one in OF_ILLS],
)
def test_what_is_wrong_is_said(rows: Any, parameters: dict[str, Any], says: str) -> None:
    with pytest.raises(SfumatoError, match=says) as caught:
        published(rows, parameters)
    assert caught.value.hint and "\n" not in str(caught.value)
    assert not VALUES.search(str(caught.value))


@pytest.mark.parametrize(
    "model",
    [
        ("k-anonymity", {"k": 2}, "is about quasi-identifiers, which distribution publishes"),
        ("t-closeness", {"column": "pay", "t": 0.2}, "compares with the table"),
        ("distinct-l-diversity", {"column": "age", "l": 2}, "is about 'age'; use 'pay'"),
    ],
)
def test_models_that_buckets_cannot_claim(model: Any) -> None:
    name, values, says = model
    with pytest.raises(SfumatoError, match=says):
        published(NUMBERS, {}, [parse_model(name, values, "require")])


def test_columns_that_do_not_fit() -> None:
    for roles in ({"quasi": ["town"], "sensitive": ["pay", "age"]}, {"quasi": ["town", "pay"]}):
        with pytest.raises(SfumatoError, match="publishes exactly one sensitive column"):
            published(NUMBERS, {}, schema=Schema.of(**roles))
    nobody = {name: pa.array([], pa.int64()) for name in ("town", "age", "pay")}
    with pytest.raises(SfumatoError, match="'pay' has no values"):
        published(nobody, {})


def test_more_fakes_than_are_useful() -> None:
    """As many as make every entry a value, and none more."""
    for fakes in (7, 100, 10**6):
        made = published(NUMBERS, {"fakes": fakes, "target": "uniform"})
        assert made.release.bucketed.entries.tolist() == [9]
        assert made.release.bucketed.count.tolist() == [3, 3, 3]


def test_a_group_that_nobody_is_in_and_a_query_that_selects_nobody() -> None:
    """A group is what an expression gives for somebody; an answer about nobody is 0 or nothing."""
    made = published(NUMBERS, {"groups": "town = 'nowhere'"})
    assert made.release.content.groups == 1
    asked = "COUNT(*), COUNT(pay), SUM(pay), AVG(pay), MIN(pay), MAX(pay), AVG(age)"
    for where in ("age > 50", "town = 'nowhere'", "pay > 999", "age = 1 AND age = 2"):
        [(_, found)] = prepare(made.release).answer(f"SELECT {asked} FROM release WHERE {where}")
        assert [one.bounds for one in found[:2]] == [(0, 0), (0, 0)]
        assert all(one.value is None and one.bounds == (None, None) for one in found[2:])


def test_groups_of_a_query_are_its_parts() -> None:
    """GROUP BY an exact column is the same question for each of its values, with fakes too."""
    made = published(NUMBERS, {"groups": "town", "target": "uniform", "fakes": 3})
    engine = prepare(made.release)
    asked = "COUNT(*), SUM(pay), AVG(pay), MIN(pay), MAX(pay)"
    rows = engine.answer(f"SELECT {asked} FROM release WHERE pay < 730 GROUP BY town")
    assert [key["town"] for key, _ in rows] == ["a", "b"]
    for key, found in rows:
        where = f"pay < 730 AND town = '{key['town']}'"
        [(_, alone)] = engine.answer(f"SELECT {asked} FROM release WHERE {where}")
        assert [(a.value, a.bounds, a.interval) for a in found] == [
            (a.value, a.bounds, a.interval) for a in alone
        ]
    with pytest.raises(SfumatoError, match=r"GROUP BY pay: .* not published record by record"):
        engine.answer("SELECT COUNT(*) FROM release GROUP BY pay")
