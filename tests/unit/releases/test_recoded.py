"""Sealing is a canonical form: the order of the input and of the groups leaves no trace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.io.publications import groups_of, people, publish, trees_of

from sfumato.data.schema import Schema
from sfumato.data.table import Table, table_from_arrow
from sfumato.io.store import write_release
from sfumato.releases.recoded import group_order, seal
from sfumato.releases.release import Publication

QUICK = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def files(publication: Publication, folder: Path, form: str = "parquet") -> dict[str, bytes]:
    """Every public file, byte by byte, under one id."""
    write_release(replace(publication.release, release_id="id"), folder, form)
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def shuffled(table: Table, group: Any, seed: int) -> tuple[Table, Any]:
    """The same records and groups in another order, under other numbers."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(table.rows)
    numbers = rng.permutation(int(group.max()) + 1).astype(np.int32)
    return table.take(rows), numbers[group[rows]]


@pytest.mark.parametrize("form", ["parquet", "csv"])
@QUICK
@given(seed=st.integers(0, 10**6))
def test_no_order_is_left(tmp_path_factory: Any, form: str, seed: int) -> None:
    table, folder = people(40, seed=seed % 5), tmp_path_factory.mktemp("sealed")
    group, trees = groups_of(40, 3, seed), trees_of(table)
    other = shuffled(table, group, seed)
    one = files(publish(table, group, trees=trees), folder / "one", form)
    two = files(publish(*other, trees=trees), folder / "two", form)
    assert one == two


@QUICK
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=4, max_size=24),
    st.integers(0, 10**6),
)
def test_no_order_is_left_between_groups_of_equal_cells(
    tmp_path_factory: Any, rows: list[tuple[int, int]], seed: int
) -> None:
    folder = tmp_path_factory.mktemp("sealed")
    data = {"a": [7] * len(rows), "s": [r[0] for r in rows], "t": [str(r[1]) for r in rows]}
    table = table_from_arrow(pa.table(data))
    group = (np.arange(len(rows)) // 2).astype(np.int32)
    schema = Schema.of(quasi=["a"], sensitive=["s"], keep=["t"])
    one = files(publish(table, group, schema=schema), folder / "one")
    two = files(publish(*shuffled(table, group, seed), schema=schema), folder / "two")
    assert one == two


def test_values_of_nobody_published_leave_no_trace(tmp_path: Path) -> None:
    """Dropped rows may widen a dictionary; neither the order nor the files may tell."""
    schema = Schema.of(quasi=["a", "c"], sensitive=["s"])
    kept = {"a": [1, 1, 1, 1], "c": list("xxxx"), "s": ["b", "d", "d", "f"]}
    more = {"a": [0, *kept["a"], 9], "c": ["w", *kept["c"], "z"], "s": ["a", *kept["s"], "c"]}
    wide = table_from_arrow(pa.table(more)).take(np.arange(1, 5))
    group = np.array([0, 0, 1, 1], np.int32)
    one = files(publish(table_from_arrow(pa.table(kept)), group, schema=schema), tmp_path / "one")
    two = files(publish(wide, group, schema=schema), tmp_path / "two")
    assert one == two


def test_dictionaries_hold_only_published_values(tmp_path: Path) -> None:
    table = people(60, seed=3).take(np.arange(6))
    made = publish(table, [0, 0, 0, 1, 1, 1], trees=trees_of(table))
    write_release(made.release, tmp_path / "r")
    for path in (tmp_path / "r" / "data").iterdir():
        for name, column in zip(*_columns(pq.read_table(path)), strict=True):
            if pa.types.is_dictionary(column.type):
                chunk = column.chunk(0)
                used = set(chunk.indices.drop_null().to_pylist())
                assert used == set(range(len(chunk.dictionary))), name
        facts = pq.read_metadata(path)
        assert set(facts.metadata) == {b"ARROW:schema"}


def _columns(table: pa.Table) -> tuple[list[str], list[pa.ChunkedArray]]:
    return table.column_names, table.columns


def test_the_ledger_follows_the_records() -> None:
    table = people(50, seed=2)
    made = publish(table, groups_of(50, 4), trees=trees_of(table))
    rows, content = made.ledger.rows, made.release.content
    assert sorted(rows) == list(range(50))
    for name, column in content.records.columns.items():
        assert column.to_arrow().to_pylist() == table.take(rows)[name].to_arrow().to_pylist()
    assert (np.diff(content.group) >= 0).all()
    assert content.sizes.sum() == content.rows == 50


def test_sealing_twice_changes_nothing() -> None:
    table = people(50, seed=2)
    content = publish(table, groups_of(50, 2), trees=trees_of(table)).release.content
    again, rows = seal(content)
    assert rows.tolist() == list(range(50))
    assert group_order(content, np.arange(50)).tolist() == list(range(content.groups))
    assert again.group.tolist() == content.group.tolist()


def test_records_too_wide_for_one_key_are_sorted_all_the_same() -> None:
    rng = np.random.default_rng(1)
    names = [f"s{i}" for i in range(9)]
    data = {name: rng.integers(0, 300, 400) for name in names} | {"a": rng.integers(0, 9, 400)}
    table = table_from_arrow(pa.table(data))
    schema = Schema.of(quasi=["a"], sensitive=names)
    content = publish(table, groups_of(400, 9), schema=schema).release.content
    rows = list(zip(content.group, *(content.records[name].codes for name in names), strict=True))
    assert rows == sorted(rows)
