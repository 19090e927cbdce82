"""Twenty million people with sets of items, codes in memory: Mondrian, its efforts, and (k,1)."""

from __future__ import annotations

from typing import Any

from bench.measure import fresh
from bench.sets import LARGE, slopes
from bench.tables import Row, Table, target

K = 10
SIZES = (10_000, 100_000, 1_000_000, LARGE)
SOON, MEMORY = 15.0, 6_000
BEST, OVER_EVEN = 300.0, 1.3
K1, OVER_BEST = 1_800.0, 1.5
EVEN, GAIN, EFFORT, TOP_DOWN = "mondrian, cut even", "cut gain", "effort 1", "k1, effort 0"
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    EVEN: ("mondrian", {"effort": 0, "cut": "even"}),
    GAIN: ("mondrian", {"effort": 0, "cut": "gain"}),
    EFFORT: ("mondrian", {"effort": 1}),
    TOP_DOWN: ("k1", {"effort": 0, "candidates": 1}),
}


def run(quick: bool) -> list[Table]:
    """One process per method and size."""
    table = Table(f"sets-large: long tail, 1,987 items, k = {K}, rows in memory to release")
    for title, (name, options) in METHODS.items():
        found = []
        for rows in SIZES[:1] if quick else SIZES:
            case = {"profile": "long tail", "name": name, "options": options | {"k": K}}
            found.append(
                {"method": title, "rows": rows} | fresh("bench.sets:case", rows=rows, **case)
            )
        table.rows += found
        if not quick:
            table.notes.append(slopes(title, found))
    for row in table.rows:
        row["x even"] = row["utility"] / _utility(table.rows, EVEN, row["rows"])
        best = max(_utility(table.rows, one, row["rows"]) for one in (GAIN, EFFORT))
        row["x effort 1"] = row["utility"] / best
        row |= _judged(row)
    table.notes += ["all cores; time and memory from sets of codes to a release, not in order yet"]
    return [table]


def _utility(rows: list[Row], title: str, size: int) -> float:
    return next(row["utility"] for row in rows if (row["method"], row["rows"]) == (title, size))


def _judged(row: Row) -> Row:
    if row["rows"] != LARGE:
        return {"target": "", "met": ""}
    wall = row["wall s"]
    if row["method"] == EFFORT:
        told = f"{BEST:g} s, {OVER_EVEN:g} x even"
        return target(told, (wall, BEST), (OVER_EVEN, row["x even"]))
    if row["method"] == TOP_DOWN:
        told = f"{K1:,.0f} s, {OVER_BEST:g} x effort 1"
        return target(told, (wall, K1), (OVER_BEST, row["x effort 1"]))
    return target(f"{SOON:g} s, {MEMORY:,} MB", (wall, SOON), (row["peak MB"], MEMORY))
