"""Time and memory of one piece of work, and how busy the rest of the machine was meanwhile."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

ROOT = Path(__file__).parents[1]
SELF = Path("/proc/self")
STAT = Path("/proc/stat")
MEGA = 1e6
SHORT = 0.2  # seconds: the system counts in ticks of 10 ms, too coarse below this
BUSY = 0.15  # of a core: above this a wall time says little


@dataclass(frozen=True)
class Timing:
    """Best wall and CPU seconds of some repetitions, not always of the same one.

    `others` is the CPU time that other processes took meanwhile, in cores; None if unknown.
    """

    wall: float
    cpu: float
    others: float | None

    def cells(self) -> dict[str, Any]:
        """As columns of a table."""
        return {"wall s": self.wall, "cpu s": self.cpu, "others": self.others}


@dataclass(frozen=True)
class Memory:
    """Megabytes in use before some work and at its peak, with all that the process holds."""

    before: float
    peak: float

    @property
    def extra(self) -> float:
        """Beyond the input."""
        return self.peak - self.before


def timed(
    work: Callable[[], Any], repeat: int = 1, clock: Callable[[], float] = time.process_time
) -> tuple[Any, Timing]:
    """The last result, and the best times of some repetitions.

    The clock may be `time.thread_time` for work that stays in the calling thread.
    """
    walls, cpus, result = [], [], None
    foreign, begin = _foreign(), time.perf_counter()
    for _ in range(repeat):
        result = None  # two results at once would count as memory
        wall, cpu = time.perf_counter(), clock()
        result = work()
        cpus.append(clock() - cpu)
        walls.append(time.perf_counter() - wall)
    whole = time.perf_counter() - begin
    others = None if foreign is None or whole < SHORT else _between(foreign, whole)
    return result, Timing(min(walls), min(cpus), others)


def _between(foreign: float, seconds: float) -> float:
    return max(0.0, (_foreign() or 0.0) - foreign) / seconds


def _foreign() -> float | None:
    """CPU seconds of all other processes since the machine started."""
    if not STAT.exists():
        return None
    user, nice, system, _, _, hard, soft, stolen = map(int, STAT.read_text().split()[1:9])
    ticks = user + nice + system + hard + soft + stolen
    own = os.times()
    mine = own.user + own.system + own.children_user + own.children_system
    return float(ticks / os.sysconf("SC_CLK_TCK") - mine)


def weighed(work: Callable[[], Any]) -> tuple[Any, Timing, Memory]:
    """Result, times and memory of work that is done once."""
    _give_back()
    before = _resident()
    result, timing = timed(work)
    return result, timing, Memory(before, _peak())


def _give_back() -> None:
    """Return freed memory to the system, or work that reuses it would seem to need none."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _resident() -> float:
    """Megabytes in use now; the peak is counted from here on where the system can."""
    if not (SELF / "status").exists():
        return _peak()
    (SELF / "clear_refs").write_text("5")
    return _status("VmRSS")


def _peak() -> float:
    """Largest memory of this process.

    Not `ru_maxrss` where it can be helped: on Linux a child begins with its parent's.
    """
    if (SELF / "status").exists():
        return _status("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MEGA


def _status(name: str) -> float:
    for line in (SELF / "status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024 / MEGA
    raise OSError(f"no {name}")


def fresh(place: str, **arguments: Any) -> Any:
    """Call "module:function" in a process of its own; arguments and result are plain data."""
    command = [sys.executable, "-m", "bench.measure", place, json.dumps(arguments)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def growth(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Growth exponent: the slope of log time over log size; 1 is linear."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def main() -> None:
    """The other end of `fresh`."""
    module, _, name = sys.argv[1].partition(":")
    print(json.dumps(getattr(import_module(module), name)(**json.loads(sys.argv[2]))))


if __name__ == "__main__":
    main()
