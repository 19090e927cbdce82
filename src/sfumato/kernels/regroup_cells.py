"""Cells of small sets of rows, kept so that joining two of them and pricing it is cheap.

An item is a row, or a set of rows that would publish one cell per column. For each RANGE or TREE
column it holds the lowest and the highest value (a span), and for all SET columns together a
bit mask of the values it has. Spans come first the RANGE columns, as weighted positions, then the
TREE columns, as codes. The loss of a joined item follows from the two items alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined
from sfumato.kernels.regroup_peaks import Peaks

RANGES, SPANS, WORDS = 0, 1, 2

# A de Bruijn sequence: multiplying a lone bit by it leaves a different top six bits for every bit,
# which serve as that bit's place in the table of prices. One multiplication instead of a search.
BRUIJN = np.uint64(0x03F79D71B4CB0A89)
TOP = np.uint64(58)
ONE = np.uint64(1)


class Cells(NamedTuple):
    """Items and the prices of their cells."""

    used: NDArray[np.int64]  # (3,) RANGES: RANGE spans, SPANS: all spans, WORDS: mask words
    low: NDArray[np.float64]  # (items, spans)
    high: NDArray[np.float64]  # (items, spans)
    cost: NDArray[np.float64]  # (items, spans) weighted loss of the span
    mask: NDArray[np.uint64]  # (items, words)
    loss: NDArray[np.float64]  # (items,) weighted loss of a row in the item
    limit: NDArray[np.float64]  # (spans,) most that a span can lose: its column's weight
    price: NDArray[np.float64]  # (words * 64,) loss of one more value, at the bit's place
    start: NDArray[np.int64]  # (spans,) TREE: where the column begins in `peak`
    size: NDArray[np.int64]  # (spans,) TREE: codes in the column's domain
    peak: NDArray[np.float64]  # loss and power of the grid's Peaks
    power: NDArray[np.int64]


def new_cells(peaks: Peaks, items: int, spans: int, words: int) -> Cells:
    """Room for items; the caller lays out the columns."""
    return Cells(
        np.zeros(3, np.int64),
        np.zeros((items, spans)),
        np.zeros((items, spans)),
        np.zeros((items, spans)),
        np.zeros((items, words), np.uint64),
        np.zeros(items),
        np.zeros(spans),
        np.zeros(words * 64),
        np.zeros(spans, np.int64),
        np.zeros(spans, np.int64),
        peaks.loss,
        peaks.power,
    )


@inlined
def bit_place(bit: int) -> np.int64:
    """Where bit number `bit` (0 to 63) finds its price within its word's 64 prices."""
    return np.int64(((ONE << np.uint64(bit)) * BRUIJN) >> TOP)


@inlined
def span_price(cells: Cells, span: int, low: float, high: float) -> float:
    """Weighted loss of one span."""
    if low == high:
        return 0.0
    if span < cells.used[RANGES]:
        return float(min(cells.limit[span], high - low))
    left = np.int64(low)
    gap = np.int64(high) - left
    power = cells.power[gap]
    left += cells.start[span] + power * cells.size[span]
    return float(max(cells.peak[left], cells.peak[left + gap - (1 << power)]))


@inlined
def added_loss(cells: Cells, item: int, other: int) -> float:
    """What the rows of `item` lose more, each, once the rows of `other` join them."""
    more = 0.0
    for span in range(cells.used[SPANS]):
        low = min(cells.low[item, span], cells.low[other, span])
        high = max(cells.high[item, span], cells.high[other, span])
        if low < cells.low[item, span] or high > cells.high[item, span]:
            more += span_price(cells, span, low, high) - cells.cost[item, span]
    for word in range(cells.used[WORDS]):
        fresh = cells.mask[other, word] & ~cells.mask[item, word]
        while fresh:
            lone = fresh & (~fresh + ONE)
            more += cells.price[word * 64 + np.int64((lone * BRUIJN) >> TOP)]
            fresh ^= lone
    return more


@inlined
def join(cells: Cells, target: int, item: int, other: int) -> None:
    """Make `target` the union of two items; it may be one of them."""
    loss = cells.loss[item]
    for span in range(cells.used[SPANS]):
        low = min(cells.low[item, span], cells.low[other, span])
        high = max(cells.high[item, span], cells.high[other, span])
        cost = span_price(cells, span, low, high)
        loss += cost - cells.cost[item, span]
        cells.low[target, span] = low
        cells.high[target, span] = high
        cells.cost[target, span] = cost
    for word in range(cells.used[WORDS]):
        mask = cells.mask[item, word]
        fresh = cells.mask[other, word] & ~mask
        cells.mask[target, word] = mask | fresh
        while fresh:
            lone = fresh & (~fresh + ONE)
            loss += cells.price[word * 64 + np.int64((lone * BRUIJN) >> TOP)]
            fresh ^= lone
    cells.loss[target] = loss
