"""Tables as sets of items: values, buckets, yes/no columns."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import DATA

from sfumato.core.errors import BadInput
from sfumato.data.expand import ADULT_COLUMNS, ADULT_MISSING, ADULT_WIDTHS, expand, one_hot
from sfumato.data.sets import Sets
from sfumato.data.table import table_from_arrow


def named(sets: Sets) -> list[list[str]]:
    names = sets.names.to_pylist()
    rows = zip(sets.indptr[:-1], sets.indptr[1:])
    return [[names[item] for item in sets.items[begin:end].tolist()] for begin, end in rows]


cells = st.tuples(
    st.sampled_from(["x", "y", "?", None]),
    st.one_of(st.none(), st.integers(-12, 12)),
    st.one_of(st.none(), st.integers(-8, 8).map(lambda n: n / 4)),
)


@settings(deadline=None)
@given(st.lists(cells, max_size=12))
def test_items_say_what_the_cells_say(rows):
    types = {"word": pa.string(), "whole": pa.int64(), "half": pa.float64()}
    columns = {
        name: pa.array([row[at] for row in rows], types[name]) for at, name in enumerate(types)
    }
    sets = expand(
        table_from_arrow(pa.table(columns)), widths={"whole": 5, "half": 0.5}, missing=["?"]
    )
    wanted = []
    for word, whole, half in rows:
        items = [] if word in ("?", None) else [f"word={word}"]
        if whole is not None:
            items.append(f"whole={whole // 5 * 5}-{whole // 5 * 5 + 4}")
        if half is not None:
            low = math.floor(half / 0.5) * 0.5
            items.append(f"half=[{low:g}, {low + 0.5:g})")
        wanted.append(items)
    assert named(sets) == wanted
    assert all(
        np.all(np.diff(sets.items[a:b].astype(int)) > 0)
        for a, b in zip(sets.indptr, sets.indptr[1:])
    )
    assert set(sets.names.to_pylist()) == {item for row in wanted for item in row}
    assert sets.utility.tolist() == [1.0] * sets.domain


def test_chosen_columns_and_buckets_of_one():
    table = table_from_arrow(pa.table({"a": [1, 2], "b": ["u", "v"], "c": [True, False]}))
    assert named(expand(table, ["c", "a"], {"a": 1})) == [["c=true", "a=1"], ["c=false", "a=2"]]


def test_one_hot():
    table = table_from_arrow(
        pa.table({"tea": [1, 0, None], "milk": [True, False, True], "rum": [0.0, 1.0, 1.0]})
    )
    assert named(one_hot(table)) == [["tea", "milk"], ["rum"], ["milk", "rum"]]
    assert named(one_hot(table, ["rum"])) == [[], ["rum"], ["rum"]]


def test_errors_are_one_clear_line():
    table = table_from_arrow(pa.table({"a": [1, 2], "b": ["u", "v"], "a=1": ["x", "y"]}))
    for call, text in [
        (lambda: expand(table, ["d"]), "there is no column 'd'; columns are a, b, a=1"),
        (lambda: expand(table, widths={"d": 2}), "there is no column 'd'"),
        (lambda: expand(table, widths={"b": 2}), "column 'b' holds no numbers"),
        (lambda: expand(table, widths={"a": 0}), "the width of 'a' is 0; a width is more than 0"),
        (lambda: one_hot(table), "column 'a' has values beside 0, 1, true and false"),
    ]:
        with pytest.raises(BadInput) as caught:
            call()
        assert str(caught.value).startswith(text)
    twice = table_from_arrow(pa.table({"a": ["b=c"], "a=b": ["c"]}))
    with pytest.raises(BadInput, match="two columns give items of the same name"):
        expand(twice)


@pytest.mark.skipif(not (DATA / "adult.parquet").exists(), reason="needs the Adult data")
def test_adult_has_the_items_of_the_docs():
    table = table_from_arrow(pq.read_table(DATA / "adult.parquet"))
    sets = expand(table, ADULT_COLUMNS, ADULT_WIDTHS, ADULT_MISSING)
    counts = [
        sum(name.startswith(f"{column}=") for name in sets.names.to_pylist())
        for column in ADULT_COLUMNS
    ]
    assert counts == [16, 8, 16, 7, 14, 6, 5, 2, 10, 41]
    assert (sets.rows, sets.domain, int(sets.lengths.max())) == (48_842, 125, 10)
    assert sets.counts.min() > 0
    assert round(float(sets.lengths.mean()), 2) == 9.87
