"""What the law of random anonymization lets be inferred, exactly, from how often values occur.

The adversary knows the quasi-identifiers of everybody, and the law. To him a published record is
that of any person alike, before he looks; then a person with other values in the columns S has the
likelihood T(S), which falls as S grows. The likelihoods of all people add up over sets D of
`redraw` columns to T(D) times the number of people who agree outside D: nothing has to be summed
over the domain. Where T says that a person is likely, he may still be one of many alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import Refused
from sfumato.kernels.redraw_likelihood import differences, likelihoods
from sfumato.kernels.same_rows import Packing, largest_of, same_rows
from sfumato.releases.redraw_law import RedrawLaw

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Columns = Sequence[NDArray[Any]]
Set = tuple[int, ...]
Found = TypeVar("Found")
MOST_LOOKS = 3_000_000_000  # people and records, times sets of columns: about five minutes a core
CHEAP_LOOKS = 50_000_000  # a few seconds: done unasked
MOST_CELLS = 1 << 27  # of a table of records by sets of columns, or of people by sensitive values


@dataclass(frozen=True, eq=False)
class Inference:
    """Of every published record: what the adversary can say of whose it is.

    `best` is the largest belief in a combination of original values (equation 6 of the source),
    `person` the largest belief in a single person: its mean is how often the best guess is right.
    `total` are the likelihoods of all people together. `bound` is a limit on `best` from supports
    alone, None where it would take too much memory.
    """

    best: Floats
    person: Floats
    total: Floats
    bound: Floats | None


@dataclass(frozen=True, eq=False)
class Belief:
    """Of every person: the belief in their true sensitive value, and whether it is the first guess.

    Once from all published records, once without the person's own: what remains is what the others
    teach about people like them, and the difference is what publishing the person cost.
    """

    true: Floats
    right: NDArray[np.bool_]
    true_without: Floats
    right_without: NDArray[np.bool_]


class Adversary:
    """Who holds the original quasi-identifiers of everybody, and sees what was published.

    `people` and `published` are the codes of the quasi columns before and after, over the values
    of the law's counts.
    """

    def __init__(
        self, law: RedrawLaw, people: Columns, published: Columns, workers: int = 1
    ) -> None:
        self.law, self.workers = law, workers
        self.known, self.seen = len(people[0]), len(published[0])
        check_looks(law, self.known + self.seen)
        self._packing = Packing([len(count) for count in law.counts])
        both = [np.concatenate(pair) for pair in zip(people, published, strict=True)]
        self._packed = self._packing.pack(both)
        parts = zip(law.scaled, law.shares, published, strict=True)
        self._drawn = np.stack([weight * share[codes] for weight, share, codes in parts])
        self._columns = people, published

    def likelihood(self, differ: NDArray[np.uint64] | Set) -> Floats:
        """Of every published record: how likely it is, from who differs in some columns."""
        if isinstance(differ, tuple):
            differ = np.array([sum(1 << place for place in differ)], np.uint64)
        return likelihoods(self._drawn, differ, self.law.redraw) / self.law.sets

    def groups(self, left_out: Set) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
        """Who agrees outside some columns: the group of every person, and of every record."""
        rest = [place for place in range(len(self.law.names)) if place not in left_out]
        group, number = same_rows(self._packed, self._packing.mask(rest))
        return group[: self.known], group[self.known :], number

    @cached_property
    def sets(self) -> list[Set]:
        """The sets of columns that may be redrawn."""
        return list(combinations(range(len(self.law.names)), self.law.redraw))

    @cached_property
    def alike(self) -> Ints:
        """Of every person: how many have the same quasi-identifiers."""
        people, _, number = self.groups(())
        return np.bincount(people, minlength=number)[people]

    def support(self, left_out: Set) -> tuple[Ints, Ints]:
        """Of every record: people who agree outside some columns, and most who are alike."""
        people, records, number = self.groups(left_out)
        largest = largest_of(people, number, self.alike)
        return np.bincount(people, minlength=number)[records], largest[records]

    def each(self, work: Callable[[Set], Found], sets: Sequence[Set]) -> Iterator[Found]:
        """Work on sets of columns side by side; results in their order, few at a time."""
        with ThreadPoolExecutor(max(1, self.workers)) as pool:
            for start in range(0, len(sets), max(1, self.workers)):
                yield from pool.map(work, sets[start : start + max(1, self.workers)])

    @cached_property
    def inference(self) -> Inference:
        """What can be said of whose every published record is."""
        best, person, total = (np.zeros(self.seen) for _ in range(3))
        columns, bounding = range(len(self.law.names)), len(self.sets) * self.seen <= MOST_CELLS
        supports: dict[Set, NDArray[np.int32]] = {}
        bound = np.zeros(self.seen)
        for size in range(self.law.redraw, -1, -1):
            sets = list(combinations(columns, size))
            for left_out, (agree, alike) in zip(sets, self.each(self.support, sets), strict=True):
                likely = self.likelihood(left_out)
                np.maximum(best, likely * alike, out=best)
                np.maximum(person, likely * (agree > 0), out=person)
                if size == self.law.redraw:
                    total += likely * agree
                if bounding and size == self.law.redraw:
                    supports[left_out] = agree.astype(np.int32)
                if bounding:
                    fewest = _fewest(supports, left_out)
                    np.maximum(bound, alike / np.maximum(fewest, 1), out=bound)
        whole = np.where(total > 0, total, 1.0)
        limit = np.minimum(bound, 1.0) if bounding else None
        return Inference(best / whole, person / whole, total, limit)

    @cached_property
    def own(self) -> Floats:
        """Of every record: the belief in the person whose it is; records stand as people do."""
        bits = np.zeros(self.seen, np.uint64)
        for place, (before, after) in enumerate(zip(*self._columns, strict=True)):
            differences(before, after, place, bits)
        return self.likelihood(bits) / self.inference.total

    def amplification(self, record: int) -> float:
        """How far two original combinations may differ in what they weigh for a record, or 1 over
        that: between being unchanged and any other that can have become it (gamma of the source).

        Compared are numbers of people times likelihoods; 1 if nobody has the record's own values,
        or nobody else's values can have become it.
        """
        own, others = 0.0, []
        cells = np.unique(np.stack(self._columns[0]), axis=1, return_counts=True)
        for values, people in zip(cells[0].T, cells[1], strict=True):
            agree = [
                bool(v == after[record]) for v, after in zip(values, self._columns[1], strict=True)
            ]
            shares = [
                float(share[after[record]])
                for share, after in zip(self.law.shares, self._columns[1], strict=True)
            ]
            weighs = float(people) * self.law.transition(shares, agree)
            if all(agree):
                own = weighs
            elif weighs > 0:
                others.append(weighs)
        return max([1.0, *(max(own / one, one / own) for one in others if own > 0)])

    def belief(self, sensitive: NDArray[Any], values: int) -> Belief:
        """What published records teach of a sensitive column; records stand as people do."""
        if self.known * values > MOST_CELLS:
            raise Refused(
                f"{values:,} sensitive values of {self.known:,} people are too many to weigh",
                "take a sample of the people",
            )
        codes = sensitive.astype(np.int64)
        weighed = np.zeros((self.known, values))

        def weigh(drawn: Set) -> tuple[NDArray[np.int32], Floats]:
            people, records, number = self.groups(drawn)
            share = self.likelihood(drawn) / self.inference.total
            cells = np.bincount(records.astype(np.int64) * values + codes, share, number * values)
            return people, np.asarray(cells, np.float64).reshape(number, values)

        for people, cells in self.each(weigh, self.sets):
            weighed += cells[people]
        return _belief(weighed, codes, self.own)


def _belief(weighed: Floats, codes: Ints, own: Floats) -> Belief:
    """From the weight that records of every value have for a person."""
    rows = np.arange(len(codes))
    found: list[Any] = []
    for taken in (0.0, own):
        weighed[rows, codes] -= taken
        np.maximum(weighed, 0.0, out=weighed)
        whole = weighed.sum(axis=1)
        true = weighed[rows, codes] / np.where(whole > 0, whole, 1.0)
        found += [true, weighed.argmax(axis=1) == codes]
    return Belief(*found)


def _fewest(supports: dict[Set, NDArray[np.int32]], inside: Set) -> Ints:
    """The smallest support of the sets that hold some columns, record by record."""
    holding = [found for drawn, found in supports.items() if set(inside) <= set(drawn)]
    fewest = holding[0].astype(np.int64)
    for other in holding[1:]:
        np.minimum(fewest, other, out=fewest)
    return fewest


def looks(law: RedrawLaw, rows: int) -> int:
    """How much there is to look at: rows, times sets of columns."""
    return rows * sum(comb(len(law.names), size) for size in range(law.redraw + 1))


def affordable(law: RedrawLaw, rows: int) -> bool:
    """Whether this takes no more than a few seconds."""
    return looks(law, rows) <= CHEAP_LOOKS


def check_looks(law: RedrawLaw, rows: int) -> None:
    """Refuse more sets of columns than can be looked at."""
    if looks(law, rows) > MOST_LOOKS:
        raise Refused(
            f"the risk needs {looks(law, 1):,} sets of columns of {rows:,} people and records",
            "look at a sample of the people, or list fewer quasi-identifiers",
        )
