"""Of every record the best set that it contains, against trying all."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.kernels.test_row_order import rows_of

from sfumato.kernels.k1_lists import item_bits
from sfumato.kernels.k1_share import best_shared


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 200),
    st.lists(st.sets(st.integers(0, 7), max_size=4), min_size=1, max_size=12),
    st.integers(0, 2**32 - 1),
)
def test_first_set_in_order_that_a_row_contains(
    number: int, offered: list[set[int]], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rows = [sorted(np.flatnonzero(rng.random(8) < 0.5).tolist()) for _ in range(number)]
    sets = rows_of([sorted(one) for one in offered])
    order, words = rng.permutation(len(offered)), (number + 63) // 64
    bits, cut = item_bits(rows_of(rows), 8), words // 2
    edges = [(first, last) for first, last in ((0, cut), (cut, words)) if first < last]
    found = np.concatenate([best_shared(bits, sets, order, number, edge) for edge in edges])
    expected = [next((s for s in order if offered[s] <= set(row)), -1) for row in rows]
    assert found.tolist() == expected
