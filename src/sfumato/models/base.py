"""What every privacy model is made of.

All models here are monotone: a group made of groups that satisfy a model satisfies it too. So a
model can be met at all exactly if the whole table as one group satisfies it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from sfumato.core.errors import BadJob, CannotBeMet
from sfumato.core.words import several
from sfumato.data.hierarchy import Hierarchy, fit, spell
from sfumato.data.schema import Kind
from sfumato.data.table import Column
from sfumato.kernels.rules import Entry


@dataclass(frozen=True, eq=False)
class Whole:
    """The sensitive column of the whole table: what a group's counts are compared with.

    Code by code: the value as text ("missing" for missing), how often it occurs, and, where there
    is a hierarchy, its leaf.
    """

    name: str
    texts: tuple[str, ...]
    counts: tuple[int, ...]
    ordered: bool
    hierarchy: Hierarchy | None = None
    leaf: tuple[int, ...] = ()

    @property
    def rows(self) -> int:
        """Records in the table."""
        return sum(self.counts)

    @property
    def shares(self) -> NDArray[np.float64]:
        """The distribution in the whole table."""
        return np.array(self.counts, np.float64) / max(1, self.rows)


def whole_of(column: Column, hierarchy: Hierarchy | None = None) -> Whole:
    """The whole table's view of one sensitive column."""
    texts = spell([None] * column.has_missing + column.values.to_pylist())
    ordered = column.kind is not Kind.CATEGORY
    counts = tuple(map(int, column.counts()))
    if hierarchy is None:
        return Whole(column.name, tuple(texts), counts, ordered)
    tree, leaf = fit(hierarchy, column)
    return Whole(column.name, tuple(texts), counts, ordered, tree, tuple(map(int, leaf)))


class Model(BaseModel):
    """A requirement on every group of a release.

    Parameters are taken as they are, except that a whole number does for a decimal one: a claim of
    "10", of 10.0 or of true records is none.

    `number` is what a group achieves, in the unit of the model's own parameter; `holds` compares
    it exactly (integers and fractions only); `entry` states the same rule for compiled loops.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    name: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]
    higher_is_safer: ClassVar[bool] = True

    @property
    def smallest_group(self) -> int:
        """Fewest records a group may have."""
        return 1

    @property
    def about(self) -> str | None:
        """The sensitive column this model is about, None if it is about group sizes alone."""
        return getattr(self, "column", None)

    @property
    def parameters(self) -> dict[str, Any]:
        """The model's parameters as plain data, without the column."""
        return self.model_dump(mode="json", exclude={"column"})

    def statement(self) -> str:
        """The requirement in words."""
        raise NotImplementedError

    def number(self, counts: Sequence[int], whole: Whole) -> float:
        """What a group with these counts achieves."""
        raise NotImplementedError

    def holds(self, counts: Sequence[int], whole: Whole) -> bool:
        """Whether a group with these counts may be published; exact."""
        raise NotImplementedError

    def entry(self, place: int, whole: Whole) -> Entry | None:
        """The same as a compiled rule on sensitive column number `place`; None for sizes alone."""
        raise NotImplementedError

    def check_possible(self, whole: Whole | None, rows: int) -> None:
        """Refuse what no grouping of this table can meet."""
        if rows < self.smallest_group:
            raise CannotBeMet(
                f"{self.name} cannot be met, because the data has {several(rows, 'record')} and a "
                f"group needs {self.smallest_group:,}",
                "ask for less or bring more records",
            )
        if whole is not None and not self.holds(whole.counts, whole):
            raise CannotBeMet(
                f"{self.name} on '{whole.name}' cannot be met, because the whole table as one group"
                f" reaches {self.number(whole.counts, whole):.4g} where {self.limit()} is asked",
                "ask for less",
            )

    def limit(self) -> str:
        """The number asked, in words: "at least 4"."""
        raise NotImplementedError


NOTHING: NDArray[np.float64] = np.empty(0)


def parse_model(name: str, values: dict[str, Any], where: str) -> Model:
    """A model from its name and parameters as they stand in a job or a claim."""
    from sfumato.core.catalogue import model
    from sfumato.core.parameters import build

    kind = model(name, where)
    if "column" in kind.model_fields and "column" not in values:
        raise BadJob(f"{where}: {name} needs a column", "name a sensitive column")
    built: Model = build(kind, values, where)
    return built
