"""The grid that kernels steer by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sfumato.core.errors import BadInput
from sfumato.data.grid import MOST_CODES, grid_of
from sfumato.data.hierarchy import from_levels
from sfumato.data.table import Column, encode
from sfumato.kernels.grid import RANGE, SET, TREE


def column(name: str, values: Any) -> Column:
    """A column of any values."""
    return encode(name, pa.chunked_array([pa.array(values)]))


def test_numbers_categories_and_trees() -> None:
    tree = from_levels("zip", [("10", "1*", "*"), ("11", "1*", "*"), ("20", "2*", "*")])
    columns = [
        column("age", [20, 40, None]),
        column("sex", ["f", "m", "f"]),
        column("zip", ["11", "20", None]),
    ]
    grid = grid_of(columns, {"zip": tree}, {"age": 2.0})
    assert grid.codes.tolist() == [[1, 0, 1], [2, 1, 2], [0, 0, 0]]
    assert grid.kind.tolist() == [RANGE, SET, TREE]
    assert grid.weight.tolist() == [0.5, 0.25, 0.25]
    assert grid.position[:3].tolist() == [-1, 0, 1]


@pytest.mark.parametrize("values", [[5, 5], [None, None], [-1.7e308, 1.7e308]])
def test_domains_of_any_length(values: list[Any]) -> None:
    numbers = encode("x", pa.chunked_array([pa.array(values, pa.float64())]))
    grid = grid_of([numbers], {})
    assert np.isfinite(grid.position).all()
    assert abs(grid.position).max() <= 1


def test_more_numbers_than_codes_are_steered_by_runs() -> None:
    many = column("x", np.arange(MOST_CODES * 2))
    grid = grid_of([many], {})
    assert grid.size.tolist() == [MOST_CODES]
    assert (np.diff(grid.codes[:, 0].astype(int)) >= 0).all()
    assert (np.diff(grid.position) > 0).all()


def test_more_categories_than_codes_are_refused() -> None:
    with pytest.raises(BadInput, match="quasi column 'x' has 65537 different values"):
        grid_of([column("x", [str(i) for i in range(MOST_CODES + 1)])], {})
