"""From a Parquet file to an audited release in buckets: every group with a target of its own."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.files import Phases
from bench.measure import fresh, growth, weighed
from bench.tables import Table, target
from sfumato.core.run import Run, cores
from sfumato.pipeline.job import make_job
from sfumato.pipeline.publish import Outcome, run_job

EACH = 100  # records in a group
VALUES = 200
JOBS = 8
FILE, AUDITED = 5.0, 10.0
SIZES = (10_000, 100_000, 1_000_000)
KINDS = ("weights", "normal", "nearest")
Draw = np.random.Generator


def run(quick: bool) -> list[Table]:
    """One process per size and kind of target."""
    table = Table(f"bucketed files: groups of {EACH}, each with a target of its own, run_job whole")
    phases = Table("bucketed files: wall seconds by phase")
    sizes = SIZES[:1] if quick else SIZES
    for kind in KINDS:
        for rows in sizes:
            found = fresh("bench.bucketed_files:case", rows=rows, kind=kind)
            steps = found.pop("phases")
            judged = {"target": "", "met": ""}
            if rows == SIZES[-1]:
                pairs = (found["file s"], FILE), (found["wall s"], AUDITED)
                judged = target(f"{FILE:g} s, {AUDITED:g} s with audit", *pairs)
            table.add(**found, **judged)
            phases.rows.append({"rows": rows, "asked": kind} | steps)
        table.notes += _growth(kind, [row for row in table.rows if row["targets"] == kind])
    table.notes += [
        f"{cores()} threads; file s: wall s less the owner's audit of all claims",
        f"{VALUES} values, binary; weights: {VALUES} whole numbers stated for each group; normal: "
        "a mean of its own; nearest: to the group's own distribution with entropy-l-diversity 20",
    ]
    return [table, phases]


def _growth(kind: str, rows: list[dict[str, Any]]) -> list[str]:
    if len(rows) < 2:
        return []
    sizes = [row["rows"] for row in rows]
    wall, cpu = (growth(sizes, [row[name] for row in rows]) for name in ("wall s", "cpu s"))
    return [f"growth, {kind}: wall {wall:.2f}, cpu {cpu:.2f}"]


def case(rows: int, kind: str) -> dict[str, Any]:
    """One size; a small run before it has every kernel compiled."""
    with TemporaryDirectory() as folder:
        publish(2_000, kind, Path(folder), "warm")
        values = job(rows, kind, Path(folder))
        phases = Phases()
        work = partial(_run, values, Path(folder), "release", phases)
        outcome, timing, memory = weighed(work)
        content = outcome.publication.release.bucketed
    seconds, ranges = phases.seconds, content.scale.ranges
    return {
        "rows": rows,
        "targets": kind,
        **timing.cells(),
        "file s": timing.wall - seconds["audit"],
        "peak MB": memory.peak,
        "groups": content.groups,
        "loss": float(ranges[content.node] @ content.count / content.count.sum() / ranges[0]),
        "phases": seconds,
    }


def publish(rows: int, kind: str, folder: Path, name: str) -> Outcome:
    """Write made-up people to a file and publish it."""
    return _run(job(rows, kind, folder), folder, name, Phases())


def _run(values: dict[str, Any], folder: Path, name: str, phases: Phases) -> Outcome:
    output = {"output": {"path": name, "ledger": f"{name}-ledger"}}
    outcome = run_job(make_job(values | output, folder), Run.secure(progress=phases))
    phases("end", 0, 1)
    return outcome


def job(rows: int, kind: str, folder: Path) -> dict[str, Any]:
    """Made-up people in a file, and the job that publishes them."""
    path = folder / f"people-{rows}.parquet"
    rng = np.random.default_rng(1)
    pq.write_table(people(rng, rows), path)
    method = {"name": "distribution", "groups": "area"} | _targets(rng, kind, rows // EACH)
    quasi = ["area", "age", "sex", "job"]
    return {
        "source": {"kind": "table", "path": str(path)},
        "schema": {"quasi": quasi, "sensitive": ["cost"]},
        "method": method,
    }


def people(rng: Draw, rows: int) -> pa.Table:
    """Costs about a mean of every area."""
    area = rng.permutation(np.arange(rows) // EACH)
    centre = rng.uniform(0.3, 0.7, rows // EACH)[area]
    cost = np.clip(rng.normal(centre, 0.15), 0, 0.999)
    cost[:VALUES] = np.arange(VALUES) / VALUES  # all occur
    return pa.table(
        {
            "area": area,
            "age": rng.integers(0, 100, rows),
            "sex": pa.array(rng.integers(0, 2, rows).astype(str)),
            "job": pa.array(rng.integers(0, JOBS, rows).astype(str)),
            "cost": (cost * VALUES).astype(np.int64) * 10,
        }
    )


def _targets(rng: Draw, kind: str, groups: int) -> dict[str, Any]:
    """A target for every group, as a job states it."""
    if kind == "nearest":
        model = {"model": "entropy-l-diversity", "l": 20}
        return {"target": {"nearest": model}}
    if kind == "normal":
        means = rng.uniform(0.3, 0.7, groups) * 10 * VALUES
        shapes = [{"normal": {"mean": float(mean), "sd": 300.0}} for mean in means]
        return {"targets": {str(group): shape for group, shape in enumerate(shapes)}}
    names = [str(10 * place) for place in range(VALUES)]
    drawn = rng.integers(1, 4, (groups, VALUES)).tolist()
    stated = [{"weights": dict(zip(names, weights, strict=True))} for weights in drawn]
    return {"rounding": 8, "targets": {str(group): one for group, one in enumerate(stated)}}
