"""Answers without sfumato: the SQL of the docs, and DuckDB on files against the engine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from tests.docs.test_docs import ROOT, blocks

from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.io.store import write_release
from sfumato.methods.tables.distribution import Distribution
from sfumato.pipeline.ask import query_release
from sfumato.pipeline.job import read_job
from sfumato.pipeline.publish import run_job
from sfumato.pipeline.sample import write_sample

PAGE = ROOT / "docs" / "sql-without-sfumato.md"
Lines = list[tuple[float | None, float | None]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the job of the page was run."""
    place = tmp_path_factory.mktemp("sql")
    write_sample("people", 3_000, 1, place / "people.csv")
    [job] = blocks(PAGE, "toml")
    (place / "job.toml").write_text(job, encoding="utf-8")
    run_job(read_job(place / "job.toml"), Run.seeded(1))
    return place


def engine(release: Path, sql: str) -> Lines:
    """The bounds that the engine answers, in the order of groups and aggregates."""
    [table] = query_release(release, sql)
    return list(zip(table.column("lower"), table.column("upper"), strict=True))


def pairs(row: tuple[Any, ...]) -> Lines:
    """Lower and upper ends, two by two."""
    return list(zip(row[::2], row[1::2], strict=True))


def same(one: Lines, other: Lines) -> bool:
    """Equal up to the order of additions, for which the engine widens sums by a hair."""
    flat = [x for lines in (one, other) for pair in lines for x in pair]
    half = len(flat) // 2
    return len(one) == len(other) and all(
        a == b if a is None or b is None else a == pytest.approx(b, rel=1e-11, abs=1e-9)
        for a, b in zip(flat[:half], flat[half:], strict=True)
    )


@pytest.mark.parametrize("sql", blocks(PAGE, "sql"))
def test_the_page(sql: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    found = [end for row in duckdb.sql(sql).fetchall() for end in pairs(row)]
    [asked] = re.findall(r"^-- (SELECT .*)$", sql, re.MULTILINE)
    told = engine(folder / "release", asked)
    assert found and same(found, told)


SCHEMA = Schema.of(quasi=["age", "sex"], sensitive=["pay"])
VARIANTS: list[dict[str, Any]] = [
    {"groups": "age >= 40", "target": "uniform", "fakes": 3},
    {"groups": "sex", "tolerance": 0.1},
    {"hierarchy": "strata", "strata": 3, "groups": "age >= 30"},
    {"subgroups": "exact", "target": "uniform"},
]
CONDITIONS = ["age < 35", "sex = 'f'", "age BETWEEN 25 AND 31 AND sex = 'm'", "age IS NULL", "TRUE"]
BOUNDS = """
WITH selected AS (SELECT bucket, COUNT(*) AS selected FROM '{data}/records.parquet'
                  WHERE {where} GROUP BY bucket)
SELECT SUM({low}), SUM({high}), SUM(sum_lower), SUM(sum_upper),
  MIN(min_lower), COALESCE(MIN(min_upper) FILTER ({low} > 0), MAX(min_upper)),
  COALESCE(MAX(max_lower) FILTER ({low} > 0), MIN(max_lower)), MAX(max_upper)
FROM selected JOIN '{data}/bounds.parquet' USING (bucket, selected)"""


def people(rng: np.random.Generator, holes: float) -> People:
    """People of a few pays, some of them missing."""
    size = 80
    table = pa.table(
        {
            "age": pa.array(rng.integers(20, 60, size), mask=rng.random(size) < 0.1),
            "sex": rng.choice(["f", "m"], size),
            "pay": pa.array(rng.integers(-3, 9, size) * 2.5, mask=rng.random(size) < holes),
        }
    )
    return People(table_from_arrow(table), SCHEMA, {})


@pytest.mark.parametrize("holes", [0.0, 0.2])
@pytest.mark.parametrize("place", range(len(VARIANTS)))
@pytest.mark.parametrize("seed", range(3))
def test_a_database_gives_the_bounds_of_the_engine(
    place: int, holes: float, seed: int, tmp_path: Path
) -> None:
    if holes and "strata" in VARIANTS[place]:
        pytest.skip("strata take no missing values")
    data = people(np.random.default_rng(seed), holes)
    method = Distribution(**VARIANTS[place])
    made = method.publish(data, [], Run.seeded(seed)).sealed()
    write_release(made.release, tmp_path / "r")
    missing = made.release.bucketed.scale.has_missing
    low, high = ("present_lower", "present_upper") if missing else ("selected", "selected")
    for where in CONDITIONS:
        asked = BOUNDS.format(data=tmp_path / "r" / "data", where=where, low=low, high=high)
        [row] = duckdb.sql(asked).fetchall()
        condition = "" if where == "TRUE" else f" WHERE {where}"
        sql = f"SELECT COUNT(pay), SUM(pay), MIN(pay), MAX(pay) FROM release{condition}"
        told = engine(tmp_path / "r", sql)
        if row[0] is None:
            assert told[0] == (0, 0) and not any(map(any, told[1:]))
            continue
        assert same(pairs(row), told), where
