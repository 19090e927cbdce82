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
def bit_place(bit: int) -> int:
    """Where bit number `bit` (0 to 63) finds its price within its word's 64 prices."""
    return np.int64(((ONE << np.uint64(bit)) * BRUIJN) >> TOP)


@inlined
def span_price(cells: Cells, span: int, low: float, high: float) -> float:
    """Weighted loss of one span."""
    if low == high:
        return 0.0
    if span < cells.used[RANGES]:
        return min(cells.limit[span], high - low)
    left = np.int64(low)
    gap = np.int64(high) - left
    power = cells.power[gap]
    left += cells.start[span] + power * cells.size[span]
    return max(cells.peak[left], cells.peak[left + gap - (1 << power)])


@inlined
def added_loss(cells: Cells, item: int, other: int) -> float:
    """What the rows of `item` lose more, each, once the rows of `other` join them."""
    more = 0.0
    for span in range(cells.used[SPANS]):
        low, high = cells.low[item, span], cells.high[item, span]
        new_low = min(low, cells.low[other, span])
        new_high = max(high, cells.high[other, span])
        if new_low < low or new_high > high:
            more += span_price(cells, span, new_low, new_high) - span_price(cells, span, low, high)
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
    cells.loss[target] = cells.loss[item] + added_loss(cells, item, other)
    for span in range(cells.used[SPANS]):
        cells.low[target, span] = min(cells.low[item, span], cells.low[other, span])
        cells.high[target, span] = max(cells.high[item, span], cells.high[other, span])
    for word in range(cells.used[WORDS]):
        cells.mask[target, word] = cells.mask[item, word] | cells.mask[other, word]
