"""Data of the study of sets: Adult as items, made-up segments, real transactions."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sfumato.data.schema import Schema
from sfumato.data.sets import Sets
from sfumato.io.sample_sets import segments
from sfumato.io.set_sources import SetsFrom, load_sets
from sfumato.study.findings import Setting

ROWS, FEW_ROWS = 100_000, 2_000

# The encoding of Adult that results on sets are given for; docs/adult-as-sets.md says why.
ADULT_COLUMNS = [
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "hours-per-week",
    "native-country",
]
ADULT_WIDTHS = {"age": 5.0, "hours-per-week": 10.0}
UNKNOWN = "?"
REAL = {
    "chess": "chess.dat.gz",
    "mushroom": "mushroom.dat.gz",
    "BMS-WebView-1": "bms-webview-1.dat.gz",
    "BMS-WebView-2": "bms-webview-2.dat.gz",
    "retail": "retail.dat.gz",
    "pumsb, first 4,334": "pumsb_first4334.dat.gz",
    "kosarak, first 36,682": "kosarak_first36682.dat.gz",
}


def sampled(setting: Setting, sets: Sets, rows: int, name: str) -> Sets:
    """Records drawn at random, in their old order; all, if there are no more."""
    if sets.rows <= rows:
        return sets
    drawn = setting.run.rng("sample", name).choice(sets.rows, rows, replace=False)
    return sets.take(np.sort(drawn))


def adult(setting: Setting, rows: int | None = None) -> Sets:
    """All of Adult as items, or some of it; a quick study takes little of it."""
    table = pq.read_table(setting.file("adult.parquet"), columns=ADULT_COLUMNS)
    known = [_without_unknown(column) for column in table.columns]
    how = SetsFrom(format="columns", buckets=ADULT_WIDTHS)
    whole = load_sets(pa.table(dict(zip(ADULT_COLUMNS, known, strict=True))), how, Schema.of()).sets
    wanted = FEW_ROWS if setting.quick else (rows or whole.rows)
    return sampled(setting, whole, wanted, "adult")


def _without_unknown(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column in which "?" is missing, as it means."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    return pc.if_else(pc.equal(column, UNKNOWN), None, column)


def made_up(setting: Setting, rows: int = ROWS, profile: str = "thesis") -> Sets:
    """Made-up segments."""
    return segments(min(rows, FEW_ROWS) if setting.quick else rows, setting.run, profile)


def real(setting: Setting, name: str) -> Sets:
    """Transactions from a file of real data."""
    how = SetsFrom(format="fimi")
    found = load_sets(setting.file(REAL[name]), how, Schema.of(), setting.run.workers).sets
    return sampled(setting, found, FEW_ROWS if setting.quick else found.rows, name)
