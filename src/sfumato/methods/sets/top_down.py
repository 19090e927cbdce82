"""Top-down (k,1)-anonymity over all records: large nodes are split, small ones are blocks."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.kernels.k1_block import block_of
from sfumato.kernels.k1_descend import descend
from sfumato.kernels.k1_split import (
    Node,
    best_items,
    children_of,
    count_items,
    gains_of,
    takers_of,
    thinned,
)
from sfumato.kernels.rows import Rows
from sfumato.kernels.rows_distinct import distinct_rows, joined_rows


class Found(NamedTuple):
    """Sets found for some records: record rows[i] publishes sets[which[i]]."""

    rows: NDArray[np.int32]
    which: NDArray[np.int32]
    sets: Rows


@dataclass(frozen=True)
class Search:
    """What a search over `rows` knows, and how hard it tries.

    A node is a block once it has at most `size` supporters, or `looking` records that look; then
    supporters beyond `size` are left out, as they are where more than size / looking of them come
    on one who looks. In larger nodes no item is taken by fewer than `fewest`. `beam`: see descend.
    Up to about a million records the defaults leave nobody out; for twenty million, size 16384,
    looking 2048, fewest 64 and no beam take about 40 microseconds a record.
    """

    rows: Rows
    utility: NDArray[np.float64]
    k: int
    size: int = 65536
    looking: int = 256
    fewest: int = 1
    beam: tuple[int, int, int] = (4096, 8, 4)

    def expand(self, node: Node) -> tuple[list[Node], list[Found]]:
        """A step on one node: either smaller nodes, or what was found for all who look there."""
        home = int(np.count_nonzero(node.home))
        if len(node.members) <= self.size or home <= self.looking:
            return [], [self.block(thinned(node, self.size))]
        count = count_items(self.rows, node.members, len(self.utility))
        choice, takers = self._choice(node, count)
        quota = np.maximum(takers * (self.size // self.looking - 1), self.size - takers)
        quota = np.minimum(np.maximum(quota, 0), count - takers)
        start, below = children_of(self.rows, node, choice, quota, count)
        nodes = [
            Node(below.members[start[i] : start[i + 1]], below.home[start[i] : start[i + 1]])
            for i in np.flatnonzero(takers)
        ]
        return nodes, self._ended(node, choice, count)

    def _choice(
        self, node: Node, count: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """What each takes, and how many take each item; items that few would take are left out."""
        gains = gains_of(count, len(node.members), self.k, self.utility)
        choice = best_items(self.rows, node, gains)
        takers = takers_of(choice, len(gains))
        if takers.max() >= self.fewest and (takers[takers > 0] < self.fewest).any():
            gains[takers < self.fewest] = 0
            choice = best_items(self.rows, node, gains)
            takers = takers_of(choice, len(gains))
        return choice, takers

    def block(self, node: Node) -> Found:
        block, places = block_of(self.rows, node.members, node.home, self.k, len(self.utility))
        which, sets = descend(block, places, self.k, self.utility, self.beam)
        items = block.item[sets.items].astype(self.rows.items.dtype)
        return Found(node.members[node.home], which, Rows(sets.start, items))

    def _ended(
        self, node: Node, choice: NDArray[np.int32], count: NDArray[np.int64]
    ) -> list[Found]:
        """Who takes nothing more publishes what all supporters have in common."""
        rows = node.members[choice == -1]
        if not len(rows):
            return []
        common = np.flatnonzero(count == len(node.members)).astype(self.rows.items.dtype)
        sets = Rows(np.array([0, len(common)]), common)
        return [Found(rows, np.zeros(len(rows), np.int32), sets)]


def top_down(search: Search, run: Run) -> tuple[NDArray[np.int32], Rows]:
    """(which, sets): record r publishes sets[which[r]]; sets are different, in no telling order."""
    return together(_found(search, run), search.rows)


def together(found: list[Found], rows: Rows) -> tuple[NDArray[np.int32], Rows]:
    """One list of different sets for all records out of pieces."""
    which = np.empty(len(rows.start) - 1, np.int32)
    base = 0
    for part in found:
        which[part.rows] = part.which + base
        base += len(part.sets.start) - 1
    named, sets = distinct_rows(joined_rows([part.sets for part in found], rows))
    return named[which], sets


def _found(search: Search, run: Run) -> list[Found]:
    """Sets for all records, in pieces in no order."""
    n = len(search.rows.start) - 1
    waiting = [Node(np.arange(n, dtype=np.int32), np.ones(n, np.bool_))]
    found: list[Found] = []
    done = 0
    with ThreadPoolExecutor(run.workers) as pool:
        running: set[Future[tuple[list[Node], list[Found]]]] = set()
        while waiting or running:
            while waiting and len(running) < 2 * run.workers:
                running.add(pool.submit(search.expand, waiting.pop()))
            ready, running = wait(running, return_when=FIRST_COMPLETED)
            for task in ready:
                nodes, ended = task.result()
                waiting += nodes
                found += ended
                done += sum(len(part.rows) for part in ended)
            run.step(done, n)
    return found
