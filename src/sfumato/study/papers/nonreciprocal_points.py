"""What is published of sets as possible worlds: how wrong it is, and how long it takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core import catalogue
from sfumato.core.answers import ResultTable, result_table
from sfumato.core.parameters import build
from sfumato.core.run import Run
from sfumato.data.sets import Holders, Sets
from sfumato.kernels.distances import row_distances
from sfumato.kernels.k1_lists import item_bits
from sfumato.models.l_diversity import DistinctLDiversity
from sfumato.study.findings import Statement

QUERIES = 500
GRAY, TOUR, LINKED, NEAR = "Gray", "Gray-TSP", "linked", "linked, near links"
CAHD, CAHD_LINKED = "CAHD", "CAHD, linked order"
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    GRAY: ("nonreciprocal", {"order": "gray"}),
    TOUR: ("nonreciprocal", {"order": "gray-tour"}),
    LINKED: ("nonreciprocal", {"order": "linked"}),
    NEAR: ("nonreciprocal", {"order": "linked", "links": "near"}),
    CAHD: ("cahd", {"order": "gray"}),
    CAHD_LINKED: ("cahd", {"order": "linked"}),
}


@dataclass(frozen=True)
class Asking:
    """Random queries: how many items are asked to be present, and how many to be absent."""

    present: int
    absent: int


@dataclass(frozen=True)
class Point:
    """Bit error rates (own place, true person), query errors (Type I and II), CPU seconds."""

    own: float
    true: float
    present: float
    absent: float
    seconds: float


Grid = dict[tuple[str, int], Point]


def measured(name: str, people: Holders, k: int, asking: Asking, run: Run) -> Point:
    """Publish for k, or where people have labels for l = k, and compare with the original."""
    of, parameters = METHODS[name]
    method = build(catalogue.method("sets", of), {"k": k, **parameters}, "method")
    require = [DistinctLDiversity(column=c, l=k) for c in people.schema.sensitive]
    begun = time.process_time()
    publication = method.publish(people, require, run)
    seconds = time.process_time() - begun
    base, ledger = publication.release.worlds.base, publication.ledger
    own = np.asarray(ledger.matches.column("own")).astype(np.int64)
    sets = people.sets
    return Point(
        own=bit_error(sets, base, own),
        true=bit_error(sets, base, ledger.rows),
        present=query_error(sets, base, asking.present, True, run.rng("present")),
        absent=query_error(sets, base, asking.absent, False, run.rng("absent")),
        seconds=seconds,
    )


def bit_error(sets: Sets, base: Sets, rows: NDArray[np.int64]) -> float:
    """The mean over records with items of wrong bits over items; both numbered alike."""
    same = np.arange(sets.domain)
    apart = row_distances(base.held, sets.held, rows, same, sets.domain)
    length = sets.lengths[rows]
    return float((apart[length > 0] / length[length > 0]).mean())


def query_error(
    sets: Sets, base: Sets, items: int, present: bool, rng: np.random.Generator
) -> float:
    """The mean of |true - published count| / records over random queries."""
    drawn = [rng.choice(sets.domain, items, replace=False) for _ in range(QUERIES)]
    count = [_counts(one, drawn, present) for one in (sets, base)]
    return float(np.abs(count[0] - count[1]).mean()) / sets.rows


def _counts(sets: Sets, drawn: Iterable[NDArray[Any]], present: bool) -> NDArray[np.int64]:
    """Records that have all of some items, or none of them."""
    bits = item_bits(sets.held, sets.domain)
    join = np.bitwise_and if present else np.bitwise_or
    found = np.array([np.bitwise_count(join.reduce(bits[one])).sum() for one in drawn], np.int64)
    return found if present else sets.rows - found


def grid_of(
    people: Holders, names: Sequence[str], ks: Sequence[int], asking: Asking, run: Run
) -> Grid:
    """Every method at every k (l), after a first run that compiles."""
    grid: Grid = {}
    few = people.take(np.arange(min(64, people.rows)))
    for place, name in enumerate(names):
        measured(name, few, 2, asking, run)
        for k in ks:
            grid[name, k] = measured(name, people, k, asking, run)
        run.step(place + 1, len(names))
    return grid


def table_of(title: str, grid: Grid, what: Callable[[Point], float], x: str = "k") -> ResultTable:
    """One number of every point: a row per k, a column per method."""
    names = list(dict.fromkeys(name for name, _ in grid))
    ks = list(dict.fromkeys(k for _, k in grid))
    lines = [{x: k, **{name: what(grid[name, k]) for name in names}} for k in ks]
    return result_table(title, lines)


def always_less(
    grid: Grid, one: str, other: str, what: Callable[[Point], float], paper: str
) -> Statement:
    """Whether one method is below another at every k."""
    ks = list(dict.fromkeys(k for _, k in grid))
    ratios = [what(grid[one, k]) / max(1e-12, what(grid[other, k])) for k in ks]
    less = sum(ratio < 1 for ratio in ratios)
    found = f"{one} is below {other} at {less} of {len(ks)}, {min(ratios):.2f} to "
    return Statement(paper, less == len(ks), found + f"{max(ratios):.2f} times it")
