"""Real transactions: utility and time by data, k and method."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.core.answers import result_table
from sfumato.study.findings import Finding, Setting
from sfumato.study.papers import sets_curves as curves
from sfumato.study.papers import sets_data as data
from sfumato.study.papers.sets_curves import Grid, grid_of

KS, FEW_KS = (2, 10, 40, 100), (10,)
METHODS = (
    curves.EVEN,
    curves.TWO_PHASE,
    curves.HASHED,
    curves.BETTER,
    curves.BEST,
    curves.K1_DOWN,
)
OURS, THEIRS = (curves.BETTER, curves.BEST), (curves.EVEN, curves.TWO_PHASE)


def tables(setting: Setting) -> Iterator[Finding]:
    """Two tables: what is shown, and CPU seconds."""
    ks, shown, timed = FEW_KS if setting.quick else KS, [], []
    for name in data.REAL:
        sets = data.real(setting, name)
        grid = grid_of(setting, sets, METHODS, ks)
        what = {"data": name, "records": sets.rows, "items": len(sets.counts.nonzero()[0])}
        for k in ks:
            line = what | {"k": k}
            gain = _gain(grid, k)
            shown.append(line | {m: grid[m, k].utility for m in METHODS} | {"gain": gain})
            timed.append(line | {m: grid[m, k].seconds for m in METHODS})
    notes = ["gain: the better of the efforts over the better of Mondrian, even, and two-phase"]
    title = "Share of (record, item) pairs shown"
    yield Finding("real", title, "", result_table(title, shown, notes))
    title = "CPU seconds of publishing"
    yield Finding("real-time", title, "", result_table(title, timed))


def _gain(grid: Grid, k: int) -> float:
    best, known = (max(grid[m, k].utility for m in some) for some in (OURS, THEIRS))
    return best / known - 1
