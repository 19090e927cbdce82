"""What a newcomer waits for: import, help, and the tour with and without compiled kernels."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import sysconfig
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import ROOT, Timing, timed
from bench.tables import Table, target

COMMAND = Path(sysconfig.get_path("scripts")) / "sfumato"


def run(quick: bool) -> list[Table]:
    """Wall seconds of whole processes, the tour twice: kernels to compile, kernels at hand."""
    table = Table("start: whole processes")
    repeat = 2 if quick else 10
    nothing = _process([sys.executable, "-c", "pass"], repeat)
    imported = _process([sys.executable, "-c", "import sfumato"], repeat)
    used = "import sfumato; [getattr(sfumato, name) for name in sfumato.__all__]"
    table.add(task="python -c pass", **nothing.cells())
    table.add(task="import sfumato", **imported.cells(), **target("0.3 s", (imported.wall, 0.3)))
    table.add(task="all public names", **_process([sys.executable, "-c", used], repeat).cells())
    helped = _process([str(COMMAND), "--help"], repeat)
    table.add(task="sfumato --help", **helped.cells(), **target("0.2 s", (helped.wall, 0.2)))
    if not quick:
        _tour(table)
    table.notes = ["cpu s of the processes started; the tour is tools/demo.py without set-up"]
    return [table]


def _process(
    command: list[str], repeat: int, cwd: Path = ROOT, cache: Path | None = None
) -> Timing:
    """Start to end of a command that must succeed."""
    environment = os.environ | ({"NUMBA_CACHE_DIR": str(cache)} if cache is not None else {})
    work = partial(
        subprocess.run, command, cwd=cwd, env=environment, check=True, stdout=subprocess.DEVNULL
    )
    return timed(work, repeat, _children)[1]


def _children() -> float:
    """CPU seconds of processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _tour(table: Table) -> None:
    with TemporaryDirectory() as name:
        folder, cache = Path(name), Path(name) / "cache"
        (folder / "tools").mkdir()
        shutil.copy(ROOT / "tools" / "demo.py", folder / "tools")
        shutil.copytree(ROOT / "examples", folder / "examples")
        command = [sys.executable, str(folder / "tools" / "demo.py")]
        first = _process(command, 1, folder, cache)
        again = _process(command, 3, folder, cache)
    table.add(task="tour, first run", **first.cells(), **target("20 s", (first.wall, 20)))
    table.add(task="tour, again", **again.cells(), **target("5 s", (again.wall, 5)))
