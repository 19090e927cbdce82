"""Two thousand questions in SQL on a bucketed release of a million people, with and without us."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.bucketed_files import EACH, JOBS, publish
from bench.measure import fresh, timed, weighed
from bench.tables import Table, target
from sfumato.io.opening import open_release
from sfumato.query import Engine, prepare

OURS, DUCKDB = 2.0, 5.0
KINDS = ("nearest", "normal")  # exact values; nodes
FUNCTIONS = ("COUNT(*)", "SUM(cost)", "AVG(cost)", "MIN(cost)", "MAX(cost)")
Asked = tuple[str, dict[str, Any]]  # an aggregate, and its conditions by column


def run(quick: bool) -> list[Table]:
    """Ours, then DuckDB with the auxiliary table."""
    rows, number = (10_000, 50) if quick else (1_000_000, 2_000)
    tables = []
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            case = {"folder": folder, "number": number}
            fresh("bench.bucketed_queries:make", folder=folder, rows=rows, kind=kind)
            ours = fresh("bench.bucketed_queries:ours", **case)
            theirs = fresh("bench.bucketed_queries:duckdb", **case)
        table = Table(f"bucketed queries: {number:,} on {rows:,} records, targets: {kind}")
        table.add(
            task="sfumato, one thread", **ours, **target(f"{OURS:g} s", (ours["wall s"], OURS))
        )
        met = target(f"{DUCKDB:g} s", (theirs["wall s"] + theirs["load s"], DUCKDB))
        table.add(task="DuckDB and the table of bounds", **theirs, **met)
        tables.append(table)
    tables[0].notes = [
        f"the releases of bucketed-files, groups of {EACH};",
        "sfumato: bounds, estimates and intervals, on a release just opened and prepared (load s);",
        "DuckDB: bounds alone; load s: both files read into one row per bucket, with lists of",
        "bounds and, of its records, bits for every age they may be below, every sex and job;",
        f"then {BATCH} questions in a statement; target: load s and wall s together",
    ]
    return tables


def make(folder: str, rows: int, kind: str) -> None:
    """The release that is asked, and a small one to compile on."""
    for name, many in (("warm", 10 * EACH), ("release", rows)):
        publish(many, kind, Path(folder), name)


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


def ours(folder: str, number: int) -> dict[str, Any]:
    """All questions on an engine just prepared; machine code is made before."""
    texts = _texts(number)
    _ask(_engine(folder, "warm"), texts[:50])
    engine, load = timed(partial(_engine, folder, "release"))
    _, timing, memory = weighed(partial(_ask, engine, texts))
    _, again = timed(partial(_ask, engine, texts))
    cells = {"queries": number, **timing.cells(), "load s": load.wall}
    cells |= {"ms each": timing.wall / number * 1e3, "again cpu s": again.cpu}
    return cells | {"extra MB": memory.extra}


def _engine(folder: str, name: str) -> Engine:
    return prepare(open_release(Path(folder) / name))


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


def duckdb(folder: str, number: int) -> dict[str, Any]:
    """The same questions on the two files, by DuckDB alone; and how many answers differ."""
    import duckdb as duck

    asked = _asked(number)
    connection = duck.connect()
    connection.execute("SET enable_progress_bar = false")
    _, load = timed(partial(_load, connection, f"{folder}/release/data"))
    found, timing, memory = weighed(partial(_all, connection, asked))
    engine = _engine(folder, "release")
    ours = [engine.answer(sql)[0][1][0].bounds for sql in _texts(number)]
    wrong = sum(
        not np.allclose(np.array(one, float), np.array(two, float), rtol=1e-9, equal_nan=True)
        for one, two in zip(found, ours, strict=True)
    )
    cells = {"queries": number, **timing.cells(), "load s": load.wall}
    cells |= {"ms each": timing.wall / number * 1e3, "extra MB": memory.extra}
    return cells | {"different answers": wrong}


def _all(connection: Any, asked: list[Asked]) -> list[tuple[Any, ...]]:
    """Both bounds of every question, some dozens in a statement."""
    found: list[Any] = []
    for place in range(0, len(asked), BATCH):
        found += connection.execute(_statement(asked[place : place + BATCH])).fetchone()
    return list(zip(found[::2], found[1::2], strict=True))


def _load(connection: Any, folder: str) -> None:
    """One row per bucket: its records as words of bits, its bounds as lists."""
    tests = {f"age_{age}": f"age < {age}" for age in range(101)}
    tests |= {f"sex_{sex}": f"sex = {sex}" for sex in range(2)}
    tests |= {f"job_{job}": f"job = {job}" for job in range(JOBS)}
    sets = ", ".join(f"bit_or(bit * ({test})::UBIGINT) AS {name}" for name, test in tests.items())
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
