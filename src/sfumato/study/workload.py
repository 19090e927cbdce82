"""Query error on a seeded workload: random counting queries, the same for every release of a table.

A query conditions on one to three quasi-identifiers (a range of a number column, a few values of a
categorical one) and, every other time, on a value of a sensitive column. Queries are drawn from the
release's schema and published domains alone, so that everybody can draw the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.core.answers import ResultTable, result_table
from sfumato.core.words import several
from sfumato.data.schema import Kind
from sfumato.data.sets import Holders
from sfumato.data.table import Column, Table
from sfumato.query import exact, prepare
from sfumato.releases.bucketed import Bucketed
from sfumato.releases.cells import Cells, Intervals, ValueSets
from sfumato.releases.patterned import Patterned
from sfumato.releases.redrawn_table import RedrawnTable
from sfumato.releases.release import Release

Maker = Callable[[str, np.random.Generator], str]
HUGEST, TINIEST = 1e300, 1e-290  # a query takes no other numbers
FLOOR = 0.001  # of all records: errors of smaller counts are divided by this instead


@dataclass(frozen=True)
class Asked:
    """One query with its answer; `truth` is None without the original."""

    sql: str
    shape: int | str  # number of conditions, or another sort of question
    estimate: float
    lower: float
    upper: float
    truth: float | None = None


def draw_queries(release: Release, number: int, rng: np.random.Generator) -> list[tuple[int, str]]:
    """Random counting queries as (number of conditions, SQL)."""
    makers = _makers(release)
    quasi = list(makers)
    sensitive = list(release.schema.sensitive)
    queries = []
    for place in range(number):
        wide = int(rng.integers(1, min(3, len(quasi)) + 1))
        chosen = [quasi[i] for i in rng.permutation(len(quasi))[:wide]]
        parts = [makers[name](name, rng) for name in chosen]
        if sensitive and place % 2:
            name = sensitive[int(rng.integers(len(sensitive)))]
            parts.append(_exact_condition(release, name, rng))
        queries.append((len(parts), f"SELECT COUNT(*) FROM release WHERE {' AND '.join(parts)}"))
    return queries


def _makers(release: Release) -> dict[str, Maker]:
    """For every quasi-identifier, what draws a condition on it."""
    schema = release.schema
    if isinstance(release.content, Bucketed):
        records = release.content.records
        return {name: _of_values(records[name]) for name in schema.quasi}
    if isinstance(release.content, Patterned):
        values = release.content.records
        return {name: _of_values(values[name]) for name in schema.quasi}
    if isinstance(release.content, RedrawnTable):
        return {name: _of_redrawn(release.content, name) for name in schema.quasi}
    cells = release.recoded.cells
    return {name: _maker(found, schema.kind(name)) for name, found in cells.items()}


def _of_values(column: Column) -> Maker:
    """Conditions on a column that is published as it is."""
    values = column.values.to_pylist()
    if column.kind is Kind.CATEGORY:
        return _list_maker([_literal(value) for value in values])
    return _between(values)


def _of_redrawn(content: RedrawnTable, name: str) -> Maker:
    """Conditions on a redrawn column; on one of bins, ranges between ends of bins."""
    width, column = content.bins.get(name), content.records[name]
    if width is None or not len(column.values):
        return _of_values(column)
    ends = [float(middle - width / 2) for middle in column.numbers]

    def make(name: str, rng: np.random.Generator) -> str:
        low, high = sorted(int(i) for i in rng.integers(len(ends), size=2))
        return f"{_name(name)} >= {ends[low]!r} AND {_name(name)} < {ends[high] + width!r}"

    return make


def _maker(cells: Cells, kind: Kind | None) -> Maker:
    if isinstance(cells, Intervals):
        return _range_maker(cells)
    if isinstance(cells, ValueSets):
        return _list_maker([_literal(value) for value in cells.values.to_pylist()])
    tree = cells.hierarchy
    labels = tree.labels[int(cells.has_missing) : tree.leaves]
    return _list_maker(_of_labels(labels, kind))


def _of_labels(labels: Sequence[str], kind: Kind | None) -> list[str]:
    """The values that a hierarchy spells, as literals."""
    if kind is Kind.NUMBER:
        return [_literal(int(label) if label.isdigit() else float(label)) for label in labels]
    if set(labels) <= {"true", "false"}:
        return [label.upper() for label in labels]
    return [_literal(label) for label in labels]


def _range_maker(cells: Intervals) -> Maker:
    ends = sorted({v for v in cells.lower.to_pylist() + cells.upper.to_pylist() if v is not None})
    return _between(ends)


def _between(ends: Sequence[Any]) -> Maker:
    """Ranges between two of some ascending values."""
    if not ends:
        return _nobody

    def make(name: str, rng: np.random.Generator) -> str:
        low, high = sorted(int(i) for i in rng.integers(len(ends), size=2))
        return f"{_name(name)} BETWEEN {_literal(ends[low])} AND {_literal(ends[high])}"

    return make


def _nobody(name: str, _: np.random.Generator) -> str:
    """The condition on a column without a present value."""
    return f"{_name(name)} IS NULL"


def _list_maker(literals: Sequence[str]) -> Maker:
    if not literals:
        return _nobody

    def make(name: str, rng: np.random.Generator) -> str:
        most = max(1, len(literals) // 2)
        some = rng.permutation(len(literals))[: int(rng.integers(1, most + 1))]
        return f"{_name(name)} IN ({', '.join(literals[i] for i in some)})"

    return make


def _exact_condition(release: Release, name: str, rng: np.random.Generator) -> str:
    if isinstance(release.content, Bucketed):
        values, kind = release.content.scale.values, release.content.scale.kind
    else:
        content = release.content
        held = content if isinstance(content, RedrawnTable | Patterned) else release.recoded
        column = held.records[name]
        values, kind = column.values, column.kind
    if len(values) == 0:
        return _nobody(name, rng)
    value = values[int(rng.integers(len(values)))].as_py()
    return f"{_name(name)} {'=' if kind is Kind.CATEGORY else '<='} {_literal(value)}"


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return repr(_written(value))
    if isinstance(value, int):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def _written(value: float) -> float:
    """The nearest number that a query can hold."""
    return 0.0 if abs(value) < TINIEST else max(-HUGEST, min(HUGEST, value))


def ask_all(
    release: Release,
    queries: Sequence[tuple[int | str, str]],
    original: Table | Holders | None = None,
    step: Callable[[int, int], None] = lambda done, total: None,
) -> list[Asked]:
    """Answer every query on the release, and on the original where it is at hand."""
    engine = prepare(release)
    asked = []
    for done, (shape, sql) in enumerate(queries):
        step(done, len(queries))
        with np.errstate(over="ignore", invalid="ignore"):  # squares of numbers beyond 1e154
            [(_, [answer])] = engine.answer(sql)
        low, high = answer.bounds or (None, None)
        truth = exact(original, sql)[0][1][0].value if original is not None else None
        asked.append(Asked(sql, shape, answer.value or 0.0, low or 0.0, high or 0.0, truth))
    return asked


def query_error(asked: list[Asked], rows: int, by: str = "conditions") -> ResultTable:
    """Errors by number of conditions: |estimate - truth| / max(truth, a thousandth of the rows)."""
    table = [
        _line({by: shape}, [one for one in asked if one.shape == shape], rows)
        for shape in dict.fromkeys(sorted(one.shape for one in asked))
    ]
    drawn = several(len(asked), "random counting query")
    if any("mean error" not in line for line in table):
        return result_table("width of bounds", table, [drawn])
    relative = f"relative to the truth, or to {FLOOR:.1%} of the records where the truth is smaller"
    return result_table("query error", table, [f"{drawn}; errors are {relative}"])


def _line(line: dict[str, Any], asked: list[Asked], rows: int) -> dict[str, Any]:
    width = np.array([(one.upper - one.lower) / rows for one in asked])
    line |= {"queries": len(asked)}
    truths = [one.truth for one in asked if one.truth is not None]
    if len(truths) == len(asked):
        truth = np.array(truths)
        estimate = np.array([one.estimate for one in asked])
        error = np.abs(estimate - truth) / np.maximum(truth, FLOOR * rows)
        inside = [one.lower <= t <= one.upper for one, t in zip(asked, truths, strict=True)]
        line |= {"median error": float(np.median(error)), "mean error": float(error.mean())}
        line |= {"truth in bounds": float(np.mean(inside))}
    return line | {"mean width of bounds, share of records": float(width.mean())}
