"""Lists of admissible sets from which every record draws one, so that a set gives nobody away.

Sets are offered by falling utility. A set is dealt to all records that contain it and still have
room in their lists, if those are at least `candidates`. A record draws one place of its list; all
lists are equally long. So a published set came from each of its listers with equal probability.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import ONE, Words
from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.k1_block import both
from sfumato.kernels.rows import Rows


class Lists(NamedTuple):
    """The sets that record r may publish: listed[r, : filled[r]]."""

    listed: NDArray[np.int32]  # (rows, places)
    filled: NDArray[np.int32]  # (rows,)


@compiled
def item_bits(rows: Rows, domain: int) -> Words:
    """The records with each item. O(domain * rows / 64 + items)."""
    count = len(rows.start) - 1
    bits = np.zeros((domain, (count + 63) // 64), np.uint64)
    for row in range(count):
        for at in range(rows.start[row], rows.start[row + 1]):
            bits[rows.items[at], row >> 6] |= ONE << np.uint64(row & 63)
    return bits


@compiled
def deal(
    bits: Words,
    sets: Rows,
    offer: tuple[NDArray[np.int64], NDArray[np.float64], int],
    lists: Lists,
    bar: NDArray[np.float64],
    need: tuple[int, int],
) -> int:
    """Fill lists with sets in the order of `offer`; returns how many sets were dealt.

    offer: (sets by falling worth, worth by set, name of the first of all sets). A record takes
    nothing that is worth less than its bar. need: (k, candidates).
    O(offered sets * items * rows / 64).
    """
    order, worth, base = offer
    k, candidates = need
    holders = np.empty(bits.shape[1], np.uint64)
    open_ = _open(lists, bits.shape[1])
    closing = np.argsort(-bar, kind="mergesort")
    closed = dealt = 0
    for one in order:
        while closed < len(closing) and bar[closing[closed]] > worth[one]:
            row = closing[closed]
            open_[row >> 6] &= ~(ONE << np.uint64(row & 63))
            closed += 1
        _holders(bits, sets.items[sets.start[one] : sets.start[one + 1]], holders)
        if both(holders, holders) >= k and both(holders, open_) >= candidates:
            _give(holders, open_, lists, np.int32(base + one))
            dealt += 1
    return dealt


@compiled
def _open(lists: Lists, words: int) -> Words:
    """The records with room."""
    open_ = np.zeros(words, np.uint64)
    for row in range(len(lists.filled)):
        if lists.filled[row] < lists.listed.shape[1]:
            open_[row >> 6] |= ONE << np.uint64(row & 63)
    return open_


@lean
def _holders(bits: Words, items: NDArray[Any], holders: Words) -> None:
    for word in range(len(holders)):
        holders[word] = ~np.uint64(0)
    if len(items) == 0:  # bits behind the last record would count
        holders[:] = np.uint64(0)
    for item in items:
        for word in range(len(holders)):
            holders[word] &= bits[item, word]


@lean
def _give(holders: Words, open_: Words, lists: Lists, name: Any) -> None:
    """Put a set on the lists of all who contain it and take it."""
    for word in range(len(holders)):
        left = holders[word] & open_[word]
        row = word << 6
        while left != 0:
            if left & ONE:
                lists.listed[row, lists.filled[row]] = name
                lists.filled[row] += 1
                if lists.filled[row] == lists.listed.shape[1]:
                    open_[word] &= ~(ONE << np.uint64(row & 63))
            left >>= ONE
            row += 1
