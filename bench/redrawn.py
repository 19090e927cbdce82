"""Random anonymization: redrawing, what can be inferred, counts with the redraw undone, files."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.data import KEPT
from bench.files import Phases
from bench.measure import fresh, growth, timed, weighed
from bench.tables import Table, target
from sfumato.core.run import Run, cores
from sfumato.methods.tables.ra_draw import redrawn
from sfumato.pipeline.job import make_job
from sfumato.pipeline.publish import run_job
from sfumato.query import prepare
from sfumato.releases.redraw_law import RedrawLaw
from sfumato.releases.redraw_risk import Adversary
from sfumato.releases.redrawn_table import RedrawnTable
from sfumato.releases.release import Release

SIZES = (16, 5, 2, 7, 7, 74, 6, 41, 2)  # values of Adult's nine quasi-identifiers
NAMES = tuple("abcdefghi")
SENSITIVE = 14
ROWS = (100_000, 1_000_000, 10_000_000)
DRAWN, FILED, ASKED, INFERRED = 1.5, 15.0, 0.3, 10.0
QUESTIONS = {
    1: "f < 30",
    3: "f < 30 AND a < 5 AND c = 0",
    5: "f < 30 AND a < 5 AND c = 0 AND d < 3 AND g < 3 AND s < 7",
    8: "f < 30 AND a < 5 AND c = 0 AND d < 3 AND g < 3 AND b < 2 AND e < 3 AND i = 0 AND s < 7",
}


def run(quick: bool) -> list[Table]:
    """Every table; one process a row."""
    sizes = ROWS[:1] if quick else ROWS
    return [drawing(sizes), inferring(quick), asking(sizes[-1]), filing(sizes[-1])]


def drawing(sizes: tuple[int, ...]) -> Table:
    """Codes in memory to redrawn codes."""
    table = Table("redrawn: nine coded columns in memory, redrawn")
    for redraw in (1, 5):
        found = [fresh("bench.redrawn:draw", rows=rows, redraw=redraw) for rows in sizes]
        for row in found:
            judged = {"target": "", "met": ""}
            if row["rows"] == ROWS[-1]:
                judged = target(f"{DRAWN:g} s", (row["wall s"], DRAWN))
            table.add(**row, **judged)
        if len(sizes) > 1:
            slope = growth([row["rows"] for row in found], [row["cpu s"] for row in found])
            table.notes.append(f"growth, {redraw} redrawn: cpu {slope:.2f}")
    table.notes.append(f"{cores()} threads")
    return table


def columns_of(rows: int) -> list[Any]:
    """Skewed codes, neighbouring columns linked."""
    rng = np.random.default_rng(1)
    found = []
    last = rng.random(rows)
    for size in SIZES:
        last = np.where(rng.random(rows) < 0.5, last, rng.random(rows))
        found.append(np.minimum(last * last * size, size - 1).astype(np.uint8))
    return found


def law_of(columns: list[Any], redraw: int) -> RedrawLaw:
    """Equal weights."""
    counts = tuple(
        np.bincount(one, minlength=size) for one, size in zip(columns, SIZES, strict=False)
    )
    names = NAMES[: len(columns)]
    return RedrawLaw(names, (1 / len(names),) * len(names), redraw, counts)


def draw(rows: int, redraw: int) -> dict[str, Any]:
    """One size."""
    columns = columns_of(rows)
    law = law_of(columns, redraw)
    redrawn([one[:1_000] for one in columns], law, Run.seeded(1))
    _, timing, memory = weighed(partial(redrawn, columns, law, Run.seeded(2)))
    return {"rows": rows, "redrawn": redraw, **timing.cells(), "extra MB": memory.extra}


def inferring(quick: bool) -> Table:
    """The risk of every record, by records, columns redrawn and columns."""
    table = Table("redrawn: what can be inferred of every record, and by whom it is")
    small = ROWS[0] // 10 if quick else ROWS[0]
    cases = [(small, 9, redraw) for redraw in (1, 2, 3, 4)]
    if not quick:
        cases += [(small, 7, 3), (small, 8, 3), (ROWS[1], 9, 1)]
    for rows, columns, redraw in cases:
        row = fresh("bench.redrawn:infer", rows=rows, columns=columns, redraw=redraw)
        judged = {"target": "", "met": ""}
        if rows == ROWS[1]:
            judged = target(f"{INFERRED:g} s", (row["wall s"], INFERRED))
        table.add(**row, **judged)
    table.notes.append(
        f"{cores()} threads; sets: of up to so many columns as are redrawn, each a pass over "
        "people and records"
    )
    return table


def infer(rows: int, columns: int, redraw: int) -> dict[str, Any]:
    """One size: beliefs in combinations, in persons, in the owner, and in a sensitive value."""
    before = columns_of(rows)[:columns]
    law = law_of(before, redraw)
    after = redrawn(before, law, Run.seeded(2))
    own = np.random.default_rng(3).integers(0, SENSITIVE, rows)
    few = [one[:1_000] for one in before]
    _inferred(law, few, [one[:1_000] for one in after], own[:1_000])
    sets, timing, memory = weighed(partial(_inferred, law, before, after, own))
    return {
        "rows": rows,
        "columns": columns,
        "redrawn": redraw,
        "sets": sets,
        **timing.cells(),
        "extra MB": memory.extra,
    }


def _inferred(law: RedrawLaw, before: list[Any], after: list[Any], own: Any) -> int:
    from math import comb

    adversary = Adversary(law, before, after, cores())
    adversary.own.mean()
    adversary.belief(own, SENSITIVE)
    return sum(comb(len(law.names), size) for size in range(law.redraw + 1))


def asking(rows: int) -> Table:
    """Counts over conditions of growing length."""
    table = Table(f"redrawn: a count with its standard error, {rows:,} records, one redrawn")
    for row in fresh("bench.redrawn:ask", rows=rows):
        judged = {"target": "", "met": ""}
        if row["redrawn columns asked about"] == 5 and rows == ROWS[-1]:
            judged = target(f"{ASKED:g} s", (row["wall s"], ASKED))
        table.rows.append(row | judged)
    table.notes.append(f"{cores()} threads; a new question each, codes in memory")
    return table


def ask(rows: int) -> list[dict[str, Any]]:
    """Questions to one release; the same ones with another number have compiled every loop."""
    from sfumato.data.table import Column, Table

    columns = columns_of(rows)
    law = law_of(columns, 1)
    after = redrawn(columns, law, Run.seeded(2))
    own = np.random.default_rng(3).integers(0, SENSITIVE, rows).astype(np.uint8)
    named = dict(zip((*NAMES, "s"), (*after, own), strict=True))
    held = {
        name: Column(name, "number", codes, pa.array(range(size)), False)  # type: ignore[arg-type]
        for (name, codes), size in zip(named.items(), (*SIZES, SENSITIVE), strict=True)
    }
    from sfumato.data.schema import Schema

    schema = Schema.of(quasi=list(NAMES), sensitive=["s"])
    release = Release("table", "perturbed", schema, RedrawnTable(Table(held, rows), law), ())
    engine = prepare(release)
    found = []
    for length, where in QUESTIONS.items():
        engine.answer(f"SELECT COUNT(*) FROM release WHERE {where.replace('30', '31')}")
        sql = f"SELECT COUNT(*) FROM release WHERE {where}"
        [(_, [answer])], timing = timed(partial(engine.answer, sql))
        found.append(
            {
                "redrawn columns asked about": length,
                **timing.cells(),
                "estimate": answer.value,
                "standard error": answer.error,
            }
        )
    return found


def filing(rows: int) -> Table:
    """From a Parquet file to an audited release."""
    table = Table("redrawn: run_job from Parquet to an audited release, nine columns and one")
    for redraw in (1, 5):
        row = fresh("bench.redrawn:file", rows=rows, redraw=redraw)
        steps = row.pop("phases")
        judged = {"target": "", "met": ""}
        if rows == ROWS[-1]:
            judged = target(f"{FILED:g} s", (row["wall s"], FILED))
        table.add(**row, **judged)
        told = ", ".join(f"{name} {seconds:.2f}" for name, seconds in steps.items())
        table.notes.append(f"seconds by phase, {redraw} redrawn: {told}")
    table.notes.append(f"{cores()} threads; reading, redrawing, sorting, writing, full audit")
    return table


def file(rows: int, redraw: int) -> dict[str, Any]:
    """One job, after a small one that compiles every loop."""
    with TemporaryDirectory() as folder:
        _job(kept(10_000), redraw, Path(folder), "warm", Phases())
        path, phases = kept(rows), Phases()
        work = partial(_job, path, redraw, Path(folder), "release", phases)
        outcome, timing, memory = weighed(work)
        size = sum(one.stat().st_size for one in outcome.release.rglob("*")) / 1e6
    return {
        "rows": rows,
        "redrawn": redraw,
        **timing.cells(),
        "peak MB": memory.peak,
        "release MB": size,
        "phases": phases.seconds,
    }


def _job(path: Path, redraw: int, folder: Path, name: str, phases: Phases) -> Any:
    values = {
        "source": {"kind": "table", "path": str(path)},
        "schema": {"quasi": list(NAMES), "sensitive": ["s"]},
        "method": {"name": "ra", "redraw": redraw},
        "output": {"path": name, "ledger": f"{name}-ledger"},
    }
    outcome = run_job(make_job(values, folder), Run.secure(progress=phases))
    phases("end", 0, 1)
    return outcome


def kept(rows: int) -> Path:
    """The codes as a Parquet file, made once."""
    path = KEPT / f"redrawn-{rows}.parquet"
    if not path.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.parquet")
        columns = dict(zip(NAMES, columns_of(rows), strict=True))
        own = np.random.default_rng(3).integers(0, SENSITIVE, rows).astype(np.uint8)
        pq.write_table(pa.table(columns | {"s": own}), part)
        part.rename(path)
    return path
