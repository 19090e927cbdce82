"""Find a set among many by a key of 64 bits: an open table that clusters enter and leave.

The key of a set is the exclusive or of one fixed word per item, so that adding or dropping an item
is one operation. Two sets with one key would be taken for one another: clusters are published by
what their members share, so that this could cost utility, and nothing else.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, lean

NONE = -1
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


class Index(NamedTuple):
    """Clusters by key. A slot holds the upper half of a key and a cluster + 1; 0 is free."""

    slot: NDArray[np.uint64]  # a power of two, at least twice the clusters
    key: NDArray[np.uint64]  # (clusters,)


@compiled
def item_words(domain: int) -> NDArray[np.uint64]:
    """One well mixed word per item, (domain,), the same in every run."""
    words = np.empty(domain, np.uint64)
    for item in range(domain):
        mixed = np.uint64(item + 1) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        words[item] = mixed ^ (mixed >> np.uint64(31))
    return words


def new_index(clusters: int, entries: int) -> Index:
    """An empty table for so many clusters, of which at most `entries` are in at a time."""
    slots = 1 << max(4, int(2 * entries).bit_length())
    return Index(np.zeros(slots, np.uint64), np.zeros(clusters, np.uint64))


@lean
def find(index: Index, key: Any) -> Any:
    """The cluster with this key, or NONE."""
    mask = len(index.slot) - 1
    place = np.int64(key & LOW) & mask
    while index.slot[place] != 0:
        held = index.slot[place]
        if (held ^ key) >> HALF == 0:
            cluster = np.int64(held & LOW) - 1
            if index.key[cluster] == key:
                return cluster
        place = (place + 1) & mask
    return np.int64(NONE)


@lean
def enter(index: Index, cluster: int, key: Any) -> None:
    """Put a cluster in under a key that is not there yet."""
    mask = len(index.slot) - 1
    index.key[cluster] = key
    place = np.int64(key & LOW) & mask
    while index.slot[place] != 0:
        place = (place + 1) & mask
    index.slot[place] = ((key >> HALF) << HALF) | np.uint64(cluster + 1)


@lean
def leave(index: Index, cluster: int) -> None:
    """Take a cluster out, and move later ones up so that no search ends too early."""
    mask = len(index.slot) - 1
    place = np.int64(index.key[cluster] & LOW) & mask
    while np.int64(index.slot[place] & LOW) != cluster + 1:
        place = (place + 1) & mask
    hole = place
    place = (place + 1) & mask
    while index.slot[place] != 0:
        home = np.int64(index.key[np.int64(index.slot[place] & LOW) - 1] & LOW) & mask
        if (place - home) & mask >= (place - hole) & mask:
            index.slot[hole] = index.slot[place]
            hole = place
        place = (place + 1) & mask
    index.slot[hole] = 0
