"""How much a published cell leaves open, per group, judged from the published cells alone.

The domain of a column is what its cells span together: from the smallest lower to the largest
upper end, the union of the sets, or the leaves of the hierarchy. With tight cells over all records
this is the domain of the data; otherwise it may be wider or narrower, but it is the same for all.
Empty groups, which no method publishes, are not looked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.core.errors import Refused
from sfumato.data.schema import Kind
from sfumato.data.table import Column
from sfumato.releases.cells import Cells, Intervals, Nodes, ValueSets
from sfumato.releases.recoded import Recoded

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def quasi_cells(content: Recoded) -> dict[str, Cells]:
    """The cells of every quasi-identifier, or a refusal where there is none."""
    if not content.cells:
        raise Refused("the release has no quasi-identifier columns")
    return content.cells


def fraction_lost(values: Any, domain: Any) -> Floats:
    """(f - 1) / (g - 1): f values in the cell, g in the domain; 0 where the domain has one value.

    Iyengar 2002. f counts leaves only, never inner nodes: a cell that covers everything loses 1.
    """
    beyond = np.asarray(domain, np.float64) - 1
    return np.asarray((np.asarray(values) - 1) / np.where(beyond > 0, beyond, 1) * (beyond > 0))


def ends(cells: Intervals) -> tuple[Floats, Floats]:
    """Lower and upper ends as the numbers that data columns use too, NaN where all are missing."""
    return _numbers(cells.lower), _numbers(cells.upper)


def _numbers(values: pa.Array) -> Floats:
    # Going through a column keeps the conversion of dates to numbers in one place.
    return Column("", Kind.NUMBER, np.empty(0, np.uint8), values, False).numbers


def span(low: Floats, high: Floats) -> tuple[float, float]:
    """The smallest lower and the largest upper end; both NaN if no member has a value."""
    present = ~np.isnan(low)
    if not present.any():
        return np.nan, np.nan
    return float(low[present].min()), float(high[present].max())


def union_size(cells: ValueSets) -> int:
    """How many values occur in any group's set, missing counted as one."""
    return len(np.unique(cells.codes))


def loss(cells: Cells) -> Floats:
    """The share of the domain that each group's cell leaves open beyond one value, in [0, 1].

    Intervals: length over the length of the domain, and 1 where missing is mixed with present
    values; sets and nodes: `fraction_lost`. A constant column loses nothing.
    """
    if isinstance(cells, ValueSets):
        return fraction_lost(cells.sizes[cells.which], union_size(cells))
    if isinstance(cells, Nodes):
        return cells.hierarchy.loss[cells.node]
    low, high = ends(cells)
    bottom, top = span(low, high)
    length = (high - low) / (top - bottom) if top > bottom else np.zeros(len(low))
    return np.where(np.isnan(low), 0.0, np.where(cells.missing, 1.0, length))


def losses(content: Recoded) -> Floats:
    """`loss` of every group (rows) and quasi-identifier (columns)."""
    return np.column_stack([loss(cells) for cells in quasi_cells(content).values()])


def silent(cells: Cells) -> Flags:
    """Whether a group's cell says nothing: it is the whole domain, of more than one value."""
    if isinstance(cells, Intervals):
        return _silent_interval(cells)
    return np.asarray(loss(cells) == 1.0)


def _silent_interval(cells: Intervals) -> Flags:
    """Missing is part of the domain: where it occurs, only a cell that admits it is silent."""
    low, high = ends(cells)
    bottom, top = span(low, high)
    everything = (low == bottom) & (high == top) & (cells.missing | ~cells.missing.any())
    return np.asarray(everything & ((bottom < top) | cells.missing))


def values_in(name: str, cells: Cells) -> tuple[Floats, float]:
    """How many values each group's cell stands for, and how many the domain has.

    In an interval only whole numbers and days can be counted. A column of floats counts as whole
    numbers if its ends are values of members and all whole; the domain is NaN where it cannot be
    counted but every interval is a single value. Any other interval is refused.
    """
    if isinstance(cells, ValueSets):
        return cells.sizes[cells.which].astype(np.float64), float(union_size(cells))
    if isinstance(cells, Nodes):
        spans = cells.hierarchy.spans[cells.node]
        return (spans[:, 1] - spans[:, 0] + 1).astype(np.float64), float(cells.hierarchy.leaves)
    return _interval_values(name, cells)


def _interval_values(name: str, cells: Intervals) -> tuple[Floats, float]:
    low, high = ends(cells)
    inside = np.where(np.isnan(low), 0.0, high - low + 1) + cells.missing
    if _counts_whole(cells):
        bottom, top = span(low, high)
        present = 0.0 if np.isnan(bottom) else top - bottom + 1
        return inside, float(present + cells.missing.any())
    if np.any(high > low):
        raise Refused(
            f"the intervals of '{name}' are not of whole numbers or days, so that how many values "
            "one stands for is not published"
        )
    return inside, np.nan


def _counts_whole(cells: Intervals) -> bool:
    kind = cells.lower.type
    if pa.types.is_integer(kind) or pa.types.is_date32(kind):
        return True
    if not (pa.types.is_floating(kind) and cells.tight):
        return False
    return all(_all_whole(values) for values in (cells.lower, cells.upper))


def _all_whole(values: pa.Array) -> bool:
    return bool(pc.all(pc.equal(values, pc.floor(values))).as_py() is not False)
