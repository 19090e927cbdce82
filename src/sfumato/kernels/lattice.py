"""A walk on the whole points of a polytope; its only limit law is the uniform one.

Every number here is whole and below 2^53 in size, so doubles hold it exactly, and for such s and c
floor(s / c) of the rounded quotient is the floor of the true one: a slack can't become negative.

Two kinds of moves, in a fixed rota. A coordinate move draws one value anew, uniformly from all
whole numbers that every row allows. A block move shifts a run of neighbouring variables, or
stretches it (a ramp or a tent, even by place or even by a fixed reference), by a multiple drawn
uniformly from all that are allowed. No choice of a direction depends on where the walk is, so each
move leaves the uniform law as it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined, lean

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

COORDINATES = 10  # coordinate moves per block move
WORDS_OF_BLOCK = 5  # four for the direction, one for how far
SPARE = 64  # words set aside for draws that have to be repeated, which is rare
FLAT = 1e-300  # the slope of a row that was met and whose entries cancel
SHIFT, RISE, FALL, TENT, REST = range(5)
SHAPES = 5


class Lattice(NamedTuple):
    """Rows sum(c x) <= b over variables lower <= x <= upper, by variable.

    Variable i stands in the rows row[start[i] : start[i + 1]] with `coefficient`, those above 0
    before middle[i]. Its block is [first[i], end[i]); `scale` ascends inside a block. `levels` are
    the finest and coarsest stretch, as powers of two. The same rows by row: row r has `variable`
    and `entry` in [begin[r], begin[r + 1]).
    """

    start: Ints
    middle: Ints
    row: NDArray[np.int32]
    coefficient: Floats
    lower: Floats
    upper: Floats
    first: Ints
    end: Ints
    scale: Floats
    levels: tuple[int, int]
    begin: Ints
    variable: NDArray[np.int32]
    entry: Floats


class Place(NamedTuple):
    """Where a walk is: values, slacks b - sum(c x), and room to work in (zeros between moves)."""

    x: Floats
    slack: Floats
    slope: Floats
    seen: NDArray[np.int32]
    step: Floats


class Look(NamedTuple):
    """After every so many sweeps, some variables are noted: a row of `seen` each time."""

    every: int
    variable: Ints
    seen: Floats


def place_at(x: Floats, slack: Floats) -> Place:
    """A place with room to work in."""
    room = np.zeros(len(slack)), np.zeros(len(slack) + 1, np.int32), np.zeros(len(x))
    return Place(x.astype(np.float64), slack.astype(np.float64), *room)


def words_per_sweep(variables: int) -> int:
    """Random words that one sweep takes, repeated draws aside."""
    return variables + (variables // COORDINATES + 1) * WORDS_OF_BLOCK


@inlined
def _high(word: Any, span: Any) -> Any:
    """The upper 64 bits of a product of two words."""
    half = np.uint64(32)
    low = np.uint64(0xFFFFFFFF)
    a, b = word >> half, word & low
    c, d = span >> half, span & low
    cross = (b * d >> half) + (a * d & low) + b * c
    return a * c + (a * d >> half) + (cross >> half)


@inlined
def _below(span: Any, words: Any, cursor: Any) -> Any:
    """A uniform whole number below `span` and the next word; exact, by repeating rare draws."""
    word = words[cursor]
    cursor += 1
    rest = word * span
    if rest < span:
        reject = (np.uint64(0) - span) % span
        while rest < reject and cursor < len(words):
            word = words[cursor]
            cursor += 1
            rest = word * span
    return _high(word, span), cursor


@lean
def sweeps(
    lattice: Lattice, place: Place, words: Words, begin: int, end: int, look: Look
) -> tuple[int, int]:
    """Sweeps number `begin` to `end` over all variables, as long as words last.

    Returns the number of the next sweep and of the next word. Cost: entries of the rows, a sweep.
    """
    n = len(place.x)
    each = words_per_sweep_of(n)
    cursor = 0
    while begin < end and cursor + each + SPARE <= len(words):
        for i in range(n):
            cursor = _coordinate(lattice, place, i, words, cursor)
            if i % COORDINATES == COORDINATES - 1 or i == n - 1:
                cursor = _block(lattice, place, words, cursor)
        begin += 1
        if begin % look.every == 0:
            seen = look.seen[begin // look.every - 1]
            for at in range(len(seen)):
                seen[at] = place.x[look.variable[at]]
    return begin, cursor


@inlined
def words_per_sweep_of(n: int) -> int:
    return n + (n // COORDINATES + 1) * WORDS_OF_BLOCK


@inlined
def _coordinate(lattice: Any, place: Any, i: Any, words: Any, cursor: Any) -> Any:
    x, slack = place.x, place.slack
    row, coefficient = lattice.row, lattice.coefficient
    start, middle, end = lattice.start[i], lattice.middle[i], lattice.start[i + 1]
    low, high = lattice.lower[i] - x[i], lattice.upper[i] - x[i]
    for at in range(start, middle):
        high = min(high, slack[row[at]] / coefficient[at])
    for at in range(middle, end):
        low = max(low, slack[row[at]] / coefficient[at])
    low, high = np.ceil(low), np.floor(high)
    if low < high:
        drawn, cursor = _below(np.uint64(high - low + 1.0), words, cursor)
        step = low + np.float64(drawn)
        x[i] += step
        for at in range(start, end):
            slack[row[at]] -= coefficient[at] * step
    return cursor


@inlined
def _even(word: Any) -> Any:
    """A double in [0, 1)."""
    return np.float64(word >> np.uint64(11)) * 2.0**-53


@lean
def _block(lattice: Lattice, place: Place, words: Words, cursor: int) -> int:
    n = len(place.x)
    at = int(_even(words[cursor]) * n)
    first, end = lattice.first[at], lattice.end[at]
    size = end - first
    length = min(size, int((size + 1.0) ** _even(words[cursor + 1])))
    begin = first + int(_even(words[cursor + 2]) * (size - length + 1))
    choice = words[cursor + 3]
    cursor += WORDS_OF_BLOCK - 1
    if length == size == 1:
        return cursor
    stop = begin + length
    last = _shape(lattice, place.step, begin, stop, choice)
    whole = 2 * (lattice.start[last] - lattice.start[begin]) > len(lattice.row)
    low, high, rows = _chord(lattice, place, begin, last, whole)
    step = 0.0
    if low < high and high - low < 9e15 and cursor < len(words):
        drawn, cursor = _below(np.uint64(high - low + 1.0), words, cursor)
        step = low + np.float64(drawn)
    _apply(place, begin, last, -1 if whole else rows, step)
    return cursor


@lean
def _shape(lattice: Lattice, step: Floats, begin: int, stop: int, choice: np.uint64) -> int:
    """Write the direction into `step`; returns where it ends."""
    shape = int(choice % np.uint64(SHAPES))
    by_place = (choice >> np.uint64(20)) & np.uint64(1) == np.uint64(1)
    low, high = lattice.levels
    level = low + int((choice >> np.uint64(32)) % np.uint64(high - low + 1))
    fine = float(1 << level)
    scale = lattice.scale
    span = float(stop - begin) if by_place else scale[stop - 1] - scale[begin]
    if shape == SHIFT or span <= 0.0:
        for i in range(begin, stop):
            step[i] = 1.0
        return stop
    for i in range(begin, stop):
        part = (i - begin + 1.0) / span if by_place else (scale[i] - scale[begin]) / span
        if shape == FALL:
            part = 1.0 - part
        elif shape == TENT:
            part = 1.0 - abs(2.0 * part - 1.0)
        step[i] = np.rint(fine * part)
    if shape != REST:
        return stop
    for i in range(stop, lattice.end[begin]):
        step[i] = fine
    return int(lattice.end[begin])


@lean
def _chord(
    lattice: Lattice, place: Place, begin: int, stop: int, whole: bool
) -> tuple[float, float, int]:
    """The multiples of the direction that every row allows, and how many rows were noted."""
    low, high, rows = -np.inf, np.inf, 0
    step = place.step
    for i in range(begin, stop):
        if step[i] != 0.0:  # directions are never negative
            high = min(high, (lattice.upper[i] - place.x[i]) / step[i])
            low = max(low, (lattice.lower[i] - place.x[i]) / step[i])
    if whole:
        low, high = _of_all_rows(lattice, place, low, high)
    else:
        rows = _rows_met(lattice, place, begin, stop)
        for k in range(rows):
            rise = place.slope[place.seen[k]]
            up, down = rise > 0.5, rise < -0.5
            reach = place.slack[place.seen[k]] / (rise if up or down else 1.0)
            high = min(high, reach if up else np.inf)
            low = max(low, reach if down else -np.inf)
    return np.ceil(low), np.floor(high), rows


@inlined
def _of_all_rows(lattice: Any, place: Any, low: Any, high: Any) -> Any:
    """The same row by row: for long runs half the time of gathering by variable."""
    begin, variable, entry = lattice.begin, lattice.variable, lattice.entry
    for r in range(len(place.slack)):
        rise = 0.0
        for at in range(begin[r], begin[r + 1]):
            rise += entry[at] * place.step[variable[at]]
        place.slope[r] = rise
        up, down = rise > 0.5, rise < -0.5
        reach = place.slack[r] / (rise if up or down else 1.0)
        high = min(high, reach if up else np.inf)
        low = max(low, reach if down else -np.inf)
    return low, high


@inlined
def _rows_met(lattice: Any, place: Any, begin: Any, stop: Any) -> Any:
    """Note the rows that a run of variables stands in, and how steep the direction is in each."""
    rows = 0
    slope, row, coefficient = place.slope, lattice.row, lattice.coefficient
    for i in range(begin, stop):
        step = place.step[i]
        if step != 0.0:
            for at in range(lattice.start[i], lattice.start[i + 1]):
                r = row[at]
                before = slope[r]
                place.seen[rows] = r
                rows += before == 0.0
                after = before + coefficient[at] * step
                slope[r] = after if after != 0.0 else FLAT
    return rows


@lean
def _apply(place: Place, begin: int, stop: int, rows: int, multiple: float) -> None:
    """Move, and leave the working room as it was; `rows` below 0 stands for all."""
    for i in range(begin, stop):
        place.x[i] += multiple * place.step[i]
        place.step[i] = 0.0
    if rows < 0:
        for r in range(len(place.slack)):
            place.slack[r] -= multiple * place.slope[r]
            place.slope[r] = 0.0
    for k in range(rows):
        r = place.seen[k]
        place.slack[r] -= multiple * np.rint(place.slope[r])
        place.slope[r] = 0.0
