"""Numbers put into bins of equal width, each standing for itself as its middle."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from sfumato.core.errors import BadJob
from sfumato.data.people import People
from sfumato.data.schema import Kind
from sfumato.data.table import Column, Table, smallest_unsigned


def binned(data: People, bins: Mapping[str, float]) -> Table:
    """The table with some of its quasi-identifiers in bins."""
    for name in bins:
        if name not in data.schema.quasi:
            known = ", ".join(data.schema.quasi)
            raise BadJob(f"method.bins names '{name}', no quasi-identifier", f"quasi: {known}")
        if data.table[name].kind is not Kind.NUMBER:
            raise BadJob(f"method.bins.{name} is for numbers", f"'{name}' holds none")
    columns = data.table.columns
    made = {name: in_bins(columns[name], width) for name, width in bins.items()}
    return Table(dict(columns) | made, data.table.rows)


def in_bins(column: Column, width: float) -> Column:
    """A column of numbers as the middles of bins [i width, (i + 1) width)."""
    place = np.floor(column.numbers / width)
    used, code = np.unique(place, return_inverse=True)
    code = np.concatenate([np.zeros(int(column.has_missing), np.int64), code + column.has_missing])
    narrow = smallest_unsigned(len(used) + column.has_missing)
    middles = pa.array((used + 0.5) * width)
    codes = code.astype(narrow)[column.codes]
    return Column(column.name, Kind.NUMBER, codes, middles, column.has_missing, column.found)
