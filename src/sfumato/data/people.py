"""A table of people ready to be published: the columns, what each is, and the hierarchies."""

from __future__ import annotations

from dataclasses import dataclass, field

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Schema
from sfumato.data.table import Table


@dataclass(frozen=True, eq=False)
class People:
    """What a table method gets. The table holds the published columns only."""

    table: Table
    schema: Schema
    hierarchies: dict[str, Hierarchy] = field(default_factory=dict)
