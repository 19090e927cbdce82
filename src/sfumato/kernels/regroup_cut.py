"""Cut a line of rows into groups of k to 2k - 1 neighbours at the least total loss.

An exact dynamic programme: least[i] is the least loss of the first i rows. A group of 2k rows or
more is never needed, because cutting it in two cannot raise the loss.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined, lean
from sfumato.kernels.grid import SET, Grid, span_loss

FINE = 32  # cut points per k rows; a larger k is cut at every (k / FINE)-th row


class Window(NamedTuple):
    """A growing group of neighbours: what its cells hold so far."""

    low: NDArray[np.int64]  # (columns,)
    high: NDArray[np.int64]  # (columns,)
    loss: NDArray[np.float64]  # (columns,) weighted loss of the cell
    seen: NDArray[np.int32]  # SET: seen[base + code] is the last start whose group had the code
    base: NDArray[np.int64]  # (columns,) where a column begins in `seen`


def cut(grid: Grid, rows: NDArray[np.int32], k: int) -> NDArray[np.bool_]:
    """Heads of the best groups of a line: head[i] is true where a group begins; (rows,).

    Exact up to k = 63. Beyond, cuts are tried at 32 or more places per k rows, which bounds
    the cost at about 64 looks per row and column. 10 ms for 30,000 rows of eight columns.
    """
    head = np.zeros(len(rows), np.bool_)
    if len(rows) < 2 * k:
        head[:1] = True
        return head
    base = np.zeros(len(grid.size), np.int64)
    np.cumsum(grid.size[:-1], out=base[1:])
    columns = len(grid.size)
    window = Window(
        np.zeros(columns, np.int64),
        np.zeros(columns, np.int64),
        np.zeros(columns),
        np.full(int(grid.size.sum()), -1, np.int32),
        base,
    )
    _fill_heads(_last_starts(grid, rows, k, window), head)
    return head


@compiled
def _last_starts(grid: Grid, rows: NDArray[np.int32], k: int, window: Window) -> NDArray[np.int32]:
    """Where the last group of the best cut of the first i rows starts; (rows + 1,)."""
    n = len(rows)
    least = np.full(n + 1, np.inf)
    least[0] = 0.0
    last = np.zeros(n + 1, np.int32)
    stride = max(1, k // FINE)
    for begin in range(n - k + 1):
        if least[begin] == np.inf or begin % k % stride:
            continue
        loss = 0.0
        for end in range(begin + 1, min(n, begin + 2 * k - 1) + 1):
            loss = _grow(grid, window, rows[end - 1], begin, end == begin + 1, loss)
            if end - begin >= k:
                total = least[begin] + (end - begin) * loss
                if total < least[end]:
                    least[end] = total
                    last[end] = begin
    return last


@inlined
def _grow(grid: Grid, window: Window, row: int, begin: int, first: bool, loss: float) -> float:
    """Loss of a row in the group that begins at `begin` once `row` joined it."""
    for column in range(len(grid.kind)):
        code = np.int64(grid.codes[row, column])
        if grid.kind[column] == SET:
            place = window.base[column] + code
            if window.seen[place] != begin:
                window.seen[place] = begin
                if not first:
                    loss += grid.weight[column] * grid.step[column]
        elif first:
            window.low[column] = code
            window.high[column] = code
            window.loss[column] = 0.0
        elif code < window.low[column] or code > window.high[column]:
            window.low[column] = min(code, window.low[column])
            window.high[column] = max(code, window.high[column])
            wider = grid.weight[column] * span_loss(
                grid, column, window.low[column], window.high[column]
            )
            loss += wider - window.loss[column]
            window.loss[column] = wider
    return loss


@lean
def _fill_heads(last: NDArray[np.int32], head: NDArray[np.bool_]) -> None:
    """Walk back from the end of the line and mark where groups begin."""
    end = len(head)
    while end > 0:
        end = last[end]
        head[end] = True
