"""Balanced locality sensitive hashing of rows of items: rows alike often get the same key.

A bit of a key is set if the row has any item of a small random set, made so large that about half
of all rows have one. Single items would not do: most are rare, and nearly all rows would meet in
bucket 0. A hash function is stored as one mask per item, the key of a row is their union.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.regroup_random import draw
from sfumato.kernels.rows import Rows

MOST_BITS = 24


class Buckets(NamedTuple):
    """Rows by key, table by table; rows may leave."""

    key: NDArray[np.uint32]  # (tables, rows)
    order: NDArray[np.int32]  # (tables, rows in it) bucket after bucket
    place: NDArray[np.int32]  # (tables, rows) where a row stands in `order`
    begin: NDArray[np.int32]  # (tables, buckets)
    end: NDArray[np.int32]  # (tables, buckets)


def hash_bits(rows: int, tables: int, constant: float) -> int:
    """Bits at which even buckets hold constant x ln(rows) rows over all tables; at least 1."""
    if rows < 2:
        return 1
    bits = math.log2(tables * rows / (constant * math.log(rows)))
    return min(max(math.floor(bits), 1), MOST_BITS)


@compiled
def build_hash(
    share: NDArray[np.float64], tables: int, bits: int, state: NDArray[np.uint64]
) -> NDArray[np.uint32]:
    """Masks of all hash functions, (tables, domain), the first set of a table its highest bit.

    share: (domain,) share of rows that have an item. Items are drawn without replacement among
    those that somebody has, until at least half of independent rows would have one of the set.
    """
    masks = np.zeros((tables, len(share)), np.uint32)
    pool = np.flatnonzero(share > 0)
    for table in range(tables):
        for bit in range(bits - 1, -1, -1):
            missed, left = 1.0, len(pool)
            while missed > 0.5 and left > 0:
                chosen = draw(state, left)
                left -= 1
                pool[chosen], pool[left] = pool[left], pool[chosen]
                masks[table, pool[left]] |= np.uint32(1) << np.uint32(bit)
                missed *= 1.0 - share[pool[left]]
    return masks


@lean
def hash_row(rows: Rows, row: int, masks: NDArray[np.uint32]) -> Any:
    """Key of a row by one hash function, masks (domain,)."""
    key = np.uint32(0)
    for place in range(rows.start[row], rows.start[row + 1]):
        key |= masks[rows.items[place]]
    return key


@compiled
def fill_buckets(
    rows: Rows, listed: NDArray[np.int32], masks: NDArray[np.uint32], bits: int
) -> Buckets:
    """The listed rows in their buckets. O(tables x items)."""
    tables, count = len(masks), len(rows.start) - 1
    key = np.empty((tables, count), np.uint32)
    order = np.empty((tables, len(listed)), np.int32)
    place = np.empty((tables, count), np.int32)
    begin = np.zeros((tables, (1 << bits) + 1), np.int32)
    for table in range(tables):
        for row in listed:
            key[table, row] = hash_row(rows, row, masks[table])
            begin[table, key[table, row] + 1] += 1
        for bucket in range(1 << bits):
            begin[table, bucket + 1] += begin[table, bucket]
        free = begin[table].copy()
        for row in listed:
            at = free[key[table, row]]
            order[table, at], place[table, row] = row, at
            free[key[table, row]] += 1
    return Buckets(key, order, place, begin[:, :-1].copy(), begin[:, 1:].copy())


def new_buckets(
    rows: Rows, listed: NDArray[np.int32], tables: int, bits: int, state: NDArray[np.uint64]
) -> Buckets:
    """Draw hash functions for the listed rows and put them into buckets."""
    domain = int(rows.items.max()) + 1 if len(rows.items) else 1
    share = _held(rows, listed, domain) / max(len(listed), 1)
    return fill_buckets(rows, listed, build_hash(share, tables, bits, state), bits)


@compiled
def _held(rows: Rows, listed: NDArray[np.int32], domain: int) -> NDArray[np.int64]:
    """Listed rows that have each item."""
    held = np.zeros(domain, np.int64)
    for row in listed:
        for place in range(rows.start[row], rows.start[row + 1]):
            held[rows.items[place]] += 1
    return held


@lean
def leave_buckets(buckets: Buckets, row: int) -> None:
    """Take a row out of all tables."""
    for table in range(len(buckets.order)):
        key = buckets.key[table, row]
        buckets.end[table, key] -= 1
        at, last = buckets.place[table, row], buckets.end[table, key]
        moved = buckets.order[table, last]
        buckets.order[table, at], buckets.place[table, moved] = moved, at
        buckets.order[table, last], buckets.place[table, row] = row, last
