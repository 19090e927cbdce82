"""Jittered copies of Adult: regroup at a million and ten million rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import pyarrow.parquet as pq

from bench import data
from bench.groups import by_regroup, grid_of_table, warm
from bench.loss import smallest, tight_loss
from bench.measure import fresh, growth, weighed
from bench.tables import Table, target
from sfumato.core.run import cores

K = 5
AIMS = {(33, 0): (0.0028, 1.0, 1_000), (330, 0): (0.0008, 8.0, 2_000)}


def run(quick: bool) -> list[Table]:
    """One process per size and effort."""
    table = Table(f"jittered: regroup, k = {K}, {cores()} threads, from codes in memory")
    cases = [(1, 0)] if quick else [(3, 0), (33, 0), (330, 0), (33, 1), (330, 1)]
    for copies, effort in cases:
        data.kept(copies)
        found = fresh("bench.jittered:case", copies=copies, effort=effort)
        aim = AIMS.get((copies, effort))
        judged = {"target": "", "met": ""}
        if aim is not None:
            loss, soon, extra = aim
            pairs = [(round(found["loss"], 4), loss), (found["wall s"], soon)]
            text = f"{loss} in {soon:g} s, {extra:,} MB"
            judged = target(text, *pairs, (found["extra MB"], extra))
        table.add(**found, **judged)
    plain = [row for row in table.rows if row["effort"] == 0]
    if len(plain) > 1:
        slopes = [
            growth([row["rows"] for row in plain], [row[time] for row in plain])
            for time in ("wall s", "cpu s")
        ]
        table.notes.append(f"growth at effort 0: wall {slopes[0]:.2f}, cpu {slopes[1]:.2f}")
    table.notes.append("extra MB: peak beyond the process with its input, just before the work")
    return [table]


def case(copies: int, effort: int) -> dict[str, Any]:
    """One size, with its loss."""
    warm()
    table = pq.read_table(data.kept(copies), read_dictionary=list(data.QUASI))
    grid, columns = grid_of_table(table), data.plain(table)
    rows = table.num_rows
    del table
    group, timing, memory = weighed(partial(by_regroup, grid, K, effort, 1, cores()))
    return {
        "rows": rows,
        "effort": effort,
        **timing.cells(),
        "before MB": memory.before,
        "peak MB": memory.peak,
        "extra MB": memory.extra,
        "loss": tight_loss(columns, group),
        "smallest": smallest(group),
    }
