"""What Mondrian works on: the rows in two buffers, a node's spread, and moving a node's rows.

A node is (side, start, end): rows start..end-1 of one of two buffers. Splitting a node moves its
rows to the same places of the other buffer, left part first. So nodes never touch each other's
memory, a node keeps its rows in ascending order, and a level of the tree costs one pass.

The tuples are short and are passed on only where they are needed: numba counts references to every
array of a tuple at every call. With one tuple of everything, 45 arrays, compilation took 34 s
and Adult 0.027 s.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined, lean
from sfumato.kernels.grid import RANGE, Grid
from sfumato.kernels.rules import Rules

STRICT, RELAXED, BEST = 0, 1, 2
WIDTH, GAIN, WEIGHT = 0, 1, 2
LOW, HIGH, PRESENT = 0, 1, 2  # rows of a spread: smallest, largest, number of listed codes
TALLY, CODE, SORT, PLACE, UNIT, RANK = 0, 1, 2, 3, 4, 5  # rows of a desk, see `new_desk`
GOES_LEFT, BEGINS = 0, 1  # rows of the flags
FEW = 64

Node = tuple[int, int, int]
Cut = tuple[int, int, int, int]  # column, bound, quota, rows on the left: see `mark_sides`

FACTS = np.dtype(
    [
        *((name, np.int64) for name in ("kind", "size", "start", "levels", "ladder", "first")),
        *((name, np.float64) for name in ("weight", "step")),
    ]
)


class Table(NamedTuple):
    """What a grid knows about its columns, in four arrays."""

    facts: NDArray[Any]  # (columns,) the grid's numbers; first: codes of the columns before
    position: NDArray[np.float64]
    node: NDArray[np.int32]
    node_loss: NDArray[np.float64]


class Rows(NamedTuple):
    """The rows in two buffers; shared by threads, which own disjoint nodes."""

    cells: NDArray[Any]  # (2, rows, stride) codes, padded to whole words
    words: NDArray[np.uint64]  # (2, rows, words) the same memory
    ids: NDArray[np.int32]  # (2, rows) the row that lies in each place
    flags: NDArray[np.uint8]  # (2, rows) GOES_LEFT by the cut; BEGINS a group


class Secret(NamedTuple):
    """Sensitive codes and the rules on them; counts are scratch of one thread."""

    sensitive: NDArray[np.int32]  # (rows, sensitive columns), by row id
    rules: Rules
    counts: NDArray[np.int64]  # (3, values of all sensitive columns) WHOLE, PART, REST


class Options(NamedTuple):
    """How nodes are cut."""

    k: int
    cut: int  # STRICT, RELAXED or BEST
    choose: int  # WIDTH, GAIN or WEIGHT
    target: int  # GAIN: the sensitive column to be predicted


def new_table(grid: Grid) -> Table:
    """The grid's column arrays as one array of records."""
    facts = np.zeros(len(grid.size), dtype=FACTS)
    for name in ("kind", "size", "start", "levels", "ladder", "weight", "step"):
        facts[name] = getattr(grid, name)
    facts["first"][1:] = np.cumsum(grid.size)[:-1]
    return Table(facts, grid.position, grid.node, grid.node_loss)


def new_desk(table: Table, lines: int) -> NDArray[np.int64]:
    """Scratch of one thread: numbers by code of the largest domain, int64 (lines, domain).

    TALLY: histogram, all zero between uses. CODE: present codes of a column. SORT: sort keys.
    PLACE: where a unit ends up. UNIT: rows of each unit, in cut order. RANK: unit of each code.
    """
    return np.zeros((lines, max(int(table.facts["size"].max(initial=1)), FEW)), dtype=np.int64)


@lean
def interval_loss(table: Table, column: int, low: int, high: int) -> float:
    """As `span_loss` of the grid: loss of a RANGE or TREE cell with these extreme codes."""
    fact = table.facts[column]
    if low == high:
        return 0.0
    if fact["kind"] == RANGE:
        start = fact["start"]
        return float(min(1.0, table.position[start + high] - table.position[start + low]))
    rung = fact["ladder"]
    for _ in range(fact["levels"]):
        if table.node[rung + low] == table.node[rung + high]:
            return float(table.node_loss[table.node[rung + low]])
        rung += fact["size"]
    return 1.0


@compiled
def _spread_of_many(flat: NDArray[Any], stride: int, spread: NDArray[np.int64]) -> None:
    """Smallest and largest code of each column over a multiple of eight rows.

    flat: (8 a stride,) rows end to end. Eight rows side by side keep the lanes of the vector units
    busy; one column after the other took 2.3 ns a row of 16 bytes.
    """
    lanes = 8 * stride
    low, high = flat[:lanes].copy(), flat[:lanes].copy()
    for block in range(1, len(flat) // lanes):
        part = flat[block * lanes : (block + 1) * lanes]
        for lane in range(lanes):
            low[lane] = min(low[lane], part[lane])
            high[lane] = max(high[lane], part[lane])
    for column in range(spread.shape[1]):
        for lane in range(column, lanes, stride):
            spread[LOW, column] = min(spread[LOW, column], low[lane])
            spread[HIGH, column] = max(spread[HIGH, column], high[lane])


@lean
def measure_spread(cells: NDArray[Any], spread: NDArray[np.int64]) -> None:
    """Smallest and largest code of each column. cells: (rows, stride) of the node."""
    rows, stride = cells.shape
    for column in range(spread.shape[1]):
        spread[LOW, column] = spread[HIGH, column] = cells[0, column]
    done = 0
    if rows >= FEW:
        done = rows // 8 * 8
        _spread_of_many(cells[:done].reshape(-1), stride, spread)
    for column in range(spread.shape[1]):
        low, high = spread[LOW, column], spread[HIGH, column]
        for row in range(done, rows):
            code = np.int64(cells[row, column])
            low, high = min(low, code), max(high, code)
        spread[LOW, column], spread[HIGH, column] = low, high


@lean
def mark_sides(
    cells: NDArray[Any], cut: Cut, ranked: bool, desk: NDArray[np.int64], goes: NDArray[np.uint8]
) -> None:
    """Which rows of a node go left, into goes: uint8 (rows,).

    A row goes left when its number is below the bound, or is the bound and it is among the first
    `quota` such rows. The number is the code of the column, or desk[RANK] of the code when ranked.
    """
    column, bound, quota, _ = cut
    rows = len(cells)
    if not ranked and quota == 0:
        for row in range(rows):
            goes[row] = np.int64(cells[row, column]) < bound
        return
    for row in range(rows):
        code = np.int64(cells[row, column])
        number = desk[RANK, code] if ranked else code
        goes[row] = number < bound
        if number == bound and quota > 0:
            goes[row] = 1
            quota -= 1


@inlined
def move_rows(rows: Rows, node: Node, left: int) -> None:
    """Move a node to the other buffer, rows that go left first; both parts keep their order.

    Without branches on the data: a row is written to one of two places, chosen by arithmetic.
    """
    side, start, end = node
    source, target = rows.words[side], rows.words[1 - side]
    ids, moved, goes_left = rows.ids[side], rows.ids[1 - side], rows.flags[GOES_LEFT]
    wide = source.shape[1]
    to_left, to_right = np.int64(start), np.int64(start + left)
    for row in range(start, end):
        goes = np.int64(goes_left[row])
        place = to_right + goes * (to_left - to_right)
        to_left += goes
        to_right += 1 - goes
        moved[place] = ids[row]
        target[place, 0] = source[row, 0]
        if wide > 1:
            target[place, 1] = source[row, 1]
        for word in range(2, wide):
            target[place, word] = source[row, word]
