"""Files about items: what each is worth, and what it is a kind of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.core.errors import BadInput
from sfumato.core.words import several
from sfumato.data.level_file import read_levels
from sfumato.data.sets import Sets
from sfumato.io.sources import column_names, read
from sfumato.releases.recoded_sets import ITEMS

MOST_WORTH = 1e100  # of all items of all people: what is computed of it stays a number
Floats = NDArray[np.float64]


def utilities(path: Path, sets: Sets) -> Sets:
    """Sets with the utilities of a CSV or Parquet file of two columns: item, utility."""
    names = column_names(path)
    if len(names) != 2:
        raise BadInput(f"{path.name} has {several(len(names), 'column')}", "give item and utility")
    data = read(path)
    worth = _numbers(data.column(1), path.name, names[1])
    listed = data.column(0).cast(pa.string()).combine_chunks()
    if len(pc.unique(listed)) < len(listed):
        raise BadInput(f"{path.name} lists an item twice", "keep one line for each")
    place = pc.index_in(sets.names, value_set=listed)
    if place.null_count:
        raise BadInput(
            f"{path.name} lacks {several(place.null_count, 'item')} of {sets.domain:,}",
            "every item needs a utility; 0 is one",
        )
    found = replace(sets, utility=worth[np.asarray(place)])
    with np.errstate(over="ignore"):
        if not found.total < MOST_WORTH:
            raise BadInput(f"{path.name}: utilities are too large to be added", "scale them down")
    return found


def _numbers(column: pa.ChunkedArray, file: str, name: str) -> Floats:
    try:
        numbers = np.asarray(column.cast(pa.float64()).fill_null(float("nan")))
    except pa.ArrowInvalid:
        numbers = np.array([np.nan])
    bad = ~np.isfinite(numbers) | (numbers < 0)
    if bad.any():
        raise BadInput(
            f"column '{name}' of {file} has values that are no number from 0 up", "mend them"
        )
    return numbers


def ancestors_of(path: Path) -> dict[str, list[str]]:
    """What every item is a kind of, from a CSV in level form: item, level 1, ..., top.

    A top that all items share says nothing and is left out.
    """
    tree = read_levels(ITEMS, path)
    shared = 1 if len({row[-1] for row in tree.rows()}) == 1 else 0
    ends = tree.levels - shared
    return {row[0]: list(dict.fromkeys(row[1:ends])) for row in tree.rows()}
