"""Short ways through the rows of a segment, both ends fixed: local search, shaken again and again.

Moves are those of 2-opt and Or-opt, looked for among near neighbours only; a shake exchanges two
adjacent stretches, and is taken back unless the way became no longer (iterated local search).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import Words
from sfumato.kernels.compiled import compiled, inlined, lean
from sfumato.kernels.gray import apart

Ints = NDArray[np.int64]
NEAR = 8  # neighbours among which a better successor is looked for
LONGEST = 3  # rows that Or-opt moves at once
STRETCH = 30  # rows that a shake moves at most
MOST = 4096  # rows of a segment: distances are kept in a matrix


class Way(NamedTuple):
    """A way through the rows 0 .. n - 1: distances, near neighbours, rows by place, places."""

    far: NDArray[np.int32]  # (n, n)
    near: NDArray[np.int32]  # (n, NEAR)
    row: NDArray[np.int32]
    place: Ints
    waiting: NDArray[np.bool_]  # rows that some move may help
    queue: NDArray[np.int32]  # a ring of n places
    ends: Ints  # where the queue begins, and how many wait


@compiled
def tour_segments(bits: Words, order: Ints, ends: Ints, shakes: int, seed: np.uint64) -> None:
    """Reorder the inside of every segment ends[s] .. ends[s + 1] of an order, in place.

    `shakes` per row of a segment. No segment becomes longer. Segments over MOST rows are left.
    """
    state = np.empty(1, np.uint64)
    for segment in range(len(ends) - 1):
        state[0] = (seed + np.uint64(ends[segment])) * np.uint64(0x9E3779B97F4A7C15) | np.uint64(1)
        part = order[ends[segment] : ends[segment + 1]]
        if 4 <= len(part) <= MOST:
            _tour(bits, part, shakes * len(part), state)


@compiled
def _tour(bits: Words, part: Ints, shakes: int, state: NDArray[np.uint64]) -> None:
    size = len(part)
    way = Way(
        _distances(bits, part),
        np.empty((size, min(NEAR, size - 1)), np.int32),
        np.arange(size).astype(np.int32),
        np.arange(size),
        np.zeros(size, np.bool_),
        np.empty(size, np.int32),
        np.zeros(2, np.int64),
    )
    _find_near(way)
    for row in range(size):
        _wait(way, row)
    _settle(way)
    kept_row, kept_place = way.row.copy(), way.place.copy()
    for _ in range(shakes):
        change = _shake(way, state)
        change += _settle(way)
        if change <= 0:
            kept_row[:], kept_place[:] = way.row, way.place
        else:
            way.row[:], way.place[:] = kept_row, kept_place
    before = part.copy()
    for place in range(size):
        part[place] = before[way.row[place]]


@compiled
def _distances(bits: Words, part: Ints) -> NDArray[np.int32]:
    far = np.zeros((len(part), len(part)), np.int32)
    for one in range(len(part)):
        for other in range(one):
            far[one, other] = apart(bits, part[one], part[other])
            far[other, one] = far[one, other]
    return far


@lean
def _find_near(way: Way) -> None:
    """The nearest other rows, nearest first."""
    size, many = way.near.shape
    for row in range(size):
        found = 0
        for other in range(size):
            if other == row:
                continue
            if found == many and way.far[row, other] >= way.far[row, way.near[row, many - 1]]:
                continue
            place = min(found, many - 1)
            while place > 0 and way.far[row, way.near[row, place - 1]] > way.far[row, other]:
                way.near[row, place] = way.near[row, place - 1]
                place -= 1
            way.near[row, place] = other
            found = min(found + 1, many)


@inlined
def _random(state: NDArray[np.uint64], below: int) -> int:
    """xorshift64*: steers a search, nothing else."""
    word = state[0]
    word ^= word >> np.uint64(12)
    word ^= word << np.uint64(25)
    word ^= word >> np.uint64(27)
    state[0] = word
    return int(((word * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(33)) % np.uint64(below))


@inlined
def _wait(way: Way, row: int) -> None:
    if not way.waiting[row]:
        way.waiting[row] = True
        way.queue[(way.ends[0] + way.ends[1]) % len(way.queue)] = row
        way.ends[1] += 1


@lean
def _settle(way: Way) -> int:
    """Make moves until none helps a row that waits; returns the change of length."""
    change = 0
    while way.ends[1]:
        row = way.queue[way.ends[0]]
        way.ends[0] = (way.ends[0] + 1) % len(way.queue)
        way.ends[1] -= 1
        way.waiting[row] = False
        gain = _move(way, row)
        while gain > 0:
            change -= gain
            gain = _move(way, row)
    return int(change)


@lean
def _move(way: Way, row: int) -> int:
    """Make the first move found that brings a row beside a nearer one; returns what it gains."""
    size = len(way.row)
    for side in (1, -1):
        at = int(way.place[row])
        if not 0 <= at + side < size:
            continue
        broken = way.far[row, way.row[at + side]]
        for number in range(way.near.shape[1]):
            other = way.near[row, number]
            saved = broken - way.far[row, other]
            if saved <= 0:
                break
            to = int(way.place[other])
            gain = _reverse(way, at, to, side, saved)
            if gain <= 0:
                gain = _carry(way, at, to, side, saved)
            if gain > 0:
                return int(gain)
    return 0


@inlined
def _reverse(way: Way, at: int, to: int, side: int, saved: int) -> int:
    """2-opt: places `at` and `to` become neighbours, and those that followed them."""
    size = len(way.row)
    if not 0 <= to + side < size:
        return 0
    one, other = way.row[at + side], way.row[to + side]
    gain = saved + way.far[way.row[to], other] - way.far[one, other]
    if gain <= 0:
        return 0
    first, last = min(at, to), max(at, to)
    if side == 1:
        first += 1
    else:
        last -= 1
    for place in (first - 1, first, last, last + 1):
        _wait(way, way.row[place])
    _flip(way, first, last)
    return int(gain)


@inlined
def _flip(way: Way, first: int, last: int) -> None:
    while first < last:
        one, other = way.row[first], way.row[last]
        way.row[first], way.place[other] = other, first
        way.row[last], way.place[one] = one, last
        first += 1
        last -= 1


@lean
def _carry(way: Way, at: int, to: int, side: int, saved: int) -> int:
    """Or-opt: rows from place `at` on, away from `side`, move to stand beside place `to`."""
    size = len(way.row)
    for length in range(1, LONGEST + 1):
        end = at - side * (length - 1)  # the far end of what is carried
        beyond = end - side
        if not (0 < end < size - 1 and 0 < at < size - 1) or (to - at) * (to - end) <= 0:
            return 0
        closed = way.far[way.row[beyond], way.row[at + side]]
        opened = way.far[way.row[end], way.row[beyond]]
        for gap in (1, -1):
            far_side = to + gap
            if not 0 <= far_side < size or (far_side - at) * (far_side - end) <= 0:
                continue
            joined = way.far[way.row[end], way.row[far_side]]
            gain = saved + opened + way.far[way.row[to], way.row[far_side]] - closed - joined
            if gain > 0:
                _transfer(way, at, end, to, gap)
                return int(gain)
    return 0


@lean
def _transfer(way: Way, at: int, end: int, to: int, gap: int) -> None:
    """Put the rows of places at .. end between places `to` and `to + gap`, `at` beside `to`.

    Three flips: what lies between is flipped back, what is carried is flipped if it has to be.
    """
    first, last = min(at, end), max(at, end)
    length = last - first + 1
    head, tail = way.row[at], way.row[end]
    for place in (first - 1, last + 1, to, to + gap):
        _wait(way, way.row[place])
    _wait(way, head)
    _wait(way, tail)
    if last < to:
        top = max(to, to + gap) - 1
        _flip(way, first, top)
        _flip(way, first, top - length)
        first = top - length + 1
    else:
        bottom = min(to, to + gap) + 1
        _flip(way, bottom, last)
        _flip(way, bottom + length, last)
        first = bottom
    if (way.row[first] == head) != (gap == 1):
        _flip(way, first, first + length - 1)


@lean
def _shake(way: Way, state: NDArray[np.uint64]) -> int:
    """Exchange two adjacent stretches somewhere inside (a double bridge); the change of length."""
    size = len(way.row)
    room = min(STRETCH, (size - 2) // 2)
    if room < 1:
        return 0
    one, other = 1 + _random(state, room), 1 + _random(state, room)
    first = 1 + _random(state, size - 1 - one - other)
    middle, end = first + one, first + one + other
    rows = way.row
    change = (
        way.far[rows[first - 1], rows[middle]]
        + way.far[rows[end - 1], rows[first]]
        + way.far[rows[middle - 1], rows[end]]
        - way.far[rows[first - 1], rows[first]]
        - way.far[rows[middle - 1], rows[middle]]
        - way.far[rows[end - 1], rows[end]]
    )
    for place in (first - 1, first, middle - 1, middle, end - 1, end):
        _wait(way, rows[place])
    _flip(way, first, end - 1)
    _flip(way, first, first + other - 1)
    _flip(way, first + other, end - 1)
    return int(change)
