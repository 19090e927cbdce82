"""A bucketed table made ready for many questions: bitmaps, tables of bounds, expectations."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.query.bitsets import Bitsets
from sfumato.query.entries import EntryColumn, EntryTable
from sfumato.query.entry_picks import Histogram, Part
from sfumato.query.implied import Implied
from sfumato.query.kept import Kept
from sfumato.query.normal import Tree, every, normal
from sfumato.query.plan import Condition, Literal
from sfumato.query.readings import Reading
from sfumato.query.records import Records
from sfumato.query.regions import PRESENT, Region
from sfumato.releases.release import Release

PRESENT_TABLE = (PRESENT, PRESENT)
Ints = NDArray[np.int64]


class BucketedTable:
    """Exact columns, known record by record, and one column known by the entries of buckets."""

    items = False

    def __init__(self, release: Release) -> None:
        content = release.bucketed
        self.content, self._sensitive = content, content.sensitive
        self.records = Records(content.records, content.bucket, content.sizes)
        self.columns = (*content.records.names, content.sensitive)
        self.bits = Bitsets(self.records)
        self._tables: Kept[tuple[Region, Region], EntryTable] = Kept(self._table, PRESENT_TABLE)
        self._moments: Kept[Region, NDArray[np.float64]] = Kept(self._moment, PRESENT)
        self._histograms: Kept[Region, Histogram] = Kept(self._histogram, PRESENT)

    def known(self, name: str) -> bool:
        """Whether a column is published record by record."""
        return name != self._sensitive

    def column(self, name: str) -> Any:
        """One column as conditions see it."""
        return self.records[name] if self.known(name) else self.entries.used

    @cached_property
    def entries(self) -> EntryColumn:
        """The sensitive column."""
        return EntryColumn(self.content)

    @cached_property
    def implied(self) -> Implied:
        """What the entries of a bucket let expect."""
        return Implied(self.entries)

    def read(self, name: str, literal: Literal) -> Reading:
        """How a literal makes the values of a column read."""
        return self.column(name).read(literal)  # type: ignore[no-any-return]

    def tree(self, condition: Condition | None) -> Tree:
        """A condition as regions of this table's columns."""
        return normal(condition, self.read, self.known)

    def joined(self, *parts: Tree) -> Tree:
        """Several conditions at once."""
        return every(parts, self.known)

    def part(self, least: Region, most: Region, selected: Ints) -> Part:
        """Some people of every bucket, counted if their value lies surely, or maybe, inside."""
        return Part(self._tables[least, most], selected)

    def moments(self, region: Region) -> NDArray[np.float64]:
        """Of every bucket, what to expect inside a region."""
        return self._moments[region]

    def histogram(self, region: Region) -> Histogram:
        """Of every bucket, the mass inside a region by value."""
        return self._histograms[region]

    def _table(self, key: tuple[Region, Region]) -> EntryTable:
        return EntryTable(self.entries, *key)

    def _moment(self, region: Region) -> NDArray[np.float64]:
        return self.implied.moments(region)

    def _histogram(self, region: Region) -> Histogram:
        return self.implied.histogram(region)
