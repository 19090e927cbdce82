"""Groups of records near in an order, with labels that differ: CAHD.

In the order, every record without a group gathers those most like it among the nearest before and
behind it, unless the labels of the rest would then no longer do (Ghinita, Kalnis, Tao 2011).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import Words
from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.gray import apart

Ints = NDArray[np.int64]
Labels = NDArray[np.int32]


class Rest(NamedTuple):
    """Records without a group: neighbours by place in the order (rows: none), labels counted."""

    next: Ints
    before: Ints
    labelled: Ints  # of every label
    many: Ints  # labels by how many have them
    most: Ints  # the largest count; how many records there are; whether all began with one label


class Rule(NamedTuple):
    """Groups of `size`; no label is on more than 1 / `share` of one; `reach` records are looked at
    on each side."""

    size: int
    share: int
    reach: int


@compiled
def cahd_groups(bits: Words, order: Ints, label: Labels, rule: Rule) -> tuple[Ints, Ints]:
    """(members, ends): groups one after the other, the last of whoever is left.

    `label` is that of every record. O(rows reach words).
    """
    rows = len(order)
    rest = _all(order, label)
    members, size = np.empty(rows, np.int64), 0
    ends = [0]
    found = np.empty(rule.size, np.int64)
    near = np.empty(2 * rule.reach, np.int64)
    far = np.empty(2 * rule.reach, np.int64)
    place = rest.next[rows]
    while place < rows:
        after = rest.next[place]
        many = _nearby(bits, order, label, rest, place, near, far)
        sorted_near = near[:many][np.argsort(far[:many], kind="mergesort")]
        if _gathered(order, label, rule, place, sorted_near, found) and _leaves_fine(
            order, label, rule, rest, found
        ):
            for number in range(rule.size):
                members[size] = order[found[number]]
                size += 1
            ends.append(size)
            after = rest.next[rows]  # whoever was skipped stays so
            while after < place:
                after = rest.next[after]
        place = after
    place = rest.next[rows]
    while place < rows:
        members[size] = order[place]
        size += 1
        place = rest.next[place]
    if size > ends[-1]:
        ends.append(size)
    return members, np.array(ends)


@compiled
def _all(order: Ints, label: Labels) -> Rest:
    rows = len(order)
    labels = np.int64(0)
    for record in order:
        labels = max(labels, label[record] + 1)
    labelled = np.zeros(labels, np.int64)
    for record in order:
        labelled[label[record]] += 1
    many = np.zeros(rows + 1, np.int64)
    for number in labelled:
        many[number] += 1
    after = (np.arange(rows + 1) + 1) % (rows + 1)
    before = np.arange(rows + 1) - 1
    before[0] = rows
    most = np.zeros(3, np.int64)
    for number in labelled:
        most[0] = max(most[0], number)
    most[1], most[2] = rows, most[0] == rows
    return Rest(after, before, labelled, many, most)


@lean
def _nearby(
    bits: Words,
    order: Ints,
    label: Labels,
    rest: Rest,
    place: int,
    near: Ints,
    far: Ints,
) -> int:
    """The records of other labels before and behind a place, and how far they are."""
    rows, many = len(order), 0
    for side in range(2):
        at, reach = place, len(near) // 2
        while reach:
            at = rest.before[at] if side else rest.next[at]
            if at == rows:
                break
            if label[order[at]] != label[order[place]] or rest.most[2]:
                near[many] = at
                far[many] = apart(bits, order[place], order[at])
                many += 1
                reach -= 1
    return many


@lean
def _gathered(order: Ints, label: Labels, rule: Rule, place: int, near: Ints, found: Ints) -> bool:
    """A group of the nearest whose labels fit one another."""
    found[0] = place
    size, room = 1, rule.size // rule.share
    for at in near:
        if size == rule.size:
            break
        same = 0
        for number in range(size):
            same += label[order[found[number]]] == label[order[at]]
        if same < room:
            found[size] = at
            size += 1
    return size == rule.size


@lean
def _leaves_fine(order: Ints, label: Labels, rule: Rule, rest: Rest, found: Ints) -> bool:
    """Take a group out of the rest, unless the rest could then not be grouped."""
    for number in range(rule.size):
        _recount(rest, label[order[found[number]]], -1)
    left = rest.most[1]
    if (0 < left < rule.size) or rest.most[0] * rule.share > left:
        for number in range(rule.size):
            _recount(rest, label[order[found[number]]], 1)
        return False
    for number in range(rule.size):
        at = found[number]
        rest.next[rest.before[at]] = rest.next[at]
        rest.before[rest.next[at]] = rest.before[at]
    return True


@lean
def _recount(rest: Rest, label: int, change: int) -> None:
    rest.many[rest.labelled[label]] -= 1
    rest.labelled[label] += change
    rest.many[rest.labelled[label]] += 1
    rest.most[1] += change
    rest.most[0] = max(rest.most[0], rest.labelled[label])
    while rest.most[0] > 0 and rest.many[rest.most[0]] == 0:
        rest.most[0] -= 1
