"""Rows of items drawn at random: an item is drawn by its weight, a row is a set of such draws."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.regroup_random import draw_word
from sfumato.kernels.rows import Rows

ONE, LOW = np.uint64(1), np.uint64(0xFFFFFFFF)


class Urn(NamedTuple):
    """Items by weight in constant time (Walker's alias method), to within 2^-32."""

    bound: NDArray[np.uint64]  # (domain,) own share of a slot, in parts of 2^32
    other: NDArray[np.int64]  # (domain,) who has the rest of it


@compiled
def urn(weights: NDArray[np.float64]) -> Urn:
    """Slots of equal size, each shared by at most two items. O(domain)."""
    domain = len(weights)
    share = weights * (domain / weights.sum())
    bound, other = np.empty(domain, np.uint64), np.arange(domain)
    order = np.argsort(share)
    rich = np.searchsorted(share[order], 1.0)
    poor, most = 0, domain - 1  # open slots below a whole one lie in order[poor : rich]
    waiting = order.copy()
    end = rich
    while poor < end and most >= rich:
        item, giver = waiting[poor], order[most]
        poor += 1
        bound[item] = np.uint64(share[item] * 4294967296.0)
        other[item] = giver
        share[giver] -= 1.0 - share[item]
        if share[giver] < 1.0:
            most -= 1
            waiting[end] = giver
            end += 1
    for place in range(poor, end):
        bound[waiting[place]] = LOW + ONE
    for place in range(rich, most + 1):
        bound[order[place]] = LOW + ONE
    return Urn(bound, other)


@inlined
def _add_one(urn: Urn, state: NDArray[np.uint64], bits: NDArray[np.uint64]) -> int:
    """Draw an item into the set; 1 if it is new there."""
    word = draw_word(state)
    item = np.int64(((word >> np.uint64(32)) * np.uint64(len(urn.bound))) >> np.uint64(32))
    if (word & LOW) >= urn.bound[item]:
        item = urn.other[item]
    bit = ONE << np.uint64(item & 63)
    new = (bits[item >> 6] & bit) == 0
    bits[item >> 6] |= bit
    return int(new)


@inlined
def _take_out(bits: NDArray[np.uint64], items: NDArray[Any], place: int) -> int:
    """Write the set in ascending order and empty it; the place behind it."""
    for at in range(len(bits)):
        word = bits[at]
        item = at << 6
        while word != 0:
            while (word & np.uint64(0xFF)) == 0:
                word >>= np.uint64(8)
                item += 8
            if word & ONE:
                items[place] = item
                place += 1
            word >>= ONE
            item += 1
        bits[at] = 0
    return place


@compiled
def draw_rows(
    urn: Urn, goal: NDArray[np.int64], distinct: bool, room: NDArray[Any], word: np.uint64
) -> Rows:
    """Rows of goal[r] different items, or of what goal[r] draws come to; O(draws + rows domain/64).

    room: as long as goal.sum(), of the type the items shall have; they are written there.
    """
    start = np.zeros(len(goal) + 1, np.int64)
    bits = np.zeros((len(urn.bound) + 63) // 64, np.uint64)
    state = np.array([word], np.uint64)
    for row in range(len(goal)):
        found = 0
        while found < goal[row]:
            new = _add_one(urn, state, bits)
            found += new if distinct else 1
        start[row + 1] = _take_out(bits, room, start[row])
    return Rows(start, room[: start[-1]])
