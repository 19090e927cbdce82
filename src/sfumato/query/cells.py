"""The view of one quasi column, by the kind of cells it is published in."""

from __future__ import annotations

from sfumato.data.schema import Kind
from sfumato.query.intervals import IntervalCells
from sfumato.query.listed import ListedCells
from sfumato.releases.cells import Cells, Intervals

CellColumn = ListedCells | IntervalCells


def cell_column(name: str, cells: Cells, kind: Kind | None) -> CellColumn:
    """The view of one column's cells."""
    if isinstance(cells, Intervals):
        return IntervalCells(name, cells)
    return ListedCells(name, cells, kind)
