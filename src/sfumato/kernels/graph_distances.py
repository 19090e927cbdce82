"""Distances in steps from many nodes at once: 64 searches share a word for every node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import ones
from sfumato.kernels.compiled import compiled

Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]
WIDE = 64


@compiled
def distances(start: Ints, other: Nodes, sources: Nodes) -> Ints:
    """How many (source, node) pairs lie so many steps apart, from 0; unreached pairs are left out.

    Breadth first, all searches in step: a node that is new to some of them hands their bits on.
    """
    nodes = len(start) - 1
    counts = np.zeros(nodes + 1, np.int64)
    seen, now = np.zeros(nodes, np.uint64), np.zeros(nodes, np.uint64)
    after = np.zeros(nodes, np.uint64)
    for first in range(0, len(sources), WIDE):
        seen[:] = np.uint64(0)
        now[:] = np.uint64(0)
        for at in range(first, min(first + WIDE, len(sources))):
            now[sources[at]] |= np.uint64(1) << np.uint64(at - first)
            seen[sources[at]] |= np.uint64(1) << np.uint64(at - first)
        far, found = 0, min(WIDE, len(sources) - first)
        while found > 0:
            counts[far] += found
            far += 1
            found = _step(start, other, seen, now, after)
            now, after = after, now
    last = nodes
    while last > 0 and counts[last] == 0:
        last -= 1
    return counts[: last + 1].copy()


@compiled
def _step(
    start: Ints,
    other: Nodes,
    seen: NDArray[np.uint64],
    now: NDArray[np.uint64],
    after: NDArray[np.uint64],
) -> int:
    """One step further: `after` gets the searches to which a node is new; how many in all."""
    found = 0
    for node in range(len(seen)):
        bits = np.uint64(0)
        if ~seen[node] != 0:
            for place in range(start[node], start[node + 1]):
                bits |= now[other[place]]
        bits &= ~seen[node]
        after[node] = bits
        if bits != 0:
            found += int(ones(bits))
    for node in range(len(seen)):
        seen[node] |= after[node]
    return found
