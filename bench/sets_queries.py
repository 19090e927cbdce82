"""Audience counts over a release of twenty million people, each with bounds and an estimate."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bench.measure import fresh, timed, weighed
from bench.sets import LARGE, TAIL, WARM, K, published
from bench.tables import Row, Table, target
from sfumato.query import Engine, prepare
from sfumato.releases.release import Release
from sfumato.study.set_workload import SHAPES, draw_set_queries

NUMBER = 1_000
RATE = 100.0  # a second


def run(quick: bool) -> list[Table]:
    """All questions at once, then each kind by itself."""
    rows, number = (10_000, 50) if quick else (LARGE, NUMBER)
    title = f"sets-queries: audience counts over {rows:,} people, 1,987 items, k = {K}"
    table = Table(title, fresh("bench.sets_queries:case", rows=rows, number=number))
    most = 1 / RATE * table.rows[0]["questions"]
    table.rows[0] |= target(f"{RATE:g} a second", (table.rows[0]["wall s"], most))
    table.notes = [
        "one thread; all: on an engine just prepared (load s), which knows the release but no",
        "question; by kind: other questions of the kind on the same engine",
    ]
    return [table]


def case(rows: int, number: int) -> list[Row]:
    """Publish, prepare, ask everything, then ask kind by kind."""
    warm = _release(WARM)
    _ask(prepare(warm), [sql for _, sql in _drawn(warm, 30, 1)])
    release = _release(rows)
    engine, load = timed(partial(prepare, release))
    found, timing, memory = weighed(partial(_ask, engine, _texts(_drawn(release, number, 2))))
    assert all(answer[0][1][0].bounds for answer in found)
    cells = {"task": "all", "questions": number, "groups": release.sets.groups}
    cells |= {**timing.cells(), "load s": load.wall, "extra MB": memory.extra}
    lines = [cells | {"ms each": timing.wall / number * 1e3}]
    drawn = _drawn(release, number, 3)
    for shape in SHAPES:
        some = [sql for kind, sql in drawn if kind == shape]
        _, timing = timed(partial(_ask, engine, some))
        each = {"task": shape, "questions": len(some), **timing.cells()}
        lines.append(each | {"ms each": timing.wall / len(some) * 1e3})
    return lines


def _release(rows: int) -> Release:
    return published(rows, TAIL, "mondrian", effort=0, k=K).sealed().release


def _drawn(release: Release, number: int, seed: int) -> list[tuple[str, str]]:
    return draw_set_queries(release, number, np.random.default_rng(seed))


def _texts(drawn: list[tuple[str, str]]) -> list[str]:
    return [sql for _, sql in drawn]


def _ask(engine: Engine, texts: list[str]) -> list[Any]:
    return [engine.answer(sql) for sql in texts]
