"""The last steps of the top-down search of (k,1), where few supporters are left: a beam.

The greedy choice is far from the best one there (measured: 3 to 9 % of all utility on independent
items). So a record follows the `width` most promising supports side by side. A support S promises

    worth(S) = price * ln(|S| / k) + sum over items i held by c_i >= k of S of
               max(0, utility_i - price * ln(|S| / c_i))

the Lagrangian bound of a knapsack whose budget is the nats of support that may still be given up,
as if items were independent in S; the price is that of the best fractional filling at the start.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import ONE, Words
from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.k1_block import Block, both


class Small(NamedTuple):
    """The supporters of a node, numbered anew; bits of a slot are made when first asked for."""

    records: NDArray[np.int64]  # (supporters,) place in the block
    bits: Words  # (slots, words of the supporters)
    made: NDArray[np.bool_]  # (slots,)


class Beam(NamedTuple):
    """Supports that are followed, and those a step further."""

    support: Words  # (width, words)
    held: NDArray[np.int32]  # (width, items) supporters by item of the record
    size: NDArray[np.int64]  # (width,)
    next_support: Words  # (width * branches, words)
    next_held: NDArray[np.int32]
    next_size: NDArray[np.int64]
    worth: NDArray[np.float64]  # (width * branches,)


@compiled
def small_of(block: Block, support: Words, size: int) -> Small:
    """Number the supporters anew. O(words + size + slots * words of the supporters)."""
    records = np.empty(size, np.int64)
    found = 0
    for word in range(len(support)):
        left = support[word]
        at = word << 6
        while left != 0 and found < size:
            if left & ONE:
                records[found] = at
                found += 1
            left >>= ONE
            at += 1
    slots = len(block.item)
    return Small(
        records, np.empty((slots, (size + 63) // 64), np.uint64), np.zeros(slots, np.bool_)
    )


@lean
def _make(small: Small, block: Block, slot: int) -> None:
    """Which of the supporters have the item of a slot."""
    for word in range(small.bits.shape[1]):
        small.bits[slot, word] = np.uint64(0)
    for place in range(len(small.records)):
        record = small.records[place]
        bit = (block.bits[slot, record >> 6] >> np.uint64(record & 63)) & ONE
        small.bits[slot, place >> 6] |= bit << np.uint64(place & 63)
    small.made[slot] = True


@compiled
def beam_of(width: int, branches: int, words: int, items: int) -> Beam:
    """Room for a beam."""
    wide = width * branches
    return Beam(
        np.empty((width, words), np.uint64),
        np.empty((width, items), np.int32),
        np.empty(width, np.int64),
        np.empty((wide, words), np.uint64),
        np.empty((wide, items), np.int32),
        np.empty(wide, np.int64),
        np.empty(wide, np.float64),
    )


@compiled
def follow(
    block: Block, small: Small, beam: Beam, slots: NDArray[np.int32], utility: Any, k: int
) -> Any:
    """Which of these open slots a record publishes.

    `utility` is by slot of the record. O(steps * width * branches * slots * words).
    """
    width, branches = len(beam.size), len(beam.worth) // len(beam.size)
    for at in range(len(slots)):
        if not small.made[slots[at]]:
            _make(small, block, slots[at])
    _start(beam, small, slots)
    price = _price(beam, block.logs, utility, k)
    best, chosen = 0.0, beam.held[0, : len(slots)] == beam.size[0]
    states = 1
    while states:
        found = 0
        for state in range(states):
            value = _value(beam.held[state], beam.size[state], utility)
            if value > best:
                best = value
                chosen = beam.held[state, : len(slots)] == beam.size[state]
            found = _branch(beam, (state, found, branches), small, slots, utility, k, block.logs)
        for place in range(found):
            beam.worth[place] = _worth(
                beam.next_held[place], beam.next_size[place], utility, k, price, block.logs
            )
        states = _keep(beam, found, width)
    return chosen


@lean
def _start(beam: Beam, small: Small, slots: NDArray[np.int32]) -> None:
    size = len(small.records)
    beam.size[0] = size
    for word in range(small.bits.shape[1]):
        beam.support[0, word] = ~np.uint64(0)
    for at in range(len(slots)):
        beam.held[0, at] = both(small.bits[slots[at]], small.bits[slots[at]])


@compiled
def _price(beam: Beam, logs: NDArray[np.float64], utility: Any, k: int) -> float:
    """Utility per nat of the item at which the best fractional filling of the budget ends."""
    size, items = beam.size[0], len(utility)
    budget = logs[size] - logs[k]
    ratio = np.zeros(items)
    for at in range(items):
        held = beam.held[0, at]
        if k <= held < size:
            ratio[at] = utility[at] / (logs[size] - logs[held])
    price = 0.0
    for at in np.argsort(-ratio, kind="mergesort"):
        if ratio[at] == 0 or budget <= 0:
            break
        price = ratio[at]
        budget -= logs[size] - logs[beam.held[0, at]]
    return price if budget <= 0 else 0.0


@lean
def _value(held: NDArray[np.int32], size: int, utility: NDArray[np.float64]) -> float:
    value = 0.0
    for at in range(len(utility)):
        if held[at] == size:
            value += utility[at]
    return value


@lean
def _worth(held: Any, size: int, utility: Any, k: int, price: float, logs: Any) -> Any:
    worth = price * (logs[size] - logs[k])
    for at in range(len(utility)):
        if held[at] >= k:
            worth += max(0.0, utility[at] - price * (logs[size] - logs[held[at]]))
    return worth


@lean
def _branch(
    beam: Beam, place: Any, small: Small, slots: Any, utility: Any, k: int, logs: Any
) -> Any:
    """Add the supports one item further, for the items of largest utility per nat."""
    state, found, branches = place
    size, last_score, last = beam.size[state], np.inf, -1
    for _ in range(branches):
        best, best_score = -1, 0.0
        for at in range(len(utility)):
            held = beam.held[state, at]
            if k <= held < size:
                score = utility[at] / (logs[size] - logs[held])
                after = score < last_score or (score == last_score and at > last)
                if after and score > best_score:
                    best, best_score = at, score
        if best < 0:
            break
        _narrow(beam, state, found, small, slots, best, k)
        found += 1
        last_score, last = best_score, best
    return found


@lean
def _narrow(
    beam: Beam, state: int, found: int, small: Small, slots: Any, taken: int, k: int
) -> None:
    """The support of a state, less those who lack an item."""
    beam.next_size[found] = beam.held[state, taken]
    bits = small.bits[slots[taken]]
    support = beam.next_support[found, : len(bits)]
    for word in range(len(support)):
        support[word] = beam.support[state, word] & bits[word]
    for at in range(len(slots)):
        held = 0
        if beam.held[state, at] >= k:
            held = both(support, small.bits[slots[at]])
        beam.next_held[found, at] = held


@compiled
def _keep(beam: Beam, found: int, width: int) -> int:
    """Keep the states of largest worth; equal ones (the same items in another order) once."""
    order = np.argsort(-beam.worth[:found], kind="mergesort")
    kept = 0
    for at in range(found):
        if kept == width:
            break
        one = order[at]
        before = order[max(at - 1, 0)]
        same = beam.worth[one] == beam.worth[before]
        if at and same and beam.next_size[one] == beam.next_size[before]:
            continue
        beam.support[kept] = beam.next_support[one]
        beam.held[kept] = beam.next_held[one]
        beam.size[kept] = beam.next_size[one]
        kept += 1
    return kept
