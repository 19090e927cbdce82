"""Hierarchies: from files, breaks and ordered lists; every malformed one is told in one line."""

from __future__ import annotations

import csv
import datetime as dt
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import BadInput
from sfumato.data.hierarchy import (
    Hierarchy,
    fit,
    from_breaks,
    from_levels,
    from_ordered,
)
from sfumato.data.level_file import read_levels
from sfumato.data.table import Column, encode

ZIP = [("10", "1*", "*"), ("20", "2*", "*"), ("11", "1*", "*")]


def column(values: Any, kind: Any = None) -> Column:
    """A column named x."""
    return encode("x", pa.chunked_array([pa.array(values, kind)]))


@st.composite
def level_rows(draw: Any) -> list[tuple[str, ...]]:
    """Rows of a random tree, in random order."""
    parents = draw(st.lists(st.integers(0, 2), min_size=1, max_size=8))
    middle = {node: str(draw(st.integers(0, 1))) for node in range(3)}
    rows = [(f"v{i}", f"m{node}", f"u{middle[node]}", "*") for i, node in enumerate(parents)]
    return draw(st.permutations(rows))


def under(tree: Hierarchy, node: int) -> set[int]:
    """The leaves below a node, by looking at every path."""
    return {leaf for leaf in range(tree.leaves) if node in tree.ladder[:, leaf]}


@settings(max_examples=100, deadline=None)
@given(level_rows())
def test_a_tree_of_levels(rows: list[tuple[str, ...]]) -> None:
    tree = from_levels("x", rows)
    assert sorted(tree.rows()) == sorted(rows)
    assert from_levels("x", tree.rows()).rows() == tree.rows()
    for node in range(len(tree.labels)):
        leaves = under(tree, node)
        assert leaves == set(range(tree.spans[node, 0], tree.spans[node, 1] + 1))
        assert tree.loss[node] == (len(leaves) - 1) / max(1, tree.leaves - 1)
        assert node in tree.ladder[tree.height[node]]
        assert tree.node_of[int(tree.height[node]), tree.labels[node]] == node
        if node != tree.root:
            assert leaves <= under(tree, tree.parent[node])
    assert tree.parent[tree.root] == -1


@settings(max_examples=100, deadline=None)
@given(level_rows(), st.booleans())
def test_the_lowest_common_node(rows: list[tuple[str, ...]], missing: bool) -> None:
    tree = from_levels("x", rows)
    tree = tree.with_missing() if missing else tree
    low, high = np.triu_indices(tree.leaves)
    for node, one, other in zip(tree.lowest(low, high), low, high, strict=True):
        both = [n for n in range(len(tree.labels)) if {one, other} <= under(tree, n)]
        assert node == min(both, key=lambda n: (len(under(tree, n)), tree.height[n]))


def test_missing_is_the_first_leaf_under_the_root() -> None:
    tree = from_levels("x", ZIP).with_missing()
    assert tree.labels[0] == "missing"
    assert tree.ladder[:, 0].tolist() == [0, tree.root, tree.root]
    named = from_levels("x", [("missing",), ("(missing)",), ("a",)]).with_missing()
    assert named.labels[0] == "((missing))"


def test_a_top_is_added_where_there_is_none() -> None:
    assert from_levels("x", [("a", "A"), ("b", "B")]).levels == 3
    assert from_levels("x", [("a",), ("b",)]).levels == 2
    alone = from_levels("x", [("a",)])
    assert alone.rows() == [("a", "*")]
    assert alone.with_missing().lowest(np.array([0]), np.array([1])) == [2]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "hierarchy of 'x' is empty"),
        ([("s1", "*"), ("s2", "a", "*")], "line 2 has 3 levels, line 1 has 2"),
        ([("s1", "*"), ("s2", "*"), ("s1", "*")], "the value on line 3 stands there twice"),
        (
            [("s1", "s", "A", "*"), ("s2", "s", "B", "*")],
            "line 2, level 1 has another parent at level 2",
        ),
    ],
)
def test_malformed_levels(rows: list[tuple[str, ...]], says: str) -> None:
    with pytest.raises(BadInput, match=says) as error:
        from_levels("x", rows)
    assert not any(text in str(error.value) for text in ("s1", "s2"))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("head", ["", "x{0}level 1{0}top\n", "level_0{0}level_1{0}level_2\n"])
def test_a_file_of_levels(tmp_path: Path, delimiter: str, head: str) -> None:
    lines = [delimiter.join(row) for row in ZIP]
    text = "\ufeff" + head.format(delimiter) + "\n\n".join(lines)
    (tmp_path / "tree.csv").write_text(text, encoding="utf-8")
    assert read_levels("x", tmp_path / "tree.csv").rows() == from_levels("x", ZIP).rows()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(min_size=1), min_size=1, max_size=5, unique=True))
