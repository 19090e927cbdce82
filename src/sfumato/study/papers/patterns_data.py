"""Tables for the study of patterns, releases of them, and noise of the same distortion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.methods.tables.patterns import Patterns
from sfumato.metrics.distortion import relative_errors
from sfumato.metrics.replaced import numbers_of
from sfumato.releases.release import Publication
from sfumato.study.findings import Setting

Floats = NDArray[np.float64]
CENSUS = ("Age", "Place of birth", "Occupation")
ADULT = ("age", "fnlwgt", "education-num")
SENSITIVE = "occupation"
ROWS, FEW = 800, 200


def rows_of(setting: Setting) -> int:
    """How many rows a table has."""
    return FEW if setting.quick else ROWS


def census(setting: Setting) -> People:
    """Age, birth place and occupation of some people, categories numbered in their order."""
    whole = pq.read_table(setting.file("acs_pums_2018.parquet"))
    names = _census_names(whole.column_names)
    rows = setting.run.rng("census").choice(whole.num_rows, rows_of(setting), replace=False)
    columns = {}
    for name in names:
        values = whole.column(name).take(pa.array(np.sort(rows)))
        columns[name] = _numbered(values)
    return _people(columns, names, ())


def _census_names(there: Sequence[str]) -> list[str]:
    found = []
    for wanted in ("age", "birth", "occupation"):
        found += [name for name in there if wanted in name.lower()][:1]
    return found


def _numbered(values: pa.ChunkedArray) -> NDArray[np.int64]:
    """Numbers as they are, other values by their place in order, from 1 on."""
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        return np.asarray(values.to_numpy()).astype(np.int64)
    return np.unique(values.to_numpy().astype(str), return_inverse=True)[1].astype(np.int64) + 1


def synthetic(setting: Setting) -> People:
    """Three independent uniform columns, four digits after the point, as in the thesis."""
    rng = setting.run.rng("synthetic")
    columns = {f"x{i}": np.round(rng.random(rows_of(setting)), 4) for i in range(3)}
    return _people(columns, list(columns), ())


def adult(setting: Setting) -> People:
    """Age, weight, years of education and occupation of some complete rows of Adult."""
    whole = pq.read_table(setting.file("adult.parquet"))
    names = [n for n in whole.column_names if n.lower() in (*ADULT, SENSITIVE)]
    complete = whole.select(names).drop_null()
    rows = setting.run.rng("adult").choice(complete.num_rows, rows_of(setting), replace=False)
    some = complete.take(pa.array(np.sort(rows)))
    columns = {name: some.column(name).to_numpy(zero_copy_only=False) for name in names}
    sensitive = [name for name in names if name.lower() == SENSITIVE]
    return _people(columns, [name for name in names if name not in sensitive], sensitive)


def _people(columns: dict[str, Any], quasi: Sequence[str], sensitive: Sequence[str]) -> People:
    schema = Schema.of(quasi=list(quasi), sensitive=list(sensitive))
    return People(table_from_arrow(pa.table(columns)), schema)


def released(setting: Setting, data: People, share: float, **options: Any) -> Publication:
    """Drawn anew as in the thesis: parts of their own ends, a share of the localities."""
    asked: dict[str, Any] = {"ends": "part", "least_shift": 0.0, "size": 100, "effective": 20}
    method = Patterns(localities=share, **asked | options)
    return method.publish(data, [], setting.run).sealed()


def values(data: People) -> Floats:
    """The number columns, row by row."""
    return np.column_stack([numbers_of(data.table[name]) for name in data.schema.quasi])


def drawn(publication: Publication, data: People) -> Floats:
    """The same of a release, in the order of the original rows."""
    records = publication.release.patterned.records
    shown = np.column_stack([numbers_of(records[name]) for name in data.schema.quasi])
    found = np.empty_like(shown)
    found[publication.ledger.rows] = shown
    return found


def distortion(truth: Floats, shown: Floats) -> float:
    """Mean relative error, entries of 0 left out."""
    errors = relative_errors(truth, shown)
    return errors.total / max(errors.entries, 1)


def noisy(truth: Floats, wanted: float, rng: np.random.Generator, normal: bool) -> Floats:
    """Values with noise in proportion to each column's range, of a wanted distortion."""
    wide = np.ptp(truth, axis=0)
    unit = rng.normal(0, 1, truth.shape) if normal else rng.uniform(-1, 1, truth.shape)
    # the distortion grows in proportion to the noise
    one = distortion(truth, truth + unit * wide)
    return np.asarray(truth + unit * wide * (wanted / one))
