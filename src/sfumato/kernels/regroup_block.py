"""A block: a stretch of the line of groups that one thread works on by itself.

A block has a slot for every group it could ever hold, so nothing grows. For each group it keeps a
summary: its cells over all columns. Summaries only serve to find near groups: if the SET columns
have more than 64 * MASK_WORDS values in all, several values share a bit of the summary.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined, lean
from sfumato.kernels.grid import RANGE, SET, TREE, Grid
from sfumato.kernels.regroup_cells import (
    ONE,
    RANGES,
    SPANS,
    WORDS,
    Cells,
    add_field,
    new_cells,
    span_price,
)
from sfumato.kernels.regroup_peaks import Peaks

FILLED, USED, STAMP = 0, 1, 2

MASK_WORDS = 4  # a power of two


class Block(NamedTuple):
    """Groups in slots, in the order of the line."""

    member: NDArray[np.int32]  # (slots, 2k - 1) rows of the grid
    size: NDArray[np.int64]  # (slots,) 0: a free slot
    total: NDArray[np.float64]  # (slots,) exact loss of the group, summed over its rows
    turn: NDArray[np.float64]  # (slots,) mean rank of the members
    summary: Cells  # (slots,) items
    place: NDArray[np.int64]  # (columns,) the summary's span, or SET: first bit and place in `seen`
    seen: NDArray[np.int64]  # SET: stamp under which a value was last seen
    tally: NDArray[np.int64]  # (3,) FILLED slots at the start, slots USED so far, last STAMP


def new_block(grid: Grid, peaks: Peaks, k: int, rows: int) -> Block:
    """Room for the groups of a block."""
    slots = rows // k
    sets = grid.kind == SET
    values = int(grid.size[sets].sum())
    words = next((words for words in (0, 1, 2) if values <= 64 * words), MASK_WORDS)
    summary = new_cells(peaks, slots, int((~sets).sum()), words, 64 * words)
    return Block(
        np.zeros((slots, 2 * k - 1), np.int32),
        np.zeros(slots, np.int64),
        np.zeros(slots),
        np.zeros(slots),
        summary,
        _lay_columns(grid, peaks, summary),
        np.zeros(values, np.int64),
        np.zeros(3, np.int64),
    )


def _lay_columns(grid: Grid, peaks: Peaks, summary: Cells) -> NDArray[np.int64]:
    """Lay out the columns of the summary; returns where each begins."""
    where = np.zeros(len(grid.kind), np.int64)
    spans = [c for kind in (RANGE, TREE) for c in np.flatnonzero(grid.kind == kind)]
    for span, column in enumerate(spans):
        where[column] = span
        summary.limit[span] = grid.weight[column]
        summary.start[span] = peaks.start[column]
        summary.size[span] = grid.size[column]
    bit = 0
    for column in np.flatnonzero(grid.kind == SET):
        where[column] = bit
        bit += int(grid.size[column])
    summary.used[RANGES] = (grid.kind == RANGE).sum()
    summary.used[SPANS] = len(spans)
    summary.used[WORDS] = summary.mask.shape[1]
    _set_prices(grid, summary, where)
    return where


def _set_prices(grid: Grid, summary: Cells, where: NDArray[np.int64]) -> None:
    """Price every bit; a bit shared by several values costs as much as the dearest."""
    price = np.zeros(64 * summary.mask.shape[1])
    for column in np.flatnonzero(grid.kind == SET):
        bits = (where[column] + np.arange(min(grid.size[column], len(price)))) % len(price)
        price[bits] = np.maximum(price[bits], grid.weight[column] * grid.step[column])
    for word, part in enumerate(price.reshape(-1, 64)):
        for cost in np.unique(part[part > 0]):
            bits = np.flatnonzero(part == cost).astype(np.uint64)
            add_field(summary, word, np.bitwise_or.reduce(ONE << bits), cost)


@lean
def summarise(grid: Grid, block: Block, slot: int) -> None:
    """Work out the summary and the exact loss of a group, column by column."""
    cells = block.summary
    rows = block.member[slot, : block.size[slot]]
    for word in range(cells.used[WORDS]):
        cells.mask[slot, word] = 0
    loss = 0.0
    for column in range(len(grid.kind)):
        where = block.place[column]
        if grid.kind[column] == SET:
            block.tally[STAMP] += 1
            values = _mark(
                grid.codes, column, rows, (block.seen, block.tally[STAMP]), cells.mask[slot], where
            )
            loss += grid.weight[column] * grid.step[column] * (values - 1)
            continue
        low, high = _extremes(grid.codes, column, rows)
        cells.low[slot, where] = float(low)
        cells.high[slot, where] = float(high)
        if grid.kind[column] == RANGE:
            base = grid.start[column]
            cells.low[slot, where] = grid.weight[column] * grid.position[base + low]
            cells.high[slot, where] = grid.weight[column] * grid.position[base + high]
        cost = span_price(cells, where, cells.low[slot, where], cells.high[slot, where])
        cells.cost[slot, where] = cost
        loss += cost
    cells.loss[slot] = loss
    block.total[slot] = loss * len(rows)


@inlined
def _extremes(
    codes: NDArray[Any], column: int, rows: NDArray[np.int32]
) -> tuple[np.int64, np.int64]:
    """Smallest and largest code of some rows."""
    low = high = np.int64(codes[rows[0], column])
    for row in rows[1:]:
        code = np.int64(codes[row, column])
        low = min(low, code)
        high = max(high, code)
    return low, high


@inlined
def _mark(
    codes: NDArray[Any],
    column: int,
    rows: NDArray[np.int32],
    seen: tuple[NDArray[np.int64], int],
    mask: NDArray[np.uint64],
    where: int,
) -> int:
    """Set the bits of the rows' values in a SET column; returns how many values there are."""
    stamps, stamp = seen
    last_bit = 64 * len(mask) - 1
    values = 0
    for row in rows:
        at = where + np.int64(codes[row, column])
        if stamps[at] != stamp:
            stamps[at] = stamp
            values += 1
            mask[(at & last_bit) >> 6] |= ONE << np.uint64(at & 63)
    return values


