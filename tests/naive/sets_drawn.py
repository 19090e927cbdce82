"""Rows of items for tests: from Python sets, and drawn with adversarial shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from sfumato.kernels.rows import Rows

ITEMS = 7


def rows_of(sets: Sequence[frozenset[int]], wide: bool = False) -> Rows:
    """Rows as kernels take them."""
    start = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    items = [item for row in sets for item in sorted(row)]
    return Rows(start, np.array(items, np.uint32 if wide else np.uint16))


def classes_of(group: Any) -> list[list[int]]:
    """Members of each group, in a canonical order."""
    members: dict[int, list[int]] = {}
    for row, label in enumerate(group.tolist()):
        members.setdefault(label, []).append(row)
    return sorted(members.values())


def sorted_classes(classes: Sequence[Sequence[int]]) -> list[list[int]]:
    """The same order for classes made elsewhere."""
    return sorted(sorted(one) for one in classes)


def sets(least: int = 0, most: int = 24) -> st.SearchStrategy[list[frozenset[int]]]:
    """Lists of sets: free ones, and such with many copies, empty rows, a row that has it all."""
    row = st.frozensets(st.integers(0, ITEMS - 1))
    free = st.lists(row, min_size=least, max_size=most)
    few = st.lists(row, min_size=1, max_size=3).flatmap(
        lambda kinds: st.lists(st.sampled_from(kinds), min_size=least, max_size=most)
    )
    odd = st.sampled_from([frozenset(), frozenset(range(ITEMS)), frozenset({0})])
    mixed = st.lists(st.one_of(row, odd), min_size=least, max_size=most)
    return st.one_of(free, few, mixed)


def utilities() -> st.SearchStrategy[list[float]]:
    """Whole numbers, so that sums are exact in any order; 0 and equal ones included."""
    whole = st.integers(0, 9).map(float)
    return st.one_of(st.just([1.0] * ITEMS), st.lists(whole, min_size=ITEMS, max_size=ITEMS))
