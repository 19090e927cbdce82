"""Which column is cut at its median: the widest, the most informative, or the heaviest."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined
from sfumato.kernels.grid import RANGE, SET
from sfumato.kernels.mondrian_node import (
    GAIN,
    GOES_LEFT,
    HIGH,
    LOW,
    RELAXED,
    WEIGHT,
    Cut,
    Node,
    Options,
    Rows,
    Secret,
    Table,
    interval_loss,
    mark_sides,
    measure_spread,
)
from sfumato.kernels.mondrian_order import distinct_codes, list_units
from sfumato.kernels.mondrian_rules import count_whole, entropy_left, marked_parts_hold
from sfumato.kernels.mondrian_split import median_code, median_unit, relaxed_cut, strict_cut

NEVER = -np.inf
GRAIN = 1e-9
NO_CUT = (-1, 0, 0, 0)


class Work(NamedTuple):
    """Scratch of one thread."""

    spread: NDArray[np.int64]  # (3, columns) LOW, HIGH, PRESENT
    key: NDArray[np.float64]  # (columns,) order in which columns are tried, the highest first
    desk: NDArray[np.int64]  # (lines, largest domain), see `new_desk`


@inlined
def set_keys(table: Table, work: Work, cells: NDArray[Any], choose: int) -> None:
    """The keys of all columns: weight, or weighted loss of the node's cell. O(n d)."""
    for column in range(len(work.key)):
        low, high = work.spread[LOW, column], work.spread[HIGH, column]
        fact = table.facts[column]
        if low == high:
            work.key[column] = NEVER
        elif choose == WEIGHT:
            work.key[column] = fact["weight"]
        elif fact["kind"] == SET:
            found = distinct_codes(cells[:, column], fact["size"], work.desk)
            work.key[column] = fact["weight"] * ((found - 1) * fact["step"])
        else:
            work.key[column] = fact["weight"] * interval_loss(table, column, low, high)


@inlined
def place_cut(
    table: Table, work: Work, cells: NDArray[Any], column: int, cut: int, ranked: bool
) -> Cut:
    """The median cut of a column that is not constant in the node. cells: (rows, stride)."""
    low, high = work.spread[LOW, column], work.spread[HIGH, column]
    if ranked:
        list_units(table, column, cells[:, column], low, high, work.desk)
        median = median_unit(work.desk, len(cells))
    else:
        median = median_code(cells, column, low, high, work.desk)
    if cut == RELAXED:
        return relaxed_cut(column, median, len(cells))
    return strict_cut(column, median, len(cells))


@inlined
def try_column(
    table: Table,
    work: Work,
    cells: NDArray[Any],
    column: int,
    options: Options,
    goes: NDArray[np.uint8],
) -> Cut:
    """The median cut of a column, marked in goes (rows,), or NO_CUT if a side is too small.

    A relaxed cut may part a child of a TREE, so it takes the leaves in depth-first order.
    """
    kind = table.facts[column]["kind"]
    ranked = kind != RANGE and (kind == SET or options.cut != RELAXED)
    cut = place_cut(table, work, cells, column, options.cut, ranked)
    if min(cut[3], len(cells) - cut[3]) < options.k:
        return NO_CUT
    mark_sides(cells, cut, ranked, work.desk, goes)
    return cut


@inlined
def choose_median(
    table: Table, rows: Rows, secret: Secret | None, work: Work, options: Options, node: Node
) -> Cut:
    """The node's cut, marked: the first allowable one, columns by falling key (ties: the first).

    GAIN tries every column first and then takes again the one that leaves the least entropy of the
    target; the node's own entropy is the same for all. It is compared in steps of 1e-9 nats a row,
    so that rounding decides nothing. O(n d) for WIDTH, O(n d s) at worst for GAIN or with rules.
    """
    side, start, end = node
    cells, goes = rows.cells[side, start:end], rows.flags[GOES_LEFT, start:end]
    measure_spread(cells, work.spread)
    count_whole(secret, rows, node)
    settled = options.choose != GAIN
    set_keys(table, work, cells, options.choose if settled else WEIGHT)
    best, least = -1, np.inf
    while True:
        column = int(np.argmax(work.key))
        if work.key[column] == NEVER:
            if settled or best < 0:
                return NO_CUT
            settled, column = True, best
        work.key[column] = NEVER
        cut = try_column(table, work, cells, column, options, goes)
        if cut[0] < 0 or not marked_parts_hold(secret, rows, node, cut[3]):
            continue
        if settled:
            return cut
        remains = np.rint(entropy_left(secret, options.target) / (end - start) / GRAIN)
        if remains < least or (remains == least and column < best):
            best, least = column, remains
