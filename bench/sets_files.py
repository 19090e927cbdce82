"""From a Parquet file of lists to an audited release of sets: the whole of `run_job`, by phase."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.data import KEPT
from bench.files import Phases
from bench.measure import fresh, weighed
from bench.sets import LARGE, SIZES, TAIL, K, slopes
from bench.tables import Table, target
from sfumato.core.run import Run, cores
from sfumato.pipeline.job import make_job
from sfumato.pipeline.publish import Outcome, run_job
from sfumato.pipeline.sample import write_segments

SOON = 90.0


def run(quick: bool) -> list[Table]:
    """One process per size."""
    table = Table(f"sets-files: long tail, 1,987 items, mondrian, effort 0, k = {K}, run_job whole")
    phases = Table("sets-files: wall seconds by phase")
    for rows in SIZES[:1] if quick else SIZES:
        fresh("bench.sets_files:kept", rows=rows)
        found = fresh("bench.sets_files:case", rows=rows)
        steps = found.pop("phases")
        judged = {"target": "", "met": ""}
        if rows == LARGE:
            judged = target(f"{SOON:g} s", (found["wall s"], SOON))
        table.add(**found, **judged)
        phases.rows.append({"rows": rows} | steps)
    if not quick:
        table.notes.append(slopes("file to audited release", table.rows))
    table.notes.append(f"{cores()} threads; reading, publishing, writing, flushing, full audit")
    return [table, phases]


def kept(rows: int) -> str:
    """Made-up people as a Parquet file of lists with a file of utilities beside, made once."""
    path = KEPT / f"segments-{rows}.parquet"
    if not path.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.parquet")
        utility = KEPT / f"utilities-{rows}.csv"
        utility.unlink(missing_ok=True)
        write_segments(rows, 1, part, profile=TAIL, utility=utility)
        part.rename(path)
    return str(path)


def case(rows: int) -> dict[str, Any]:
    """One size; a small run before it has every kernel compiled."""
    with TemporaryDirectory(dir=KEPT) as folder:
        publish(SIZES[0], Path(folder), "warm", Phases())
        phases = Phases()
        work = partial(publish, rows, Path(folder), "release", phases)
        outcome, timing, memory = weighed(work)
        size = sum(path.stat().st_size for path in outcome.release.rglob("*")) / 1e6
        content = outcome.publication.release.sets
    return {
        "rows": rows,
        **timing.cells(),
        "peak MB": memory.peak,
        "file MB": Path(kept(rows)).stat().st_size / 1e6,
        "release MB": size,
        "groups": content.groups,
        "smallest": int(content.sizes.min()),
        "phases": phases.seconds,
    }


def publish(rows: int, folder: Path, name: str, phases: Phases) -> Outcome:
    """From file to audited release."""
    source = Path(kept(rows))
    values = {
        "source": {
            "kind": "sets",
            "path": str(source),
            "items": "items",
            "utility": str(source.with_name(f"utilities-{rows}.csv")),
        },
        "schema": {"drop": ["person"]},
        "method": {"name": "mondrian", "k": K, "effort": 0},
        "output": {"path": name, "ledger": f"{name}-ledger"},
    }
    outcome = run_job(make_job(values, folder), Run.secure(progress=phases))
    phases("end", 0, 1)
    return outcome
