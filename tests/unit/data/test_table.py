"""Columns as codes: one dictionary in order, missing first, whatever type the values came in."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import BadInput
from sfumato.data.plain import Found, from_numbers, spell
from sfumato.data.schema import Kind
from sfumato.data.table import Column, encode, smallest_unsigned, table_from_arrow

VALUES = {
    "whole": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "text": st.text(max_size=4),
    "truth": st.booleans(),
    "day": st.dates(),
    "instant": st.datetimes(),
}


def column(values: Any, kind: Any = None) -> Column:
    """A column named x."""
    return encode("x", pa.chunked_array([pa.array(values, kind)]))


def decoded(made: Column) -> list[Any]:
    """What the codes of a column stand for."""
    dictionary = [None] * made.has_missing + made.values.to_pylist()
    return [dictionary[code] for code in made.codes]


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(sorted(VALUES)))
def test_codes_stand_for_the_values_in_order(data: Any, kind: str) -> None:
    values = data.draw(st.lists(st.none() | VALUES[kind], min_size=1, max_size=12))
    made = column(values)
    assert decoded(made) == values
    present = made.values.to_pylist()
    assert present == sorted(set(values) - {None})
    assert made.has_missing == (None in values)
    assert made.counts().tolist() == [values.count(v) for v in [None] * made.has_missing + present]
    assert made.to_arrow().to_pylist() == values


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from(sorted(VALUES)))
def test_a_dictionary_or_chunks_make_no_difference(data: Any, kind: str) -> None:
    values = data.draw(st.lists(st.none() | VALUES[kind], min_size=1, max_size=12))
    plain = pa.array(values)
    if pa.types.is_null(plain.type):
        plain = plain.cast(pa.string())
    unused = pa.array([*plain.drop_null().unique().to_pylist()[::-1]], plain.type)
    place = {value: code for code, value in enumerate(unused.to_pylist())}
    codes = pa.array([None if v is None else place[v] for v in values], pa.int8())
    forms = [
        pa.chunked_array([plain]),
        pa.chunked_array([plain[:1], plain[1:]]),
        pa.chunked_array([pa.DictionaryArray.from_arrays(codes, unused)]),
        pa.chunked_array([plain.slice(0, 1).dictionary_encode(), plain[1:].dictionary_encode()]),
    ]
    for other in [encode("x", form) for form in forms]:
        assert other.values.equals(encode("x", forms[0]).values)
        assert np.array_equal(other.codes, encode("x", forms[0]).codes)
        assert other.found == encode("x", forms[0]).found


def test_a_dictionary_keeps_only_what_occurs() -> None:
    rest = pa.DictionaryArray.from_arrays(pa.array([2, 2, None]), pa.array(["c", "unused", "a"]))
    made = encode("x", pa.chunked_array([rest]))
    assert made.values.to_pylist() == ["a"]
    assert made.codes.tolist() == [1, 1, 0]


def test_a_dictionary_that_holds_null_and_nan() -> None:
    rest = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, None, 1]), pa.array([1.5, None, float("nan")])
    )
    made = encode("x", pa.chunked_array([rest]))
    assert decoded(made) == [1.5, None, None, None, None]
    assert made.found == Found(null=3, nan=1)


def test_null_nan_and_empty_text_are_told_apart() -> None:
    floats = column([1.0, None, float("nan"), float("nan")])
    assert decoded(floats) == [1.0, None, None, None]
    assert floats.found == Found(null=1, nan=2)
    texts = column(["", None, "a", ""])
    assert decoded(texts) == ["", None, "a", ""]
    assert texts.found == Found(null=1, empty=2)


@pytest.mark.parametrize(
    ("given_type", "plain_type"),
    [
        (pa.int8(), "int64"),
        (pa.uint32(), "int64"),
        (pa.uint64(), "int64"),
        (pa.float16(), "double"),
        (pa.float32(), "float"),
        (pa.decimal128(20, 2), "double"),
        (pa.date32(), "date32[day]"),
        (pa.date64(), "date32[day]"),
        (pa.timestamp("s"), "timestamp[us]"),
        (pa.timestamp("ns", "UTC"), "timestamp[us, tz=UTC]"),
        (pa.time32("ms"), "time64[us]"),
        (pa.large_string(), "string"),
        (pa.string_view(), "string"),
        (pa.bool_(), "bool"),
        (pa.null(), "string"),
    ],
)
def test_one_type_of_each_sort(given_type: Any, plain_type: str) -> None:
    made = encode("x", pa.chunked_array([pa.nulls(2, given_type)]))
    assert str(made.values.type) == plain_type
    assert decoded(made) == [None, None]
    assert (made.size, made.codes.tolist()) == (1, [0, 0])


def test_whole_numbers_beyond_a_sign_bit_stay() -> None:
    made = column([2**64 - 1, 0], pa.uint64())
    assert decoded(made) == [2**64 - 1, 0]
    assert made.kind is Kind.NUMBER


def test_decimals() -> None:
    assert decoded(column([Decimal("0.10"), Decimal("2.50")])) == [0.1, 2.5]
    with pytest.raises(BadInput, match="1 would be lost"):
        column([Decimal(2**80), Decimal(2**80 + 1)])


def test_minus_zero_is_zero() -> None:
    assert column([0.0, -0.0]).size == 1


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (pa.array([1.0, float("inf"), -float("inf")]), "column 'x' has 2 infinite numbers"),
        (pa.array([[1]]), "not a plain column"),
        (pa.array([b"secret"]), "not a plain column"),
        (pa.array([{"a": 1}]), "not a plain column"),
        (pa.array([dt.timedelta(1)]), "not a plain column"),
        (pa.array([1], pa.timestamp("ns")), "finer than a microsecond"),
    ],
)
def test_what_is_no_column(values: pa.Array, says: str) -> None:
    with pytest.raises(BadInput, match=says) as error:
        encode("x", pa.chunked_array([values]))
    assert "\n" not in str(error.value)
    assert "secret" not in str(error.value)


def test_kinds() -> None:
    assert column([1]).kind is column([1.5]).kind is Kind.NUMBER
    assert column([dt.date(2020, 1, 1)]).kind is Kind.DATE
    assert column([True]).kind is column(["a"]).kind is Kind.CATEGORY
    numbers = pa.chunked_array([[3, 1]])
    assert encode("x", numbers, Kind.CATEGORY).kind is Kind.CATEGORY
    with pytest.raises(BadInput, match="holds number values, so its type can't be 'date'"):
        encode("x", numbers, Kind.DATE)


def test_numbers_of_dates_and_back() -> None:
    for kind in (pa.date32(), pa.timestamp("us"), pa.time64("us"), pa.int64()):
        values = pa.array([5, 9], pa.int32() if kind == pa.date32() else pa.int64()).cast(kind)
        made = encode("x", pa.chunked_array([values]))
        assert made.numbers.tolist() == [5, 9]
        assert from_numbers(made.numbers, np.zeros(2, bool), kind).equals(values)


def test_no_rows_and_one_row() -> None:
    for kind in (pa.int64(), pa.string(), pa.dictionary(pa.int8(), pa.string())):
        made = encode("x", pa.chunked_array([], kind))
        assert (made.size, len(made.codes), made.to_arrow().to_pylist()) == (0, 0, [])
    assert decoded(column(["a"])) == ["a"]


def test_take_and_select() -> None:
    table = table_from_arrow(pa.table({"a": [1, 2, 3], "b": ["x", None, "y"]}), workers=2)
    taken = table.take(np.array([2, 0])).select(("b",))
    assert (taken.names, taken.rows, decoded(taken["b"])) == (("b",), 2, ["y", "x"])
    assert table.take(np.array([0]))["b"].to_arrow().dictionary.to_pylist() == ["x"]


@pytest.mark.parametrize("size", [1, 256, 257, 65536, 65537])
def test_codes_of_any_width(size: int) -> None:
    made = column(np.arange(size)[::-1])
    assert made.codes.dtype == smallest_unsigned(size)
    assert made.codes[0] == size - 1


def test_spelling() -> None:
    words = spell([None, 2.0, 1e20, 0.1, False, dt.date(2020, 1, 2), "missing"])
    assert words == [
        "missing",
        "2",
        "100000000000000000000",
        "0.1",
        "false",
        "2020-01-02",
        "missing",
    ]
