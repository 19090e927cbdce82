"""One way to write every number, and rows in the order of their values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def unclear(tables: Iterable[pa.Table]) -> Iterator[str]:
    """Two ways to write one number would count as two values: no NaN, which is missing, no -0.0."""
    for table in tables:
        for name in table.column_names:
            if _unclear(table.column(name)):
                yield f"'{name}' holds a number that is written otherwise elsewhere"


def _unclear(column: pa.ChunkedArray) -> bool:
    kind = column.type
    if pa.types.is_dictionary(kind) and pa.types.is_floating(kind.value_type):
        column = column.cast(kind.value_type)
    if not pa.types.is_floating(column.type):
        return False
    numbers = np.asarray(column.drop_null().cast(pa.float64()))
    return bool((np.isnan(numbers) | (numbers == 0) & np.signbit(numbers)).any())


def in_order(keys: Iterable[NDArray[Any]]) -> bool:
    """Whether rows stand in the order of the first key, then the second, and so on."""
    tied: NDArray[np.bool_] | None = None
    for key in keys:
        up, down = key[1:] > key[:-1], key[1:] < key[:-1]
        if (down if tied is None else down & tied).any():
            return False
        tied = ~up if tied is None else tied & ~up
    return True
