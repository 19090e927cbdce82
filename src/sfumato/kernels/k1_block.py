"""A block of (k,1): some records and, for each of their items, those of them that have it.

Whatever at least k records of a block contain, at least k records of everything contain.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import ONE, Words, ones
from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.rows import Rows


class Block(NamedTuple):
    """Bit p of bits[s] tells whether record p of the block has the item in slot s."""

    bits: Words  # (slots, words)
    item: NDArray[np.int64]  # (slots,) ascending
    logs: NDArray[np.float64]  # (records + 1,) natural; 0 for 0


class Places(NamedTuple):
    """The records of a block that look for a set, and the slots of their items."""

    start: NDArray[np.int64]  # (looking + 1,)
    slots: NDArray[np.int32]
    record: NDArray[np.int64]  # (looking,) their place in the block


@lean
def both(left: Words, right: Words) -> Any:
    """Records in two sets. O(words), eight words at a time."""
    found = np.uint64(0)
    for word in range(len(left)):
        found += ones(left[word] & right[word])
    return np.int64(found)


@compiled
def block_of(
    rows: Rows, members: NDArray[np.int32], home: NDArray[np.bool_], k: int, domain: int
) -> tuple[Block, Places]:
    """The block of `members`, of whom those at `home` look for sets.

    Items without k members are left out. O(items of the members + slots * words).
    """
    count = np.zeros(domain, np.int64)
    looking = np.zeros(domain, np.bool_)
    for place in range(len(members)):
        for at in range(rows.start[members[place]], rows.start[members[place] + 1]):
            count[rows.items[at]] += 1
            looking[rows.items[at]] |= home[place]
    item = np.flatnonzero((count >= k) & looking)
    slot = np.full(domain, -1, np.int32)
    slot[item] = np.arange(len(item))
    bits = np.zeros((len(item), (len(members) + 63) // 64), np.uint64)
    logs = np.log(np.maximum(np.arange(len(members) + 1), 1).astype(np.float64))
    _set_bits(bits, rows, members, slot)
    return Block(bits, item, logs), _places(rows, members, home, slot)


@lean
def _set_bits(bits: Words, rows: Rows, members: NDArray[np.int32], slot: NDArray[np.int32]) -> None:
    for place in range(len(members)):
        for at in range(rows.start[members[place]], rows.start[members[place] + 1]):
            own = slot[rows.items[at]]
            if own >= 0:
                bits[own, place >> 6] |= ONE << np.uint64(place & 63)


@compiled
def _places(
    rows: Rows, members: NDArray[np.int32], home: NDArray[np.bool_], slot: NDArray[np.int32]
) -> Places:
    """The records at home with the slots of their items."""
    record = np.flatnonzero(home)
    start = np.zeros(len(record) + 1, np.int64)
    for place in range(len(record)):
        row = members[record[place]]
        start[place + 1] = start[place] + rows.start[row + 1] - rows.start[row]
    slots = np.empty(start[-1], np.int32)
    used = 0
    for place in range(len(record)):
        row = members[record[place]]
        start[place] = used
        for at in range(rows.start[row], rows.start[row + 1]):
            if slot[rows.items[at]] >= 0:
                slots[used] = slot[rows.items[at]]
                used += 1
    start[-1] = used
    return Places(start, slots[:used].copy(), record)
