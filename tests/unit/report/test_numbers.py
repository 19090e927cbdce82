"""Numbers and other values as text, and as plain types."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core.answers import Answer, Status
from sfumato.report.numbers import aligned, cell, is_numeric, number, plain, tick_texts, with_unit


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1234567, "1,234,567"),
        (-1234.56, "-1,235"),
        (999.96, "1,000"),
        (0.1 + 0.2, "0.3"),
        (0.00001234, "1.234e-5"),
        (1e300, "1e300"),
        (10**400, "1e400"),
        (5e-324, "4.941e-324"),
        (math.nan, "–"),
        (None, "–"),
        (-math.inf, "-∞"),
        (np.float32(0.5), "0.5"),
        (np.int64(20_000), "20,000"),
    ],
)
def test_number(value: Any, text: str) -> None:
    assert number(value) == text


@given(st.floats(-1e308, 1e308))
def test_number_keeps_four_digits(value: float) -> None:
    assert float(number(value).replace(",", "")) == pytest.approx(value, rel=5.1e-4, abs=1e-320)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("<b>", "<b>"),
        (np.bool_(True), "yes"),
        (Status.NEEDS_OWNER, "needs the owner"),
        ((None, 3), "up to 3"),
        ((0.25, None), "from 0.25"),
        ((1, 2, 3), "1, 2, 3"),
        ((None, None), "–, –"),
        ([], ""),
        (Fraction(1, 3), "1/3"),
    ],
)
def test_cell(value: Any, text: str) -> None:
    assert cell(value) == text


def test_units() -> None:
    assert with_unit(math.nan, "%") == "–"
    assert with_unit(3, "rows") == "3 rows"


def test_is_numeric_wants_numbers_and_no_answers_of_yes_and_no() -> None:
    assert is_numeric([None, 1, 2.5, np.int32(3)])
    assert not is_numeric([True, False])
    assert not is_numeric([None]) and not is_numeric([1, "a"])


def test_points_stand_under_each_other() -> None:
    lines = aligned(["1.25", "300", "-0.5", "1e-5", "–"])
    assert len({len(line) for line in lines}) == 1
    assert {line.index(".") for line in lines if "." in line} == {4}


def test_plain_is_json() -> None:
    value = {
        "nan": math.nan,
        "numpy": np.arange(2),
        "scalar": np.float64(0.5),
        "status": Status.ARGUED,
        "answer": Answer("q", 1.0, bounds=(0.0, math.inf)),
        "other": Fraction(1, 3),
    }
    back = json.loads(json.dumps(plain(value), allow_nan=False))
    assert back["nan"] is None
    assert back["numpy"] == [0, 1] and back["scalar"] == 0.5
    assert back["status"] == "argued" and back["other"] == "1/3"
    assert back["answer"]["bounds"] == [0.0, None]


@pytest.mark.parametrize(
    ("ticks", "texts"),
    [
        ([], []),
        ([0.0, 0.25, 0.5], ["0", "0.25", "0.50"]),
        ([0, 1e6, 2e6], ["0", "1M", "2M"]),
        ([0, 5e5, 1e6], ["0", "0.5M", "1.0M"]),
        ([0, 1e13, 2e13], ["0", "1e13", "2e13"]),
        ([-2000, 0, 2000], ["-2,000", "0", "2,000"]),
    ],
)
def test_tick_texts(ticks: list[float], texts: list[str]) -> None:
    assert tick_texts(ticks) == texts


@given(st.floats(-1e12, 1e12), st.sampled_from([1e-9, 0.001, 0.25, 2.0, 5e6]))
def test_ticks_can_be_told_apart(start: float, step: float) -> None:
    ticks = [start + step * index for index in range(5)]
    if len(set(ticks)) == 5 and step >= 1e-6 * abs(start):
        assert len(set(tick_texts(ticks))) == 5
