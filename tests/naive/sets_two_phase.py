"""Slow, obviously right counterparts of the kernels for sets: two phases, and the optimum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

Set = frozenset[int]


def shared(rows: Sequence[Set], members: Sequence[int]) -> Set:
    """What the members have in common."""
    return frozenset.intersection(*(rows[row] for row in members))


def worth(items: Set, utility: Sequence[float]) -> float:
    """Utility of a set."""
    return math.fsum(utility[item] for item in items)


def kept(rows: Sequence[Set], classes: Sequence[Sequence[int]], utility: Sequence[float]) -> float:
    """Utility that classes keep."""
    return math.fsum(len(one) * worth(shared(rows, one), utility) for one in classes)


def partitions(rows: int, k: int) -> Iterator[list[list[int]]]:
    """Every way to part rows into classes of at least k."""

    def place(row: int, classes: list[list[int]]) -> Iterator[list[list[int]]]:
        if row == rows:
            if all(len(one) >= k for one in classes):
                yield [list(one) for one in classes]
            return
        for one in classes:
            one.append(row)
            yield from place(row + 1, classes)
            one.pop()
        if (len(classes) + 1) * k <= rows:
            yield from place(row + 1, [*classes, [row]])

    yield from place(0, [])


def optimum(rows: Sequence[Set], utility: Sequence[float], k: int) -> float:
    """The most utility that classes of at least k can keep, by trying them all."""
    return max(kept(rows, classes, utility) for classes in partitions(len(rows), k))


def ranking(rows: Sequence[Set], utility: Sequence[float]) -> list[int]:
    """Items by falling utility x records, equal ones by number."""
    weight = [value * sum(item in row for row in rows) for item, value in enumerate(utility)]
    return sorted(range(len(utility)), key=lambda item: (-weight[item], item))


def merge(rows: Sequence[Set], utility: Sequence[float], k: int, last_in: bool) -> list[list[int]]:
    """The first phase: lists of records."""
    order = ranking(rows, utility)
    clusters: dict[Set, list[int]] = {}
    for number, row in enumerate(rows):
        clusters.setdefault(row, []).append(number)
    came = {items: clusters[items][0] for items in clusters}
    clock = len(rows)
    while True:
        small = [items for items in clusters if items and len(clusters[items]) < k]
        if not small:
            break
        sign = -1 if last_in else 1
        items = min(small, key=lambda items: (len(clusters[items]), sign * came[items]))
        below = [items - {item} for item in order if item in items]
        below = [other for other in below if other in clusters]
        records = clusters.pop(items)
        if below:
            target = max(
                below,
                key=lambda other: (len(clusters[other]) + len(records)) * worth(other, utility),
            )
        else:
            target = items - {max(items, key=order.index)}
        clusters.setdefault(target, []).extend(records)
        came[target], clock = clock, clock + 1
    nothing: Set = frozenset()
    if nothing in clusters and len(clusters[nothing]) < k:
        others = sorted(
            (items for items in clusters if items),
            key=lambda items: len(clusters[items]) * worth(items, utility),
        )
        clusters[nothing].extend(clusters.pop(others[0]))
    return list(clusters.values())


@dataclass
class Splitting:
    """The second phase: clusters by the set they are stored under, and a stack of sets to take."""

    rows: Sequence[Set]
    utility: Sequence[float]
    k: int
    per_nat: bool = False
    clusters: dict[Set, list[int]] = field(default_factory=dict)
    stack: list[Set] = field(default_factory=list)

    def score(self, item: int, count: int, size: int) -> float:
        """How much it pays to add an item."""
        if not self.per_nat:
            return count * self.utility[item]
        share = min(count, size - self.k) / size
        spent = share * math.log(share) + (1 - share) * math.log(1 - share)
        return -share / spent * self.utility[item]

    def put(self, records: list[int], wait: bool) -> None:
        """Store under what the records share."""
        items = shared(self.rows, records)
        if items in self.clusters:
            self.clusters[items] = records + self.clusters[items]
        else:
            self.clusters[items] = records
        if (wait or len(self.clusters[items]) > len(records)) and items not in self.stack:
            self.stack.append(items)

    def best(self, records: list[int], order: list[int]) -> int | None:
        """The item to add next."""
        items, size = shared(self.rows, records), len(records)
        found: dict[int, float] = {}
        for item in order:
            count = sum(item in self.rows[row] for row in records)
            if item in items or count == 0 or size <= self.k:
                continue
            founds = size >= 2 * self.k and count >= self.k
            if founds or items | {item} in self.clusters:
                found[item] = self.score(item, count, size)
        return max(found, key=lambda item: found[item]) if found else None

    def take(self, records: list[int], order: list[int]) -> None:
        """Send records off until nothing can be added."""
        while (item := self.best(records, order)) is not None:
            target = shared(self.rows, records) | {item}
            going = [row for row in records if item in self.rows[row]][: len(records) - self.k]
            records = [row for row in records if row not in going]
            self.clusters[target] = going[::-1] + self.clusters.get(target, [])
            if target not in self.stack:
                self.stack.append(target)
        self.put(records, False)

    def run(self, classes: list[list[int]]) -> list[list[int]]:
        """Close all, then split."""
        order = ranking(self.rows, self.utility)
        for records in classes:
            self.put(records, True)
        while self.stack:
            self.take(self.clusters.pop(self.stack.pop()), order)
        return list(self.clusters.values())


def two_phase(
    rows: Sequence[Set], utility: Sequence[float], k: int, last_in: bool, per_nat: bool = False
) -> list[list[int]]:
    """Classes of records by one reading."""
    merged = sorted(merge(rows, utility, k, last_in), key=lambda records: records[0])
    return Splitting(rows, utility, k, per_nat).run(merged)
