"""Partition the rows of a grid into groups of at least k that lose as little as possible.

Sort the rows into a line, cut the line exactly, then improve: a pair search among near groups, and
rounds that pool a few near groups, build them anew and keep what loses less. Rounds are counted,
never timed, and work goes by blocks of the line that do not depend on the number of threads, so
that the result follows from the grid, k, rounds and seed alone.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.grid import Grid
from sfumato.kernels.regroup_block import new_block
from sfumato.kernels.regroup_cut import cut
from sfumato.kernels.regroup_peaks import peaks
from sfumato.kernels.regroup_pool import POOLED, new_pool
from sfumato.kernels.regroup_random import draw
from sfumato.kernels.regroup_ruin import Search, round_of_block
from sfumato.kernels.regroup_start import start

Step = Callable[[int, int], None]

BLOCK_ROWS = 8192
BLOCK_GROUPS = 64  # at least, for large k


class Line(NamedTuple):
    """A grouping as a line of rows; every group is a stretch of it."""

    rank: NDArray[np.int32]  # (rows,) place of a row in the first line
    rows: NDArray[np.int32]  # (rows,)
    head: NDArray[np.bool_]  # (rows,) true where a group begins


def regroup(
    grid: Grid, k: int, rounds: int, seed: int, workers: int = 1, step: Step | None = None
) -> NDArray[np.int32]:
    """Group label of every row, (rows,), labels from 0 without gaps."""
    line = first_line(grid, k, workers)
    if k > 1 and len(line.rows) >= 2 * k:
        with ThreadPoolExecutor(workers) as threads:
            for done in range(rounds + 1):
                one_round(grid, plan(k, done), line, (seed, done), threads)
                if step is not None:
                    step(done + 1, rounds + 1)
    return labels(line)


def first_line(grid: Grid, k: int, workers: int = 1) -> Line:
    """Order and cut."""
    rows = start(grid, workers)
    rank = np.empty_like(rows)
    rank[rows] = np.arange(len(rows), dtype=np.int32)
    return Line(rank, rows, cut(grid, rows, k))


def plan(k: int, done: int) -> Search:
    """What round number `done` does: round 0 is the pair search, later ones look ever wider.

    Near groups first pay at once; far ones are where later rounds still find something. On Adult
    at k = 5, sixteen rounds that widen end at 0.0172, and at 0.0176 if all look 20 groups far.
    """
    return Search(k, done > 0, min(20 + 10 * done, 200), 60 + 4 * min(done, 35), POOLED - 1)


def one_round(
    grid: Grid, search: Search, line: Line, key: tuple[int, int], threads: ThreadPoolExecutor
) -> None:
    """Rearrange every block of the line, in place."""
    size = max(BLOCK_ROWS, BLOCK_GROUPS * search.k)
    edges = _edges(line.head, size, key[1] % 2 * size // 2)
    table = peaks(grid)

    def work(block: int) -> None:
        begin, end = edges[block], edges[block + 1]
        state = np.array([_stream(*key, block)], np.uint64)
        piece = (line.rank, line.rows[begin:end], line.head[begin:end])
        room = new_block(grid, table, search.k, end - begin)
        round_of_block(grid, search, room, new_pool(grid, table, search.k), piece, state)

    list(threads.map(work, range(len(edges) - 1)))


def _edges(head: NDArray[np.bool_], size: int, shift: int) -> list[int]:
    """Where blocks begin: the first head at or after every size-th place."""
    edges = [0]
    for place in range(size - shift, len(head) - size // 2, size):
        edges.append(place + int(np.argmax(head[place:])))
    return [*edges, len(head)]


def _stream(seed: int, done: int, block: int) -> int:
    """State of the generator for one block of one round."""
    state = np.array([seed & (2**64 - 1)], np.uint64)
    for part in (done, block):
        state[0] ^= np.uint64(part)
        draw(state, 2)
        state[0] = draw(state, 2**31) << 32 | draw(state, 2**31)
    return int(state[0])


def labels(line: Line) -> NDArray[np.int32]:
    """Group label of every row."""
    label = np.empty(len(line.rows), np.int32)
    label[line.rows] = np.cumsum(line.head, dtype=np.int32) - 1
    return label
