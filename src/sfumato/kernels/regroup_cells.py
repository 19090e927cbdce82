"""Cells of small sets of rows, kept so that joining two of them and pricing it is cheap.

An item is a row, or a set of rows that would publish one cell per column. For each RANGE or TREE
column it holds the lowest and the highest value (a span), and for all SET columns together a
bit mask of the values it has. Spans come first the RANGE columns, as weighted positions, then the
TREE columns, as codes. The loss of a joined item follows from the two items alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined, lean
from sfumato.kernels.regroup_peaks import Peaks

RANGES, SPANS, WORDS, FIELDS = 0, 1, 2, 3

ONE = np.uint64(1)


class Cells(NamedTuple):
    """Items and the prices of their cells."""

    used: NDArray[np.int64]  # (4,) how many RANGE spans, spans in all, mask words, fields
    low: NDArray[np.float64]  # (items, spans)
    high: NDArray[np.float64]  # (items, spans)
    cost: NDArray[np.float64]  # (items, spans) weighted loss of the span
    mask: NDArray[np.uint64]  # (items, words)
    loss: NDArray[np.float64]  # (items,) weighted loss of a row in the item
    limit: NDArray[np.float64]  # (spans,) most that a span can lose: its column's weight
    field: NDArray[np.uint64]  # (fields,) bits of one word whose values cost the same
    first: NDArray[np.int64]  # (words + 1,) first field of each word
    price: NDArray[np.float64]  # (fields,) loss of one more value among them
    start: NDArray[np.int64]  # (spans,) TREE: where the column begins in `peak`
    size: NDArray[np.int64]  # (spans,) TREE: codes in the column's domain
    peak: NDArray[np.float64]  # loss and power of the grid's Peaks
    power: NDArray[np.int64]


def new_cells(peaks: Peaks, items: int, spans: int, words: int, fields: int) -> Cells:
    """Room for items; the caller lays out the columns."""
    return Cells(
        np.zeros(4, np.int64),
        np.zeros((items, spans)),
        np.zeros((items, spans)),
        np.zeros((items, spans)),
        np.zeros((items, words), np.uint64),
        np.zeros(items),
        np.zeros(spans),
        np.zeros(fields, np.uint64),
        np.zeros(words + 1, np.int64),
        np.zeros(fields),
        np.zeros(spans, np.int64),
        np.zeros(spans, np.int64),
        peaks.loss,
        peaks.power,
    )


@inlined
def ones(bits: Any) -> np.int64:
    """How many bits are set; the compiler knows the pattern and makes it one instruction."""
    bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
    low = np.uint64(0x3333333333333333)
    bits = (bits & low) + ((bits >> np.uint64(2)) & low)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@lean
def add_field(cells: Cells, word: int, bits: Any, price: float) -> None:
    """Let some bits of a word cost the same."""
    field = cells.used[FIELDS]
    cells.used[FIELDS] += 1
    cells.field[field] = bits
    cells.first[word + 1] = field + 1
    cells.price[field] = price


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
    return more + _fresh(cells, item, other)


@inlined
def _fresh(cells: Cells, item: int, other: int) -> float:
    """What the values cost that `other` has and `item` lacks."""
    more = 0.0
    for word in range(cells.used[WORDS]):
        fresh = cells.mask[other, word] & ~cells.mask[item, word]
        if fresh:
            for field in range(cells.first[word], cells.first[word + 1]):
                more += cells.price[field] * ones(fresh & cells.field[field])
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
    cells.loss[target] = loss + _fresh(cells, item, other)
    for word in range(cells.used[WORDS]):
        cells.mask[target, word] = cells.mask[item, word] | cells.mask[other, word]
