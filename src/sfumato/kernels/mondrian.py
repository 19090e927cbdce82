"""Mondrian: multidimensional recoding from the top down (LeFevre, DeWitt, Ramakrishnan, ICDE 2006).

A node of rows is cut by one column in two parts as long as both parts keep k rows and obey every
rule; a node that cannot be cut is a group. Nothing is random, and nothing depends on the number of
workers: parts lie side by side in memory, so groups come out in depth-first order by themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.grid import Grid
from sfumato.kernels.mondrian_best import LINES, new_prices
from sfumato.kernels.mondrian_choose import Work
from sfumato.kernels.mondrian_grow import grow_best, grow_median
from sfumato.kernels.mondrian_node import (
    BEGINS,
    BEST,
    GAIN,
    STRICT,
    WIDTH,
    Node,
    Options,
    Rows,
    Secret,
    Table,
    new_desk,
    new_table,
)
from sfumato.kernels.rules import Rules

Step = Callable[[int, int], None]
Groups = tuple[NDArray[np.int32], NDArray[np.int32]]

# Below so many rows a node is not worth a task of its own.
SMALL = 50_000
TASKS_PER_WORKER = 8
WITHOUT_LIMIT = 1 << 62
CHUNK = 1 << 18


class Cutting(NamedTuple):
    """How nodes are cut.

    cut: STRICT (median, equal codes stay together), RELAXED (median, sizes differ by at most one
    row) or BEST (the cut that saves most loss). choose, for the medians: WIDTH (largest weighted
    loss), GAIN (most informative about sensitive column `target`) or WEIGHT (heaviest column).
    """

    cut: int = STRICT
    choose: int = WIDTH
    target: int = 0


def mondrian(
    grid: Grid,
    k: int,
    cutting: Cutting | None = None,
    rules: Rules | None = None,
    sensitive: NDArray[np.int32] | None = None,
    workers: int = 1,
    step: Step | None = None,
) -> Groups:
    """Groups of at least k rows: (rows int32 (n,), bounds int32 (groups + 1,)).

    Group g holds rows[bounds[g]:bounds[g + 1]], ascending. sensitive: codes int32 (n, s), laid
    out in rules.offset; a column without a rule is allowed. GAIN needs both, if only
    `empty_rules(offset)`, and steers the cuts by sensitive values: the claim must say so.
    A table with fewer than k rows, or one that breaks a rule as a whole, comes back as one group:
    the caller checks. step(done rows, all rows) is called from this thread now and then.
    Memory: 2 copies of the codes (rows padded to 8 bytes) and 10 bytes a row, 18 with BEST.
    Time: see `mondrian_grow`; rules add a pass over the sensitive codes and O(sensitive values)
    for every cut that is tried.
    """
    cutting = cutting or Cutting()
    rows = _rows(grid.codes, workers)
    options = Options(max(k, 1), cutting.cut, cutting.choose, cutting.target)
    needed = rules is not None and (len(rules.kind) > 0 or cutting.choose == GAIN)
    secret = None
    if needed and rules is not None and sensitive is not None:
        secret = (np.ascontiguousarray(sensitive, dtype=np.int32), rules)
    task = Task(new_table(grid), rows, options, secret)
    total = len(grid.codes)
    if total > 0 and (total < 2 * SMALL or (workers == 1 and step is None)):
        _grow(task, (0, 0, total), WITHOUT_LIMIT)
    elif total > 0:
        _grow_in_parts(task, workers, step)
    bounds = np.append(np.flatnonzero(rows.flags[BEGINS]), total).astype(np.int32)
    return rows.ids[0], bounds


class Task(NamedTuple):
    """All that the threads share."""

    table: Table
    rows: Rows
    options: Options
    secret: tuple[NDArray[np.int32], Rules] | None


def _rows(codes: NDArray[Any], workers: int) -> Rows:
    """Both buffers, the first one filled.

    All memory is written here, by all workers: the first touch of a page costs more than a split.
    """
    total, columns = codes.shape
    width = max(-(-columns * codes.dtype.itemsize // 8), 1)
    words = np.empty((2, total, width), dtype=np.uint64)
    cells = words.view(codes.dtype)
    ids = np.empty((2, total), dtype=np.int32)

    def fill(start: int) -> None:
        end = min(start + CHUNK, total)
        words[:, start:end] = 0
        cells[0, start:end, :columns] = codes[start:end]
        ids[:, start:end] = np.arange(start, end, dtype=np.int32)

    if total <= CHUNK:
        fill(0)
    else:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(fill, range(0, total, CHUNK)))
    return Rows(cells, words, ids, np.zeros((2, total), dtype=np.uint8))


def _grow(task: Task, node: Node, limit: int) -> list[Node]:
    """Split a node at most so many times; the nodes left over."""
    table, rows, options, secret = task
    columns = len(table.facts)
    desk = new_desk(table, LINES)
    work = Work(np.zeros((3, columns), dtype=np.int64), np.zeros(columns), desk)
    own = None
    if secret is not None:
        counts = np.zeros((3, int(secret[1].offset[-1])), dtype=np.int64)
        own = Secret(secret[0], secret[1], counts)
    if options.cut == BEST:
        prices = new_prices(table, node[2] - node[1])
        left = grow_best(table, rows, own, work, prices, options.k, node, limit)
    else:
        left = grow_median(table, rows, own, work, options, node, limit)
    return [(int(side), int(start), int(end)) for side, start, end in left]


def _grow_in_parts(task: Task, workers: int, step: Step | None) -> None:
    """Split large nodes one by one and hand small ones over whole, on a pool of threads."""
    total = task.rows.ids.shape[1]
    small = max(SMALL, total // (TASKS_PER_WORKER * workers))

    def work_on(node: Node) -> tuple[list[Node], int]:
        rows = node[2] - node[1]
        parts = _grow(task, node, 1 if rows > small else WITHOUT_LIMIT)
        return parts, 0 if parts else rows

    done = 0
    with ThreadPoolExecutor(workers) as pool:
        pending: set[Future[tuple[list[Node], int]]] = {pool.submit(work_on, (0, 0, total))}
        while pending:
            finished, pending = wait(pending, return_when="FIRST_COMPLETED")
            for parts, closed in [each.result() for each in finished]:
                pending |= {pool.submit(work_on, part) for part in parts}
                done += closed
            if step is not None:
                step(done, total)
