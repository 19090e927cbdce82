"""Rows in order, tidied, and turned into postings, against Python lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.kernels.row_order import closed_up, postings, row_ranks, taken, tidy_rows
from sfumato.kernels.rows import Rows, item_counts, rows_of_pairs

ROWS = st.lists(st.sets(st.integers(0, 5), max_size=6), min_size=1, max_size=25)
LONG = st.lists(st.sets(st.integers(0, 300), max_size=120), min_size=1, max_size=8)


def rows_of(lists: list[list[int]], dtype: type = np.uint16) -> Rows:
    start = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64)
    return Rows(start, np.array([item for one in lists for item in one], dtype))


def lists_of(rows: Rows) -> list[list[int]]:
    return [rows.items[a:b].tolist() for a, b in zip(rows.start, rows.start[1:], strict=False)]


@settings(max_examples=200, deadline=None)
@given(ROWS | LONG)
def test_ranks_compare_as_rows_do(sets: list[set[int]]) -> None:
    lists = [sorted(one) for one in sets]
    place = {one: number for number, one in enumerate(sorted({tuple(one) for one in lists}))}
    assert row_ranks(rows_of(lists)).tolist() == [place[tuple(one)] for one in lists]


def test_a_row_comes_before_those_that_go_on_after_it() -> None:
    lists = [[1, 2, 3, 4], [1, 2, 3], [1, 2, 3, 4, 5, 6, 7], [], [1, 2, 3]]
    assert row_ranks(rows_of(lists)).tolist() == [2, 1, 3, 0, 1]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.integers(0, 70), max_size=90), min_size=1, max_size=12), st.data())
def test_tidied_rows_are_ranked_sorted_and_have_each_item_once(
    lists: list[list[int]], data: st.DataObject
) -> None:
    rank = np.array(data.draw(st.permutations(range(71))), np.uint16)
    rows = rows_of(lists)
    items, half = rows.items.copy(), len(lists) // 2
    left = np.concatenate(
        [
            tidy_rows(rows.start, items, rank, 0, half),
            tidy_rows(rows.start, items, rank, half, len(lists)),
        ]
    )
    expected = [sorted({int(rank[item]) for item in one}) for one in lists]
    assert lists_of(closed_up(rows.start, items, left)) == expected


@settings(max_examples=100, deadline=None)
@given(ROWS)
def test_postings_and_counts(sets: list[set[int]]) -> None:
    rows = rows_of([sorted(one) for one in sets], np.uint32)
    start, found = postings(rows, 6)
    holders = [[row for row, one in enumerate(sets) if item in one] for item in range(6)]
    assert [found[start[i] : start[i + 1]].tolist() for i in range(6)] == holders
    assert item_counts(rows.items, 6).tolist() == [len(one) for one in holders]


@settings(max_examples=100, deadline=None)
@given(ROWS, st.data())
def test_taken_rows(sets: list[set[int]], data: st.DataObject) -> None:
    which = data.draw(st.lists(st.integers(0, len(sets) - 1), max_size=9))
    lists = [sorted(one) for one in sets]
    found = taken(rows_of(lists), np.array(which, np.int64))
    assert lists_of(found) == [lists[row] for row in which]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), max_size=30))
def test_pairs_become_rows(pairs: list[tuple[int, int]]) -> None:
    row = np.array([pair[0] for pair in pairs], np.int32)
    item = np.array([pair[1] for pair in pairs], np.uint16)
    into = np.empty(len(pairs), np.uint16)
    start = rows_of_pairs(row, item, into, 5)
    expected = [[item for of, item in pairs if of == one] for one in range(5)]
    assert lists_of(Rows(start, into)) == expected
