"""What is published of a record: the majority of its candidates, and how far they differ."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.rows import Rows

Ints = NDArray[np.int64]


class Votes(NamedTuple):
    """Per published record: items of the base, items in which candidates differ, and how far."""

    base: Rows
    open: Rows
    threshold: NDArray[np.int32]


@compiled
def _room(kept: NDArray[Any], size: int, more: int) -> NDArray[Any]:
    if size + more <= len(kept):
        return kept
    larger = np.empty(2 * (size + more), kept.dtype)
    larger[:size] = kept[:size]
    return larger


@compiled
def votes(rows: Rows, start: Ints, candidates: NDArray[np.int32], domain: int, all: bool) -> Votes:
    """Count the items of the candidates start[p] .. start[p + 1] of every published record p.

    The base has the items that more than half of them have; at a tie the item is left out (errata
    S9). The threshold is the largest distance of a candidate from the base. With `all` the base has
    what all of them have and the threshold is the number of open items: suppression. O(items of all
    candidates, sorted).
    """
    many = len(start) - 1
    base_end, open_end = np.zeros(many + 1, np.int64), np.zeros(many + 1, np.int64)
    base = np.empty(1024, rows.items.dtype)
    opened = np.empty(1024, rows.items.dtype)
    threshold = np.zeros(many, np.int32)
    count = np.zeros(domain, np.int32)
    in_base = np.zeros(domain, np.bool_)
    there = np.empty(domain, rows.items.dtype)
    for place in range(many):
        size, voters = 0, start[place + 1] - start[place]
        for at in range(start[place], start[place + 1]):
            row = candidates[at]
            for where in range(rows.start[row], rows.start[row + 1]):
                item = rows.items[where]
                if count[item] == 0:
                    there[size] = item
                    size += 1
                count[item] += 1
        listed = there[:size]
        listed.sort()
        base = _room(base, base_end[place], size)
        opened = _room(opened, open_end[place], size)
        chosen, differing = base_end[place], open_end[place]
        for item in listed:
            in_base[item] = count[item] == voters if all else 2 * count[item] > voters
            if in_base[item]:
                base[chosen] = item
                chosen += 1
            if count[item] < voters:
                opened[differing] = item
                differing += 1
        base_end[place + 1], open_end[place + 1] = chosen, differing
        if all:
            threshold[place] = differing - open_end[place]
        else:
            for at in range(start[place], start[place + 1]):
                row, both = candidates[at], 0
                for where in range(rows.start[row], rows.start[row + 1]):
                    both += in_base[rows.items[where]]
                length = rows.start[row + 1] - rows.start[row]
                away = chosen - base_end[place] + length - 2 * both
                threshold[place] = max(threshold[place], away)
        for item in listed:
            count[item] = 0
            in_base[item] = False
    return Votes(
        Rows(base_end, base[: base_end[many]].copy()),
        Rows(open_end, opened[: open_end[many]].copy()),
        threshold,
    )
