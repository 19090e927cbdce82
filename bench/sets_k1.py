"""(k,1)-anonymity without a draw, up to twenty million people, against the best k-anonymous."""

from __future__ import annotations

from typing import Any

from bench.measure import fresh
from bench.sets import LARGE, SIZES, TAIL, K, share_of, slopes
from bench.tables import Table, target

MOST, OVER_BEST = 1_800.0, 1.5
BEST, ONE = "mondrian, effort 1", "k1, effort 0"
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    BEST: ("mondrian", {"effort": 1}),
    ONE: ("k1", {"effort": 0, "candidates": 1}),
}


def run(quick: bool) -> list[Table]:
    """One process per size and method."""
    table = Table(f"sets-k1: long tail, 1,987 items, k = {K}, rows in memory to release")
    for title, (name, options) in METHODS.items():
        found = []
        for rows in SIZES[:1] if quick else SIZES:
            asked = {"profile": TAIL, "name": name, "options": options | {"k": K}}
            cells = fresh("bench.sets:case", rows=rows, **asked)
            found.append({"method": title, "rows": rows} | cells)
        table.rows += found
        if not quick:
            table.notes.append(slopes(title, found))
    for row in table.rows:
        row["x effort 1"] = share_of(row, table.rows, "method", BEST)
        judged = {"target": "", "met": ""}
        if row["method"] == ONE and row["rows"] == LARGE:
            pairs = (row["wall s"], MOST), (OVER_BEST, row["x effort 1"])
            judged = target(f"{MOST:,.0f} s, {OVER_BEST:g} x effort 1", *pairs)
        row |= judged
    table.notes += ["candidates = 1: everybody's best set, against people who know no other record"]
    return [table]
