"""Figures 3.6 to 3.8 of the thesis, and what it does not draw."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from sfumato.core.answers import result_table
from sfumato.core.run import Run
from sfumato.data.sets import Holders, Sets
from sfumato.kernels.matchings import ring
from sfumato.methods.sets.assignments import assignments
from sfumato.methods.sets.ordering import Ordering
from sfumato.study.findings import Curves, Finding, Setting, Statement
from sfumato.study.papers import nonreciprocal_data as data
from sfumato.study.papers.nonreciprocal_points import (
    CAHD,
    CAHD_LINKED,
    GRAY,
    LINKED,
    NEAR,
    TOUR,
    Asking,
    Grid,
    Point,
    always_less,
    grid_of,
    measured,
    table_of,
)

KS, LS = (2, 4, 8, 16, 32, 64), (2, 4, 6, 8, 10)
MANY, MANY_KS, MANY_LS = 20_000, (2, 8, 32), (2, 6, 10)  # fewer points where records are many
QUICK_KS, QUICK_LS = (2, 8), (2, 4)
SIZES, QUICK_SIZES = (1, 2, 4, 8, 16), (1, 2)
WALKS = {"free": "free walk", "closed": "closed walk", "backtracking": "backtracking walk"}
RATE, ERROR, SECONDS = "bit error rate", "query error", "CPU seconds"


def own(point: Point) -> float:
    """The bit error rate as the thesis has it."""
    return point.own


def true(point: Point) -> float:
    """The bit error rate against who is behind a record."""
    return point.true


def present(point: Point) -> float:
    """The error of Type I queries."""
    return point.present


def absent(point: Point) -> float:
    """The error of Type II queries."""
    return point.absent


def chess(setting: Setting) -> Iterator[Finding]:
    """Figure 3.6."""
    yield from _figure(setting, data.real(setting, "chess.dat.gz"), "chess", Asking(3, 4))


def pumsb(setting: Setting) -> Iterator[Finding]:
    """Figure 3.7 on the part of pumsb that there is."""
    sets = data.real(setting, "pumsb_first4334.dat.gz")
    yield from _figure(setting, sets, "pumsb", Asking(1, 5))


def made_up(setting: Setting) -> Iterator[Finding]:
    """Figure 3.7 on data of pumsb's shape."""
    sets = data.like_pumsb(data.QUICK_ROWS if setting.quick else data.ROWS)
    yield from _figure(setting, sets, "made-up", Asking(1, 5))


def _points(setting: Setting, sets: Sets) -> tuple[Sequence[int], Sequence[int]]:
    """The k and l that are tried."""
    if setting.quick:
        return QUICK_KS, QUICK_LS
    return (KS, LS) if sets.rows < MANY else (MANY_KS, MANY_LS)


def _figure(setting: Setting, sets: Sets, name: str, asking: Asking) -> Iterator[Finding]:
    """Errors by k, without labels, and by l, with them."""
    ks, ls = _points(setting, sets)
    by_k = grid_of(Holders(sets), (GRAY, TOUR, LINKED, NEAR), ks, asking, setting.run)
    people = data.with_labels(sets)
    by_l = grid_of(people, (GRAY, TOUR, LINKED, CAHD, CAHD_LINKED), ls, asking, setting.run)
    yield from _rates(by_k, name, "k")
    yield from _rates(by_l, name, "l")
    for grid, x in ((by_k, "k"), (by_l, "l")):
        yield _errors(grid, name, x, "I", present, "items present")
        yield _errors(grid, name, x, "II", absent, "items absent")


def _rates(grid: Grid, name: str, x: str) -> Iterator[Finding]:
    for title, what, tag in (
        ("own place", own, "own"),
        ("person behind the record", true, "true"),
    ):
        table = table_of(f"{RATE}, {title}", grid, what, x)
        yield Finding(
            f"{name}-er-{x}-{tag}",
            f"{name.capitalize()}: {RATE} by {x}, {title}",
            "",
            table,
            Curves(x, table.columns[1:], x, RATE, log_x=x == "k"),
            _statements(grid, x, what, f"{RATE} ({title})"),
        )


def _errors(grid: Grid, name: str, x: str, kind: str, what: object, title: str) -> Finding:
    assert callable(what)
    table = table_of(f"{ERROR}, Type {kind}", grid, what, x)
    return Finding(
        f"{name}-qe-{x}-{'present' if kind == 'I' else 'absent'}",
        f"{name.capitalize()}: {ERROR} by {x}, Type {kind}, {title}",
        "",
        table,
        Curves(x, table.columns[1:], x, ERROR, log_x=x == "k"),
        _statements(grid, x, what, f"Type {kind} {ERROR}"),
    )


