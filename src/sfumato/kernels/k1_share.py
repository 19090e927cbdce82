"""Of every record the best set that it contains, of all that were found for anybody."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import ONE, Words, ones
from sfumato.kernels.compiled import compiled
from sfumato.kernels.rows import Rows


@compiled
def best_shared(
    bits: Words, sets: Rows, order: NDArray[np.int64], rows: int, words: tuple[int, int]
) -> NDArray[np.int32]:
    """For the rows of words[0] .. words[1] - 1 of the bitmaps: the first set in `order` that each
    contains, -1 for none.

    bits: (items, words), who has an item. O(sets * words), mostly: a word is left as soon as no row
    without a set is in it.
    """
    first, last = words
    best = np.full(min(rows, 64 * last) - 64 * first, -1, np.int32)
    waiting = np.full(last - first, ~np.uint64(0), np.uint64)
    if 64 * last > rows:
        waiting[-1] = (ONE << np.uint64(rows - 64 * (last - 1))) - ONE
    for one in order:
        begin, end = sets.start[one], sets.start[one + 1]
        for place in range(last - first):
            word = waiting[place]
            at = begin
            while word != 0 and at < end:
                word &= bits[sets.items[at], first + place]
                at += 1
            waiting[place] ^= word
            while word != 0:
                low = word & (~word + ONE)
                best[64 * place + np.int64(ones(low - ONE))] = one
                word ^= low
    return best
