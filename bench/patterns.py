"""Pattern-preserving publication: walks, localities, hopsy on the same polytopes, and files."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.measure import fresh, growth, timed
from bench.tables import Table, target
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.kernels.effective import effective_draws
from sfumato.kernels.lattice import Look, place_at, sweeps
from sfumato.kernels.lattice_rows import slack_of
from sfumato.kernels.localities import complete_localities, count_localities, fill_localities
from sfumato.methods.tables.patterns import Patterns
from sfumato.methods.tables.patterns_draw import _centred
from sfumato.methods.tables.patterns_equal import Reduced, reduced
from sfumato.methods.tables.patterns_find import found_properties, named_rows, scaled
from sfumato.methods.tables.patterns_system import pieces_of
from sfumato.methods.tables.patterns_walk import lattice_of
from sfumato.pipeline.job import make_job
from sfumato.pipeline.publish import run_job

SHARES = (0.002, 0.01, 0.05)
ROWS = 75_000
CORES = 2
SECONDS = {0.002: 10.0, 0.01: 10.0, 0.05: 40.0}
Draw = Callable[[np.random.Generator, int], np.ndarray]


def lognormal(rng: np.random.Generator, rows: int) -> np.ndarray:
    """A column with a long tail, three digits after the point."""
    return np.round(rng.lognormal(3.0, 0.6, rows), 3)


def humps(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Two humps of equal size."""
    return np.round(20 + rng.normal(0, 1, rows) + 8 * (rng.random(rows) < 0.5), 3)


