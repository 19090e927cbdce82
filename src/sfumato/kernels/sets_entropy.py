"""Mondrian for sets that cuts where the two parts together are most alike within themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.rows import Rows
from sfumato.kernels.sets_choose import Rule, x_log_x
from sfumato.kernels.sets_grow import number_groups


@compiled
def cut_by_entropy(rows: Rows, domain: int, rule: Rule, group: NDArray[np.int32]) -> None:
    """Cut by the item after which the entropies of all items that could cut add up to least.

    Entropies of the two parts are weighted by their rows; equal sums go to the lowest item. For
    small domains: O(rows * items of a row ^ 2 + items that could cut ^ 2) a class that is cut.
    """
    waiting = [np.arange(len(group)).astype(np.int32)]
    while len(waiting) > 0:
        own = waiting.pop()
        item = _most_alike(rows, domain, rule, own) if len(own) >= 2 * rule.k else -1
        if item < 0:
            for row in own:
                group[row] = own[0]
        else:
            inside = _holds(rows, own, item)
            waiting.append(own[inside])
            waiting.append(own[~inside])
    number_groups(group)


@compiled
def _holds(rows: Rows, own: NDArray[np.int32], item: int) -> NDArray[np.bool_]:
    """Which rows hold an item."""
    inside = np.zeros(len(own), np.bool_)
    for at in range(len(own)):
        for place in range(rows.start[own[at]], rows.start[own[at] + 1]):
            inside[at] |= rows.items[place] == item
    return inside


@compiled
def _pairs(
    rows: Rows, own: NDArray[np.int32], domain: int, k: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Items that could cut, ascending, and how many rows hold each two of them."""
    held = np.zeros(domain, np.int64)
    for row in own:
        for place in range(rows.start[row], rows.start[row + 1]):
            held[rows.items[place]] += 1
    items = np.flatnonzero((held >= k) & (held <= len(own) - k))
    to = np.full(domain, -1, np.int64)
    to[items] = np.arange(len(items))
    both, local = np.zeros((len(items), len(items)), np.int64), np.empty(domain, np.int64)
    for row in own:
        size = 0
        for place in range(rows.start[row], rows.start[row + 1]):
            if to[rows.items[place]] >= 0:
                local[size] = to[rows.items[place]]
                size += 1
        for first in range(size):
            for second in range(size):
                both[local[first], local[second]] += 1
    return items, both


@compiled
def _most_alike(rows: Rows, domain: int, rule: Rule, own: NDArray[np.int32]) -> int:
    """The item of the cut that leaves the least entropy, or -1."""
    items, both = _pairs(rows, own, domain, rule.k)
    best, least = -1, np.inf
    for item in range(len(items)):
        inside, total = both[item, item], 0.0
        for other in range(len(items)):
            held = both[item, other]
            total += _nats(rule.table, inside, held)
            total += _nats(rule.table, len(own) - inside, both[other, other] - held)
        if total < least:
            best, least = items[item], total
    return int(best)


@compiled
def _nats(table: NDArray[np.float64], rows: int, held: int) -> float:
    """Rows times the entropy of an item that so many of them hold."""
    return float(x_log_x(table, rows) - x_log_x(table, held) - x_log_x(table, rows - held))
