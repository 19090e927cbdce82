"""A recoded table made ready for many questions: cells looked at once, sorted values kept."""

from __future__ import annotations

import numpy as np

from sfumato.query.cells import CellColumn, cell_column
from sfumato.query.normal import Tree, every, normal
from sfumato.query.plan import Condition, Literal
from sfumato.query.readings import Reading
from sfumato.query.records import KnownColumn, Records
from sfumato.releases.release import Release


class RecodedTable:
    """Columns of two sorts: exact ones, known record by record, and quasi ones, known by cells."""

    items = False

    def __init__(self, release: Release) -> None:
        content = release.recoded
        self.sizes = content.sizes
        self.every_group = np.flatnonzero(self.sizes)
        self.records = Records(content.records, content.group, self.sizes)
        self.columns = (*content.cells, *content.records.names)
        self._content, self._schema = content, release.schema
        self._cells: dict[str, CellColumn] = {}

    def known(self, name: str) -> bool:
        """Whether a column is published record by record."""
        return name not in self._content.cells

    def cells(self, name: str) -> CellColumn:
        """One quasi column."""
        if name not in self._cells:
            listed = {field.name for field in self._schema.fields}
            kind = self._schema.kind(name) if name in listed else None
            self._cells[name] = cell_column(name, self._content.cells[name], kind)
        return self._cells[name]

    def column(self, name: str) -> CellColumn | KnownColumn:
        """One column of either sort."""
        return self.records[name] if self.known(name) else self.cells(name)

    def read(self, name: str, literal: Literal) -> Reading:
        """How a literal makes the values of a column read."""
        return self.column(name).read(literal)

    def tree(self, condition: Condition | None) -> Tree:
        """A condition as regions of this table's columns."""
        return normal(condition, self.read, self.known)

    def joined(self, *parts: Tree) -> Tree:
        """Several conditions at once."""
        return every(parts, self.known)
