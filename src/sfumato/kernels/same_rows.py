"""Which rows agree on some of their columns: codes packed into words, columns left out by a mask.

A row is packed once; every set of columns is then a mask away. Hashes may collide, groups cannot:
rows are compared word by word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined

Words = NDArray[np.uint64]
WORD = 64


class Packing:
    """Where every column stands in the words of a row."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._place: list[tuple[int, int, int]] = []  # word, shift, bits
        word, used = 0, 0
        for size in sizes:
            bits = max(1, int(size - 1).bit_length())
            if used + bits > WORD:
                word, used = word + 1, 0
            self._place.append((word, used, bits))
            used += bits
        self.words = word + 1

    def pack(self, columns: Sequence[NDArray[Any]]) -> Words:
        """Rows as words, (rows, words)."""
        packed = np.zeros((len(columns[0]), self.words), np.uint64)
        for codes, (word, shift, _) in zip(columns, self._place, strict=True):
            packed[:, word] |= codes.astype(np.uint64) << np.uint64(shift)
        return packed

    def mask(self, columns: Sequence[int]) -> Words:
        """The bits of some columns."""
        mask = np.zeros(self.words, np.uint64)
        for column in columns:
            word, shift, bits = self._place[column]
            mask[word] |= np.uint64(((1 << bits) - 1) << shift)
        return mask


@inlined
def _mixed(packed: Words, row: int, mask: Words) -> np.uint64:
    """A number that rows which agree share; halves are multiplied apart, so nothing overflows."""
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    mixed = np.uint64(0)
    for word in range(packed.shape[1]):
        part = (packed[row, word] & mask[word]) ^ mixed
        part = ((part & low) * np.uint64(0x9E3779B1)) ^ ((part >> half) * np.uint64(0x85EBCA77))
        part ^= part >> np.uint64(29)
        part = ((part & low) * np.uint64(0xC2B2AE3D)) ^ ((part >> half) * np.uint64(0x27D4EB2F))
        mixed = part ^ (part >> half)
    return mixed


@inlined
def _agree(packed: Words, one: int, two: int, mask: Words) -> bool:
    for word in range(packed.shape[1]):
        if (packed[one, word] ^ packed[two, word]) & mask[word] != np.uint64(0):
            return False
    return True


@compiled
def same_rows(packed: Words, mask: Words) -> tuple[NDArray[np.int32], int]:
    """The group of every row, and how many groups: rows that agree under the mask.

    Numbered by first appearance. O(rows) expected.
    """
    places = 16
    while places < 2 * len(packed):
        places *= 2
    limit = np.uint64(places - 1)
    first = np.full(places, -1, np.int32)
    group = np.empty(len(packed), np.int32)
    known = 0
    for row in range(len(packed)):
        place = _mixed(packed, row, mask) & limit
        while first[place] >= 0 and not _agree(packed, first[place], row, mask):
            place = (place + np.uint64(1)) & limit
        if first[place] < 0:
            first[place] = row
            group[row] = known
            known += 1
        else:
            group[row] = group[first[place]]
    return group, known


@compiled
def largest_of(
    group: NDArray[np.int32], groups: int, value: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The largest value among the rows of every group, 0 where there is none."""
    largest = np.zeros(groups, np.int64)
    for row in range(len(value)):
        if value[row] > largest[group[row]]:
            largest[group[row]] = value[row]
    return largest
