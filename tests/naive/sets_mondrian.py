"""Mondrian for sets on a dense table of true and false, by definition: slow and obviously right."""

from __future__ import annotations

from math import inf, log

import numpy as np
from numpy.typing import NDArray

EVEN, UTILITY, BITS, PENALTY, ENTROPY = 0, 1, 2, 3, 4


def x_log_x(x: int) -> float:
    return x * log(x) if x else 0.0


def nats(rows: int, shown: int) -> float:
    return x_log_x(rows) - x_log_x(shown) - x_log_x(rows - shown)


def most_alike(table: NDArray[np.bool_], k: int) -> int:
    """The item whose cut leaves least entropy in items that k hold and k do not."""
    held = table.sum(axis=0)
    items = np.flatnonzero((held >= k) & (held <= len(table) - k))
    sums = []
    for item in items:
        inside, outside = table[table[:, item]], table[~table[:, item]]
        total = 0.0
        for other in items:
            total += nats(len(inside), int(inside[:, other].sum()))
            total += nats(len(outside), int(outside[:, other].sum()))
        sums.append(total)
    return int(items[sums.index(min(sums))]) if sums else -1


def score(choose: int, price: float, worth: float, shown: int, rows: int) -> float:
    """What an item is worth that `shown` of the rows would publish."""
    if choose == BITS:
        return worth * shown / nats(rows, shown)
    return worth * shown - (price * nats(rows, shown) if choose == PENALTY else 0.0)


def best_item(
    table: NDArray[np.bool_], worth: NDArray[np.float64], k: int, how: tuple[int, float, bool]
) -> int:
    choose, price, partial = how
    rows, best, most = len(table), -1, -inf
    for item in range(table.shape[1]):
        holders = int(table[:, item].sum())
        if holders >= k and rows - holders >= (1 if partial else k):
            value = score(choose, price, float(worth[item]), min(holders, rows - k), rows)
            if value > most:
                best, most = item, value
    return best


def cut(
    members: NDArray[np.int64],
    table: NDArray[np.bool_],
    worth: NDArray[np.float64],
    k: int,
    how: tuple[int, float, bool],
) -> list[NDArray[np.int64]]:
    """The classes of some rows. how: choose, price (of a nat), partial."""
    own = table[members]
    if len(members) < 2 * k:
        return [members]
    item = most_alike(own, k) if how[0] == ENTROPY else best_item(own, worth, k, how)
    if item < 0:
        return [members]
    inside = own[:, item].copy()
    short = k - int((~inside).sum())
    if short > 0:
        inside[least(own, inside, worth, k)[:short]] = False
    return [
        *cut(members[inside], table, worth, k, how),
        *cut(members[~inside], table, worth, k, how),
    ]


def least(
    own: NDArray[np.bool_], inside: NDArray[np.bool_], worth: NDArray[np.float64], k: int
) -> NDArray[np.int64]:
    """Holders by their utility in items that k rows hold and some row lacks."""
    held = own.sum(axis=0)
    still = (held >= k) & (held < len(own))
    holders = np.flatnonzero(inside)
    value = own[holders][:, still] @ worth[still]
    return np.asarray(holders[np.argsort(value, kind="stable")])


def mondrian_sets(
    table: NDArray[np.bool_], utility: NDArray[np.float64], k: int, how: tuple[int, float, bool]
) -> NDArray[np.int32]:
    """Groups of rows, numbered by their first row."""
    group = np.empty(len(table), np.int32)
    worth = np.ones(len(utility)) if how[0] == EVEN else utility
    classes = cut(np.arange(len(table)), table, worth, k, how)
    for number, members in enumerate(sorted(classes, key=lambda rows: rows[0])):
        group[members] = number
    return group
