"""Cells equal what the members of each group have, computed one group at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.hierarchy import Hierarchy, from_breaks, from_levels
from sfumato.data.schema import Kind
from sfumato.data.table import Column, encode
from sfumato.releases.cells import Intervals, Nodes, ValueSets, cells_of, run_ranks

TREE = from_levels("x", [(v, v[0], "*") for v in ("a1", "a2", "b1", "b2", "c1")])


@st.composite
def grouped(draw: Any, values: list[Any]) -> tuple[list[Any], list[int]]:
    """Values, some missing, and a group for each; no group is empty."""
    groups = draw(st.integers(1, 4))
    rows = draw(st.lists(st.integers(0, groups - 1), max_size=10)) + list(range(groups))
    value = st.none() | st.sampled_from(values)
    return draw(st.lists(value, min_size=len(rows), max_size=len(rows))), rows


def made(values: list[Any], kind: Any, group: list[int], tree: Hierarchy | None = None) -> Any:
    """The column and its cells."""
    column = encode("x", pa.chunked_array([pa.array(values, kind)]))
    groups = max(group) + 1
    return column, cells_of(column, np.array(group, np.int32), groups, tree), groups


def members(values: list[Any], group: list[int], wanted: int) -> list[Any]:
    """The values of one group."""
    return [value for value, of in zip(values, group, strict=True) if of == wanted]


@settings(max_examples=100, deadline=None)
@given(grouped([3, 5, 9, 20]))
def test_intervals(case: Any) -> None:
    values, group = case
    _, cells, groups = made(values, pa.int64(), group)
    assert isinstance(cells, Intervals)
    assert cells.tight
    for g in range(groups):
        here = members(values, group, g)
        present = [value for value in here if value is not None]
        assert cells.lower[g].as_py() == min(present, default=None)
        assert cells.upper[g].as_py() == max(present, default=None)
        assert cells.missing[g] == (None in here)
        label = cells.labels()[g].as_py()
        assert ("missing" in label) == (None in here)
        assert label.startswith("[") == (len(set(present)) > 1)


@pytest.mark.parametrize("domain", [["a", "b", "", "missing"], [f"v{i}" for i in range(70)]])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_sets(domain: list[str], data: Any) -> None:
    values, group = data.draw(grouped(domain))
    group += [0] * len(domain)
    _, cells, groups = made(values + domain, pa.string(), group)
    assert isinstance(cells, ValueSets)
    for g in range(groups):
        here = members(values + domain, group, g)
        expected = [None] * (None in here) + sorted(set(here) - {None})
        assert cells.lists()[g].as_py() == expected
        missing = "(missing)" if "missing" in domain else "missing"
        words = [missing if v is None else v or '""' for v in expected]
        assert cells.labels()[g].as_py() == " or ".join(words)


def test_no_two_sets_read_the_same() -> None:
    values = ["a", "b", "a or b", '"a or b"', "", '""', "missing", "(missing)", None]
    _, cells, _ = made(values, pa.string(), list(range(len(values))))
    labels = cells.labels().to_pylist()
    assert len(set(labels)) == len(values)
    _, both, _ = made(["a", "b", "a or b"], pa.string(), [0, 0, 1])
    assert both.labels().to_pylist() == ["a or b", '"a or b"']


@settings(max_examples=100, deadline=None)
@given(grouped(["a1", "a2", "b1", "c1"]))
def test_nodes(case: Any) -> None:
    values, group = case
    _, cells, groups = made(values, pa.string(), group, TREE)
    assert isinstance(cells, Nodes)
    assert cells.has_missing == (None in values)
    for g in range(groups):
        here = {"missing" if v is None else v for v in members(values, group, g)}
        first = {value[0] for value in here}
        expected = "*" if len(first) > 1 else here.pop() if len(here) == 1 else first.pop()
        assert cells.labels()[g].as_py() == expected


@settings(max_examples=100, deadline=None)
@given(grouped([3, 5, 9, 20]))
def test_intervals_of_breaks(case: Any) -> None:
    values, group = case
    column = encode("x", pa.chunked_array([pa.array(values, pa.int64())]))
    if len(column.values) == 0:
        return
    _, cells, groups = made(values, pa.int64(), group, from_breaks(column, [[0, 5, 10, 30]]))
    bounds = {3: (0, 4), 5: (5, 9), 9: (5, 9), 20: (10, 29)}
    assert not cells.tight
    for g in range(groups):
        here = members(values, group, g)
        present = set(here) - {None}
        found = (cells.lower[g].as_py(), cells.upper[g].as_py())
        if not present:
            assert found == (None, None)
        elif len({bounds[value] for value in present}) == 1 and None not in here:
            assert found == bounds[min(present)]
        else:
            assert found == (0, 29)


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from(["interval", "set", "tree"]))
def test_rank_orders_cells_by_content(data: Any, which: str) -> None:
    domain: list[Any] = [1, 2, 3] if which == "interval" else ["a1", "a2", "b1"]
    values, group = data.draw(grouped(domain))
    kind = pa.int64() if which == "interval" else pa.string()
    _, cells, groups = made(values, kind, group, TREE if which == "tree" else None)
    rank, labels = cells.rank(), cells.labels().to_pylist()
    for one in range(groups):
        for other in range(groups):
            assert (rank[one] == rank[other]) == (labels[one] == labels[other])
    order = data.draw(st.permutations(range(groups)))
    taken = cells.take(np.array(order))
    assert len(taken) == groups
    assert taken.labels().to_pylist() == [labels[g] for g in order]


def test_a_node_and_its_only_child_differ_in_rank() -> None:
    cells = Nodes(TREE.ladder[[0, 1], [4, 4]], TREE, False)
    assert cells.labels().to_pylist() == ["c1", "c"]
    assert cells.rank().tolist() == [0, 1]


def test_ranks_of_runs() -> None:
    items = np.array([2, 1, 1, 300, 1, 2])
    starts, ends = np.array([0, 1, 2, 4, 3, 6]), np.array([2, 2, 4, 6, 4, 6])
    assert run_ranks(starts, ends, items).tolist() == [4, 1, 3, 2, 5, 0]


def test_labels_hold_only_what_is_published() -> None:
    column = Column(
        "x", Kind.CATEGORY, np.array([0, 2], np.uint8), pa.array(["a", "b", "c"]), False
    )
    cells = cells_of(column, np.array([0, 1], np.int32), 2)
    assert cells.labels().dictionary.to_pylist() == ["a", "c"]
