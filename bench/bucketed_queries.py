"""Two thousand questions in SQL on a bucketed release of a million people, with and without us."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bench.measure import fresh, timed, weighed
from bench.tables import Table, target
from sfumato.data.scale import Scale, grow
from sfumato.data.schema import Kind, Schema
from sfumato.data.table import table_from_arrow
from sfumato.kernels.entry_bounds import bounds_table
from sfumato.query import Engine, prepare
from sfumato.releases.bucketed import Bucketed, Targets
from sfumato.releases.release import Release

EACH = 100  # records in a bucket
VALUES = 500
JOBS = 8
OURS, DUCKDB = 2.0, 5.0
FUNCTIONS = ("COUNT(*)", "SUM(cost)", "AVG(cost)", "MIN(cost)", "MAX(cost)")
Draw = np.random.Generator
Asked = tuple[str, dict[str, Any]]  # an aggregate, and its conditions by column


def run(quick: bool) -> list[Table]:
    """Ours, then DuckDB with the auxiliary table."""
    rows, number = (10_000, 50) if quick else (1_000_000, 2_000)
    table = Table(f"bucketed queries: {number:,} on {rows:,} records in buckets of {EACH}")
    ours = fresh("bench.bucketed_queries:ours", rows=rows, number=number)
    table.add(task="sfumato, one thread", **ours, **target(f"{OURS:g} s", (ours["cpu s"], OURS)))
    theirs = fresh("bench.bucketed_queries:duckdb", rows=rows, number=number)
    met = target(f"{DUCKDB:g} s", (theirs["wall s"] + theirs["load s"], DUCKDB))
    table.add(task="DuckDB and the table of bounds", **theirs, **met)
    table.notes = [
        "sfumato: bounds, estimates and intervals, on an engine just prepared;",
        "DuckDB: bounds alone; load s: both files read into one row per bucket, with lists of",
        "bounds and, of its records, bits for every age they may be below, every sex and job;",
        f"then {BATCH} questions in a statement",
    ]
    return [table]


def release(rows: int) -> Release:
    """A made-up release: no method is timed here."""
    rng = np.random.default_rng(1)
    buckets = rows // EACH
    records = pa.table(
        {
            "age": rng.integers(0, 100, rows),
            "sex": pa.array(rng.integers(0, 2, rows).astype(str)),
            "job": pa.array(rng.integers(0, JOBS, rows).astype(str)),
        }
    )
    scale = grow(Kind.NUMBER, pa.array(np.arange(VALUES) * 10), False, _halves(0, VALUES - 1))
    start, node, count = _entries(rng, scale, buckets)
    edges = np.arange(1, len(scale), dtype=np.int32)
    weight = (scale.high - scale.low + 1)[1:].astype(np.int64)
    targets = Targets(np.array([0, len(edges)], np.int64), edges, weight)
    group = np.repeat(np.arange(buckets, dtype=np.int32), EACH)
    nobody = np.zeros(buckets, np.int32)
    content = Bucketed(
        table_from_arrow(records), group, "cost", scale, targets, nobody, start, node, count
    )
    schema = Schema.of(quasi=["age", "sex", "job"], sensitive=["cost"])
    return Release("table", "Bucketed", schema, content, ())


def _halves(low: int, high: int) -> Any:
    if low == high:
        return low
    middle = (low + high) // 2
    return [_halves(low, middle), _halves(middle + 1, high)]


def _entries(rng: Draw, scale: Scale, buckets: int) -> tuple[NDArray[Any], ...]:
    """Every third entry lifted by one to four nodes."""
    node = scale.leaf_of[rng.integers(0, VALUES, (buckets, EACH))].astype(np.int64)
    lifts = rng.integers(1, 5, node.shape) * (rng.random(node.shape) < 1 / 3)
    for step in range(4):
        node = np.where((lifts > step) & (node > 0), scale.parent[node], node)
    place = np.repeat(np.arange(buckets), EACH) * len(scale) + node.ravel()
    lines, count = np.unique(place, return_counts=True)
    start = np.searchsorted(lines // len(scale), np.arange(buckets + 1))
    return start.astype(np.int64), (lines % len(scale)).astype(np.int32), count.astype(np.int64)


def _asked(number: int) -> list[Asked]:
    """Aggregates, and one to three conditions each."""
    rng = np.random.default_rng(5)
    asked = []
    for place in range(number):
        low, high = sorted(int(n) for n in rng.integers(0, 100, 2))
        jobs = sorted(rng.permutation(JOBS)[: int(rng.integers(1, 5))].tolist())
        parts = {"age": (low, high), "sex": int(rng.integers(2)), "job": jobs}
        chosen = rng.permutation(sorted(parts))[: int(rng.integers(1, 4))]
        asked.append((FUNCTIONS[place % len(FUNCTIONS)], {str(one): parts[one] for one in chosen}))
    return asked


def _texts(number: int) -> list[str]:
    return [f"SELECT {what} FROM release WHERE {_where(parts)}" for what, parts in _asked(number)]


def _where(parts: dict[str, Any]) -> str:
    texts = {
        "age": lambda ends: f"age BETWEEN {ends[0]} AND {ends[1]}",
        "sex": lambda sex: f"sex = '{sex}'",
        "job": lambda jobs: f"job IN ({', '.join(repr(str(job)) for job in jobs)})",
    }
    return " AND ".join(texts[name](found) for name, found in parts.items())


def ours(rows: int, number: int) -> dict[str, Any]:
    """All questions on an engine just prepared; machine code is made before."""
    texts = _texts(number)
    _ask(prepare(release(10 * EACH)), texts[:50])
    engine = prepare(release(rows))
    _, timing, memory = weighed(partial(_ask, engine, texts))
    _, again = timed(partial(_ask, engine, texts))
    cells = {"queries": number, **timing.cells(), "ms each": timing.wall / number * 1e3}
    return cells | {"again cpu s": again.cpu, "extra MB": memory.extra}


def _ask(engine: Engine, texts: list[str]) -> list[Any]:
    return [engine.answer(sql) for sql in texts]


ENDS = ("sum_lower", "sum_upper", "min_lower", "min_upper", "max_lower", "max_upper")
WORD = 64
WORDS = range((EACH + WORD - 1) // WORD)
BATCH = 50
BOUNDS = {  # a list has nothing at place 0, so that buckets with nobody selected do not count
    "COUNT(*)": ("sum({s})", "sum({s})"),
    "SUM(cost)": ("sum(sum_lower[{s}])", "sum(sum_upper[{s}])"),
    "AVG(cost)": ("sum(sum_lower[{s}]) / sum({s})", "sum(sum_upper[{s}]) / sum({s})"),
    "MIN(cost)": ("min(min_lower[{s}])", "min(min_upper[{s}])"),
    "MAX(cost)": ("max(max_lower[{s}])", "max(max_upper[{s}])"),
}


def duckdb(rows: int, number: int) -> dict[str, Any]:
    """The same questions on the two files, by DuckDB alone; and how many answers differ."""
    import duckdb as duck

    made = release(rows)
    asked = _asked(number)
    with tempfile.TemporaryDirectory() as folder:
        _write(made, Path(folder))
        connection = duck.connect()
        connection.execute("SET enable_progress_bar = false")
        _, load = timed(partial(_load, connection, folder))
        found, timing, memory = weighed(partial(_all, connection, asked))
    engine = prepare(made)
    ours = [engine.answer(sql)[0][1][0].bounds for sql in _texts(number)]
    wrong = sum(
        not np.allclose(np.array(one, float), np.array(two, float), rtol=1e-9, equal_nan=True)
        for one, two in zip(found, ours, strict=True)
    )
    cells = {"queries": number, **timing.cells(), "ms each": timing.wall / number * 1e3}
    return cells | {"load s": load.wall, "extra MB": memory.extra, "different answers": wrong}


def _all(connection: Any, asked: list[Asked]) -> list[tuple[Any, ...]]:
    """Both bounds of every question, some dozens in a statement."""
    found: list[Any] = []
    for place in range(0, len(asked), BATCH):
        found += connection.execute(_statement(asked[place : place + BATCH])).fetchone()
    return list(zip(found[::2], found[1::2], strict=True))


def _write(made: Release, folder: Path) -> None:
    """The two public files that DuckDB needs."""
    content, scale = made.bucketed, made.bucketed.scale
    names = content.records.names
    records = {name: content.records[name].to_arrow() for name in names}
    pq.write_table(pa.table({"bucket": content.bucket} | records), folder / "records.parquet")
    low, high = (scale.numbers[end][content.node] for end in (scale.low, scale.high))
    never = np.zeros(len(low), np.bool_)
    found = bounds_table(content.start, low, high, never, content.count, content.sizes)
    first = np.cumsum(content.sizes) - content.sizes
    selected = np.arange(content.rows) - np.repeat(first, content.sizes) + 1
    ends = {name: getattr(found, name) for name in ENDS}
    bounds = pa.table({"bucket": content.bucket, "selected": selected.astype(np.int32)} | ends)
    pq.write_table(bounds, folder / "bounds.parquet")


def _load(connection: Any, folder: str) -> None:
    """One row per bucket: its records as words of bits, its bounds as lists."""
    tests = {f"age_{age}": f"age < {age}" for age in range(101)}
    tests |= {f"sex_{sex}": f"sex = {sex}" for sex in range(2)}
    tests |= {f"job_{job}": f"job = {job}" for job in range(JOBS)}
    sets = ", ".join(
        f"coalesce(bit_or(bit) FILTER (WHERE {test}), 0) AS {name}" for name, test in tests.items()
    )
    lists = ", ".join(f"list({name} ORDER BY selected) AS {name}" for name in ENDS)
    names = ", ".join(f"w{word}.{name} AS {name}_{word}" for word in WORDS for name in tests)
    words = " ".join(f"JOIN (FROM sets WHERE word = {at}) w{at} USING (bucket)" for at in WORDS)
    connection.execute(f"""
        CREATE TABLE placed AS
        SELECT bucket, age::UTINYINT AS age, sex::UTINYINT AS sex, job::UTINYINT AS job,
            row_number() OVER (PARTITION BY bucket) - 1 AS n, n // {WORD} AS word,
            1::UBIGINT << (n % {WORD})::INTEGER AS bit
        FROM '{folder}/records.parquet';
        CREATE TABLE sets AS SELECT bucket, word, {sets} FROM placed GROUP BY bucket, word;
        CREATE TABLE ends AS
        SELECT bucket, {lists} FROM '{folder}/bounds.parquet' GROUP BY bucket;
        CREATE TABLE buckets AS SELECT ends.*, {names} FROM ends {words}""")


def _statement(asked: list[Asked]) -> str:
    """Questions over the buckets; of a bucket's records s0 are selected by the first, and so on."""
    selected, ends = [], []
    for place, (what, parts) in enumerate(asked):
        number = " + ".join(f"bit_count({_bits(parts, word)})" for word in WORDS)
        selected.append(f"{number} AS s{place}")
        ends += [end.format(s=f"s{place}") for end in BOUNDS[what]]
    inner = f"SELECT {', '.join(ENDS)}, {', '.join(selected)} FROM buckets"
    return f"SELECT {', '.join(ends)} FROM ({inner})"


def _bits(parts: dict[str, Any], word: int) -> str:
    """The records of one word that satisfy every condition."""
    tests = []
    if "age" in parts:
        low, high = parts["age"]
        tests.append(f"xor(age_{low}_{word}, age_{high + 1}_{word})")
    if "sex" in parts:
        tests.append(f"sex_{parts['sex']}_{word}")
    if "job" in parts:
        tests.append("(" + " | ".join(f"job_{job}_{word}" for job in parts["job"]) + ")")
    return " & ".join(tests)
