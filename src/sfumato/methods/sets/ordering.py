"""Orders of records in which neighbours have nearly the same items."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.data.sets import Sets
from sfumato.kernels.bitmaps import Words
from sfumato.kernels.gray import gray_ranks, packed_rows, packed_some, sorted_by_words, steps
from sfumato.kernels.linking import (
    Links,
    followed,
    link_shortest,
    loose_rows,
    near_pairs,
    no_links,
)
from sfumato.kernels.segments import segment_ends
from sfumato.kernels.tours import tour_segments

Ints = NDArray[np.int64]
MOST_BITS = 4096  # items that orders look at: the most balanced; rarer ones hardly part records
SORTS, WINDOW, FRONT = 16, 8, 2  # of records by some items each; pairs looked at; words compared
ROUNDS = 64


@dataclass(frozen=True, eq=False)
class Ordering:
    """How to put records in order, and how long the ring was after each step.

    `name` is "gray", "gray-tour" or "linked"; segments have `least` to `most` records, and are
    shaken `shakes` times per record.
    """

    sets: Sets
    name: str
    least: int
    most: int
    shakes: int
    run: Run
    sums: dict[str, int] = field(default_factory=dict)

    @cached_property
    def bits(self) -> Words:
        """The records as bits, by the number of the item."""
        used = min(self.sets.domain, MOST_BITS)
        place = np.full(self.sets.domain, 1 << 40, np.int64)
        chosen = np.sort(np.argsort(-self.balance, kind="stable")[:used])
        place[chosen] = np.arange(used)
        return packed_rows(self.sets.held, place, max(1, -(-used // 64)))

    @cached_property
    def balance(self) -> NDArray[np.float64]:
        """How evenly each item divides the records: p (1 - p)."""
        share = self.sets.counts / max(1, self.sets.rows)
        return np.asarray(share * (1 - share) + 1e-9)

    def found(self) -> Ints:
        """The order."""
        order = self._told("source", np.arange(self.sets.rows))
        if self.name == "linked":
            order = self._told("linked", self._linked())
        else:
            order = self._told("gray", sorted_by_words(gray_ranks(self.bits)))
        if self.name == "gray":
            return order
        order = self._told("tours", self._toured(order))
        if self.name == "linked":  # the joins of the first segments lie inside the second ones
            order = self._told("tours again", self._toured(np.roll(order, self.most // 2)))
        return order

    def told(self, step: str, order: Ints) -> Ints:
        """Note how long the ring is after a step."""
        return self._told(step, order)

    def _told(self, step: str, order: Ints) -> Ints:
        self.sums[step] = int(steps(self.bits, order).sum())
        return order

    def _toured(self, order: Ints) -> Ints:
        """Every segment of an order by a short way, its ends fixed; by all workers."""
        order = order.copy()
        ends = segment_ends(steps(self.bits, order), self.least, self.most)
        seed = self.run.words(1, "tours")[0]
        parts = np.linspace(0, len(ends) - 1, min(4 * self.run.workers, len(ends) - 1) + 1)
        parts = parts.astype(np.int64)

        def one(part: int) -> None:
            own = ends[parts[part] : parts[part + 1] + 1]
            tour_segments(self.bits, order, own, self.shakes, seed)

        with ThreadPoolExecutor(self.run.workers) as pool:
            list(pool.map(one, range(len(parts) - 1)))
        return order

    def _linked(self) -> Ints:
        """One way through all records by linking near ones, the nearest first.

        Near ones are found by sorting the records in Gray order of the items in several random
        orders, balanced items tending to the front; in each further round only ends of ways are
        sorted.
        """
        links, number = no_links(self.sets.rows), 0
        for _ in range(ROUNDS):
            loose = loose_rows(links)
            if len(loose) <= 2:
                break
            found = self._near(links, loose, number)
            number += SORTS
            if link_shortest(links, *found) == 0:
                break
        return followed(links, loose_rows(links))

    def _near(self, links: Links, loose: Ints, number: int) -> list[NDArray[np.int32]]:
        """Pairs of loose records that stand close in some order, and their distances."""
        search = _near_search(self, links, loose)
        with ThreadPoolExecutor(self.run.workers) as pool:
            found = list(pool.map(search, range(number, number + SORTS)))
        return [np.concatenate(column) for column in zip(*found, strict=True)]


def _near_search(
    how: Ordering, links: Links, loose: Ints
) -> Callable[[int], tuple[NDArray[np.int32], ...]]:
    """What one sort finds, by its number."""
    rows = how.sets.held
    way = Links(links.beside, _roots(links.way))

    def search(number: int) -> tuple[NDArray[np.int32], ...]:
        place = item_places(how.balance, how.run.words(how.sets.domain, "links", number))
        front = packed_some(rows, loose, place, FRONT)
        return near_pairs(how.bits, way, loose[sorted_by_words(gray_ranks(front))], WINDOW)

    return search


def item_places(balance: NDArray[np.float64], words: NDArray[np.uint64]) -> Ints:
    """A random order of the items, balanced ones more likely to the front: the place of each."""
    chance = ((words >> np.uint64(11)) + 0.5) * 2.0**-53
    return np.argsort(np.argsort(-np.log(chance) / balance)).astype(np.int64)


def _roots(way: NDArray[np.int32]) -> NDArray[np.int32]:
    """Every row named by the root of its way, so that threads need not shorten paths."""
    roots = way[way]
    while not np.array_equal(roots, way):
        way, roots = roots, roots[roots]
    return roots
