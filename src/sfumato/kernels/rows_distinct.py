"""Lists of rows: joined, and the different ones among many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.row_order import taken
from sfumato.kernels.rows import Rows


def distinct_rows(rows: Rows) -> tuple[NDArray[np.int32], Rows]:
    """(which, different rows): row r is the same as different row which[r]; in no telling order.

    Rows are brought together by a hash and compared. Two different rows with one hash can only part
    equal rows that lie around them, which leaves a row twice among the different ones.
    O(items + rows log rows).
    """
    order = np.argsort(_hashes(rows), kind="stable").astype(np.int32)
    which, first = _runs(rows, order)
    return which, taken(rows, first)


def joined_rows(parts: list[Rows], like: Rows) -> Rows:
    """Rows of all parts, one after the other; items have the type of those of `like`."""
    lengths = [np.diff(part.start) for part in parts]
    start = np.concatenate([np.zeros(1, np.int64), *lengths]).cumsum()
    return Rows(start, np.concatenate([like.items[:0], *(part.items for part in parts)]))


@compiled
def _hashes(rows: Rows) -> NDArray[np.uint64]:
    found = np.empty(len(rows.start) - 1, np.uint64)
    for row in range(len(found)):
        mixed = np.uint64(0x9E3779B97F4A7C15)
        for at in range(rows.start[row], rows.start[row + 1]):
            mixed = (mixed ^ np.uint64(rows.items[at])) * np.uint64(0xBF58476D1CE4E5B9)
            mixed ^= mixed >> np.uint64(29)
        found[row] = mixed
    return found


@compiled
def _runs(rows: Rows, order: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number runs of equal rows; (number by row, a row of each run)."""
    which = np.empty(len(order), np.int32)
    first = np.empty(len(order), np.int32)
    runs = 0
    for place in range(len(order)):
        if runs == 0 or not _equal(rows, order[place], first[runs - 1]):
            first[runs] = order[place]
            runs += 1
        which[order[place]] = runs - 1
    return which, first[:runs].copy()


@lean
def _equal(rows: Rows, left: Any, right: Any) -> bool:
    size = rows.start[left + 1] - rows.start[left]
    if size != rows.start[right + 1] - rows.start[right]:
        return False
    for at in range(size):
        if rows.items[rows.start[left] + at] != rows.items[rows.start[right] + at]:
            return False
    return True
