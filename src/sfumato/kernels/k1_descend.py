"""The top-down search of (k,1) inside a block.

Every record narrows the records that support its set: it takes the item of its own with the largest
utility per nat of support given up, as long as k records are left. Records that took the same items
share their support and what was counted in it. What is published is all that the supporters have in
common, the record itself among them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import Words
from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.k1_beam import Beam, Small, beam_of, follow, small_of
from sfumato.kernels.k1_block import Block, Places, both
from sfumato.kernels.rows import Rows


class Search(NamedTuple):
    """Where the search stands. Slots of a record: common to its supporters, open, ruled out."""

    slots: NDArray[np.int32]  # as in Places, reordered within each record
    opened: NDArray[np.int64]  # (looking,) the first open slot
    closed: NDArray[np.int64]  # (looking,) after the last open slot
    order: NDArray[np.int64]  # (looking,) records by path
    choice: NDArray[np.int32]  # (looking,) slot taken, by record; -1 for none
    known: NDArray[np.int64]  # (slots,) the node for which `held` is right
    held: NDArray[np.int64]  # (slots,) supporters with the item


@compiled
def descend(
    block: Block,
    places: Places,
    k: int,
    steer: NDArray[np.float64],
    effort: tuple[int, int, int],
) -> tuple[NDArray[np.int32], Rows]:
    """(which, sets): the set of every record that looks, as slots, ascending.

    `steer` has the utility by item that steers the search; items with none are never asked for.
    `effort` is (supporters from which a beam takes over, its width, its branches); 0 for no beam.
    O(records * open slots * depth * words), less what is shared.
    """
    looking = len(places.record)
    longest = np.max(places.start[1:] - places.start[:-1]) if looking else 0
    few, width, branches = effort
    few = min(few, len(block.logs) - 1)
    search = _begun(block, places)
    beam = beam_of(width, branches, (few + 63) // 64, longest)
    supports = np.empty((16, block.bits.shape[1]), np.uint64)
    sizes = np.empty(16, np.int64)
    frames = np.empty((looking + 1, 4), np.int64)  # depth, slot, first and last of `order`
    frames[0] = (0, -1, 0, looking)
    waiting = 1
    which = np.empty(looking, np.int32)
    ends = np.zeros(looking + 1, np.int64)
    found = np.empty(len(places.slots), np.int32)
    sets = 0
    node = 0
    while waiting:
        waiting -= 1
        depth, slot, low, high = frames[waiting]
        node += 1
        if depth == len(sizes):
            supports = _doubled(supports)
            sizes = np.concatenate((sizes, sizes))
        sizes[depth] = _support(block, supports, depth, slot, len(block.logs) - 1)
        if sizes[depth] <= few:
            small = small_of(block, supports[depth], sizes[depth])
            for at in range(low, high):
                record = search.order[at]
                ends[sets + 1] = ends[sets] + _last_steps(
                    found[ends[sets] :], (block, small, beam), places, search, record, k, steer
                )
                which[record] = sets
                sets += 1
            continue
        for at in range(low, high):
            record = search.order[at]
            search.choice[record] = _choose(
                block, search, record, (supports[depth], sizes[depth], node, k), steer
            )
        _by_choice(search.order[low:high], search.choice)
        first = low
        for at in range(low + 1, high + 1):
            taken = search.choice[search.order[first]]
            if at == high or search.choice[search.order[at]] != taken:
                if taken < 0:
                    ends[sets + 1] = ends[sets] + _emit(
                        found[ends[sets] :], places, search, search.order[first]
                    )
                    which[search.order[first:at]] = sets
                    sets += 1
                else:
                    frames[waiting] = (depth + 1, np.int64(taken), first, at)
                    waiting += 1
                first = at
    return which, Rows(ends[: sets + 1].copy(), found[: ends[sets]].copy())


@compiled
def _last_steps(
    free: NDArray[np.int32],
    room: tuple[Block, Small, Beam],
    places: Places,
    search: Search,
    record: int,
    k: int,
    steer: NDArray[np.float64],
) -> Any:
    """Let the beam decide on the open slots of a record; writes its set."""
    block, small, beam = room
    common = search.slots[places.start[record] : search.opened[record]]
    slots = search.slots[search.opened[record] : search.closed[record]]
    chosen = follow(block, small, beam, slots, steer[block.item[slots]], k)
    number = np.sum(chosen)
    free[: len(common)] = common
    free[len(common) : len(common) + number] = slots[chosen]
    free[: len(common) + number] = np.sort(free[: len(common) + number])
    return np.int64(len(common) + number)


@compiled
def _begun(block: Block, places: Places) -> Search:
    looking = len(places.record)
    return Search(
        places.slots.copy(),
        places.start[:-1].copy(),
        places.start[1:].copy(),
        np.arange(looking),
        np.full(looking, -1, np.int32),
        np.full(len(block.item), -1, np.int64),
        np.zeros(len(block.item), np.int64),
    )


@compiled
def _doubled(supports: Words) -> Words:
    larger = np.empty((2 * len(supports), supports.shape[1]), np.uint64)
    larger[: len(supports)] = supports
    return larger


@lean
def _support(block: Block, supports: Words, depth: int, slot: int, records: int) -> Any:
    """Narrow the support above by a slot; returns how many are left."""
    words = supports.shape[1]
    if depth == 0:
        for word in range(words):
            supports[0, word] = ~np.uint64(0)
        return np.int64(records)
    for word in range(words):
        supports[depth, word] = supports[depth - 1, word] & block.bits[slot, word]
    return both(supports[depth], block.bits[slot])


@lean
def _choose(block: Block, search: Search, record: int, node: Any, steer: Any) -> Any:
    """The best open slot of a record; sorts its slots into common, open and ruled out."""
    support, size, name, k = node
    best, best_score = np.int32(-1), 0.0
    at = search.opened[record]
    while at < search.closed[record]:
        slot = search.slots[at]
        if search.known[slot] != name:
            search.known[slot] = name
            search.held[slot] = both(support, block.bits[slot])
        held = search.held[slot]
        if held < k:
            search.closed[record] -= 1
            search.slots[at] = search.slots[search.closed[record]]
            search.slots[search.closed[record]] = slot
            continue
        if held == size:
            search.slots[at] = search.slots[search.opened[record]]
            search.slots[search.opened[record]] = slot
            search.opened[record] += 1
        else:
            score = steer[block.item[slot]] / (block.logs[size] - block.logs[held])
            if score > best_score or (score == best_score and best >= 0 and slot < best):
                best, best_score = slot, score
        at += 1
    return best


@compiled
def _by_choice(order: NDArray[np.int64], choice: NDArray[np.int32]) -> None:
    """Sort a run of records by what they chose."""
    if len(order) > 1:
        order[:] = order[np.argsort(choice[order], kind="mergesort")]


@compiled
def _emit(free: NDArray[np.int32], places: Places, search: Search, record: int) -> int:
    """Write the slots that a record has in common with its supporters; returns their number."""
    slots = np.sort(search.slots[places.start[record] : search.opened[record]])
    free[: len(slots)] = slots
    return len(slots)
