"""Made-up codes, 8 columns: strict median Mondrian up to ten million rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bench.groups import by_mondrian, grid_of_codes, warm
from bench.loss import smallest
from bench.measure import fresh, growth, weighed
from bench.tables import Row, Table, target
from sfumato.core.run import cores

K = 10
SIZES = (1_000, 500, 365, 100, 75, 40, 16, 2)
ROWS = (10_000, 100_000, 1_000_000, 10_000_000)


def run(quick: bool) -> list[Table]:
    """One process per size, all cores; the largest with one thread as well."""
    rows = ROWS[:2] if quick else ROWS
    table = Table(f"synthetic: strict median Mondrian, 8 columns of 16-bit codes, k = {K}")
    table.rows = [_judged(fresh("bench.synthetic:case", rows=n, workers=cores())) for n in rows]
    times = [row["wall s"] for row in table.rows], [row["cpu s"] for row in table.rows]
    slopes = [growth(rows, each) for each in times]
    table.rows.append(fresh("bench.synthetic:case", rows=rows[-1], workers=1))
    table.notes = [
        f"growth over all sizes: wall {slopes[0]:.2f}, cpu {slopes[1]:.2f}",
        "extra MB: peak beyond the process with its input, just before the work",
        f"columns of {', '.join(map(str, SIZES))} values, uneven and correlated",
    ]
    return [table]


def _judged(row: Row) -> Row:
    if row["rows"] != ROWS[-1]:
        return row
    return row | target("1 s, 1,000 MB", (row["wall s"], 1.0), (row["extra MB"], 1_000))


def case(rows: int, workers: int) -> dict[str, Any]:
    """One size."""
    warm()
    grid = grid_of_codes(codes(rows), SIZES)
    for _ in range(2 if rows < ROWS[-1] else 0):
        by_mondrian(grid, K, "median", workers)
    group, timing, memory = weighed(partial(by_mondrian, grid, K, "median", workers))
    for _ in range(2):
        group, again, _ = weighed(partial(by_mondrian, grid, K, "median", workers))
        timing = again if again.wall < timing.wall else timing
    return {
        "rows": rows,
        "threads": workers,
        **timing.cells(),
        "ns a row": timing.wall / rows * 1e9,
        "extra MB": memory.extra,
        "groups": int(group.max()) + 1,
        "smallest": smallest(group),
    }


def codes(rows: int) -> np.ndarray[Any, np.dtype[np.uint16]]:
    """Columns that are uneven and lean on a common cause, as real ones do."""
    rng = np.random.default_rng(11)
    cause = rng.random(rows, np.float32)
    made = np.empty((rows, len(SIZES)), np.uint16)
    for place, size in enumerate(SIZES):
        share = rng.random(rows, np.float32) ** (1 + place % 3)
        made[:, place] = (0.3 * cause + 0.7 * share) * size
        np.minimum(made[:, place], size - 1, out=made[:, place])
    return made
