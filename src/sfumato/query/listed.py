"""Cells that list what their members may have: value sets, and leaves below a hierarchy's node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.schema import Kind
from sfumato.query.facets import Profile, Reach, beside
from sfumato.query.plan import Literal, Writing
from sfumato.query.readings import (
    TEXT,
    Reading,
    keys_of,
    labels_as,
    number_reading,
    reading_of,
)
from sfumato.query.regions import Region
from sfumato.query.values import Values
from sfumato.releases.cells import Nodes, ValueSets


class ListedCells:
    """Cells that list codes: value sets, and the leaves below a hierarchy's node."""

    def __init__(self, name: str, cells: ValueSets | Nodes, kind: Kind | None) -> None:
        self.name, self.kind, self.tight = name, kind, cells.tight
        self.has_missing = cells.has_missing
        if isinstance(cells, ValueSets):
            self.which, self.listed = cells.which, cells.codes
            self.start, self.stop = cells.offsets[:-1], cells.offsets[1:]
            self.shown: list[Any] = cells.values.to_pylist()
            self._typed: Reading | None = reading_of(cells.values.type)
            self._keys = keys_of(cells.values)
        else:
            tree = cells.hierarchy
            self.which, self.listed = cells.node, np.arange(tree.leaves, dtype=np.int32)
            self.start, self.stop = tree.spans[:, 0], tree.spans[:, 1] + 1
            self.shown = list(tree.labels[cells.has_missing : tree.leaves])
            self._typed = None
        self._values: dict[Reading | None, Values] = {}

    def read(self, literal: Literal) -> Reading:
        """How a literal makes the values read; labels of a hierarchy may be texts or numbers."""
        if self._typed is not None:
            return self._typed
        if self.kind is Kind.DATE or (literal.writing is Writing.DATE and self.kind is None):
            return Reading("dates")
        if self.kind is Kind.NUMBER or literal.writing is Writing.NUMBER:
            return number_reading(self.shown)
        return TEXT

    @property
    def reading(self) -> Reading:
        """How the values read when no literal says otherwise."""
        return self._typed or {
            Kind.DATE: Reading("dates"),
            Kind.NUMBER: number_reading(self.shown),
        }.get(self.kind or Kind.CATEGORY, TEXT)

    def values(self, reading: Reading | None = None) -> Values:
        """The values under a reading."""
        reading = reading or self.reading
        if reading not in self._values:
            typed = self._typed is not None
            keys = self._keys if typed else labels_as(reading, self.shown, self.name)
            self._values[reading] = Values(keys, self.has_missing)
        return self._values[reading]

    def of_groups(self, groups: NDArray[np.int64]) -> tuple[ListedCells, NDArray[Any]]:
        """The distinct cells, and which of them each of some groups has."""
        return self, self.which if len(groups) == len(self.which) else self.which[groups]

    def touches(self, region: Region) -> NDArray[np.bool_]:
        """Whether a member may be inside."""
        return self._matches(region) > 0

    def _matches(self, region: Region) -> NDArray[np.int64]:
        """Listed values inside."""
        inside = self.values(region.reading or self._typed or TEXT).codes(region)
        below = np.concatenate([[0], np.cumsum(inside[self.listed])])
        return np.asarray(below[self.stop] - below[self.start])

    def occurring(self) -> list[int]:
        """Codes that some group lists."""
        used = np.unique(self.which)
        edges = np.zeros(len(self.listed) + 1, np.int64)
        np.add.at(edges, self.start[used], 1)
        np.add.at(edges, self.stop[used], -1)
        covered = np.cumsum(edges[:-1]) > 0
        return [int(code) for code in np.unique(self.listed[covered])]

    def profile(self, region: Region) -> Profile:
        """What a region holds of every distinct cell."""
        size, match = self.stop - self.start, self._matches(region)
        both = beside(match, size - match)
        return Profile(both * self.tight, both > 0, match / np.maximum(size, 1))

    def reach(self, region: Region) -> Reach:
        """The numbers a region holds of every distinct cell; NaN where none."""
        reading = region.reading or self.reading
        values = self.values(reading)
        inside = values.codes(region)[self.listed]
        numbers = values.numbers()[self.listed]
        runs = np.column_stack([self.start, self.stop]).ravel()
        least = np.where(inside, numbers, np.inf)
        most = np.where(inside, numbers, -np.inf)
        low = np.minimum.reduceat(np.append(least, np.inf), runs)[::2]
        high = np.maximum.reduceat(np.append(most, -np.inf), runs)[::2]
        below = np.concatenate([[0.0], np.cumsum(np.where(inside, numbers, 0.0))])
        number = np.concatenate([[0], np.cumsum(inside)])
        count = number[self.stop] - number[self.start]
        mean = (below[self.stop] - below[self.start]) / np.maximum(count, 1)
        known = np.repeat((count > 0) & self.tight, 2).reshape(-1, 2)
        return Reach(low, high, np.clip(mean, low, high), known)
