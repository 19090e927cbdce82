"""Samples: generated people to try things on, as frames and as files."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from sfumato.core.errors import BadInput, OutputExists
from sfumato.core.run import Run
from sfumato.io.samples import SAMPLES, hierarchies


def sample(name: str, rows: int = 10_000, seed: int = 1) -> pa.Table:
    """A generated sample as an Arrow table; the same seed gives the same people.

    >>> sample("people", rows=3).num_rows
    3
    """
    if name not in SAMPLES:
        raise BadInput(f"no sample is called '{name}'", f"samples: {', '.join(SAMPLES)}")
    if rows < 1:
        raise BadInput(f"--rows is {rows}", "use 1 or more")
    made: Any = SAMPLES[name](rows, Run.seeded(seed))
    return made


def write_sample(name: str, rows: int, seed: int, path: Path) -> int:
    """Write a sample as CSV or Parquet, by the ending of the path."""
    _check(path)
    table = sample(name, rows, seed)
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        pacsv.write_csv(table, path, pacsv.WriteOptions(quoting_style="needed"))
    return rows


def _check(path: Path) -> None:
    if path.suffix not in (".csv", ".parquet"):
        raise BadInput(f"{path.name} ends in neither .csv nor .parquet", "name it so")
    if path.exists():
        raise OutputExists(f"{path.name} exists", "choose another name or remove it")
    if not path.resolve().parent.is_dir():
        raise BadInput(f"the folder {path.parent} does not exist", "create it")


def write_hierarchies(name: str, folder: Path) -> list[Path]:
    """Write the hierarchies that fit a sample, one CSV in level form per column."""
    if name != "people":
        raise BadInput(f"the sample '{name}' has no hierarchies", "leave --hierarchies out")
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for column, rows in hierarchies().items():
        paths.append(folder / f"{column}.csv")
        with paths[-1].open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    return paths
