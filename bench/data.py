"""The tables that benchmarks run on: real ones, jittered copies of one, and made-up ones."""

from __future__ import annotations

import csv
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bench.loss import Plain
from bench.measure import ROOT

DATA = Path(os.environ.get("SFUMATO_DATA", ROOT.parent / "shared" / "data"))
KEPT = ROOT / "bench" / "results" / "data"
NUMBERS = ("age", "education-num")
QUASI = (
    *("age", "workclass", "education-num", "marital-status"),
    *("occupation", "race", "sex", "native-country"),
)
SENSITIVE = "income"
ADULT_ROWS = 30_162


class Absent(Exception):
    """Data or a tool that is not here; the message says what to do."""


@cache
def adult() -> pa.Table:
    """The training rows of Adult without missing values: all columns, texts as dictionaries."""
    path = DATA / "adult.parquet"
    if not path.is_file():
        raise Absent("no adult.parquet: set SFUMATO_DATA to the folder that holds it")
    table = pq.read_table(path)
    texts = [field.name for field in table.schema if pa.types.is_large_string(field.type)]
    keep = pc.equal(table.column("split"), "train")
    for name in texts:
        keep = pc.and_(keep, pc.not_equal(table.column(name), "?"))
    table = table.filter(keep).drop_columns(["split"])
    assert table.num_rows == ADULT_ROWS
    return pa.table({name: _plain(table.column(name)) for name in table.column_names})


def _plain(column: pa.ChunkedArray) -> pa.Array:
    column = column.combine_chunks()
    is_text = pa.types.is_large_string(column.type)
    return column.cast(pa.string()).dictionary_encode() if is_text else column


def capital_losses() -> NDArray[np.int64]:
    """The losses of those who had one."""
    losses = np.asarray(adult().column("capital-loss"), np.int64)
    return losses[losses > 0]


def published(rows: int | None = None) -> pa.Table:
    """The columns that are published, of the first rows or of all."""
    table = adult().select([*QUASI, SENSITIVE])
    return table.slice(0, rows) if rows else table


def jittered(copies: int) -> pa.Table:
    """Copies of Adult, each value moved a little at random.

    age +-3 within 17..90; education-num +-1 with probability 0.2; every categorical value drawn
    anew from its column with probability 0.05; income as it is. Such copies are dense and thus
    easier than as many real rows.
    """
    rng, table = np.random.default_rng(7), published()
    rows = copies * table.num_rows
    columns: dict[str, Any] = {}
    for name in QUASI:
        if name in NUMBERS:
            move = _years(rng, rows) if name == "age" else _steps(rng, rows)
            ends = (17, 90) if name == "age" else (1, 16)
            values = np.tile(np.asarray(table.column(name), np.int8), copies)
            columns[name] = np.clip(values + move, *ends).astype(np.int8)
        else:
            columns[name] = _redrawn(rng, table.column(name).combine_chunks(), copies)
    columns[SENSITIVE] = _redrawn(rng, table.column(SENSITIVE).combine_chunks(), copies, 0.0)
    return pa.table(columns)


def _years(rng: np.random.Generator, rows: int) -> NDArray[np.int8]:
    return rng.integers(-3, 4, rows, np.int8)


def _steps(rng: np.random.Generator, rows: int) -> NDArray[np.int8]:
    sign = rng.integers(0, 2, rows, np.int8) * np.int8(2) - np.int8(1)
    return sign * (rng.random(rows, np.float32) < 0.2)


def _redrawn(
    rng: np.random.Generator, column: pa.DictionaryArray, copies: int, share: float = 0.05
) -> pa.DictionaryArray:
    codes = np.asarray(column.indices).astype(np.int8)
    tiled = np.tile(codes, copies)
    changed = np.flatnonzero(rng.random(len(tiled), np.float32) < share)
    tiled[changed] = codes[rng.integers(0, len(codes), len(changed))]
    return pa.DictionaryArray.from_arrays(pa.array(tiled), column.dictionary)


def kept(copies: int) -> Path:
    """The jittered copies as a Parquet file, made once."""
    path = KEPT / f"jittered-{copies}.parquet"
    if not path.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        pq.write_table(jittered(copies), part)
        part.rename(path)
    return path


def plain(table: pa.Table, names: tuple[str, ...] = QUASI) -> list[Plain]:
    """Columns as the loss wants them."""
    return [_loss_column(name, table.column(name)) for name in names]


def _loss_column(name: str, column: pa.ChunkedArray) -> Plain:
    if not pa.types.is_dictionary(column.type):
        return Plain(name, np.asarray(column).astype(np.int64), True)
    return Plain(name, np.asarray(column.combine_chunks().indices), False)


def hierarchy(column: str) -> list[list[str]]:
    """One of ARX's hierarchies for Adult: a row (value, level 1, ..., top) for every value."""
    path = DATA / "hierarchies_arx_adult" / f"adult_hierarchy_{column}.csv"
    if not path.is_file():
        raise Absent(f"no {path.name}: set SFUMATO_DATA to the folder that holds it")
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.reader(file, delimiter=";") if row]
