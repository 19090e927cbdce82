"""Mondrian for sets of items: a class is cut into those who hold an item and those who do not.

The method of Podgursky, Practical k-Anonymity on Large Datasets (Vanderbilt University, 2011), with
the choice of item left open. Nothing is random, and nothing depends on the number of workers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels import sets_choose
from sfumato.kernels.rows import Rows
from sfumato.kernels.sets_choose import Rule, new_rule
from sfumato.kernels.sets_entropy import cut_by_entropy
from sfumato.kernels.sets_grow import (
    LEFT,
    Chain,
    chain_of,
    count_rows,
    grow_parts,
    label,
    next_parts,
    number_groups,
)
from sfumato.kernels.sets_node import (
    BLOCK,
    Lists,
    Node,
    count_blocks,
    fill_blocks,
    lists_of,
    part_of,
    starts,
)

Step = Callable[[int, int], None]

EVEN, UTILITY, BITS, PENALTY, ENTROPY = 0, 1, 2, 3, 4

# A node of more rows is cut by tasks of its own, so that threads share its parts.
LARGE = 1 << 17
BATCH = 1 << 15  # rows of small parts that make a task


class Cutting(NamedTuple):
    """Which item cuts a class, among those that k records hold and k do not.

    choose: EVEN, the most frequent; UTILITY, the largest utility times frequency; BITS, that over
    the information the cut gives away (size times binary entropy); PENALTY, that less `price`
    mean utilities a nat; ENTROPY, the one whose parts are most alike within themselves (slow, for
    small domains, on one thread). partial, not with ENTROPY: an item that fewer than k lack cuts
    as well; of its holders, those of least utility stay behind with them, so that k are together.
    """

    choose: int = BITS
    price: float = 0.3
    partial: bool = False


def mondrian_sets(
    rows: Rows,
    utility: NDArray[np.float64],
    k: int,
    cutting: Cutting | None = None,
    workers: int = 1,
    step: Step | None = None,
) -> NDArray[np.int32]:
    """Groups of at least k rows: int32 (rows,), numbered by their first row.

    Equal scores go to the lowest item. Fewer than k rows come back as one group: the caller checks.
    step(done, total) is called from this thread now and then. Time: about two passes over the
    items of a row for every item it publishes. Memory: 2 bytes an item and 5 a row beside the
    input, and as much again for each worker's largest parts.
    """
    cutting = cutting or Cutting()
    total = len(rows.start) - 1
    group = np.zeros(total, np.int32)
    if total < 2 * k or not len(rows.items):
        return group
    rule = _rule(cutting, utility, k, total)
    if cutting.choose == ENTROPY:
        cut_by_entropy(rows, len(utility), rule, group)
        return group
    worth = np.ones(len(utility)) if cutting.choose == EVEN else utility
    ids, lacks = np.arange(total, dtype=np.int32), np.zeros(len(utility), np.uint8)
    _Cuts(rule, group, step).run(Node(ids, rows.start, rows.items, worth, lacks), workers)
    number_groups(group)
    return group


def _rule(cutting: Cutting, utility: NDArray[np.float64], k: int, rows: int) -> Rule:
    kinds = {BITS: sets_choose.BITS, PENALTY: sets_choose.PENALTY}
    kind = kinds.get(cutting.choose, sets_choose.WORTH)
    price = cutting.price * float(utility.mean())
    return new_rule(max(k, 1), kind, price, cutting.partial, rows)


Task = Callable[[], list["Task"]]


class _Cuts:
    """The tasks of one run; newest first, so that little waits and memory stays low."""

    def __init__(self, rule: Rule, group: NDArray[np.int32], step: Step | None) -> None:
        self.rule, self.group, self.step, self.done = rule, group, step, 0

    def run(self, node: Node, workers: int) -> None:
        with ThreadPoolExecutor(workers) as pool:
            todo: list[Task] = [self.root(node, pool, workers)]
            running: set[Future[list[Task]]] = set()
            while todo or running:
                while todo and len(running) < workers:
                    running.add(pool.submit(todo.pop()))
                ended, running = wait(running, return_when="FIRST_COMPLETED")
                for future in ended:
                    todo += future.result()
                if self.step is not None:
                    self.step(self.done, len(self.group))

    def root(self, node: Node, pool: ThreadPoolExecutor, workers: int) -> Task:
        """All rows: the items are counted and listed by all workers."""
        blocks = -(-len(node.ids) // BLOCK)
        free = np.zeros((blocks, len(node.worth)), np.int64)
        parts = np.linspace(0, blocks, min(blocks, 4 * workers) + 1).astype(int)
        spans = list(itertools.pairwise(parts))
        list(
            pool.map(lambda s: count_blocks(node.begin, node.items, s[0], free[s[0] : s[1]]), spans)
        )
        listed = free.sum(axis=0)
        lists = Lists(starts(free), np.empty(len(node.items), np.uint16))
        fill = (node.begin, node.items)
        list(pool.map(lambda s: fill_blocks(*fill, s[0], free[s[0] : s[1]], lists.place), spans))
        return self.advance(chain_of(node, lists, listed))

    def advance(self, chain: Chain) -> Task:
        """Take parts out of a large node; then go on with it before its parts are cut."""

        def work() -> list[Task]:
            before = int(chain.state[LEFT])
            taken = np.empty(before, np.int32)
            enough = BATCH if before > LARGE else before + 1
            bounds = next_parts(chain, self.rule, taken, enough, self.group)
            ended = bounds[-1] < enough
            self.done += before - (0 if ended else int(chain.state[LEFT])) - int(bounds[-1])
            tasks = self.parts(chain.node, taken[: bounds[-1]].copy(), bounds)
            return tasks if ended else [*tasks, self.advance(chain)]

        return work

    def parts(self, node: Node, taken: NDArray[np.int32], bounds: NDArray[np.int64]) -> list[Task]:
        """Tasks for parts of a node: one for each that is large, one for all others."""
        large = [p for p in range(len(bounds) - 1) if bounds[p + 1] - bounds[p] > LARGE]
        tasks = [self.open(node, taken[bounds[p] : bounds[p + 1]]) for p in large]
        edges = [-1, *large, len(bounds) - 1]
        for last, next_one in itertools.pairwise(edges):
            if next_one - last > 1:
                tasks.append(self.small(node, taken, bounds[last + 1 : next_one + 1]))
        return tasks

    def small(self, node: Node, taken: NDArray[np.int32], bounds: NDArray[np.int64]) -> Task:
        def work() -> list[Task]:
            grow_parts(node, taken, bounds, self.rule, self.group)
            self.done += int(bounds[-1] - bounds[0])
            return []

        return work

    def open(self, node: Node, taken: NDArray[np.int32]) -> Task:
        """Build a large part and begin to cut it."""

        def work() -> list[Task]:
            count = np.empty(len(node.worth), np.int64)
            count_rows(node, taken, count)
            part, listed = part_of(node, taken, count, self.rule.k, self.rule.least)
            if not len(listed):
                label(node.ids, taken, self.group)
                self.done += len(taken)
                return []
            return self.advance(chain_of(part, lists_of(part, listed), listed))()

        return work
