"""The same data gives the same table, whatever it comes in; what can't be read is told plainly."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.core.errors import BadInput
from sfumato.data.plain import Found
from sfumato.data.schema import Kind, Schema
from sfumato.data.table import Table
from sfumato.io.sources import column_names, load_columns, load_table, read

DATA = pa.table(
    {
        "whole": [3, -1, 2, 3],
        "text": ["a", None, "", 'b "c", d\ne'],
        "float": [1.5, None, -0.0, 1e300],
        "truth": [True, False, None, True],
        "day": [dt.date(2020, 1, 1), None, dt.date(1899, 12, 31), dt.date(2020, 1, 1)],
        "instant": [dt.datetime(2020, 1, 1, 10, 0, 5, 7), None] + [dt.datetime(1969, 1, 2)] * 2,
        "größe, or so": ["é", "ß", "é", None],
        "nothing": pa.nulls(4, pa.string()),
    }
)


def as_csv(folder: Path, data: pa.Table, delimiter: str = ",") -> Path:
    """Write a table the way spreadsheets do: missing is empty, empty text is quoted."""
    path = folder / "data.csv"
    pacsv.write_csv(data, path, pacsv.WriteOptions(delimiter=delimiter))
    return path


def as_parquet(folder: Path, data: pa.Table) -> Path:
    """Write a Parquet file."""
    pq.write_table(data, folder / "data.parquet")
    return folder / "data.parquet"


FORMS: dict[str, Any] = {
    "csv": as_csv,
    "semicolons": lambda folder, data: as_csv(folder, data, ";"),
    "tabs": lambda folder, data: as_csv(folder, data, "\t"),
    "parquet": as_parquet,
    "arrow": lambda _, data: data,
    "stream": lambda _, data: data.to_reader(),
    "large texts": lambda _, data: pa.table(pl.from_arrow(data).to_arrow()),
    "pandas": lambda _, data: data.to_pandas(),
    "pandas of Arrow": lambda _, data: data.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas, nullable": lambda _, data: data.to_pandas().convert_dtypes(),
    "pandas, an index": lambda _, data: data.to_pandas().set_index(np.arange(9, 9 - len(data), -1)),
    "pandas, categorical": lambda _, data: data.to_pandas().astype({"text": "category"}),
    "polars": lambda _, data: pl.from_arrow(data),
    "polars, categorical": lambda _, data: pl.from_arrow(data).with_columns(
        pl.col("text").cast(pl.Categorical)
    ),
    "duckdb": lambda _, data: duckdb.connect().from_arrow(data),
}


def shown(table: Table) -> dict[str, Any]:
    """All that a table holds, as plain values."""
    return {
        name: (str(c.values.type), c.values.to_pylist(), c.codes.tolist(), c.kind, c.found)
        for name, c in table.columns.items()
    }


@pytest.mark.parametrize("form", FORMS)
def test_the_same_data_gives_the_same_table(tmp_path: Path, form: str) -> None:
    names = DATA.column_names
    expected = load_columns(DATA, names, {})
    assert expected["text"].found == Found(null=1, empty=1)
    assert shown(load_columns(FORMS[form](tmp_path, DATA), names, {})) == shown(expected)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.tuples(st.none() | st.text(max_size=3), st.none() | st.integers(-5, 5)),
        min_size=1,
        max_size=6,
    )
)
def test_any_text_survives_csv(tmp_path: Path, rows: list[tuple[Any, Any]]) -> None:
    texts, numbers = zip(*rows)
    # a lone carriage return or NUL is no text that a CSV file can be trusted with
    texts = [t and "".join(c for c in t if c not in "\r\0") for t in texts]
    data = pa.table({"t": pa.array(texts, pa.string()), "n": pa.array(numbers, pa.int64())})
    if data["n"].null_count == len(data):
        data = data.set_column(1, "n", pa.nulls(len(data), pa.string()))
    kinds = {"t": Kind.CATEGORY, "n": None}
    made = load_columns(as_csv(tmp_path, data), ["t", "n"], kinds)
    assert shown(made) == shown(load_columns(data, ["t", "n"], kinds))


def write(folder: Path, content: str | bytes) -> Path:
    """A file of some content."""
    path = folder / "people.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "people.csv is empty"),
        ("a,b\n", "people.csv has no rows"),
        ("a,a\n1,2\n", "more than one column named 'a'; rename one of them"),
        ("a,,b\n1,2,3\n", "column 2 of people.csv has no name"),
        ("a,b\n1,2\n3\n", "line 3 of people.csv has 1 fields, the header has 2"),
        ("a,b\n1,2\n3,secret,5\n", "line 3 of people.csv has 3 fields, the header has 2"),
        (b"a,b\n1,secret\xff\n", "byte 12 of people.csv is not UTF-8; save the file as UTF-8"),
        (b"a\xff,b\n1,2\n", "byte 1 of people.csv is not UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "byte 0 of people.csv is not UTF-8"),
        ('"a,b\n1,2\n', "the header of people.csv has an open quote"),
        ("a,c\n1,2\n", "people.csv has no column 'b'; is it the right file"),
        ("a,b\n1,2\nsecret,3\n4,5\n", "column 'a' mixes numbers with 1 other value; clean it"),
        ("a,b\n1,2\n-,3\n4,5\n", "column 'a' mixes numbers with 1 other value"),
        ("a,b\n1,2\n2020-01-01,2\n 4,5\n", "column 'a' mixes numbers with 1 other value"),
        ("a,b\n 1,2\n 4,5\n", "column 'a' has spaces around numbers"),
        ("a,b\n00123,2\n94110,5\n10001,5\n", "column 'a' mixes numbers with 1 other value"),
        ("a,b\n2020-02-30,2\n", "column 'a' looks like dates, but not all of them exist"),
        ("a,b\n2020-02-01 25:00,2\n", "column 'a' looks like dates, but not all of them exist"),
        (f"a,b\n{2**63},1\n{-(2**63)},2\n", "column 'a' has 1 whole number beyond 64 bits"),
        ("a,b\n1e999,1\n2,2\n", "column 'a' has 1 infinite number"),
    ],
)
def test_text_files_that_can_not_be_read(tmp_path: Path, content: Any, says: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(BadInput) as error:
        load_columns(path, ["a", "b"], {})
    assert says in str(error.value)
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)


def test_a_wrong_delimiter_is_suggested(tmp_path: Path) -> None:
    path = write(tmp_path, "a;b\n1;2\n")
    assert column_names(path) == ["a", "b"]
    with pytest.raises(BadInput, match=r"it looks separated by ';': give that"):
        column_names(path, ",")
    assert column_names(write(tmp_path, '"a;b;c",d\n1,2\n')) == ["a;b;c", "d"]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("a,b", ["a", "b"]),
        ("\ufeffa,b", ["a", "b"]),
        ("007,1.50", ["007", "1.50"]),
        ("true,NA", ["true", "NA"]),
        ('"say ""x""","a,b"', ['say "x"', "a,b"]),
        ("a b,größe", ["a b", "größe"]),
        ("alone", ["alone"]),
    ],
)
def test_names_are_taken_as_they_stand(tmp_path: Path, header: str, names: list[str]) -> None:
    path = write(tmp_path, header + "\r\n" + ",".join("12"[: len(names)]) + "\r\n")
    assert column_names(path) == names
    assert load_columns(path, names, {}).names == tuple(names)


