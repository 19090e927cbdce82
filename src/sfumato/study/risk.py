"""How easily rows of a table are told apart, before anything is done about it.

Rows that agree on the chosen columns form a class; a missing value agrees with missing values only.
Write f for the size of a row's class in the table and F for its size in the population.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.core.answers import ResultTable, result_table
from sfumato.core.errors import BadInput, BadJob
from sfumato.core.run import Run
from sfumato.core.words import several
from sfumato.data.table import Column, Table
from sfumato.kernels.uniqueness import (
    classes_of,
    expected_risk,
    search,
    smaller_than,
)

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
SMALL = 5
_UNKNOWN = ["no population was given: journalist and marketer are taken to know this table only"]
_ATTACKERS = (
    "prosecutor: knows that a person is in the table; journalist: only that the person is in the "
    "population; marketer: wants as many people as possible, so only the mean counts"
)


@dataclass(frozen=True)
class Effort:
    """Limits of `singling_out`: rows, rows times combinations, combinations, lines of a list."""

    rows: int = 200_000
    looks: int = 60_000_000
    combinations: int = 20_000
    lines: int = 10


_EFFORT = Effort()
# by places of columns: rows alone in their class, rows in small classes
Found = dict[tuple[int, ...], tuple[int, int]]


def risk(
    table: Table,
    columns: Sequence[str],
    population: Table | int | None = None,
    threshold: float = 0.2,
) -> ResultTable:
    """The risk that somebody who knows these columns of a person finds the person's row.

    Three attackers, after El Emam (Guide to the De-Identification of Personal Health Information,
    2013) and as ARX reports them. Means are over rows; `share above` counts rows whose risk is
    greater than `threshold` (0.2: fewer than 5 alike), `share unique` rows whose risk is 1.

    - The prosecutor knows that the person is in the table: a row's risk is 1/f.
    - The journalist wants anybody, and knows the population: 1/F. The mean is the larger of
      mean(1/F) and classes / sum of F over the classes of the table.
    - The marketer matches all rows and counts successes: mean(1/F). Without a population this is
      mean(1/f) = classes / rows.

    A population table must hold the rows of the table. Of a population known by size only, F is
    taken to be negative binomial given f, with the table a simple random sample (Benedetti and
    Franconi, 1998), and numbers are expected ones; the highest is the highest expected row.

    When they mislead: 1/f takes the attacker's knowledge to be exact, and the columns to be all he
    knows: a forgotten column raises every number, errors in the data lower them. 1/F is too low if
    the table is no random sample or if it is known who is in it. Estimates from a population's size
    alone are far too low where most rows are unique. And nothing here sees what a class shares: if
    fifty rows have one diagnosis, none of the fifty is found and all are exposed.

    >>> from sfumato.data.table import table_from_arrow
    >>> table = table_from_arrow(pa.table({"age": [30, 30, 30, 41]}))
    >>> risk(table, ["age"]).column("mean")
    [0.5, 0.5, 0.5]
    """
    check_columns(table, columns)
    if not 0.001 <= threshold <= 1:
        raise BadJob(f"threshold is {threshold}", "give a risk from 0.001 to 1")
    _, sizes = classes_of(*_codes(table, columns), table.rows)
    own = _of_sizes(sizes, sizes, threshold)
    notes = [f"{several(table.rows, 'row')} in {several(len(sizes), 'class')}", _ATTACKERS]
    wide, said = own, _UNKNOWN
    if isinstance(population, Table):
        wide, said = _of_population(table, population, columns, sizes, threshold)
    elif population is not None:
        wide, said = _of_number(sizes, table.rows, population, threshold)
    return result_table("re-identification risk", _lines(own, wide, threshold), [*notes, *said])


def check_columns(table: Table, columns: Sequence[str]) -> None:
    """Refuse columns that the table lacks, and a column listed twice."""
    for name in columns:
        if name not in table.columns:
            raise BadJob(f"column '{name}' is not in the data", "see the list of columns")
    if len(set(columns)) < len(columns):
        raise BadJob("a column is listed twice", "list each column once")


def _codes(table: Table, columns: Sequence[str]) -> tuple[list[Any], list[int]]:
    chosen = [table[name] for name in columns]
    return [column.codes for column in chosen], [max(1, column.size) for column in chosen]


@dataclass(frozen=True)
class _Risks:
    """What is said of one attacker; None where there are no rows."""

    highest: float | None
    mean: float | None
    above: float | None
    unique: float | None
    per_person: float = 0.0  # classes / people in them


def _share(rows: Counts, among: NDArray[Any]) -> float | None:
    """Mean over rows of a number given per class."""
    return float(rows @ among / rows.sum()) if len(rows) else None


def _of_sizes(rows: Counts, people: Counts, threshold: float) -> _Risks:
    """Risks where every class has `rows` rows and `people` who may be meant."""
    each = 1 / people
    highest = float(each.max()) if len(each) else None
    per_person = len(people) / max(1, int(people.sum()))
    above, unique = _share(rows, each > threshold), _share(rows, people == 1)
    return _Risks(highest, _share(rows, each), above, unique, per_person)


def _lines(own: _Risks, wide: _Risks, threshold: float) -> list[dict[str, Any]]:
    above = f"share above {threshold:g}"
    known = own.mean is not None and wide.mean is not None
    journalist = max(wide.mean or 0.0, wide.per_person) if known else None
    return [
        {
            "attacker": name,
            "highest": risks.highest,
            "mean": mean,
            above: risks.above,
            "share unique": risks.unique,
        }
        for name, risks, mean in [
            ("prosecutor", own, own.mean),
            ("journalist", wide, journalist),
            ("marketer", _Risks(None, None, None, None), wide.mean),
        ]
    ]


def _of_population(
    table: Table, population: Table, columns: Sequence[str], sizes: Counts, threshold: float
) -> tuple[_Risks, list[str]]:
    """F counted: rows of both tables are classed together, those of the table first."""
    check_columns(population, columns)
    matched = [_recode(population[name], table[name]) for name in columns]
    known = np.ones(population.rows, bool)
    for codes in matched:
        known &= codes >= 0
    both = [
        np.concatenate([table[name].codes, codes[known].astype(np.uint32)])
        for name, codes in zip(columns, matched, strict=True)
    ]
    rows = table.rows + int(known.sum())
    _, together = classes_of(both, _codes(table, columns)[1], rows)
    people = together[: len(sizes)] - sizes
    notes = [
        f"the population has {several(population.rows, 'record')}, "
        f"{int(people.sum()):,} of them in the classes"
    ]
    if lacking := int(np.maximum(sizes - people, 0).sum()):
        notes.append(
            f"not in the population: {several(lacking, 'row')}; the classes were filled up"
        )
    return _of_sizes(sizes, np.maximum(people, sizes), threshold), notes


def _recode(column: Column, like: Column) -> Counts:
    """Codes of `column` in the dictionary of `like`; -1 for what does not occur there."""
    try:
        values = column.values.cast(like.values.type)
    except pa.ArrowException:
        raise BadInput(
            f"column '{column.name}' has another type in the population",
            f"it is {column.values.type} there and {like.values.type} in the data",
        ) from None
    found = pc.fill_null(pc.index_in(values, value_set=like.values), -1)
    place = np.asarray(found).astype(np.int64)
    place = np.where(place >= 0, place + like.has_missing, -1)
    if column.has_missing:
        place = np.concatenate([[0 if like.has_missing else -1], place])
    return place[column.codes] if len(place) else np.empty(0, np.int64)


def _of_number(
    sizes: Counts, rows: int, population: int, threshold: float
) -> tuple[_Risks, list[str]]:
    """F guessed from f and the sampling fraction."""
    if population < max(rows, 1):
        raise BadJob(f"population is {population:,}", f"give at least the number of rows, {rows:,}")
    fraction = rows / population
    each = expected_risk(sizes, fraction)
    crowd = int(np.ceil(1 / threshold))
    crowd += int(1 / crowd > threshold)  # the smallest class that is not above the threshold
    risks = _Risks(
        highest=float(each.max()) if len(each) else None,
        mean=_share(sizes, each),
        above=_share(sizes, smaller_than(sizes, crowd, fraction)),
        unique=_share(sizes, smaller_than(sizes, 2, fraction)),
        per_person=fraction * len(sizes) / max(rows, 1),
    )
    note = (
        f"sizes of classes among the {population:,} people were estimated, as if the table were a "
        "simple random sample of them; with many unique rows such estimates can be far off"
    )
    return risks, [note]


def singling_out(
    table: Table,
    columns: Sequence[str],
    most: int = 3,
    share: float = 0.05,
    run: Run | None = None,
    effort: Effort = _EFFORT,
) -> ResultTable:
    """Which combinations of up to `most` columns tell rows apart.

    Lists the minimal combinations, those that single out more than `share` of the rows while none
    of their parts does, and the worst ones, leaving out those with a column that adds nothing.
    Adding a column never makes a row less unique: all that holds a minimal one is as bad or worse.

    Every number is exact for the rows that were looked at: all of them, or, beyond `effort.rows`, a
    simple random sample. Uniqueness in a sample overstates that in the table, as a row that is
    alone in the sample may have its doubles among the rows not drawn. Where there would be too many
    combinations, they are made of the columns that tell rows apart best alone; notes say so.

    >>> from sfumato.data.table import table_from_arrow
    >>> table = table_from_arrow(pa.table({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2]}))
    >>> singling_out(table, ["a", "b"], most=2).rows[0]
    ('a + b', 2, 1.0, 1.0, 'minimal, worst')
    """
    check_columns(table, columns)
    if most < 1 or not 0 <= share < 1:
        raise BadJob(f"most is {most} and share {share}", "use most >= 1 and 0 <= share < 1")
    seen, notes = _rows_to_look_at(table.select(tuple(columns)), run or Run.seeded(0), effort)
    found: Found = {(place,): _alone(seen[name]) for place, name in enumerate(columns)}
    chosen, left_out = _columns_to_combine(seen, columns, most, effort)
    notes += left_out
    codes, values = _codes(seen, [columns[place] for place in chosen])
    for places, counts in search(codes, values, seen.rows, most, SMALL):
        found[tuple(sorted(chosen[place] for place in places))] = counts
    looked = several(len(found), "combination")
    minimal = _minimal(found, share * seen.rows)
    notes.append(f"looked at: {looked} of up to {several(most, 'column')}")
    notes.append(
        f"minimal: singles out more than {share:.3g} of the rows, and no part of it does; "
        f"there are {len(minimal):,}; worst: has the largest share unique"
    )
    rows = _listed(found, minimal, columns, seen.rows, effort.lines) if seen.rows else ()
    return ResultTable("singling out", _HEAD, rows, tuple(notes))


_HEAD = ("columns", "size", "share unique", f"share in classes below {SMALL}", "listed as")


def _rows_to_look_at(table: Table, run: Run, effort: Effort) -> tuple[Table, list[str]]:
    if table.rows <= effort.rows:
        return table, [f"exact, over {several(table.rows, 'row')}"]
    draw = run.rng("study", "singling out").choice(table.rows, effort.rows, replace=False)
    return table.take(np.sort(draw)), [
        f"numbers are for a random sample of {effort.rows:,} of {table.rows:,} rows and overstate "
        "those of all: a row alone in the sample may have its doubles among the rows not drawn"
    ]


def _alone(column: Column) -> tuple[int, int]:
    counts = column.counts()
    return int((counts == 1).sum()), int(counts[counts < SMALL].sum())


def _columns_to_combine(
    table: Table, columns: Sequence[str], most: int, effort: Effort
) -> tuple[list[int], list[str]]:
    """Places of the columns to combine, the most telling first, and a note on the others."""
    alike = {}
    for place, name in enumerate(columns):
        shares = table[name].counts() / max(1, table.rows)
        if (shares > 0).sum() > 1:
            alike[place] = float(shares @ shares)  # how likely two rows drawn at random agree
    order = sorted(alike, key=lambda place: alike[place])
    width = len(order)
    limit = min(effort.combinations, effort.looks // max(1, table.rows))
    while width > 1 and sum(comb(width, size) for size in range(2, most + 1)) > limit:
        width -= 1
    notes = []
    if constant := len(columns) - len(order):
        notes.append(
            f"left out, as a single value tells nothing apart: {several(constant, 'column')}"
        )
    if width < len(order) and most > 1:
        notes.append(
            f"to bound the work, only {width} of {len(order)} columns were combined, those that "
            f"tell rows apart best alone: {', '.join(columns[i] for i in order[: min(width, 12)])}"
            f"{' and so on' * (width > 12)}"
        )
    return order[:width], notes


def _minimal(found: Found, limit: float) -> list[tuple[int, ...]]:
    """Combinations over the limit whose parts are not; the parts one column smaller decide."""
    return [c for c, (alone, _) in found.items() if alone > limit >= _most_in_parts(found, c)]


def _most_in_parts(found: Found, places: tuple[int, ...]) -> int:
    """The most rows that a combination of one column less singles out."""
    parts = combinations(places, len(places) - 1)
    return max(found[part][0] if part else 0 for part in parts)


def _listed(
    found: Found,
    minimal: list[tuple[int, ...]],
    columns: Sequence[str],
    rows: int,
    lines: int,
) -> tuple[tuple[Any, ...], ...]:
    def badness(places: tuple[int, ...]) -> tuple[Any, ...]:
        return -found[places][0], -found[places][1], len(places), places

    telling = (c for c in found if found[c][0] > _most_in_parts(found, c))
    worst = sorted(telling, key=badness)[:lines]
    small = sorted(minimal, key=lambda places: (len(places), *badness(places)))[:lines]
    listed = [*small, *(places for places in worst if places not in small)]
    return tuple(
        (
            " + ".join(columns[place] for place in places),
            len(places),
            found[places][0] / rows,
            found[places][1] / rows,
            ", ".join(
                word for word, group in (("minimal", minimal), ("worst", worst)) if places in group
            ),
        )
        for places in listed
    )
