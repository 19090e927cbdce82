"""Classes improved in rounds: rows move, classes dissolve, and those that have grown are cut."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.rows import Rows, common_items, members_of
from sfumato.kernels.sets_block import Block
from sfumato.kernels.sets_choose import BITS, Rule, new_rule
from sfumato.kernels.sets_grow import grow_parts, label, number_groups
from sfumato.kernels.sets_move import move_rows
from sfumato.kernels.sets_node import Node

ENOUGH = 1e-4  # a round that gains less than this share is the last


def improve(block: Block, k: int, group: NDArray[np.int32], rounds: int) -> NDArray[np.int32]:
    """Classes of at least k rows that keep no less utility than those given."""
    rule = new_rule(k, BITS, 0.0, False, len(group))
    best = kept_utility(block.rows, block.worth, group)
    for _ in range(rounds):
        before = best
        better = group.copy()
        move_rows(block, k, better)
        cut_again(block, rule, better)
        best = kept_utility(block.rows, block.worth, better)
        if best <= before:
            break
        group = better
        if best - before < ENOUGH * best:
            break
    return group


@compiled
def cut_again(block: Block, rule: Rule, group: NDArray[np.int32]) -> None:
    """Cut the classes that have room for two, in place."""
    rows = len(group)
    start, members = members_of(group, group.max() + 1)
    node = Node(
        np.arange(rows).astype(np.int32),
        block.rows.start,
        block.rows.items,
        block.worth,
        np.zeros(len(block.worth), np.uint8),
    )
    for number in range(len(start) - 1):
        own = members[start[number] : start[number + 1]]
        if len(own) >= 2 * rule.k:
            grow_parts(node, own, np.array([0, len(own)]), rule, group)
        elif len(own) > 0:
            label(node.ids, own, group)
    number_groups(group)


@compiled
def kept_utility(rows: Rows, utility: NDArray[np.float64], group: NDArray[np.int32]) -> float:
    """Utility published when each class publishes what its rows have in common."""
    start, members = members_of(group, group.max() + 1 if len(group) else 0)
    sets = common_items(rows, start, members)
    total = 0.0
    for number in range(len(start) - 1):
        size = start[number + 1] - start[number]
        for place in range(sets.start[number], sets.start[number + 1]):
            total += size * utility[sets.items[place]]
    return total