def test_an_empty_line_of_a_single_column_is_missing(tmp_path: Path) -> None:
    table = load_columns(write(tmp_path, "a\n1\n\n3\n"), ["a"], {})
    assert table["a"].codes.tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "2", ""], "int64"),
        (["1", "2.5", "nan", "-.5", "1e3", "3."], "double"),
        (["true", "False"], "bool"),
        (["2020-01-01"], "date32[day]"),
        (["2020-01-01 10:00", "2020-01-01T10:00:01.5"], "timestamp[us]"),
        (["-", "e5"], "string"),
        (["1", "x", "y"], "string"),
        (["+5", "1_000"], "string"),
        (["", ""], "string"),
    ],
)
def test_types_of_text(tmp_path: Path, texts: list[str], kind: str) -> None:
    path = write(tmp_path, "a,b\n" + "".join(f"{text},1\n" for text in texts))
    assert str(load_columns(path, ["a"], {})["a"].values.type) == kind


def test_a_kind_that_the_owner_fixed(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n007,1\n1234,x\n5,y\n")
    made = load_columns(path, ["a"], {"a": Kind.CATEGORY})
    assert made["a"].values.to_pylist() == ["007", "1234", "5"]
    with pytest.raises(BadInput, match="mixes numbers with 2 other values"):
        load_columns(path, ["b"], {"b": Kind.NUMBER})
    with pytest.raises(BadInput, match="holds category values, so its type can't be 'number'"):
        load_columns(pa.table({"b": ["x"]}), ["b"], {"b": Kind.NUMBER})


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (pd.DataFrame({"a b": [1, "secret"]}), "column 'a b' of the frame mixes types"),
        (pd.DataFrame({"a": [1, 2], "a b": [1, "secret"]}), "column 'a b' of the frame"),
        (pd.DataFrame({"x": [True, 1]}), "column 'x' of the frame mixes types"),
        (pd.DataFrame({"x": [1, 2**70]}), "mixes types or holds what no column can"),
        (pd.DataFrame([[1, 2]], columns=["x", "x"]), "more than one column named 'x'"),
        (pd.DataFrame({"x": [[1], [2]]}), "column 'x' has type list<item: int64>"),
        (pd.DataFrame({"x": [b"secret"]}), "column 'x' has type binary"),
        (pd.DataFrame({"x": [np.inf]}), "column 'x' has 1 infinite number"),
        (pl.DataFrame({"x": [dt.timedelta(1)]}), "column 'x' has type duration"),
        (pl.DataFrame({"x": [2**100]}, schema={"x": pl.Int128}), "what no column can"),
        (pl.DataFrame({"x": [1]}).lazy(), "a LazyFrame is not a source"),
        (pd.Series([1]), "give"),
        ([1, 2], "a list is not a source"),
        (pa.table([[1], [2]], ["x", "x"]), "more than one column named 'x'"),
        (pa.table({"x": pa.array([], pa.int64())}), "the frame has no rows"),
    ],
)
def test_frames_that_are_no_source(frame: Any, says: str) -> None:
    with pytest.raises(BadInput) as error:
        load_columns(frame, column_names(frame), {})
    assert says in str(error.value) or says == "give"
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)


