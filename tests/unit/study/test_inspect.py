"""Facts and proposals: right on tables made by hand, silent about values, and never too sure."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.run import Run
from sfumato.data.schema import Role
from sfumato.data.table import table_from_arrow
from sfumato.io.samples import people
from sfumato.study.inspect import Proposal, facts, proposals_table, propose, words_of

CELL = st.one_of(st.none(), st.sampled_from(["", "a", "b", "c", "d"]))


def proposed(name: str, values: Any) -> Proposal:
    (proposal,) = propose(table_from_arrow(pa.table({name: values})))
    return proposal


def texts(rows: int) -> list[str]:
    return [f"x{number}y" for number in range(rows)]


@settings(max_examples=60, deadline=None)
@given(st.lists(CELL, max_size=12))
def test_facts_of_text(cells: list[str | None]) -> None:
    table = table_from_arrow(pa.table({"c": pa.array(cells, pa.string())}))
    (fact,) = facts(table)
    counts = Counter(cells)
    assert fact["distinct"] == len(set(cells) - {None})
    assert fact["missing"] == cells.count(None)
    assert fact["empty text"] == cells.count("")
    assert fact["unique rows"] == sum(size == 1 for size in counts.values())
    commonest = max(counts.values()) / len(cells) if cells else None
    assert fact["commonest share"] == commonest


def test_facts_tell_nan_from_null() -> None:
    (fact,) = facts(table_from_arrow(pa.table({"c": [1.5, math.nan, None, None, 1.5]})))
    assert (fact["nan"], fact["missing"], fact["distinct"]) == (1, 2, 1)
    assert fact["commonest share"] == 0.6


def test_types_in_plain_words() -> None:
    day = datetime.date(2020, 1, 1)
    data = {"a": ["x"], "b": [1], "c": [1.5], "d": [True], "e": [day], "f": pa.nulls(1)}
    assert facts(table_from_arrow(pa.table(data))).column("type") == [
        *("text", "whole number", "number", "true or false", "date", "text")
    ]


def test_no_value_is_shown() -> None:
    secret = ["zqjxk-secret"] * 60
    data = {"name": secret, "diagnosis": secret, "city": secret, "x": secret, "y": texts(60)}
    table = table_from_arrow(pa.table(data))
    shown = str(facts(table).as_json()) + str(proposals_table(propose(table)).as_json())
    assert "zqjxk" not in shown and "x7y" not in shown


@pytest.mark.parametrize(
    "name",
    [
        *(
            "person_id",
            "PersonID",
            "patient-no",
            "e-mail",
            "E_MAIL",
            "emailAddress",
            "Phone Number",
        ),
        *("ssn", "SSN", "Social Security Number", "firstName", "LAST NAME", "surname", "uuid"),
        *("customerName", "iban", "passport_no"),
    ],
)
def test_names_of_identifiers(name: str) -> None:
    assert proposed(name, ["a", "a", "b"]).role is Role.IDENTIFIER


@pytest.mark.parametrize("name", ["id", "ID", "name", "record_no", "address", "account"])
def test_names_that_need_distinct_values(name: str) -> None:
    assert proposed(name, texts(60)).role is Role.IDENTIFIER
    assert proposed(name, ["a", "b"] * 30).role is None


@pytest.mark.parametrize("name", ["phone", "e-mail"])
def test_a_personal_name_with_few_values_is_asked(name: str) -> None:
    answer = proposed(name, [True, False] * 30)
    assert answer.role is None and answer.suggestion is Role.IDENTIFIER


def test_values_of_identifiers() -> None:
    assert proposed("x", texts(60)).role is Role.IDENTIFIER
    assert proposed("x", list(range(1000, 1060))).role is Role.IDENTIFIER
    assert proposed("x", ["ann@example.org", "bob@example.org"]).role is Role.IDENTIFIER
    assert proposed("x", [10_000 + 977 * n for n in range(60)]).suggestion is Role.IDENTIFIER
    assert proposed("x", [f"+49 30 {n % 40 + 100000}" for n in range(60)]).suggestion is (
        Role.IDENTIFIER
    )


def test_measures_are_no_identifiers() -> None:
    for values in ([n * 1.37 for n in range(60)], [n * n for n in range(60)]):
        answer = proposed("x", values)
        assert (answer.role, answer.suggestion) == (None, None)


@pytest.mark.parametrize("rows", [1, 5])
def test_few_rows_decide_nothing_by_values(rows: int) -> None:
    assert proposed("x", texts(rows)).role is None
    assert proposed("x", ["same"] * rows).role is None


def test_columns_without_content_are_kept() -> None:
    assert proposed("x", ["same"] * 60).role is Role.KEEP
    assert proposed("zip", ["10115"] * 60).role is Role.KEEP
    assert proposed("x", pa.nulls(60)).role is Role.KEEP
    assert proposed("x", ["same"] * 59 + [None]).role is None


def test_what_all_share_may_still_be_sensitive() -> None:
    answer = proposed("diagnosis", ["same"] * 60)
    assert (answer.role, answer.suggestion) == (None, Role.SENSITIVE)
    assert "every row has the same value" in answer.reason


@pytest.mark.parametrize(
    ("name", "values"),
    [
        *[(name, ["a", "b"] * 30) for name in ("diagnosis", "ICD10", "Religion", "net_income")],
        ("salary", [n * 7 for n in range(60)]),
        ("x", ["type 2 diabetes", "asthma", "none"] * 20),
        ("x", ["E11.9", "J45", "F32.1"] * 20),
        ("drug_name", ["a", "b"] * 30),
    ],
)
def test_sensitive_is_only_suggested(name: str, values: Any) -> None:
    answer = proposed(name, values)
    assert (answer.role, answer.suggestion) == (None, Role.SENSITIVE)


def test_free_text_about_health_is_warned_of() -> None:
    assert "may name people" in proposed("diagnosis_notes", texts(60)).reason


@pytest.mark.parametrize("name", ["age", "ZipCode", "dateOfBirth", "marital-status", "city_name"])
def test_quasi_is_only_suggested(name: str) -> None:
    answer = proposed(name, texts(60))
    assert (answer.role, answer.suggestion) == (None, Role.QUASI)
    assert answer.reason.startswith("likely quasi")


def test_the_sample_population() -> None:
    answers = {p.column: p for p in propose(table_from_arrow(people(3000, Run.seeded(1))))}
    assert {name for name, p in answers.items() if p.role} == {"person_id"}
    sensitive = {name for name, p in answers.items() if p.suggestion is Role.SENSITIVE}
    assert sensitive == {"income", "diagnosis", "cost"}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(CELL, min_size=3, max_size=3), max_size=70),
    st.lists(st.text(max_size=8), min_size=3, max_size=3, unique=True),
)
def test_never_decides_quasi_or_sensitive(rows: list[list[Any]], names: list[str]) -> None:
    columns = [pa.array([row[place] for row in rows], pa.string()) for place in range(3)]
    answers = propose(table_from_arrow(pa.table(columns, names=names)))
    assert [answer.column for answer in answers] == names
    for answer in answers:
        assert answer.role in (None, Role.IDENTIFIER, Role.KEEP) and answer.reason


def test_words() -> None:
    assert {"date", "of", "birth", "dateofbirth"} <= words_of("dateOfBirth")
    assert {"wages", "wage"} <= words_of("WAGES-2020")
    assert words_of("123") == frozenset()
