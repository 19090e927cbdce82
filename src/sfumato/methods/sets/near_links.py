"""Links to near records instead of neighbours on the ring: shorter in total, and as regular."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.data.sets import Sets
from sfumato.kernels.exchanges import exchange, ring_graph
from sfumato.kernels.gray import gray_ranks, packed_some, sorted_by_words
from sfumato.kernels.linking import near_pairs, no_links
from sfumato.kernels.matchings import Offsets
from sfumato.methods.sets.ordering import FRONT, Ordering, item_places

Ints = NDArray[np.int64]
BLOCK = 4096  # records of the ring that are linked among one another
SORTS, WINDOW, LOOKS, PASSES = 16, 8, 2, 2


def near_offsets(ordering: Ordering, order: Ints, degree: int, run: Run) -> Offsets:
    """Blocks of the ring, each a regular graph of short links, as offsets of places on the ring.

    Every block begins as a ring of its own; links are exchanged for shorter ones, two at a time.
    """
    size = max(BLOCK, 8 * degree)
    ends = np.linspace(0, len(order), max(1, len(order) // size) + 1).astype(np.int64)
    offset = np.empty((len(order), degree), np.int32)

    def link(block: int) -> None:
        part = order[ends[block] : ends[block + 1]]
        one, other, far = _pairs(ordering, part, run, block)
        bits = ordering.bits[part]
        graph = ring_graph(bits, degree)
        for _ in range(PASSES):
            exchange(bits, graph, one, other, far, LOOKS)
        own = np.arange(len(part), dtype=np.int32)[:, None]
        offset[ends[block] : ends[block + 1]] = np.sort(graph.place - own, axis=1)

    with ThreadPoolExecutor(run.workers) as pool:
        list(pool.map(link, range(len(ends) - 1)))
    return offset.astype(np.int16) if size < 1 << 14 else offset


def _pairs(ordering: Ordering, part: Ints, run: Run, block: int) -> list[NDArray[np.int32]]:
    """Different pairs of some records that stand near in some sort of them, and their distances."""
    sets: Sets = ordering.sets
    bits, alone = ordering.bits[part], no_links(len(part))
    found = []
    for number in range(SORTS):
        words = run.words(sets.domain, "near", block, number)
        front = packed_some(sets.held, part, item_places(ordering.balance, words), FRONT)
        order = sorted_by_words(gray_ranks(front))
        found.append(near_pairs(bits, alone, order, WINDOW))
    one, other, far = (np.concatenate(column) for column in zip(*found, strict=True))
    low, high = np.minimum(one, other), np.maximum(one, other)
    first = np.unique(low.astype(np.int64) * len(part) + high, return_index=True)[1]
    return [low[first], high[first], far[first]]
