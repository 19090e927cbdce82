"""Columns that are published record by record: masks of records, and values sorted by group."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Column, Table
from sfumato.kernels.query_picks import running_sums
from sfumato.query.normal import Every, Leaf, Some, Tree
from sfumato.query.plan import Literal
from sfumato.query.readings import Reading, keys_of, reading_of
from sfumato.query.regions import Region
from sfumato.query.values import Values

Rows = NDArray[np.int64] | slice
ALL = slice(None)
FEW_VALUES = 64


@dataclass(frozen=True, eq=False)
class SortedColumn:
    """Present values, ascending inside every group; `rows` says whose they are."""

    values: NDArray[np.float64]
    rows: NDArray[np.int64]
    start: NDArray[np.int64]
    exact: bool  # sums of these values are whole and below 2^53

    @cached_property
    def sums(self) -> NDArray[np.float64]:
        """Running sums inside every group."""
        return running_sums(self.values, self.start)

    @cached_property
    def magnitude(self) -> float:
        """Sum of absolute values."""
        return float(np.abs(self.values).sum())


class KnownColumn:
    """One exact column, its records in the order of groups."""

    def __init__(self, column: Column, order: NDArray[np.int64] | None) -> None:
        self.reading = reading_of(column.values.type)
        self.column = column
        self.codes = column.codes if order is None else column.codes[order]

    @cached_property
    def values(self) -> Values:
        """The distinct values."""
        return Values(keys_of(self.column.values), self.column.has_missing)

    def read(self, literal: Literal) -> Reading:
        """How a literal makes the values read."""
        return self.reading

    def mask(self, region: Region, rows: Rows) -> NDArray[np.uint8]:
        """1 for every one of some records that lies in the region."""
        return self.values.codes(region).astype(np.uint8)[self.codes[rows]]

    def sort(self, start: NDArray[np.int64]) -> SortedColumn:
        """Present values by group and size."""
        sizes = np.diff(start)
        group = np.repeat(np.arange(len(sizes)), sizes)
        rows = np.argsort(group * self.column.size + self.codes, kind="stable")
        rows = rows[self.codes[rows] >= self.column.has_missing]
        values = self.values.numbers()[self.codes[rows]]
        present = np.bincount(group[rows], minlength=len(sizes))
        begin = np.concatenate([[0], np.cumsum(present)]).astype(np.int64)
        whole = bool(np.all(values == np.rint(values)))
        return SortedColumn(values, rows, begin, whole and float(np.abs(values).sum()) < 2.0**53)


class Records:
    """The exact columns of a table whose records stand in groups."""

    def __init__(self, table: Table, group: NDArray[np.int32], sizes: NDArray[np.int64]) -> None:
        settled = bool(np.all(group[1:] >= group[:-1]))
        self.order = None if settled else np.argsort(group, kind="stable")
        self.group = group if self.order is None else group[self.order]
        self.start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.table = table
        self.combinations: dict[tuple[str, ...], NDArray[np.int64]] = {}  # kept by GROUP BY
        self._columns: dict[str, KnownColumn] = {}
        self._sorted: dict[str, SortedColumn] = {}
        self._by_group: dict[str, NDArray[np.int32]] = {}

    def __getitem__(self, name: str) -> KnownColumn:
        if name not in self._columns:
            self._columns[name] = KnownColumn(self.table[name], self.order)
        return self._columns[name]

    def sorted(self, name: str) -> SortedColumn:
        """Present values of a column, ascending inside every group; kept for the next question."""
        if name not in self._sorted:
            self._sorted[name] = self[name].sort(self.start)
        return self._sorted[name]

    def by_group(self, name: str) -> NDArray[np.int32] | None:
        """Records by value and group, (values, groups), for a column of few values; kept."""
        size, groups = self.table[name].size, len(self.start) - 1
        if size > FEW_VALUES:
            return None
        if name not in self._by_group:
            place = self[name].codes.astype(np.int64) * groups + self.group
            counts = np.bincount(place, minlength=size * groups)
            self._by_group[name] = counts.reshape(size, groups).astype(np.int32)
        return self._by_group[name]

    def mask(self, tree: Tree, rows: Rows = ALL) -> NDArray[np.uint8]:
        """1 for every one of some records that satisfies a condition over exact columns."""
        if isinstance(tree, Leaf):
            return self[tree.column].mask(tree.region, rows)
        if not tree.parts:
            return np.full(len(self.group[rows]), isinstance(tree, Every), np.uint8)
        join = np.bitwise_or if isinstance(tree, Some) else np.bitwise_and
        return reduce(join, [self.mask(part, rows) for part in tree.parts])
