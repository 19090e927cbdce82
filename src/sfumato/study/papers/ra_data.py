"""What the study of random anonymization works on: Adult, random questions, published tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import Table, table_from_arrow
from sfumato.methods.base import Method
from sfumato.methods.tables.ra import RA
from sfumato.releases.release import Publication
from sfumato.study.findings import Setting

QUASI = (
    "education",
    "race",
    "sex",
    "workclass",
    "marital-status",
    "age",
    "relationship",
    "native-country",
    "income",
)
SENSITIVE = "occupation"
SCHEMA = Schema.of(quasi=list(QUASI), sensitive=[SENSITIVE])
FEW = 4_000  # records of a quick study
COMMON = 30  # records a question selects, where errors are compared


@dataclass(frozen=True, eq=False)
class Question:
    """Values of some quasi columns and of the sensitive one: flags over the codes of each."""

    quasi: dict[str, NDArray[np.bool_]]
    sensitive: NDArray[np.bool_]

    @property
    def length(self) -> int:
        """How many quasi columns it is about."""
        return len(self.quasi)


def adult(setting: Setting) -> People:
    """The training part of Adult without missing values; salary is called income there."""
    table = pq.read_table(setting.file("adult.parquet"))
    keep = pc.equal(table["split"], "train")
    for name in ("workclass", SENSITIVE, "native-country"):
        keep = pc.and_(keep, pc.not_equal(table[name], "?"))
    table = table.filter(keep).select([*QUASI, SENSITIVE])
    if setting.quick:
        table = table.slice(0, FEW)
    return People(table_from_arrow(pa.table(table)), SCHEMA)


def questions(table: Table, lengths: Sequence[int], number: int, run: Run) -> list[Question]:
    """Random columns, and a random number of random values of each, as in section 7.2.2."""
    rng = run.rng("questions")
    found = []
    for length in lengths:
        for _ in range(number):
            names = [QUASI[place] for place in rng.choice(len(QUASI), length, replace=False)]
            quasi = {name: _some(table[name].size, rng) for name in names}
            found.append(Question(quasi, _some(table[SENSITIVE].size, rng)))
    return found


def _some(size: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """A random number of values of a column, at least one."""
    flags = np.zeros(size, np.bool_)
    flags[rng.permutation(size)[: rng.integers(1, size + 1)]] = True
    return flags


def truth(table: Table, question: Question) -> int:
    """How many records a question selects."""
    held = question.sensitive[table[SENSITIVE].codes]
    for name, flags in question.quasi.items():
        held &= flags[table[name].codes]
    return int(held.sum())


def published(people: People, method: Method, run: Run) -> Publication:
    """A table published by a method, in the order of the original: links are not needed."""
    return method.publish(people, [], run)


def redrawn(people: People, redraw: int, run: Run) -> Publication:
    """A table in which so many columns of every record were redrawn."""
    return published(people, RA(redraw=redraw), run)