def test_any_text_survives_a_file(tmp_path_factory: Any, values: list[str]) -> None:
    path = tmp_path_factory.mktemp("trees") / "tree.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("level_0", "top"), *((value, "*") for value in values)])
    assert read_levels("x", path).labels[:-1] == tuple(values)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "hierarchy of 'x' is empty"),
        (b"x,top\n", "hierarchy of 'x' is empty"),
        (b"x,top\na,*\n\nb\n", "line 4 has 1 level, line 2 has 2"),
        (b"a,*\nsecret\xff,*\n", "byte 10 of tree.csv is not UTF-8"),
        (b"a,*\n" + b"s" * 200_000 + b",*\n", "line 2 of tree.csv can't be read"),
    ],
)
def test_malformed_files(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "tree.csv").write_bytes(content)
    with pytest.raises(BadInput, match=says) as error:
        read_levels("x", tmp_path / "tree.csv")
    assert "secret" not in str(error.value)


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no file tree\.csv"):
        read_levels("x", tmp_path / "tree.csv")
    with pytest.raises(BadInput, match="name a CSV file"):
        read_levels("x", tmp_path)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(-20, 20), min_size=1, max_size=10),
    st.lists(st.integers(-25, 25), min_size=1, max_size=6),
    st.sampled_from([pa.int64(), pa.float64(), pa.date32(), pa.timestamp("us")]),
)
def test_breaks_cover_their_values(values: list[int], breaks: list[int], kind: Any) -> None:
    numbers = pa.array(values, pa.int32() if kind == pa.date32() else pa.int64()).cast(kind)
    tree = from_breaks(column(numbers), [sorted(breaks), sorted(breaks)[::2]])
    assert tree.levels == 4
    for leaf, value in enumerate(sorted(set(values))):
        for node in tree.ladder[:, leaf]:
            low, high = tree.breaks[node]
            assert low <= value <= high
    for level in (1, 2):
        spans = [tree.breaks[node] for node in dict.fromkeys(tree.ladder[level])]
        whole = kind != pa.float64()
        assert all(one[1] + whole <= other[0] for one, other in pairwise(spans))
    assert len(set(tree.node_of)) == len(tree.labels)


def test_breaks_beyond_the_values_hide_the_extremes() -> None:
    tree = from_breaks(column([21, 25, 38]), [[20, 30, 40]])
    assert tree.rows()[0] == ("21", "[20, 30)", "*")
    assert tree.breaks[tree.root] == (20, 39)
    narrow = from_breaks(column([21, 25, 38]), [[30]])
    assert narrow.breaks[narrow.root] == (21, 38)


def test_breaks_between_whole_numbers_and_large_ones() -> None:
    assert from_breaks(column([1, 2, 3]), [[1.5]]).rows()[0] == ("1", "[1, 2)", "*")
    tree = from_breaks(column([12345678, 12345679, 12345680]), [[12345679, 12345680]])
    assert [row[1] for row in tree.rows()][:2] == ["[12345678, 12345679)", "[12345679, 12345680)"]


def test_labels_of_dates() -> None:
    days = column([dt.date(1970, 1, 2), dt.date(1970, 2, 1)])
    assert from_breaks(days, [[31]]).rows()[0] == ("1970-01-02", "[1970-01-02, 1970-02-01)", "*")


@pytest.mark.parametrize(
    ("values", "breaks", "says"),
    [
        (["a"], [[1.0]], "breaks are for numbers and dates, and this is a category"),
        ([True], [[1.0]], "this is a category"),
        (pa.nulls(2, pa.int64()), [[1.0]], "has no present value"),
        ([1, 2], [], "level 1 has no breakpoints"),
        ([1, 2], [[1.0], []], "level 2 has no breakpoints"),
        ([1, 2], [[1.0], [2.0]], "level 2 has breakpoints that level 1 lacks"),
        ([1, 2], [[float("nan")]], "beyond what the column holds"),
        ([1, 2], [[float("inf")]], "beyond what the column holds"),
        ([dt.date(2020, 1, 1)], [[1e9]], "beyond what the column holds"),
        ([2**60], [[1.0]], "numbers beyond 2"),
    ],
)
def test_malformed_breaks(values: Any, breaks: list[list[float]], says: str) -> None:
    with pytest.raises(BadInput, match=says) as error:
        from_breaks(column(values), breaks)
    assert str(error.value).startswith("hierarchy of 'x':")


def test_ordered_values() -> None:
    tree = from_ordered("x", ["S", "M", "L", "XL", "XXL"])
    assert tree.rows()[0] == ("S", "S .. M", "S .. XL", "*")
    assert tree.rows()[4] == ("XXL", "XXL .. XXL", "XXL .. XXL", "*")
    assert from_ordered("x", ["a"]).rows() == [("a", "*")]
    assert from_ordered("x", ["a", "b", "c"], fanout=3).levels == 2
    with pytest.raises(BadInput, match="hierarchy of 'x': fanout is 1"):
        from_ordered("x", ["a"], fanout=1)
    with pytest.raises(BadInput, match="hierarchy of 'x' is empty"):
        from_ordered("x", [])
    with pytest.raises(BadInput, match="entry 2 of the ordered list stands there twice"):
        from_ordered("x", ["secret", "secret"])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1, 2], ["1", "2"]),
        ([1.0, 2.5], ["1", "2.5"]),
        ([True, False], ["true", "false"]),
        ([dt.date(2020, 1, 2)], ["2020-01-02"]),
        ([dt.datetime(2020, 1, 2, 3)], ["2020-01-02 03:00:00"]),
        (["missing", None], ["missing"]),
    ],
)
def test_values_as_a_file_spells_them(values: list[Any], words: list[str]) -> None:
    tree, leaf = fit(from_levels("x", [(word, "*") for word in words]), column(values))
    spelt = [tree.labels[at] for at in leaf]
    assert sorted(spelt[None in values :]) == sorted(words)
    assert (None in values) == (leaf[0] == 0 and tree.leaves > len(words))


def test_values_that_a_hierarchy_lacks_are_counted() -> None:
    with pytest.raises(BadInput, match="hierarchy of 'x' lacks 2 of the column's 3 values") as e:
        fit(from_levels("x", [("a", "*")]), column(["a", "secret", "hidden"]))
    assert "secret" not in str(e.value)
