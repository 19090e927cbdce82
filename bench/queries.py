"""A thousand questions in SQL on a release of a million people, each answered with bounds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

import sfumato
from bench.measure import fresh, timed, weighed
from bench.tables import Table, target
from sfumato.data.hierarchy import from_levels
from sfumato.io.samples import hierarchies
from sfumato.query import Engine, prepare
from sfumato.releases.release import Release

QUASI = ["age", "zip", "sex", "education", "country"]
SENSITIVE = ["diagnosis", "cost"]
DROPPED = ["person_id", "occupation", "hours", "income"]
TREES = ("zip", "country")
SOON = 5.0
Draw = np.random.Generator


def run(quick: bool) -> list[Table]:
    """All questions at once, then each kind by itself."""
    rows, number = (10_000, 50) if quick else (1_000_000, 1_000)
    found = fresh("bench.queries:case", rows=rows, number=number)
    whole, kinds = found["whole"], found["kinds"]
    table = Table(f"queries: {number:,} on a release of {rows:,} generated people, k = 10")
    table.add(task="all, one thread", **whole, **target(f"{SOON:g} s", (whole["wall s"], SOON)))
    table.rows += kinds
    table.notes = [
        "all: query_release on a release in memory, its first questions included;",
        "by kind: milliseconds per question on the engine that has answered all of them before",
    ]
    return [table]


def case(rows: int, number: int) -> dict[str, Any]:
    """Publish, ask everything, then ask kind by kind."""
    release = publish(rows)
    asked = questions(sfumato.sample("people", rows=10_000, seed=2), number)
    warm = publish(2_000)
    sfumato.query_release(warm, *(sql for _, sql in asked[:50]))
    texts = [sql for _, sql in asked]
    _, timing, memory = weighed(partial(sfumato.query_release, release, *texts))
    whole = {"queries": number, "groups": release.content.groups, **timing.cells()}
    whole |= {"ms each": timing.wall / number * 1e3, "extra MB": memory.extra}
    engine = prepare(release)
    _ask(engine, texts)
    kinds = []
    for kind in KINDS:
        some = [sql for name, sql in asked if name == kind]
        _, timing = timed(partial(_ask, engine, some))
        each = {"task": kind, "queries": len(some), **timing.cells()}
        kinds.append(each | {"ms each": timing.wall / len(some) * 1e3})
    return {"whole": whole, "kinds": kinds}


def _ask(engine: Engine, texts: list[str]) -> None:
    for sql in texts:
        engine.answer(sql)


def publish(rows: int) -> Release:
    """The release of the tour's job, by Mondrian."""
    trees = {name: from_levels(name, hierarchies()[name]) for name in TREES}
    schema = sfumato.Schema.of(quasi=QUASI, sensitive=SENSITIVE, drop=DROPPED)
    people = sfumato.sample("people", rows=rows, seed=1)
    made = sfumato.publish(
        people, schema, sfumato.method("mondrian", k=10), hierarchies=trees, seed=1
    )
    return made.release


def questions(people: pa.Table, number: int) -> list[tuple[str, str]]:
    """Questions of every kind in turn, as (kind, SQL); values come from a small sample."""
    rng = np.random.default_rng(5)
    values = {
        name: sorted(people.column(name).drop_null().unique().to_pylist())
        for name in (*QUASI, *SENSITIVE)
    }
    names = list(KINDS)
    kinds = [names[place % len(names)] for place in range(number)]
    return [(kind, KINDS[kind](rng, values)) for kind in kinds]


Values = dict[str, list[Any]]


def _ages(rng: Draw) -> str:
    low, high = sorted(int(n) for n in rng.integers(0, 95, 2))
    return f"age BETWEEN {low} AND {high}"


def _some(rng: Draw, values: Values, name: str) -> str:
    listed = values[name]
    chosen = rng.permutation(len(listed))[: int(rng.integers(1, len(listed) // 2 + 1))]
    return f"{name} IN ({', '.join(repr(listed[place]) for place in chosen[:8])})"


def _one(rng: Draw, values: Values, name: str) -> str:
    return f"{name} = {values[name][int(rng.integers(len(values[name])))]!r}"


def _where(rng: Draw, values: Values) -> str:
    """One to three conditions on quasi-identifiers, every other time one on a diagnosis."""
    drawn = [_ages(rng), _some(rng, values, "education"), _some(rng, values, "country")]
    drawn += [_one(rng, values, "sex"), _some(rng, values, "zip")]
    chosen = rng.permutation(len(drawn))[: int(rng.integers(1, 4))]
    parts = [drawn[place] for place in chosen]
    if rng.random() < 0.5:
        parts.append(_one(rng, values, "diagnosis"))
    return " AND ".join(parts)


def _count(rng: Draw, values: Values) -> str:
    return f"SELECT COUNT(*) FROM release WHERE {_where(rng, values)}"


def _plain(rng: Draw, values: Values) -> str:
    low = int(rng.integers(0, 95))
    return f"SELECT COUNT(*) FROM release WHERE age >= {low} AND {_one(rng, values, 'sex')}"


def _either(rng: Draw, values: Values) -> str:
    one, other = _where(rng, values), _where(rng, values)
    return f"SELECT COUNT(*) FROM release WHERE ({one}) OR NOT ({other})"


def _amount(function: str, column: str) -> Callable[[Draw, Values], str]:
    def make(rng: Draw, values: Values) -> str:
        return f"SELECT {function}({column}) FROM release WHERE {_where(rng, values)}"

    return make


def _grouped(rng: Draw, values: Values) -> str:
    listed = sorted({"sex", "education", "diagnosis"} & set(values))
    by = listed[int(rng.integers(len(listed)))]
    return f"SELECT COUNT(*), AVG(cost) FROM release WHERE {_ages(rng)} GROUP BY {by}"


KINDS: dict[str, Callable[[Draw, Values], str]] = {
    "COUNT, AND": _count,
    "COUNT, OR and NOT": _either,
    "SUM of an exact column": _amount("SUM", "cost"),
    "AVG of an exact column": _amount("AVG", "cost"),
    "MAX of an exact column": _amount("MAX", "cost"),
    "SUM of a quasi column": _amount("SUM", "age"),
    "AVG of a quasi column": _amount("AVG", "age"),
    "MIN of a quasi column": _amount("MIN", "age"),
    "COUNT and AVG, GROUP BY": _grouped,
    "COUNT, two conditions": _plain,
}