def _statements(grid: Grid, x: str, what: object, of: str) -> list[Statement]:
    assert callable(what)
    below = partial(always_less, grid, what=what)
    if x == "k":
        return [below(TOUR, GRAY, paper=f"Gray-TSP has a lower {of} than Gray alone")]
    return [below(TOUR, CAHD, paper=f"the nonreciprocal scheme has a lower {of} than CAHD")]


def orders(setting: Setting) -> Iterator[Finding]:
    """How long the ring is after each step."""
    found = [("made-up", data.like_pumsb(data.QUICK_ROWS if setting.quick else data.ROWS))]
    for name, file in (("chess", "chess.dat.gz"), ("pumsb", "pumsb_first4334.dat.gz")):
        found.append((name, data.real(setting, file)))
    lines = []
    for name, sets in found:
        for order in ("gray", "gray-tour", "linked"):
            ordering = Ordering(sets, order, 300, 350, 1, setting.run)
            ordering.found()
            begun = time.process_time()
            again = Ordering(sets, order, 300, 350, 1, setting.run)
            again.found()
            seconds = time.process_time() - begun
            steps = "; ".join(f"{step} {many:,}" for step, many in again.sums.items())
            last = list(again.sums.values())[-1]
            share = last / again.sums["source"]
            lines.append(
                {"data": name, "order": order, "sum": last, "of source's": share}
                | {SECONDS: seconds, "after each step": steps}
            )
    yield Finding("orders", "Sums of distances of neighbours", "", result_table("orders", lines))


def walks(setting: Setting) -> Iterator[Finding]:
    """Figure 3.8 (a): assignments by k; each walk as often as it takes a few seconds at most."""
    rows = data.QUICK_ROWS if setting.quick else data.ROWS
    ks = QUICK_KS if setting.quick else KS
    lines = [
        {"k": k} | {title: _walking(rows, k, walk, setting.run)[0] for walk, title in WALKS.items()}
        for k in ks
    ]
    table = result_table("assignments", lines, [f"{rows:,} records"])
    yield Finding(
        "walks-k",
        "CPU seconds of all assignments by k",
        "",
        table,
        Curves("k", tuple(WALKS.values()), "k", SECONDS, log=True, log_x=True),
        [_faster(table.column(WALKS["closed"]), table.column(WALKS["backtracking"]))],
    )


def _walking(rows: int, k: int, walk: str, run: Run) -> tuple[float, int]:
    assignments(ring(8, 2), run, walk)
    begun = time.process_time()
    _, steps = assignments(ring(rows, k), run, walk)
    return time.process_time() - begun, steps


def _faster(one: list[float], other: list[float]) -> Statement:
    ratios = [a / max(1e-9, b) for a, b in zip(one, other, strict=True)]
    found = f"the closed walk takes {min(ratios):.2f} to {max(ratios):.2f} times as long"
    return Statement(
        "closed walks are faster than backtracking ones", all(r < 1 for r in ratios), found
    )


def sizes(setting: Setting) -> Iterator[Finding]:
    """Figure 3.8 (b) and (c): by size, on copies of Chess."""
    whole = data.real(setting, "chess.dat.gz")
    lines, publishing = [], []
    for many in QUICK_SIZES if setting.quick else SIZES:
        sets = data.times(whole, many)
        line = {"times Chess": many, "records": sets.rows}
        found = {t: _walking(sets.rows, 16, walk, setting.run)[0] for walk, t in WALKS.items()}
        lines.append(line | found)
        people, asking = data.with_labels(sets), Asking(3, 4)
        timed = {n: measured(n, people, 6, asking, setting.run).seconds for n in (LINKED, CAHD)}
        publishing.append(line | timed)
    names = tuple(WALKS.values())
    yield Finding(
        "walks-size",
        "CPU seconds of all assignments by size, k = 16",
        "",
        result_table("by size", lines),
        Curves("records", names, "records", SECONDS, log=True, log_x=True),
        [_faster([line[names[1]] for line in lines], [line[names[2]] for line in lines])],
    )
    slope = _slope([p["records"] for p in publishing], [p[LINKED] for p in publishing])
    slopes = f"slope {slope:.2f} on logarithmic axes"
    grows = Statement("publication grows about linearly with size", slope < 1.3, slopes)
    yield Finding(
        "publishing-size",
        "CPU seconds of publishing by size, l = 6",
        "",
        result_table("by size", publishing),
        Curves("records", (LINKED, CAHD), "records", SECONDS, log=True, log_x=True),
        [grows],
    )


def _slope(x: list[float], y: list[float]) -> float:
    return float(np.polyfit(np.log(x), np.log(np.maximum(y, 1e-6)), 1)[0])
