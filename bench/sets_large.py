"""Twenty million people with sets of items, rows in memory: Mondrian and its first effort."""

from __future__ import annotations

from typing import Any

from bench.measure import fresh
from bench.sets import LARGE, SIZES, TAIL, K, share_of, slopes
from bench.tables import Row, Table, target

SOON, MEMORY = 15.0, 6_000
BEST, OVER_EVEN = 300.0, 1.3
EVEN, GAIN, EFFORT = "cut even", "cut gain", "effort 1"
METHODS: dict[str, dict[str, Any]] = {
    EVEN: {"effort": 0, "cut": "even"},
    GAIN: {"effort": 0, "cut": "gain"},
    EFFORT: {"effort": 1},
}


def run(quick: bool) -> list[Table]:
    """One process per size and way."""
    table = Table(f"sets-large: mondrian, long tail, 1,987 items, k = {K}, rows to release")
    for title, options in METHODS.items():
        found = []
        for rows in SIZES[:1] if quick else SIZES:
            asked = {"profile": TAIL, "name": "mondrian", "options": options | {"k": K}}
            cells = fresh("bench.sets:case", rows=rows, **asked)
            found.append({"mondrian": title, "rows": rows} | cells)
        table.rows += found
        if not quick:
            table.notes.append(slopes(title, found))
    for row in table.rows:
        row["x even"] = share_of(row, table.rows, "mondrian", EVEN)
        row |= _judged(row)
    table.notes += ["all cores; from rows of items in memory to a release, not in order yet;"]
    table.notes += ["peak MB with the rows themselves"]
    return [table]


def _judged(row: Row) -> Row:
    if row["rows"] != LARGE:
        return {"target": "", "met": ""}
    if row["mondrian"] == EFFORT:
        pairs = (row["wall s"], BEST), (OVER_EVEN, row["x even"])
        return target(f"{BEST:g} s, {OVER_EVEN:g} x even", *pairs)
    return target(f"{SOON:g} s, {MEMORY:,} MB", (row["wall s"], SOON), (row["peak MB"], MEMORY))