def test_a_relation_with_repeated_names() -> None:
    with duckdb.connect() as connection, pytest.raises(BadInput, match="named 'x'; rename"):
        column_names(connection.sql("select 1 x, 2 x"))


def test_numbers_of_python_objects() -> None:
    frame = pd.DataFrame({"a": [1, 2.5], "b": [Decimal("1.5"), None], "c": [2, None]}, dtype=object)
    made = load_columns(frame, ["a", "b", "c"], {})
    assert [made[n].values.to_pylist() for n in "abc"] == [[1.0, 2.5], [1.5], [2]]


def test_files_that_are_not_there_or_not_whole(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no file"):
        read(tmp_path / "no.csv")
    with pytest.raises(BadInput, match="is a folder"):
        read(tmp_path)
    path = as_parquet(tmp_path, DATA)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadInput, match=r"data\.parquet is not a whole Parquet file"):
        load_columns(path, ["whole"], {})


def test_a_damaged_page_of_parquet(tmp_path: Path) -> None:
    path = as_parquet(tmp_path, DATA)
    whole = path.read_bytes()
    path.write_bytes(whole[:4] + b"\xff" * 40 + whole[44:])
    with pytest.raises(BadInput, match=r"data\.parquet is damaged"):
        load_columns(path, DATA.column_names, {})


def test_only_published_columns_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, b"name,age\n\xff,30\n\xfe,40\n")
    schema = Schema.of(identifier=["name"], quasi=["age"])
    assert load_table(path, schema).names == ("age",)


ROWS = [f"{20 + i % 40},{i % 7},d{i % 5}" for i in range(40)]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({10: '33,4,"TELLTALE'}, "a quote on line 12 of people.csv is not closed"),
        (
            {10: '33,4,"TELLTALE', 20: '33,4,TELLTALE"'},
            "from line 12 of people.csv on, a quoted cell of column 'ill' holds what look like",
        ),
        (
            {10: '33,"TELLTALE', 20: 'TELLTALE",d1'},
            "from line 12 of people.csv on, a quoted cell of column 'zip' holds what look like",
        ),
    ],
)
def test_an_open_quote_swallows_no_rows(tmp_path, broken, message):
    lines = ["age,zip,ill", *(broken.get(place, row) for place, row in enumerate(ROWS))]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(BadInput, match=re.escape(message)) as error:
        read(path, ["age", "ill"])
    assert "TELLTALE" not in str(error.value)


def test_line_breaks_inside_cells_are_read(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text('age,note\n1,"one\ntwo ""or"" three"\n\n2,\n', encoding="utf-8")
    assert read(path).column("note").to_pylist() == ['one\ntwo "or" three', None]


def test_a_file_that_is_only_named_parquet_is_refused(tmp_path):
    (tmp_path / "people.parquet").write_text("age\n1\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"people\.parquet is not a whole Parquet file"):
        read(tmp_path / "people.parquet")


def test_a_blank_first_line_is_no_header(tmp_path):
    (tmp_path / "people.csv").write_text("\nage\n1\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"first line of people\.csv is blank"):
        read(tmp_path / "people.csv")
