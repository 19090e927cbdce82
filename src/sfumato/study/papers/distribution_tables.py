"""Tables for the study of distribution-based publication: Adult's capital losses, and made-up ones.

Made-up losses lie on a grid of 64 values from 1024 to 3040, so that halving is exact; ages are
uniform from 17 to 79.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.study.findings import Setting

Draw = np.random.Generator
Ints = NDArray[np.int64]
ROWS, FEW_ROWS = 10_000, 2_000
AGES = (17, 79)
LOWEST, SPAN, GRID = 1024, 2048, 64


def people(age: Ints, loss: Ints) -> People:
    """Ages, which are published as they are, and losses, which are sensitive."""
    table = table_from_arrow(pa.table({"age": age, "loss": loss}))
    return People(table, Schema.of(quasi=["age"], sensitive=["loss"]))


def columns(of: People) -> tuple[Ints, Ints]:
    """Age and loss of every record."""
    age, loss = (of.table[name].to_arrow().to_numpy(zero_copy_only=False) for name in _NAMES)
    return age.astype(np.int64), loss.astype(np.int64)


_NAMES = ("age", "loss")


def taken(of: People, rows: NDArray[np.bool_]) -> People:
    """Some of the records."""
    age, loss = columns(of)
    return people(age[rows], loss[rows])


def adult(setting: Setting) -> People:
    """The 1,427 training rows of Adult without a missing value whose capital loss is not 0."""
    table = pq.read_table(setting.file("adult.parquet"))
    keep = pc.and_(pc.equal(table["split"], "train"), pc.greater(table["capital-loss"], 0))
    for field in table.schema:
        if not pa.types.is_integer(field.type):
            keep = pc.and_(keep, pc.not_equal(table[field.name], "?"))
    some = table.filter(keep)
    return people(*(np.asarray(some[name], np.int64) for name in ("age", "capital-loss")))


def rows_of(setting: Setting) -> int:
    """Rows of a made-up table."""
    return FEW_ROWS if setting.quick else ROWS


def ages(rows: int, rng: Draw) -> Ints:
    """Uniform ages."""
    return rng.integers(AGES[0], AGES[1] + 1, rows)


def on_grid(share: NDArray[np.float64], values: int = GRID) -> Ints:
    """Shares from 0 to 1 as values of the grid; what lies beyond is put at its ends."""
    place = np.clip(np.floor(share * values), 0, values - 1).astype(np.int64)
    found: Ints = LOWEST + place * SPAN // values
    return found


def unrelated(rows: int, rng: Draw) -> People:
    """U: losses normal around the middle, a sixth of the span as deviation; no link to age."""
    return people(ages(rows, rng), on_grid(rng.normal(0.5, 1 / 6, rows)))


def related(rows: int, rng: Draw) -> People:
    """C: the mean rises with age over six tenths of the span; the deviation is a twelfth of it."""
    age = ages(rows, rng)
    mean = 0.2 + 0.6 * (age - AGES[0]) / (AGES[1] - AGES[0])
    return people(age, on_grid(rng.normal(mean, 1 / 12)))


def uniform(rows: int, rng: Draw, values: int = GRID) -> People:
    """Losses uniform over the grid, no link to age."""
    return people(ages(rows, rng), on_grid(rng.random(rows), values))


def zipf(rows: int, rng: Draw, linked: bool, exponent: float = 0.1) -> People:
    """The k-th value of the grid has mass 1 / k^s; linked, the old tend to have the high ranks.

    Linked, records are put in order of age with a normal jitter of a tenth of the span of ages, and
    take the losses in ascending order: the rank correlation is about .95.
    """
    mass = np.arange(1, GRID + 1) ** -exponent
    place = rng.choice(GRID, rows, p=mass / mass.sum())
    age = ages(rows, rng)
    if linked:
        order = np.argsort(age + rng.normal(0, (AGES[1] - AGES[0]) / 10, rows))
        place[order] = np.sort(place)
    return people(age, LOWEST + place * SPAN // GRID)