@lean
def load(grid: Grid, block: Block, rows: NDArray[np.int32], head: NDArray[np.bool_]) -> None:
    """Fill the block from its stretch of the line."""
    slot = -1
    for i in range(len(rows)):
        if head[i]:
            slot += 1
        block.member[slot, block.size[slot]] = rows[i]
        block.size[slot] += 1
    block.tally[FILLED] = slot + 1
    block.tally[USED] = slot + 1
    for filled in range(slot + 1):
        summarise(grid, block, filled)


@compiled
def save(
    block: Block, rank: NDArray[np.int32], rows: NDArray[np.int32], head: NDArray[np.bool_]
) -> None:
    """Write the groups back to their stretch of the line, by the mean rank of their members."""
    used = block.tally[USED]
    turn = np.empty(used, np.int64)
    for slot in range(used):
        mean = 0.0
        for i in range(block.size[slot]):
            mean += rank[block.member[slot, i]]
        block.turn[slot] = mean / max(1, block.size[slot])
        at = slot
        while at > 0 and block.turn[turn[at - 1]] > block.turn[slot]:
            turn[at] = turn[at - 1]
            at -= 1
        turn[at] = slot
    _write(block, turn, rows, head)


@inlined
def _write(
    block: Block,
    turn: NDArray[np.int64],
    rows: NDArray[np.int32],
    head: NDArray[np.bool_],
) -> None:
    """Write the groups back in the given order."""
    head[:] = False
    at = 0
    for slot in turn:
        if block.size[slot] > 0:
            head[at] = True
        for i in range(block.size[slot]):
            rows[at] = block.member[slot, i]
            at += 1
