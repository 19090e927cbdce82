"""What is published of sets, by method: how much of it is shown, and what it takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.containment_counts import containing
from sfumato.core import catalogue
from sfumato.core.answers import ResultTable, result_table
from sfumato.core.parameters import build
from sfumato.core.run import Run
from sfumato.data.sets import Holders, Sets
from sfumato.data.table import Table
from sfumato.kernels.rows import Rows
from sfumato.study.findings import Curves, Finding, Setting, Statement

UTILITY = "share of the utility that is shown"
SECONDS = "CPU seconds"
WARM = 64  # records of a first, untimed run, which compiles
Shown = tuple[NDArray[np.int64], Rows]  # how many records publish each set, and the sets
Curve = Callable[[Sets, int, Run], Shown]


@dataclass(frozen=True)
class Point:
    """Shares of utility and of (record, item) pairs that are shown, and CPU seconds."""

    utility: float
    instances: float
    seconds: float


Grid = dict[tuple[str, int], Point]


def method(name: str, **parameters: Any) -> Curve:
    """A method of the catalogue; groups below k, where it makes groups, stop the study."""

    def shown(sets: Sets, k: int, run: Run) -> Shown:
        made = build(catalogue.method("sets", name), {"k": k, **parameters}, "method")
        people = Holders(sets, table=Table({}, sets.rows))
        content = made.publish(people, [], run).release.sets
        assert content.sizes.sum() == sets.rows
        assert not content.tight or content.sizes.min() >= k
        return content.sizes, content.sets.held

    return shown


EVEN, ENTROPY, GAIN = "Mondrian, even", "Mondrian, entropy", "Mondrian, gain"
BETTER, BEST = "Mondrian, effort 1", "Mondrian, effort 2"
TWO_PHASE = "two-phase"
DRAWN, HASHED, ALL = "cluster, random", "cluster, hashed", "cluster, all"
AGAIN_HASHED, AGAIN_ALL = "iterative, hashed", "iterative, all"
K1_HASHED, K1_ALL = "(k,1), hashed", "(k,1), all"
K1_DOWN, K1_DRAWN = "(k,1), top down", "(k,1), drawn"

CURVES: dict[str, Curve] = {
    EVEN: method("mondrian", effort=0, cut="even"),
    ENTROPY: method("mondrian", effort=0, cut="entropy"),
    GAIN: method("mondrian", effort=0, cut="gain"),
    BETTER: method("mondrian", effort=1),
    BEST: method("mondrian", effort=2),
    TWO_PHASE: method("two-phase"),
    DRAWN: method("cluster", candidates="random"),
    HASHED: method("cluster", candidates="hashed"),
    ALL: method("cluster", candidates="all"),
    AGAIN_HASHED: method("iterative-cluster", candidates="hashed"),
    AGAIN_ALL: method("iterative-cluster", candidates="all"),
    K1_HASHED: method("k1", candidates=1, search="hashed"),
    K1_ALL: method("k1", candidates=1, search="all"),
    K1_DOWN: method("k1", candidates=1),
    K1_DRAWN: method("k1"),
}


def measured(sets: Sets, k: int, curve: str, run: Run) -> Point:
    """Publish, time it, and see that every set that is shown lies in k records or more."""
    begun = time.process_time()
    sizes, shown = CURVES[curve](sets, k, run)
    seconds = time.process_time() - begun
    assert (containing(sets.indptr, sets.items, *shown, k, run.workers) >= k).all()
    count = np.diff(shown.start)
    sums = np.concatenate([[0.0], np.cumsum(sets.utility[shown.items])])
    worth = sums[shown.start[1:]] - sums[shown.start[:-1]]
    instances = float(sizes @ count) / len(sets.items)
    return Point(float(sizes @ worth) / sets.total, instances, seconds)


def grid_of(
    setting: Setting,
    sets: Sets,
    curves: Sequence[str],
    ks: Sequence[int],
    from_k: Mapping[str, int] | None = None,
) -> Grid:
    """Every curve at every k, or from a k of its own where smaller ones take too long."""
    grid: Grid = {}
    for place, curve in enumerate(curves):
        CURVES[curve](sets.take(np.arange(min(WARM, sets.rows))), 2, setting.run)
        for k in ks:
            if k >= (from_k or {}).get(curve, 0):
                grid[curve, k] = measured(sets, k, curve, setting.run)
        setting.run.step(place + 1, len(curves))
    return grid


def table_of(grid: Grid, title: str, curves: Sequence[str], what: str) -> ResultTable:
    """A row per k, a column per curve, of one attribute of the points."""
    ks = sorted({k for curve, k in grid if curve in curves})
    rows = [
        {"k": k} | {c: getattr(grid[c, k], what) if (c, k) in grid else None for c in curves}
        for k in ks
    ]
    return result_table(title, rows)


@dataclass(frozen=True)
class Heading:
    """Name, title and text of two figures, of utility and of time."""

    name: str
    title: str
    text: str


def figures(
    grid: Grid,
    heading: Heading,
    curves: Sequence[str],
    said: Sequence[Statement] = (),
    log: bool = False,
) -> Iterator[Finding]:
    """Utility and CPU seconds against k, side by side."""
    for what, name, y_name in (("utility", "", UTILITY), ("seconds", "-time", SECONDS)):
        timed = what == "seconds"
        title = f"{heading.title}: {'time' if timed else 'utility'}"
        table = table_of(grid, title, curves, what)
        drawn = Curves("k", tuple(curves), "k", y_name, log=log or timed, log_x=True)
        told = () if timed else said
        yield Finding(heading.name + name, title, "" if timed else heading.text, table, drawn, told)
