"""The cut that saves most loss, over all columns and all cuts between their units.

The cost of a cut is rows x loss of the left side plus the same of the right side, over all columns.
For one cut column, one pass over the rows per priced column is enough, whatever the domain: for an
interval or a tree node, the smallest and largest code of each unit, then running extremes from both
ends; for a set, the first and the last unit in which each value occurs, so that the size of the set
on either side of a cut is a running count.

Cost of a node: O(n a^2) for a columns that are not constant in it, plus O(n s) with rules and
O(sensitive values) for every cut that is cheaper than those allowed so far.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined, lean
from sfumato.kernels.grid import SET
from sfumato.kernels.mondrian_choose import NO_CUT, Work
from sfumato.kernels.mondrian_node import (
    CODE,
    GOES_LEFT,
    HIGH,
    LOW,
    PRESENT,
    RANK,
    UNIT,
    Cut,
    Node,
    Rows,
    Secret,
    Table,
    interval_loss,
    mark_sides,
    measure_spread,
)
from sfumato.kernels.mondrian_order import clear_tally, list_codes, list_units
from sfumato.kernels.mondrian_rules import PART, count_whole, parts_hold

SLOT, AFTER = 0, 1  # rows of by_row: unit of each row; next row of the same unit, or -1
BEFORE, BEYOND = 0, 1  # rows of loss: loss of units 0..u; loss of units u..last
FIRST, LAST, GAINED, LOST, HEAD = 6, 7, 8, 9, 10  # more lines of the desk
LINES = 11
NOWHERE = 1 << 40


class Prices(NamedTuple):
    """Scratch of one thread for the best cut."""

    by_row: NDArray[np.int32]  # (2, rows of the node) SLOT, AFTER
    loss: NDArray[np.float64]  # (2, largest domain) BEFORE, BEYOND
    codes: NDArray[np.int64]  # (codes of all columns,) present codes of each SET column


def new_prices(table: Table, rows: int) -> Prices:
    """Scratch for nodes of at most so many rows: 8 bytes a row."""
    sizes = table.facts["size"]
    loss = np.zeros((2, max(int(sizes.max(initial=1)), 1)))
    by_row = np.zeros((2, rows), dtype=np.int32)
    return Prices(by_row, loss, np.zeros(int(sizes.sum()), dtype=np.int64))


@inlined
def price_span(
    table: Table,
    prices: Prices,
    desk: NDArray[np.int64],
    column: int,
    codes: NDArray[Any],
    units: int,
) -> None:
    """Add a RANGE or TREE column's weighted loss to both losses of every unit. O(n + units)."""
    weight = table.facts[column]["weight"]
    desk[FIRST, :units] = NOWHERE
    desk[LAST, :units] = -1
    for row in range(len(codes)):
        unit, code = prices.by_row[SLOT, row], np.int64(codes[row])
        desk[FIRST, unit] = min(desk[FIRST, unit], code)
        desk[LAST, unit] = max(desk[LAST, unit], code)
    for line in range(2):
        unit = 0 if line == BEFORE else units - 1
        low, high, loss = desk[FIRST, unit], desk[FIRST, unit], 0.0
        for _ in range(units):
            if desk[FIRST, unit] < low or desk[LAST, unit] > high:
                low, high = min(low, desk[FIRST, unit]), max(high, desk[LAST, unit])
                loss = weight * interval_loss(table, column, low, high)
            prices.loss[line, unit] += loss
            unit += 1 - 2 * line


@inlined
def price_set(
    table: Table,
    prices: Prices,
    desk: NDArray[np.int64],
    column: int,
    codes: NDArray[Any],
    units: int,
    listed: NDArray[np.int64],
) -> None:
    """Add a SET column's weighted loss to both losses of every unit. O(n + units + values)."""
    weight, step = table.facts[column]["weight"], table.facts[column]["step"]
    desk[GAINED, :units] = 0
    desk[LOST, :units] = 0
    for code in listed:
        desk[FIRST, code] = NOWHERE
        desk[LAST, code] = -1
    for row in range(len(codes)):
        code, unit = codes[row], np.int64(prices.by_row[SLOT, row])
        desk[FIRST, code] = min(desk[FIRST, code], unit)
        desk[LAST, code] = max(desk[LAST, code], unit)
    for code in listed:
        desk[GAINED, desk[FIRST, code]] += 1
        desk[LOST, desk[LAST, code]] += 1
    for line in range(2):
        place, values = 0 if line == BEFORE else units - 1, 0
        for _ in range(units):
            values += int(desk[GAINED + line, place])
            prices.loss[line, place] += weight * ((values - 1) * step)
            place += 1 - 2 * line


