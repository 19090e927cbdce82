"""From a Parquet file to an audited release: the whole of `run_job`, with its phases."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench import data
from bench.measure import fresh, growth, weighed
from bench.tables import Table, target
from sfumato.core.run import Run, cores
from sfumato.pipeline.job import make_job
from sfumato.pipeline.publish import Outcome, run_job

K = 10
SOON, MOST = 15.0, 6_000
COPIES = (3, 33, 330)  # 90 thousand, 1 million, 10 million rows


class Phases:
    """A clock that the progress of a run drives; time between phases goes to the one before."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._name, self._since = "start", time.perf_counter()

    def __call__(self, phase: str, done: int, total: int) -> None:
        now = time.perf_counter()
        self.seconds[self._name] = self.seconds.get(self._name, 0.0) + now - self._since
        ended = done == total and phase == self._name
        self._name, self._since = (f"after {phase}" if ended else phase), now


def run(quick: bool) -> list[Table]:
    """One process per size and method."""
    table = Table(f"file-to-release: jittered Adult, 8 columns and income, k = {K}, run_job whole")
    phases = Table("file-to-release: wall seconds by phase")
    cases = [(1, "median")] if quick else [(n, "median") for n in COPIES] + [(COPIES[-1], "best")]
    for copies, cut in cases:
        data.kept(copies)
        found = fresh("bench.files:case", copies=copies, cut=cut)
        steps = found.pop("phases")
        judged = {"target": "", "met": ""}
        if copies == COPIES[-1]:
            pairs = (found["wall s"], SOON), (found["peak MB"], MOST)
            judged = target(f"{SOON:g} s, {MOST:,} MB", *pairs)
        table.add(**found, **judged)
        phases.rows.append({"rows": found["rows"], "method": f"mondrian, {cut} cut"} | steps)
    rows = [row for row in table.rows if row["cut"] == "median"]
    if len(rows) > 1:
        sizes = [row["rows"] for row in rows]
        wall, cpu = (growth(sizes, [row[name] for row in rows]) for name in ("wall s", "cpu s"))
        table.notes.append(f"growth, median cut: wall {wall:.2f}, cpu {cpu:.2f}")
    table.notes.append(f"{cores()} threads; reading, publishing, writing, flushing, full audit")
    return [table, phases]


def case(copies: int, cut: str) -> dict[str, Any]:
    """One size; a small run before it has every kernel compiled."""
    with TemporaryDirectory() as folder:
        _run(1, cut, Path(folder), "warm", Phases())
        data.kept(copies)
        phases = Phases()
        work = partial(_run, copies, cut, Path(folder), "release", phases)
        outcome, timing, memory = weighed(work)
        size = sum(path.stat().st_size for path in outcome.release.rglob("*")) / 1e6
        content = outcome.publication.release.content
    return {
        "rows": content.rows,
        "cut": cut,
        **timing.cells(),
        "before MB": memory.before,
        "peak MB": memory.peak,
        "release MB": size,
        "groups": content.groups,
        "smallest": int(content.sizes.min()),
        "phases": phases.seconds,
    }


def _run(copies: int, cut: str, folder: Path, name: str, phases: Phases) -> Outcome:
    values = {
        "source": {"kind": "table", "path": str(data.kept(copies))},
        "schema": {"quasi": list(data.QUASI), "sensitive": [data.SENSITIVE]},
        "method": {"name": "mondrian", "k": K, "cut": cut},
        "output": {"path": name, "ledger": f"{name}-ledger"},
    }
    outcome = run_job(make_job(values, folder), Run.secure(progress=phases))
    phases("end", 0, 1)
    return outcome