def ages(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Whole numbers with ties."""
    return rng.integers(17, 91, rows)


COLUMNS: dict[str, Draw] = {"lognormal": lognormal, "two humps": humps, "ages": ages}


def people(values: np.ndarray) -> People:
    """A column to draw anew, beside one that is kept."""
    data = pa.table({"value": values, "kept": np.arange(len(values)) % 5})
    return People(table_from_arrow(data), Schema.of(quasi=["value"], keep=["kept"]))


def run(quick: bool) -> list[Table]:
    """All tables."""
    return [walks(quick), budget(quick), localities(quick), peer(quick), files(quick)]


def walks(quick: bool) -> Table:
    """A column drawn anew: from the table in memory to a publication."""
    rows = 1_000 if quick else ROWS
    table = Table(f"patterns: {rows:,} values in parts of 100, 20 effective draws each")
    for name, make in COLUMNS.items():
        data = people(make(np.random.default_rng(1), rows))
        for share in SHARES:
            method = Patterns(localities=share, least_shift=0.0, sweeps=2_000_000)
            method.publish(people(make(np.random.default_rng(2), 200)), [], Run.seeded(1, 1))
            made, timing = timed(lambda m=method, d=data: m.publish(d, [], Run.seeded(1, CORES)))
            notes = made.ledger.notes["patterned"]
            most = SECONDS[share] * CORES
            table.rows.append(
                {"column": name, "localities": share}
                | timing.cells()
                | {"least effective": notes["least effective draws"], "sweeps": notes["sweeps"]}
                | target(f"{most:g} s of CPU", (timing.cpu, most))
            )
    table.notes.append(f"targets: wall times on {CORES} quiet cores, here as CPU time of both")
    return table


def budget(quick: bool) -> Table:
    """The paper's number of steps, in its own steps and in ours."""
    rows = 1_000 if quick else ROWS
    data = people(lognormal(np.random.default_rng(1), rows))
    table = Table(f"patterns: 4,000 steps for each of {rows // 100} parts of 100 values")
    cases = {
        "one-sided random directions (the paper's)": {"walk": "one-sided", "steps": 4_000},
        "ours, 4,000 single values anew": {"steps": 40},
    }
    for name, options in cases.items():
        method = Patterns(least_shift=0.0, start="data", **options)
        method.publish(people(lognormal(np.random.default_rng(2), 200)), [], Run.seeded(1, 1))
        _, timing = timed(lambda m=method: m.publish(data, [], Run.seeded(1, CORES)))
        met = target(f"{2.0 * CORES:g} s of CPU", (timing.cpu, 2.0 * CORES))
        table.rows.append({"steps": name} | timing.cells() | met)
    table.notes.append("neither is a sample: one-sided steps have another limit, and few don't mix")
    return table


def localities(quick: bool) -> Table:
    """The complete set, held and only passed through."""
    table = Table("patterns: complete localities of one column")
    rng = np.random.default_rng(1)
    for rows, most in ((900, 0.02), (2_000 if quick else 10_000, 3.0)):
        values = np.sort(rng.integers(0, 10**9, rows))
        complete_localities(values[:20])
        held = rows <= 1_000
        work = complete_localities if held else passed_through
        found, timing = timed(lambda v=values, w=work: w(v), 3)
        number = len(found) if held else found
        met = target(f"{most:g} s", (timing.cpu, most))
        table.rows.append(
            {"values": rows, "localities": number, "held": held} | timing.cells() | met
        )
    return table


def passed_through(values: np.ndarray) -> int:
    """All localities, a few thousand values of j at a time."""
    total = 0
    for first in range(1, len(values), 100):
        last = min(first + 100, len(values))
        part = np.empty((count_localities(values, first, last), 4), np.int32)
        total += fill_localities(values, first, last, part)
    return total


def polytope(make: Draw, share: float) -> Reduced:
    """The polytope of 100 values, begun in its middle."""
    data = people(make(np.random.default_rng(1), 100))
    method, run_ = Patterns(localities=share), Run.seeded(1)
    keeper, order = scaled(data, ("value",), method, run_)
    kept = found_properties(keeper, method, named_rows(data, keeper, order, method))
    [piece] = pieces_of(kept.properties, keeper.variables, keeper.scales)
    return _centred(reduced(piece))[0]


def worth(series: np.ndarray) -> float:
    """Least effective draws over values and gaps."""
    both = np.concatenate([series, np.diff(series, axis=1)], axis=1)
    return float(np.nanmin(effective_draws(both)))


def ours(system: Reduced, count: int) -> tuple[float, float]:
    """Effective draws and CPU seconds of so many sweeps, words included."""
    n = len(system.y)
    lattice = lattice_of(system, system.y.copy())
    place = place_at(system.y, slack_of(system.rows, system.y))
    look = Look(10, np.arange(n), np.empty((count // 10, n)))
    run_, done, asked = Run.seeded(3), 0, 0
    begin = time.process_time()
    while done < count:
        done, _ = sweeps(lattice, place, run_.words(1 << 16, "walk", asked), done, count, look)
        asked += 1
    return worth(look.seen), time.process_time() - begin


def theirs(system: Reduced, count: int) -> tuple[float, float, float]:
    """Effective draws, CPU seconds of walking and of rounding, of hopsy's coordinate walk."""
    import hopsy

    rows, n = system.rows, len(system.y)
    dense = np.zeros((rows.number + 2 * n, n))
    of = np.repeat(np.arange(rows.number), np.diff(rows.start))
    dense[of, rows.variable] = rows.coefficient
    dense[rows.number : rows.number + n] = np.eye(n)
    dense[rows.number + n :] = -np.eye(n)
    wide = float(system.upper.max()) / 100  # it does best with numbers near 1
    limit = np.concatenate([rows.limit, system.upper, -system.lower]) / wide
    problem = hopsy.Problem(dense, limit)
    begin = time.process_time()
    problem = hopsy.round(problem)
    rounding = time.process_time() - begin
    # its own centre of the rounded polytope lies outside of it by rounding
    inner = np.linalg.solve(np.array(problem.transformation), system.y / wide - problem.shift)
    kind = hopsy.UniformCoordinateHitAndRunProposal
    chain = hopsy.MarkovChain(problem, kind, starting_point=inner)
    begin = time.process_time()
    _, states = hopsy.sample(chain, hopsy.RandomNumberGenerator(1), count, thinning=10 * n)
    return worth(np.asarray(states[0])), time.process_time() - begin, rounding


def peer(quick: bool) -> Table:
    """Time to a thousand effective draws, hopsy's rounding counted."""
    table = Table("patterns: seconds of CPU to 1,000 effective draws, 100 values")
    for name in ("lognormal", "two humps"):
        for share in SHARES:
            system = polytope(COLUMNS[name], share)
            ours(system, 100)
            got, took = ours(system, 2_000 if quick else 60_000)
            line: dict[str, Any] = {"column": name, "localities": share}
            line |= {"rows": system.rows.number, "ours s": 1_000 * took / got}
            table.rows.append(line | _peer(system, line["ours s"], quick))
    table.notes.append("hopsy: uniform coordinate hit-and-run after rounding; 10 sweeps a draw")
    return table


def _peer(system: Reduced, mine: float, quick: bool) -> dict[str, Any]:
    try:
        got, took, rounding = theirs(system, 200 if quick else 2_000)
    except ImportError:
        return {"hopsy s": None, "its rounding s": None, "times": None}
    needed = rounding + 1_000 * took / got
    cells = {"hopsy s": needed, "its rounding s": rounding, "times": needed / mine}
    return cells | target("10 times", (10.0, needed / mine))


def files(quick: bool) -> Table:
    """From a file to a release: three columns of whole numbers."""
    sizes = (1_000,) if quick else (10_000, 100_000)
    table = Table("patterns: file to release, three whole columns, parts of 100, 0.2 %")
    for rows in sizes:
        table.rows.append({"rows": rows} | fresh("bench.patterns:from_file", rows=rows))
    if not quick:
        times = [row["cpu s"] for row in table.rows]
        slope = growth(sizes, times)
        table.notes.append(f"CPU time grows with rows to the power of {slope:.2f}")
        table.notes.append(f"at that rate a million takes {times[-1] * 10**slope:,.0f} s of CPU")
    return table


def from_file(rows: int) -> dict[str, Any]:
    """One job, audit and ledger included."""
    rng = np.random.default_rng(1)
    data = {"age": ages(rng, rows), "hours": rng.integers(1, 99, rows)}
    data["weight"] = np.round(rng.lognormal(12, 0.6, rows)).astype(int)
    with TemporaryDirectory() as folder:
        place = Path(folder)
        pq.write_table(pa.table(data | {"job": rng.integers(0, 9, rows)}), place / "people.parquet")
        job = {
            "source": {"kind": "table", "path": "people.parquet"},
            "schema": {"quasi": list(data), "sensitive": ["job"]},
            "method": {"name": "patterns", "localities": 0.002, "least_shift": 0.0},
        }
        _, timing = timed(lambda: run_job(make_job(job, place), Run.seeded(1, CORES)))
        return timing.cells()
