"""Run benchmarks: `python -m bench.run [NAME ...] [--quick]`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from bench.data import Absent
from bench.measure import ROOT
from bench.tables import Table, shown

SUBJECTS = {
    "adult": "bench.adult",
    "adult-labels": "bench.labels",
    "jittered": "bench.jittered",
    "synthetic": "bench.synthetic",
    "file-to-release": "bench.files",
    "queries": "bench.queries",
    "distribution": "bench.distribution",
    "bucketed-files": "bench.bucketed_files",
    "bucketed-queries": "bench.bucketed_queries",
    "bucketed-errors": "bench.bucketed_errors",
    "sets-kernels": "bench.sets_kernels",
    "sets-large": "bench.sets_large",
    "sets-k1": "bench.sets_k1",
    "sets-files": "bench.sets_files",
    "sets-queries": "bench.sets_queries",
    "nonreciprocal": "bench.nonreciprocal",
    "redrawn": "bench.redrawn",
    "graph-perturbation": "bench.graph_perturbation",
    "patterns": "bench.patterns",
    "graph-attacks": "bench.graph_attacks",
    "graph-statistics": "bench.graph_statistics",
    "graph-structure": "bench.graph_structure",
    "peers": "bench.peers",
    "start": "bench.start",
}
RESULTS = ROOT / "bench" / "results"
PACKAGES = ("sfumato", "numpy", "numba", "pyarrow")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run some subjects or all; print their tables and keep them as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SUBJECTS)}")
    parser.add_argument("--quick", action="store_true", help="small sizes: does it all still run?")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for the JSON")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.names) - set(SUBJECTS)):
        parser.error(f"no subject is called {unknown[0]}; there are {', '.join(SUBJECTS)}")
    options.results.mkdir(parents=True, exist_ok=True)
    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    for name in options.names or SUBJECTS:
        one(name, options.quick, options.results)
    return 0


def one(name: str, quick: bool, results: Path) -> None:
    """One subject."""
    start = time.perf_counter()
    try:
        tables: list[Table] = import_module(SUBJECTS[name]).run(quick)
    except Absent as reason:
        tables = [Table(name, notes=[f"left out: {reason}"])]
    for table in map(_without_targets, tables) if quick else tables:
        print(shown(table), flush=True)
    print(f"\n  ({name} took {time.perf_counter() - start:.0f} s)", flush=True)
    facts = {"name": name, "quick": quick, "machine": machine()}
    text = json.dumps(facts | {"tables": [asdict(table) for table in tables]}, indent=1)
    (results / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def _without_targets(table: Table) -> Table:
    """Targets are about full sizes."""
    for row in table.rows:
        row.pop("target", None)
        row.pop("met", None)
    table.notes.append("quick: small sizes, no targets")
    return table


def machine() -> dict[str, Any]:
    """What the numbers were taken on."""
    model = platform.processor()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((x.split(": ")[1] for x in lines if x.startswith("model name")), model)
    known = {"processor": model, "cores": os.cpu_count(), "python": platform.python_version()}
    return known | {package: metadata.version(package) for package in PACKAGES}


if __name__ == "__main__":
    sys.exit(main())
