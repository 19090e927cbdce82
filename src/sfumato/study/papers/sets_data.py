"""Data of the study of sets: Adult as items, made-up segments, real transactions."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq

from sfumato.data.expand import ADULT_COLUMNS, ADULT_MISSING, ADULT_WIDTHS, expand
from sfumato.data.schema import Schema
from sfumato.data.sets import Sets
from sfumato.data.table import table_from_arrow
from sfumato.io.sample_sets import segments
from sfumato.io.set_sources import SetsFrom, load_sets
from sfumato.study.findings import Setting

ROWS, FEW_ROWS = 100_000, 2_000
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
    table = table_from_arrow(pq.read_table(setting.file("adult.parquet")))
    whole = expand(table, ADULT_COLUMNS, ADULT_WIDTHS, ADULT_MISSING)
    wanted = FEW_ROWS if setting.quick else (rows or whole.rows)
    return sampled(setting, whole, wanted, "adult")


def made_up(setting: Setting, rows: int = ROWS, profile: str = "thesis") -> Sets:
    """Made-up segments."""
    return segments(min(rows, FEW_ROWS) if setting.quick else rows, setting.run, profile)


def real(setting: Setting, name: str) -> Sets:
    """Transactions from a file of real data."""
    how = SetsFrom(format="fimi")
    found = load_sets(setting.file(REAL[name]), how, Schema.of(), setting.run.workers).sets
    return sampled(setting, found, FEW_ROWS if setting.quick else found.rows, name)
