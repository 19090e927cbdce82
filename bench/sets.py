"""Made-up sets of items for benchmarks, published in memory, and what their releases keep."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

from bench.measure import growth, timed, weighed
from bench.tables import Row
from sfumato import method
from sfumato.core.run import Run, cores
from sfumato.data.sets import Holders
from sfumato.data.table import Table
from sfumato.io.sample_sets import segments
from sfumato.releases.release import Publication

LARGE = 20_616_891  # the records of the thesis's data, of 1,987 items
SIZES = (10_000, 100_000, 1_000_000, LARGE)
K = 10
TAIL = "long tail"
WARM = 3_000


@lru_cache(1)
def holders(rows: int, profile: str = "thesis") -> Holders:
    """Made-up people; those asked for last are kept."""
    drawn = segments(rows, Run.seeded(1, cores()), profile)
    return Holders(drawn, table=Table({}, rows))


def published(rows: int, profile: str, name: str, **options: Any) -> Publication:
    """A release in memory, as the method gives it: before it is put in order."""
    data = holders(rows, profile)
    return method(name, kind="sets", **options).publish(data, (), Run.seeded(1, cores()))


def kept(publication: Publication, data: Holders) -> float:
    """The share of the utility of all items of all records that is shown."""
    content = publication.release.sets
    return float(content.sizes @ content.worth) / data.sets.total


def case(rows: int, profile: str, name: str, options: Row, repeat: int = 1) -> Row:
    """One method on one size, measured: a small run before it has every kernel compiled."""
    published(WARM, profile, name, **options)
    data = holders(rows, profile)
    work = partial(published, rows, profile, name, **options)
    found, timing, memory = weighed(work)
    if repeat > 1:
        _, again = timed(work, repeat - 1)
        timing = min(timing, again, key=lambda one: one.cpu)
    cells = {"utility": kept(found, data), "groups": found.release.sets.groups}
    return cells | timing.cells() | {"peak MB": memory.peak}


def slopes(name: str, rows: list[Row]) -> str:
    """Growth exponents of rows of one method."""
    sizes = [row["rows"] for row in rows]
    wall, cpu = (growth(sizes, [row[clock] for row in rows]) for clock in ("wall s", "cpu s"))
    return f"growth, {name}: wall {wall:.2f}, cpu {cpu:.2f}"


def share_of(row: Row, rows: list[Row], column: str, other: str) -> float | None:
    """Utility against that of another method at the same size."""
    found = [one for one in rows if (one[column], one["rows"]) == (other, row["rows"])]
    return row["utility"] / found[0]["utility"] if found else None
