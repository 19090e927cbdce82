"""Form Patterned: exact-looking values in place of the true ones, and facts true of the original.

Which facts hold is disclosed in full, in kind, or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.releases.properties import Properties, sealed_properties
from sfumato.releases.recoded import sorted_rows

FULL, KIND, NONE = DISCLOSED = ("full", "kind", "none")


@dataclass(frozen=True)
class Replaced:
    """A column whose values are not the true ones: decimals with so many digits.

    Where properties are disclosed in full, every true value lies from `lower` to `upper`, which are
    counted in units of the last digit. What is kept of the column in kind: sort and share.
    """

    digits: int
    lower: int | None = None
    upper: int | None = None
    kept: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, eq=False)
class Patterned:
    """Records with values that were drawn anew in the columns of `replaced`, exact in all others.

    `properties` are there only if disclosed in full.
    """

    records: Table
    replaced: dict[str, Replaced]
    disclosed: str
    properties: Properties | None = None

    @property
    def rows(self) -> int:
        """Records published."""
        return self.records.rows

    @property
    def groups(self) -> int:
        """Every record stands alone."""
        return self.records.rows

    @property
    def sizes(self) -> NDArray[np.int64]:
        """One each."""
        return np.ones(self.records.rows, np.int64)

    def units(self, name: str) -> NDArray[np.int64]:
        """The published values of a replaced column in units of its last digit, missing as 0."""
        column = self.records[name]
        numbers = column.values.cast("int64") if self.whole(name) else column.values
        values = np.asarray(numbers) if len(numbers) else np.zeros(0)
        digits = self.replaced[name].digits
        units = np.rint(values * 10.0**digits).astype(np.int64) if digits else values
        with_missing = np.concatenate([np.zeros(int(column.has_missing), np.int64), units])
        return with_missing.astype(np.int64)[column.codes]

    def whole(self, name: str) -> bool:
        """Whether a replaced column is counted in whole numbers, dates included."""
        return str(self.records[name].values.type) != "double"


def seal(content: Patterned) -> tuple[Patterned, NDArray[np.int64]]:
    """Sort records by what is published; equal ones stay as they are, in a secret random order.

    Also returns, for the owner, which record of the input each published record was.
    """
    one = np.zeros(content.rows, np.int32)
    rows = sorted_rows(one, 1, content.records)
    records = content.records.take(rows)
    if content.properties is None:
        return replace(content, records=records), rows
    place = np.empty(content.rows, np.int64)
    place[rows] = np.arange(content.rows)
    return replace(
        content, records=records, properties=sealed_properties(content.properties, place)
    ), rows
