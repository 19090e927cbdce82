"""Sets as possible worlds: orders, assignments, publication of made-up data of pumsb's shape."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np

from bench.measure import fresh, growth, timed, weighed
from bench.tables import Row, Table, target
from sfumato import method
from sfumato.core.run import Run, cores
from sfumato.data.sets import Holders
from sfumato.io.sample_sets import segments
from sfumato.kernels.matchings import ring
from sfumato.methods.sets.assignments import assignments
from sfumato.methods.sets.ordering import Ordering
from sfumato.models.l_diversity import DistinctLDiversity
from sfumato.study.papers.nonreciprocal_data import ROWS, like_pumsb, times, with_labels

QUICK, WARM, LARGE = 600, 300, 1_000_000
KS, L = (2, 8, 16, 64), 6
SLOWEST = 16  # k up to which the walks of the thesis take seconds
ORDERS = ("gray", "gray-tour", "linked")
WALKS = ("free", "closed", "backtracking")
COPIES, BASE = (1, 4, 16, 64, 256), 3_196  # growth, on copies of as many records as Chess has


@lru_cache(2)
def people(rows: int, labels: bool = False) -> Holders:
    """Made-up people of pumsb's shape."""
    sets = like_pumsb(rows)
    return with_labels(sets) if labels else Holders(sets)


@lru_cache(1)
def copies(many: int) -> Holders:
    """Made-up answers of as many people as Chess has records, `many` times as many."""
    return Holders(times(like_pumsb(BASE), many))


@lru_cache(1)
def many_people(rows: int) -> Holders:
    """Segments that people belong to, 40 a person."""
    return Holders(segments(rows, Run.seeded(1, cores()), "thesis"))


SOURCES = {"shape": people, "copies": copies, "segments": many_people}


def ordered(rows: int, order: str) -> Row:
    """The time of an order, and how long the ring is."""
    sets = people(rows).sets
    few = sets.take(np.arange(min(WARM, sets.rows)))
    Ordering(few, order, 300, 350, 1, Run.seeded(1, cores())).found()
    made = Ordering(sets, order, 300, 350, 1, Run.seeded(1, cores()))
    _, timing = timed(made.found)
    last = list(made.sums.values())[-1]
    return {"sum": last, "of source's": last / made.sums["source"]} | timing.cells()


def walked(rows: int, k: int, walk: str) -> Row:
    """The time of all assignments of a ring."""
    assignments(ring(9, 3), Run.seeded(1), walk)
    (_, steps), timing = timed(lambda: assignments(ring(rows, k), Run.seeded(1), walk))
    return {"steps": steps} | timing.cells()


def published(source: str, size: int, name: str, labels: bool, options: Row) -> Row:
    """A release in memory, measured after a small one had every kernel compiled."""
    data = people(size, True) if labels else SOURCES[source](size)
    require = [DistinctLDiversity(column="occupation", l=L)] if labels else []
    made = method(name, kind="sets", **options)
    few = data.take(Run.seeded(1).rng("warm").permutation(data.rows)[:WARM])
    made.publish(few, require, Run.seeded(1, cores()))
    work = partial(made.publish, data, require, Run.seeded(1, cores()))
    _, timing, memory = weighed(work)
    return {"rows": data.rows} | timing.cells() | {"peak MB": memory.peak}


def run(quick: bool) -> list[Table]:
    """One process per row."""
    rows = QUICK if quick else ROWS
    return [_orders(rows), _walks(rows, quick), _publishing(rows, quick), _growth(quick)]


def _orders(rows: int) -> Table:
    table = Table(f"nonreciprocal: orders of {rows:,} records of pumsb's shape")
    for order in ORDERS:
        cells = fresh("bench.nonreciprocal:ordered", rows=rows, order=order)
        table.rows.append({"order": order} | cells | target("2 s", (cells["cpu s"], 2.0)))
    table.notes.append("sums of distances of neighbours on the ring; all cores")
    return table


def _walks(rows: int, quick: bool) -> Table:
    table = Table(f"nonreciprocal: all assignments of a ring of {rows:,} records")
    for k in KS[:2] if quick else KS:
        for walk in WALKS if k <= SLOWEST else WALKS[:1]:
            cells = fresh("bench.nonreciprocal:walked", rows=rows, k=k, walk=walk)
            met = target("3 s", (cells["cpu s"], 3.0)) if walk == "free" else {}
            table.rows.append({"k": k, "walk": walk} | cells | met)
    return table


def _publishing(rows: int, quick: bool) -> Table:
    table = Table(f"nonreciprocal: {rows:,} records of pumsb's shape published")
    cases: list[tuple[str, bool, dict[str, Any], float]] = [
        ("nonreciprocal", False, {"k": k}, 10.0) for k in (KS[:1] if quick else KS)
    ]
    cases += [
        ("nonreciprocal", False, {"k": 16, "links": "near"}, 10.0),
        ("nonreciprocal", True, {"k": L}, 20.0),
        ("cahd", True, {"k": L}, 20.0),
    ]
    for name, labels, options, most in cases:
        asked = {"source": "shape", "size": rows, "name": name, "labels": labels}
        cells = fresh("bench.nonreciprocal:published", **asked, options=options)
        said = ", ".join(f"{key} = {value}" for key, value in options.items())
        title = {"method": name, "asked": said + f", l = {L}" * labels}
        table.rows.append(title | cells | target(f"{most:g} s", (cells["cpu s"], most)))
    return table


def _growth(quick: bool) -> Table:
    table = Table("nonreciprocal: growth, k = 16")
    asked = {"name": "nonreciprocal", "labels": False, "options": {"k": 16}}
    for many in COPIES[:2] if quick else COPIES:
        cells = fresh("bench.nonreciprocal:published", source="copies", size=many, **asked)
        table.rows.append({"data": f"{many} x {BASE:,}"} | cells)
    sizes = [row["rows"] for row in table.rows]
    slope = growth(sizes, [row["cpu s"] for row in table.rows])
    table.notes.append(f"growth of copies: cpu {slope:.2f}")
    if not quick:
        cells = fresh("bench.nonreciprocal:published", source="segments", size=LARGE, **asked)
        met = target("300 s", (cells["cpu s"], 300.0))
        table.rows.append({"data": "segments, 40 items a person"} | cells | met)
    return table
