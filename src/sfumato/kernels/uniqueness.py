"""How many rows share the values of some columns: classes of equal rows, counted exactly.

A row's key is (class over the columns so far) * (values of the next column) + (its code there). As
classes are numbered densely, below the number of rows, the key of any number of columns fits 64
bits. Keys are counted in a plain array where that is small, and otherwise in a table of open
addresses that compares the whole key: hashes may collide, counts cannot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined

Codes = NDArray[Any]
FREE = np.uint64(0xFFFFFFFFFFFFFFFF)


@inlined
def _slot(keys: NDArray[np.uint64], key: np.uint64) -> np.int64:
    """Where `key` stands in the table, or the free place where it belongs.

    Halves are multiplied apart, so that no product overflows, compiled or not.
    """
    mask = np.uint64(len(keys) - 1)
    low = (key & np.uint64(0xFFFFFFFF)) * np.uint64(0x9E3779B1)
    mixed = low ^ ((key >> np.uint64(32)) * np.uint64(0x85EBCA77))
    place = ((mixed >> np.uint64(32)) ^ (mixed >> np.uint64(12))) & mask
    while keys[place] != key and keys[place] != FREE:
        place = (place + np.uint64(1)) & mask
    return np.int64(place)


@inlined
def _places(rows: int, cells: int) -> int:
    """Length of the counting table: one place per possible key, or a power of two if that is less.

    At most half of the latter is ever used, which keeps searches short.
    """
    size = 16
    while size < 2 * rows:
        size *= 2
    return min(cells, size)


@compiled
def split(
    prefix: NDArray[np.int64], rows: NDArray[np.int64], codes: Codes, values: int, classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split classes by one more column: the new class of each listed row, and rows per class.

    prefix[i] < classes is the class of row rows[i] so far; codes[row] < values. Classes are
    numbered by first appearance. Fewer than 2**31 rows, so that no key overflows. O(rows).
    """
    places = _places(len(rows), classes * values)
    direct = places == classes * values
    keys = np.full(0 if direct else places, FREE, np.uint64)
    number = np.full(places, -1, np.int64)
    group = np.empty(len(rows), np.int64)
    sizes = np.zeros(len(rows), np.int64)
    known = 0
    for i in range(len(rows)):
        key = np.uint64(prefix[i]) * np.uint64(values) + np.uint64(codes[rows[i]])
        place = np.int64(key) if direct else _slot(keys, key)
        if number[place] < 0:
            if not direct:
                keys[place] = key
            number[place] = known
            known += 1
        group[i] = number[place]
        sizes[group[i]] += 1
    return group, sizes[:known].copy()


@compiled
def count_small(
    prefix: NDArray[np.int64],
    rows: NDArray[np.int64],
    codes: Codes,
    values: int,
    classes: int,
    below: int,
) -> tuple[int, int]:
    """Rows alone in their class, and rows in classes of fewer than `below`, after one more column.

    As `split`, without the classes themselves. O(rows).
    """
    places = _places(len(rows), classes * values)
    direct = places == classes * values
    keys = np.full(0 if direct else places, FREE, np.uint64)
    sizes = np.zeros(places, np.int32)
    for i in range(len(rows)):
        key = np.uint64(prefix[i]) * np.uint64(values) + np.uint64(codes[rows[i]])
        place = np.int64(key) if direct else _slot(keys, key)
        if not direct:
            keys[place] = key
        sizes[place] += 1
    alone, small = 0, 0
    for cell in range(places):
        size = int(sizes[cell])
        alone += int(size == 1)
        small += size if size < below else 0
    return alone, small