@inlined
def price_cuts(table: Table, prices: Prices, work: Work, cells: NDArray[Any], units: int) -> None:
    """Loss of both sides of every cut of the column whose units are in SLOT. O(n a)."""
    prices.loss[:, :units] = 0.0
    for column in range(len(work.key)):
        if work.spread[LOW, column] == work.spread[HIGH, column]:
            continue
        if table.facts[column]["kind"] == SET:
            first = table.facts[column]["first"]
            listed = prices.codes[first : first + work.spread[PRESENT, column]]
            price_set(table, prices, work.desk, column, cells[:, column], units, listed)
        else:
            price_span(table, prices, work.desk, column, cells[:, column], units)


@lean
def chain_rows(
    secret: Secret | None, prices: Prices, desk: NDArray[np.int64], rows: int, units: int
) -> None:
    """With rules: chain the rows of each unit, so that a walk over the units can count rows."""
    if secret is None:
        return
    secret.counts[PART] = 0
    desk[HEAD, :units] = -1
    for row in range(rows):
        unit = prices.by_row[SLOT, row]
        prices.by_row[AFTER, row] = desk[HEAD, unit]
        desk[HEAD, unit] = row


@lean
def pass_unit(secret: Secret | None, prices: Prices, head: int, ids: NDArray[np.int32]) -> None:
    """With rules: add the sensitive values of a unit's chain of rows to PART."""
    if secret is None:
        return
    row = np.int64(head)
    while row >= 0:
        for column in range(secret.sensitive.shape[1]):
            value = secret.rules.offset[column] + secret.sensitive[ids[row], column]
            secret.counts[PART, value] += 1
        row = np.int64(prices.by_row[AFTER, row])


@lean
def cheapest_cut(
    secret: Secret | None,
    prices: Prices,
    desk: NDArray[np.int64],
    ids: NDArray[np.int32],
    units: int,
    k: int,
    best: float,
) -> tuple[float, int, int]:
    """The cheapest allowable cut below `best`: (cost, its bound, rows left), bound -1 if none."""
    rows, left, bound, taken = len(ids), 0, -1, 0
    chain_rows(secret, prices, desk, rows, units)
    for unit in range(units - 1):
        left += desk[UNIT, unit]
        right = rows - left
        pass_unit(secret, prices, desk[HEAD, unit], ids)
        if right < k:
            break
        cost = left * prices.loss[BEFORE, unit] + right * prices.loss[BEYOND, unit + 1]
        if left >= k and cost < best and parts_hold(secret, left, right):
            best, bound, taken = cost, unit + 1, left
    return best, bound, taken


@inlined
def list_sets(table: Table, prices: Prices, work: Work, cells: NDArray[Any]) -> None:
    """Present codes of every SET column that is not constant, for pricing. O(n d)."""
    for column in range(len(work.key)):
        low, high = work.spread[LOW, column], work.spread[HIGH, column]
        if low == high or table.facts[column]["kind"] != SET:
            continue
        present = list_codes(cells[:, column], low, high, work.desk)
        clear_tally(work.desk, present)
        first = table.facts[column]["first"]
        work.spread[PRESENT, column] = present
        for each in range(present):
            prices.codes[first + each] = work.desk[CODE, each]


@inlined
def choose_best(
    table: Table, rows: Rows, secret: Secret | None, work: Work, prices: Prices, k: int, node: Node
) -> Cut:
    """The node's cheapest allowable cut, marked, or NO_CUT. Ties: first column, first cut."""
    side, start, end = node
    cells, ids, desk = rows.cells[side, start:end], rows.ids[side, start:end], work.desk
    measure_spread(cells, work.spread)
    count_whole(secret, rows, node)
    list_sets(table, prices, work, cells)
    best, cut = np.inf, NO_CUT
    for turn in range(len(work.key) + 1):
        column = turn if turn < len(work.key) else cut[0]
        low, high = work.spread[LOW, column], work.spread[HIGH, column]
        if column < 0 or low == high:
            continue
        units = list_units(table, column, cells[:, column], low, high, desk)
        if turn == len(work.key):
            mark_sides(cells, cut, True, desk, rows.flags[GOES_LEFT, start:end])
            break
        for row in range(end - start):
            prices.by_row[SLOT, row] = desk[RANK, cells[row, column]]
        price_cuts(table, prices, work, cells, units)
        best, bound, left = cheapest_cut(secret, prices, desk, ids, units, k, best)
        if bound >= 0:
            cut = (column, bound, 0, left)
    return cut
