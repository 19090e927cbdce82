"""Rows of items: what members of groups have in common."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.kernels.rows import Rows, common_items, members_of


def rows_of(sets: list[set[int]]) -> Rows:
    start = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    items = [item for row in sets for item in sorted(row)]
    return Rows(start, np.array(items, np.uint16))


@settings(deadline=None)
@given(st.lists(st.tuples(st.sets(st.integers(0, 7)), st.integers(0, 3)), max_size=12))
def test_common_items_are_the_intersections(drawn):
    sets = [row for row, _ in drawn]
    group = np.array([label for _, label in drawn], np.int32)
    start, members = members_of(group, 4)
    found = common_items(rows_of(sets), start, members)
    for label in range(4):
        own = [row for row, at in drawn if at == label]
        wanted = sorted(set.intersection(*own)) if own else []
        assert found.items[found.start[label] : found.start[label + 1]].tolist() == wanted
        assert (
            members[start[label] : start[label + 1]].tolist()
            == np.flatnonzero(group == label).tolist()
        )
