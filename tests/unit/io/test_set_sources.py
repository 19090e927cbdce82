"""Sources of sets: every way to say who has what gives the same sets; what is wrong is one line."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import SfumatoError
from sfumato.core.run import Run
from sfumato.data.schema import Schema
from sfumato.data.sets import Holders, Sets
from sfumato.io import batches, set_sources
from sfumato.io.sample_sets import segments
from sfumato.io.set_files import write_sets
from sfumato.io.set_sources import SetsFrom, load_sets

NOTHING = Schema(())
DROP = Schema.of(drop=["who"])
PAIR = SetsFrom(person="who", item="what")
LISTS = SetsFrom(items="what")
SECRET = "Xq7secret"


def shown(sets: Sets) -> list[set[str]]:
    """The names of items, row by row; every row must ascend, each item once."""
    names, found = sets.names.to_pylist(), []
    assert names == sorted(names)
    for first, end in zip(sets.indptr[:-1], sets.indptr[1:], strict=True):
        row = sets.items[first:end].tolist()
        assert row == sorted(set(row))
        found.append({names[item] for item in row})
    return found


def same(one: Holders, other: Holders) -> bool:
    """The same sets, to the bit."""
    ours, theirs = one.sets, other.sets
    arrays = [(ours.indptr, theirs.indptr), (ours.items, theirs.items)]
    arrays.append((ours.utility, theirs.utility))
    equal = all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in arrays)
    return equal and ours.names.equals(theirs.names)


def complaint(source: Any, how: SetsFrom, schema: Schema = NOTHING) -> str:
    """The one line that a bad source is answered with; no value stands in it."""
    with pytest.raises(SfumatoError) as caught:
        load_sets(source, how, schema)
    text = str(caught.value)
    assert "\n" not in text and SECRET not in text
    return text


def fimi(folder: Path, text: str | bytes, name: str = "rows.dat") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


FIMI = SetsFrom(format="fimi")
ROWS = [{"1", "20"}, {"3"}, set(), {"20", "3"}]


@pytest.mark.parametrize(
    "text",
    [
        "1 20\n3\n\n3 20\n",
        "1 20\n3\n\n3 20",
        "1 20 \r\n3\r\n\r\n20 3\r\n",
        "20\t1 1\n 3\n \n3 20 20\n",
        "01 20\n3\n\n03 020\n",
    ],
)
@pytest.mark.parametrize("block", [1 << 24, 1, 7])
def test_lines_of_numbers(tmp_path: Path, monkeypatch: Any, text: str, block: int) -> None:
    monkeypatch.setattr(set_sources, "BLOCK", block)
    packed = tmp_path / "rows.dat.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    plain = load_sets(fimi(tmp_path, text), FIMI, NOTHING)
    assert shown(plain.sets) == ROWS
    assert same(plain, load_sets(packed, FIMI, NOTHING))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no rows"),
        ("1 2\n3 -4\n", "line 2 of rows.dat is not whole numbers"),
        ("1 2\n3\n1234567890\n", "line 3 of rows.dat"),
        (f"1\n{SECRET}\n", "line 2 of rows.dat"),
        ("1,2\n", "line 1 of rows.dat"),
        ("1\n2.5", "line 2 of rows.dat"),
        (b"1\n\xff\xfe\n", "line 2 of rows.dat"),
    ],
)
@pytest.mark.parametrize("block", [1 << 24, 3])
def test_bad_lines(tmp_path: Path, monkeypatch: Any, text: str | bytes, says: str, block: int):
    monkeypatch.setattr(set_sources, "BLOCK", block)
    assert says in complaint(fimi(tmp_path, text), FIMI)


def test_what_is_no_file_of_lines(tmp_path: Path) -> None:
    assert "is not a whole gzip file" in complaint(fimi(tmp_path, "1 2\n", "rows.gz"), FIMI)
    whole = gzip.compress(b"1 2\n" * 1000)
    assert "is not a whole gzip file" in complaint(fimi(tmp_path, whole[:-9], "half.gz"), FIMI)
    assert "no file" in complaint(tmp_path / "none.dat", FIMI)
    assert "is a folder" in complaint(tmp_path, FIMI)
    assert "file" in complaint({"what": [["a"]]}, FIMI)


@st.composite
def people(draw: st.DrawFn) -> list[set[str]]:
    """People with items of awkward names; somebody may have nothing."""
    names = ["a", "B", "é", 'q"q', "c,d", "", " ", "10", "9", "x\ny"]
    return draw(st.lists(st.sets(st.sampled_from(names)), min_size=1, max_size=8))


@settings(max_examples=60, deadline=None)
@given(people(), st.randoms(use_true_random=False))
def test_every_way_gives_the_same_sets(rows: list[set[str]], dice: Any) -> None:
    rows = [row for row in rows if row] or [{"a"}]  # in pairs, nobody has nothing
    untidy = [dice.choices(sorted(row), k=len(row)) + sorted(row) for row in rows]
    lists = load_sets(pa.table({"what": untidy}), LISTS, NOTHING)
    assert shown(lists.sets) == rows
    pairs = [(who, item) for who, row in enumerate(untidy) for item in row]
    who, what = zip(*pairs, strict=True)
    kinds: list[Any] = [who, [f"p{one}" for one in who], [one + 0.5 for one in who]]
    for told in kinds:
        assert same(lists, load_sets(pa.table({"who": told, "what": what}), PAIR, NOTHING))
    items = sorted(set(what))
    for yes, no in ((True, False), (1, 0), ("Yes", "no"), ("1", None)):
        flags = {item: [yes if item in row else no for row in rows] for item in items}
        table = pa.Table.from_arrays([pa.array(flags[i]) for i in items], names=items)
        assert same(lists, load_sets(table, SetsFrom(format="one-hot"), NOTHING))
    for kind in (pa.large_list(pa.large_string()), pa.list_(pa.dictionary(pa.int8(), "string"))):
        table = pa.table({"what": pa.array(untidy, pa.list_(pa.string())).cast(kind)})
        assert same(lists, load_sets(table, LISTS, NOTHING))


def test_files_as_frames(tmp_path: Path, monkeypatch: Any) -> None:
    """Row groups, batches and formats of files make no difference."""
    rng = np.random.default_rng(3)
    rows = [[f"i{n}" for n in rng.integers(0, 30, rng.integers(1, 6))] for _ in range(100)]
    table = pa.table({"what": rows})
    whole = load_sets(table, LISTS, NOTHING)
    pq.write_table(table, tmp_path / "lists.parquet", row_group_size=13)
    who = np.repeat(np.arange(100), [len(row) for row in rows])
    pairs = pa.table({"who": who, "what": np.concatenate(rows)})
    pq.write_table(pairs, tmp_path / "pairs.parquet", row_group_size=7)
    pacsv.write_csv(pairs, tmp_path / "pairs.csv")
    mixed = pairs.take(np.concatenate([[0], rng.permutation(np.arange(1, len(who)))]))
    for size in (1 << 18, 5):
        monkeypatch.setattr(batches, "ROWS", size)
        assert same(whole, load_sets(table, LISTS, NOTHING))
        assert same(whole, load_sets(tmp_path / "lists.parquet", LISTS, NOTHING, workers=3))
        for source in (pairs, tmp_path / "pairs.parquet", tmp_path / "pairs.csv"):
            assert same(whole, load_sets(source, PAIR, NOTHING))
        found = load_sets(mixed, PAIR, NOTHING)  # people by when they are met first
        assert sorted(map(sorted, shown(found.sets))) == sorted(map(sorted, shown(whole.sets)))


def test_slices_nulls_and_offsets() -> None:
    """What is null holds nothing; slices of lists hold what they show, no more."""
    lists = [["zz"], None, ["a", None, "b"], [], ["b", "b"], ["zz"]]
    for kind in (pa.list_(pa.string()), pa.large_list(pa.string())):
        column = pa.array(lists, kind).slice(1, 4)
        two = pa.chunked_array([column.slice(0, 1), column.slice(1)])
        for table in (pa.table({"what": column}), pa.table({"what": two})):
            found = load_sets(table, LISTS, NOTHING).sets
            assert shown(found) == [set(), {"a", "b"}, set(), {"b"}]
            assert found.names.to_pylist() == ["a", "b"]
    hidden = pa.ListArray.from_arrays([0, 1, 2], ["a", "hidden"], mask=pa.array([False, True]))
    found = load_sets(pa.table({"what": hidden}), LISTS, NOTHING).sets
    assert found.names.to_pylist() == ["a"] and shown(found) == [{"a"}, set()]
    words = pa.array(["a", "b", None]).dictionary_encode()
    odd = pa.ListArray.from_arrays([0, 2, 3], words)
    assert shown(load_sets(pa.table({"what": odd}), LISTS, NOTHING).sets) == [{"a", "b"}, set()]
    numbers = pa.table({"what": [[3, 10], [10]]})
    assert shown(load_sets(numbers, LISTS, NOTHING).sets) == [{"3", "10"}, {"10"}]


def test_pairs_with_holes_and_labels(tmp_path: Path) -> None:
    data = {"who": ["b", "a", "b"], "what": ["x", None, "x"], "ill": ["flu", None, "flu"]}
    how = SetsFrom(person="who", item="what", label="ill")
    found = load_sets(pa.table(data), how, NOTHING)
    assert shown(found.sets) == [{"x"}, set()]
    assert found.table["ill"].to_arrow().to_pylist() == ["flu", None]
    assert found.schema.sensitive == ("ill",)
    data["ill"][2] = SECRET
    assert "differ between the rows of one person" in complaint(pa.table(data), how)
    data["who"][0] = None
    assert "column 'who' has 1 row without a value" in complaint(pa.table(data), how)
    data = {"who": [1, 2, 1], "what": ["x", "y", "z"], " ": [5, 6, 5]}
    found = load_sets(pa.table(data), PAIR, Schema.of(keep=[" "]))
    assert found.table[" "].to_arrow().to_pylist() == [5, 6]
    coded = {"who": [1, 2, 2], "what": ["x", "y", "z"], "ill": pa.array(["b", "a", "a"])}
    coded["ill"] = coded["ill"].dictionary_encode()
    found = load_sets(pa.table(coded), how, NOTHING)
    assert found.table["ill"].to_arrow().to_pylist() == ["b", "a"]


def test_numbers_as_people_over_batches(monkeypatch: Any) -> None:
    """A person that is no number is one person in every batch."""
    monkeypatch.setattr(batches, "ROWS", 1)
    nan = float("nan")
    data = pa.table({"who": [1.0, nan, 1.0, nan], "what": ["a", "b", "c", "d"]})
    assert "who" in complaint(data, PAIR)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"a": [1, 2]}, "column 'a' has 1 value that are neither 0 nor 1"),
        ({"a": ["1", SECRET]}, "neither 0 nor 1"),
        ({"a": [0.5, 1.0]}, "neither 0 nor 1"),
        ({"a": [[True]]}, "neither 0 nor 1"),
        ({"a": pa.array([], pa.bool_())}, "has no rows"),
    ],
)
def test_bad_flags(columns: dict[str, Any], says: str) -> None:
    assert says.split("1 value")[0] in complaint(pa.table(columns), SetsFrom(format="one-hot"))


def test_values_of_columns_are_items(tmp_path: Path) -> None:
    data = pa.table({"sex": ["f", None, "m"], "age": [29.5, 30.0, None], "k": [1, 1, 2]})
    how = SetsFrom(format="columns", buckets={"age": 10})
    found = load_sets(data, how, NOTHING)
    assert shown(found.sets) == [
        {"sex = f", "age = 20 to 30", "k = 1"},
        {"age = 30 to 40", "k = 1"},
        {"sex = m", "k = 2"},
    ]
    pacsv.write_csv(data, tmp_path / "p.csv")
    assert same(found, load_sets(tmp_path / "p.csv", how, NOTHING))
    below = load_sets(pa.table({"age": [-0.5, -10.0]}), how, NOTHING)
    assert shown(below.sets) == [{"age = -10 to 0"}, {"age = -10 to 0"}]
    kept = load_sets(data, SetsFrom(format="columns", label="sex"), NOTHING)
    assert shown(kept.sets) == [{"age = 29.5", "k = 1"}, {"age = 30", "k = 1"}, {"k = 2"}]


@pytest.mark.parametrize(
    ("how", "data", "says"),
    [
        ({"buckets": {"age": 0}}, [1.0], "source.buckets.age is 0"),
        ({"buckets": {"age": "5"}}, [1.0], "source.buckets.age is '5'"),
        ({"buckets": {"age": True}}, [1.0], "source.buckets.age is True"),
        ({"buckets": 5}, [1.0], "source.buckets is no widths by column"),
        ({"buckets": {"age": float("nan")}}, [1.0], "source.buckets.age is nan"),
        ({"buckets": {"old": 5}}, [1.0], "source.buckets.old"),
        ({"buckets": {"age": 5}}, ["1", SECRET], "column 'age' has values that are no numbers"),
        ({"buckets": {"age": 5}}, [1.0, float("inf")], "column 'age' has values that are no num"),
        ({}, [[1]], "items or people are no plain values"),
    ],
)
def test_bad_values_of_columns(how: dict[str, Any], data: list[Any], says: str) -> None:
    assert says in complaint(pa.table({"age": data}), SetsFrom(format="columns", **how))


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({}, "in no way"),
        ({"items": "what", "format": "fimi"}, "in several"),
        ({"person": "who"}, "go together"),
        ({"format": "xml"}, "source.format is 'xml'"),
        ({"format": "fimi", "label": "ill"}, "no other columns"),
        ({"items": "what", "buckets": {"a": 1.0}}, "source.buckets without"),
        ({"items": "none"}, "has no column 'none'"),
        ({"items": "who", "label": "what"}, "column 'who' holds no lists"),
        ({"items": "what", "label": "none"}, "column 'none' is not in the data"),
        ({"items": "what", "label": "what"}, "source.label is a column that says who has what"),
        ({"person": "who", "item": "who"}, "are one column"),
        ({"person": "who", "item": "what"}, "items or people are no plain values"),
        ({"person": "what", "item": "who"}, "items or people are no plain values"),
    ],
)
def test_wrong_ways(how: dict[str, Any], says: str) -> None:
    data = pa.table({"who": [1, 2], "what": [["a"], [SECRET]]})
    assert says in complaint(data, SetsFrom(**how), NOTHING)


def test_odd_columns_of_items() -> None:
    """Whatever a value is, it has one name, or the source is refused in one line."""
    every = Schema.of(drop=["who", "what"])
    for form in ("one-hot", "columns"):
        data = pa.table({"who": [1, 2], "what": [True, False]})
        assert "has no column of items" in complaint(data, SetsFrom(format=form), every)
    assert "no plain values" in complaint(pa.table({"what": [[b"\xff"]]}), LISTS)
    assert "no plain values" in complaint(pa.table({"what": [[["a"]]]}), LISTS)
    nan = float("nan")
    assert shown(load_sets(pa.table({"what": [[1.5, nan], [nan]]}), LISTS, NOTHING).sets) == [
        {"1.5"},
        set(),
    ]
    pairs = pa.table({"who": [1, 2], "what": pa.array([None, None])})
    assert shown(load_sets(pairs, PAIR, NOTHING).sets) == [set(), set()]
    flags = pa.table({"a": [1.0, nan], "b": pa.array([None, None])})
    assert shown(load_sets(flags, SetsFrom(format="one-hot"), NOTHING).sets) == [{"a"}, set()]


def test_lists_as_labels() -> None:
    for data in ({"who": [1], "what": ["a"]}, {"who": [1, 1], "what": ["a", "b"]}):
        data["ill"] = [[SECRET]] * len(data["who"])
        how = SetsFrom(person="who", item="what", label="ill")
        assert "column 'ill' is not a plain column" in complaint(pa.table(data), how)


def test_dots_in_names(tmp_path: Path) -> None:
    table = pa.table({"a.b": [["x"], ["y"]], "a": [1, 2]})
    pq.write_table(table, tmp_path / "t.parquet")
    found = load_sets(tmp_path / "t.parquet", SetsFrom(items="a.b"), Schema.of(keep=["a"]))
    assert shown(found.sets) == [{"x"}, {"y"}]


def test_columns_need_roles() -> None:
    data = pa.table({"who": [1, 2], "what": [["a"], ["b"]]})
    assert "column 'who' has no role" in complaint(data, LISTS)
    assert "schema.quasi is for tables" in complaint(data, LISTS, Schema.of(quasi=["who"]))
    named = data.rename_columns(["items", "what"])
    assert "column 'items' of its own" in complaint(named, LISTS, Schema.of(keep=["items"]))
    assert load_sets(data, LISTS, DROP).rows == 2


WORTH = pa.table({"item": ["b", "a", "z"], "utility": [2.5, 0.0, 9.0]})


def test_utilities(tmp_path: Path) -> None:
    data, place = pa.table({"what": [["a"], ["b"]]}), tmp_path / "worth"
    for ending, write in ((".csv", pacsv.write_csv), (".parquet", pq.write_table)):
        write(WORTH, f"{place}{ending}")
        found = load_sets(data, SetsFrom(items="what", utility=Path(f"{place}{ending}")), NOTHING)
        assert found.sets.utility.tolist() == [0.0, 2.5]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("item,utility\na,1\n", "worth.csv lacks 1 item of 2"),
        ("item,utility\na,1\nb,1\na,1\n", "lists an item twice"),
        ("item,utility\na,1\nb,-1\n", "no number from 0 up"),
        ("item,utility\na,1\nb,nan\n", "no number from 0 up"),
        ("item,utility\na,1\nb,inf\n", "no number from 0 up"),
        ("item,utility\na,1\nb,\n", "no number from 0 up"),
        (f"item,utility\na,1\nb,{SECRET}\n", "no number from 0 up"),
        ("item\na\nb\n", "worth.csv has 1 column"),
        ("item,utility,more\na,1,1\nb,1,1\n", "worth.csv has 3 columns"),
        ("", "is empty"),
        ("item,utility\n", "lacks 2 items"),
    ],
)
def test_bad_utilities(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "worth.csv").write_text(text)
    data = pa.table({"what": [["a"], ["b"]]})
    how = SetsFrom(items="what", utility=tmp_path / "worth.csv")
    assert says in complaint(data, how)


def test_a_total_that_is_no_number_is_refused(tmp_path: Path) -> None:
    (tmp_path / "worth.csv").write_text("item,utility\na,1e308\nb,1e308\n")
    how = SetsFrom(items="what", utility=tmp_path / "worth.csv")
    assert "utilit" in complaint(pa.table({"what": [["a", "b"], ["a", "b"]]}), how)


def test_kinds_of_items_count_as_items(tmp_path: Path) -> None:
    """Everybody has what their items are kinds of, once; a top that all share says nothing."""
    place = tmp_path / "kinds.csv"
    place.write_text("milk,drink,all\ntea,drink,all\nbread,food,all\nunused,food,all\n")
    data = pa.table({"what": [["milk", "tea"], ["bread"], [], ["tea", "tea"]]})
    how = SetsFrom(items="what", hierarchy=place)
    found = load_sets(data, how, NOTHING).sets
    assert shown(found) == [{"milk", "tea", "drink"}, {"bread", "food"}, set(), {"tea", "drink"}]
    place.write_text("milk,drink\ntea,drink\nbread,food\n")
    assert shown(load_sets(data, how, NOTHING).sets)[1] == {"bread", "food"}
    place.write_text("milk,drink,all\ntea,drink,all\n")
    assert "source.hierarchy lacks 1 item" in complaint(data, how)


def test_items_that_nobody_has_need_no_kind(tmp_path: Path) -> None:
    """A dictionary may list more than rows hold."""
    place = tmp_path / "kinds.csv"
    place.write_text("a,one,all\nb,two,all\n")
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), ["a", "b", "gone"])
    lists = pa.ListArray.from_arrays([0, 1, 2], words)
    found = load_sets(pa.table({"what": lists}), SetsFrom(items="what", hierarchy=place), NOTHING)
    assert shown(found.sets) == [{"a", "one"}, {"b", "two"}]


def test_samples_read_the_same(tmp_path: Path) -> None:
    """Written as lists or as pairs, people who have nothing included."""
    made = segments(2_000, Run.seeded(2))
    write_sets(made, tmp_path / "s.parquet")
    write_sets(made, tmp_path / "s.csv")
    drop = Schema.of(drop=["person"])
    lists = load_sets(tmp_path / "s.parquet", SetsFrom(items="items"), drop)
    pairs = load_sets(tmp_path / "s.csv", SetsFrom(person="person", item="item"), NOTHING)
    assert (made.lengths == 0).any() and lists.rows == 2_000
    assert same(lists, pairs)
