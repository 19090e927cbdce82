"""(k,1)-anonymity on a few records: what is allowed, and the best there is, by trying all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import log

Record = frozenset[int]


def support(records: Sequence[Record], published: Record) -> int:
    """Records that contain a set."""
    return sum(published <= record for record in records)


def holds(records: Sequence[Record], published: Sequence[Record], k: int) -> bool:
    """Whether every set lies in its own record and in at least k records."""
    return all(
        own <= record and support(records, own) >= k
        for own, record in zip(published, records, strict=True)
    )


def best(records: Sequence[Record], record: Record, utility: Sequence[float], k: int) -> float:
    """The largest utility of a subset of `record` that at least k records contain."""
    worth = 0.0
    for size in range(len(record) + 1):
        for chosen in combinations(sorted(record), size):
            if support(records, frozenset(chosen)) >= k:
                worth = max(worth, sum(utility[item] for item in chosen))
    return worth


def top_down(records: Sequence[Record], record: Record, utility: Sequence[float], k: int) -> Record:
    """The greedy search for one record, nothing shared: ties go to the smallest item."""
    left = list(records)
    while True:
        scores = {}
        for item in sorted(record):
            count = sum(item in other for other in left)
            if k <= count < len(left) and utility[item] > 0:
                scores[item] = utility[item] / (log(len(left)) - log(count))
        if not scores:
            return frozenset.intersection(*left) & record
        best_item = max(scores, key=lambda item: (scores[item], -item))
        left = [other for other in left if best_item in other]


def bottom_up(records: Sequence[Record], own: int, utility: Sequence[float], k: int) -> Record:
    """Gather k - 1 other records that leave the set of most utility; the first one of equals."""
    common, left = records[own], [at for at in range(len(records)) if at != own]
    for _ in range(k - 1):
        best_one = max(left, key=lambda at: (sum(utility[i] for i in common & records[at]), -at))
        left.remove(best_one)
        common &= records[best_one]
    return common