def expected_risk(sizes: NDArray[np.int64], fraction: float) -> NDArray[np.float64]:
    """E[1/F | f] for classes of f rows in a random sample, F in the population. O(distinct sizes).

    F is negative binomial: P(F = h | f) = C(h-1, f-1) p^f q^(h-f), p the sampling fraction and
    q = 1 - p. Let R(f) = E[1/F | f]. R(1) = p/q log(1/p) and R(f+1) = p/q (1/f - R(f)), which keeps
    its digits for p < 1/2 only. Else, and for large f, R(f) = p/f sum_k k! q^k / ((f+1)...(f+k)).

    >>> expected_risk(np.array([1, 2]), 0.1).round(3).tolist()
    [0.256, 0.083]
    """
    known, place = np.unique(sizes, return_inverse=True)
    left, terms = 1 - fraction, 60  # what is cut off is below 1e-16 of the sum
    term = np.ones(len(known))
    total = term.copy()
    for k in range(1, terms):
        term = term * (k * left) / (known + k)
        total += term
    risk = fraction / known * total
    if 0 < fraction < 0.5:
        start = [fraction / left * np.log(1 / fraction)]
        for size in range(1, terms):
            start.append(fraction / left * (1 / size - start[-1]))
        risk = np.where(known < terms, np.array(start)[np.minimum(known, terms) - 1], risk)
    return np.asarray(risk[place])


def smaller_than(sizes: NDArray[np.int64], crowd: int, fraction: float) -> NDArray[np.float64]:
    """P(F < crowd | f) under the law of `expected_risk`. O(distinct sizes * crowd)."""
    known, place = np.unique(sizes, return_inverse=True)
    term = fraction ** known.astype(float)
    total = np.zeros(len(known))
    for more in range(crowd - 1):
        total += np.where(known + more < crowd, term, 0.0)
        term = term * (1 - fraction) * (known + more) / (more + 1)
    return np.asarray(total[place])


def classes_of(
    columns: Sequence[Codes], values: Sequence[int], rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The class of every row over some columns of codes, and rows per class. O(rows * columns).

    >>> group, sizes = classes_of([np.array([0, 1, 0]), np.array([2, 2, 2])], [2, 3], 3)
    >>> group.tolist(), sizes.tolist()
    ([0, 1, 0], [2, 1])
    """
    group, every = np.zeros(rows, np.int64), np.arange(rows)
    sizes = np.full(min(rows, 1), rows, np.int64)
    for codes, size in zip(columns, values, strict=True):
        group, sizes = split(group, every, codes, size, len(sizes))
    return group, sizes


class Shared(NamedTuple):
    """Rows that share their class with others; rows alone stay alone and are only counted."""

    rows: NDArray[np.int64]
    group: NDArray[np.int64]  # (rows,) below classes
    classes: int
    alone: int


Place = tuple[int, ...]


def search(
    columns: Sequence[Codes], values: Sequence[int], rows: int, most: int, below: int
) -> Iterator[tuple[Place, tuple[int, int]]]:
    """For every combination of up to `most` columns: rows alone, rows in classes below `below`.

    Goes down by one column at a time and drops rows as soon as they are alone, so the columns that
    tell rows apart best should come first. O(rows * combinations) at worst.
    """
    start = Shared(np.arange(rows), np.zeros(rows, np.int64), 1, 0)
    yield from _extend(columns, values, start, (), most, below)


def _extend(
    columns: Sequence[Codes],
    values: Sequence[int],
    known: Shared,
    places: Place,
    left: int,
    below: int,
) -> Iterator[tuple[Place, tuple[int, int]]]:
    for place in range(places[-1] + 1 if places else 0, len(columns)):
        step = known.group, known.rows, columns[place], values[place], known.classes
        if left == 1:
            alone, small = count_small(*step, below)
            yield (*places, place), (known.alone + alone, known.alone + small)
            continue
        group, sizes = split(*step)
        alone, small = int((sizes == 1).sum()), int(sizes[sizes < below].sum())
        yield (*places, place), (known.alone + alone, known.alone + small)
        narrower = _without_alone(known, group, sizes, known.alone + alone)
        yield from _extend(columns, values, narrower, (*places, place), left - 1, below)


def _without_alone(
    known: Shared, group: NDArray[np.int64], sizes: NDArray[np.int64], alone: int
) -> Shared:
    shared = sizes > 1
    keep = shared[group]
    number = np.cumsum(shared) - 1
    return Shared(known.rows[keep], number[group[keep]], max(1, int(shared.sum())), alone)
