"""Parameters, the catalogue and errors: one line that says what is wrong."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator

from sfumato.core import catalogue
from sfumato.core.answers import ResultTable, Status, Verdict, result_table, verdict_table
from sfumato.core.errors import BadJob, ClaimFails, SfumatoError
from sfumato.core.parameters import build, describe


class Dials(BaseModel):
    """Something to set."""

    model_config = ConfigDict(extra="forbid")

    k: int = Field(ge=1, description="how many")
    share: float = Field(0.5, gt=0, lt=1, description="how much")
    mode: Literal["slow", "fast"] = Field("slow", description="how")
    names: list[str] | None = Field(None, description="which")

    @field_validator("names")
    @classmethod
    def _some(cls, names: list[str] | None) -> list[str] | None:
        if names == []:
            raise ValueError("Name at least one")
        return names


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({}, "dials.k is missing; how many"),
        ({"k": 0}, "dials.k is 0, but it should be greater than or equal to 1; how many"),
        ({"k": "many"}, "dials.k is 'many', but it should be a whole number"),
        ({"k": 2, "share": 1.0}, "dials.share is 1.0, but it should be less than 1; how much"),
        ({"k": 2, "mode": "odd"}, "dials.mode is 'odd', but it should be 'slow' or 'fast'; how"),
        ({"k": 2, "size": 3}, "dials.size is not a parameter here; known: k, share, mode, names"),
        ({"k": 2, "names": []}, "dials.names: name at least one; which"),
    ],
)
def test_what_is_wrong_with_a_parameter(values: dict[str, object], says: str) -> None:
    with pytest.raises(BadJob) as error:
        build(Dials, values, "dials")
    assert str(error.value).startswith(says)
    assert "\n" not in str(error.value)


def test_good_parameters() -> None:
    assert build(Dials, {"k": 2, "names": ["a"]}, "dials").names == ["a"]


def test_parameters_are_described() -> None:
    table = {
        row["parameter"]: (row["type"], row["default"], row["meaning"]) for row in describe(Dials)
    }
    assert table == {
        "k": ("integer >= 1", "required", "how many"),
        "share": ("number > 0 < 1", 0.5, "how much"),
        "mode": ("slow | fast", "slow", "how"),
        "names": ("array | null", None, "which"),
    }


def test_everything_in_the_catalogue_loads() -> None:
    for place in (*catalogue.METHODS.values(), *catalogue.MODELS.values()):
        assert catalogue.load(place).summary
    for place in catalogue.METRICS.values():
        assert catalogue.load(place)


def test_unknown_names_list_the_known() -> None:
    with pytest.raises(BadJob, match="methods for table: mondrian, regroup"):
        catalogue.method("table", "magic")
    with pytest.raises(BadJob, match="models: k-anonymity, distinct"):
        catalogue.model("magic")


def test_errors() -> None:
    assert str(SfumatoError("this", "do that")) == "this; do that"
    assert str(SfumatoError("this")) == "this"
    assert (SfumatoError("x").exit_code, ClaimFails("x").exit_code) == (2, 1)


def test_tables_of_results() -> None:
    table = result_table("t", [{"a": 1}, {"b": 2, "a": 3}], ["note"])
    assert table == ResultTable("t", ("a", "b"), ((1, None), (3, 2)), ("note",))
    assert table.column("a") == [1, 3]
    assert table.as_json()["rows"] == [{"a": 1, "b": None}, {"a": 3, "b": 2}]
    assert len(table) == 2
    verdicts = verdict_table("v", [Verdict("k", Status.VERIFIED, "5")])
    assert verdicts.rows == (("k", "verified", "5", "", ""),)
