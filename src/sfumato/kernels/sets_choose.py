"""Which item cuts a node: the choices of Mondrian for sets as scores of an item."""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined, lean

WORTH, BITS, PENALTY = 0, 1, 2
TABLE = 1 << 16


class Rule(NamedTuple):
    """How nodes are cut; every part keeps k rows.

    kind: WORTH, the most utility published; BITS, the most utility per nat of information the cut
    gives away; PENALTY, utility less `price` a nat. least: rows that must lack an item that cuts:
    k, or 1 where a cut may leave holders behind so that the rest reaches k.
    """

    k: int
    least: int
    kind: int
    price: float
    table: NDArray[np.float64]  # (at most TABLE,) x log x


def new_rule(k: int, kind: int, price: float, partial: bool, rows: int) -> Rule:
    """A rule with its table of logarithms."""
    size = min(rows + 1, TABLE)
    table = np.array([x * log(x) if x else 0.0 for x in range(size)])
    return Rule(k, 1 if partial else k, kind, price, table)


@inlined
def x_log_x(table: NDArray[np.float64], x: int) -> float:
    """x log x, from the table if it is there."""
    if x < len(table):
        return float(table[x])
    return x * log(x)


@lean
def choose(
    rule: Rule,
    rows: int,
    worth: NDArray[np.float64],
    lacks: NDArray[np.uint8],
    listed: NDArray[np.int64],
    live: NDArray[np.int64],
) -> tuple[int, int]:
    """(the item of highest score, lowest among equals, or -1; how many items may still cut).

    live: items that could cut before, ascending; those that cannot any more are removed in place,
    and what is left stands at the front. O(live items).
    """
    best, most, left = -1, -np.inf, 0
    whole = x_log_x(rule.table, rows)
    for at in range(len(live)):
        item = live[at]
        holders = rows - listed[item] if lacks[item] else listed[item]
        if holders < rule.k or rows - holders < rule.least:
            continue
        live[left] = item
        left += 1
        shown = min(holders, rows - rule.k)
        score = worth[item] * shown
        if rule.kind != WORTH:
            nats = whole - x_log_x(rule.table, shown) - x_log_x(rule.table, rows - shown)
            score = score / nats if rule.kind == BITS else score - rule.price * nats
        if score > most:
            best, most = item, score
    return best, left
