"""How wide the bounds of averages are, by the range of ages that queries ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.methods.tables.distribution import Distribution
from sfumato.query import prepare
from sfumato.releases.release import Release
from sfumato.study.findings import Setting
from sfumato.study.papers.distribution_tables import Draw, columns

WIDTHS = (2, 5, 10, 20, 30, 40, 50, 60)  # ages between the ends of a query
QUERIES, FEW_QUERIES = 100, 20
HAIR = 1e-9

Line = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Case:
    """The table of one run, and parameters that hold for every curve which sets no others."""

    people: People
    asked: Mapping[str, Any] = field(default_factory=dict)


Publish = Callable[[Case], Sequence[Release]]


def published(people: People, run: Run, **parameters: Any) -> Release:
    """One release by the method under study."""
    return Distribution(**parameters).publish(people, [], run).release


def by(parameters: Mapping[str, Any], run: Run) -> Publish:
    """A curve: the whole table published with these parameters."""
    return lambda case: [published(case.people, run, **{**case.asked, **parameters})]


def drawn(of: People, width: int, number: int, rng: Draw) -> list[tuple[int, int]]:
    """Ranges of ages of one width, drawn uniformly among those within the ages that occur."""
    age, _ = columns(of)
    low, high = int(age.min()), int(age.max())
    first = rng.integers(low, max(low, high - width) + 1, number)
    return [(int(one), int(one) + width) for one in first]


def errors(
    of: People, releases: Sequence[Release], ranges: Sequence[tuple[int, int]]
) -> NDArray[np.float64]:
    """(upper - lower) / truth of AVG(loss) for every range; queries that select nobody are skipped.

    Releases of disjoint parts are asked one by one: sums of their bounds are bounds of the sum, and
    how many are selected is exact. A bound that misses the truth stops the study.
    """
    engines = [prepare(release) for release in releases]
    age, loss = columns(of)
    found = []
    for low, high in ranges:
        truth = int(loss[(age >= low) & (age <= high)].sum())
        if truth == 0:
            continue
        sql = f"SELECT SUM(loss) FROM release WHERE age BETWEEN {low} AND {high}"
        bounds = [engine.answer(sql)[0][1][0].bounds for engine in engines]
        least, most = (sum(pair[end] or 0.0 for pair in bounds if pair) for end in (0, 1))
        assert least <= truth * (1 + HAIR) and truth <= most * (1 + HAIR)
        found.append((most - least) / truth)
    return np.array(found)


def by_range(
    setting: Setting,
    cases: Sequence[Case],
    curves: Mapping[str, Publish],
    name: str,
    widths: Sequence[int] = (),
) -> list[Line]:
    """Mean error of every curve for every width, over the queries of all runs."""
    widths = widths or WIDTHS
    number = FEW_QUERIES if setting.quick else QUERIES
    seen: dict[tuple[int, str], list[NDArray[np.float64]]] = {}
    for place, case in enumerate(cases):
        rng = setting.run.rng("queries", name, place)
        asked = {width: drawn(case.people, width, number, rng) for width in widths}
        for step, (curve, publish) in enumerate(curves.items()):
            releases = publish(case)
            for width, ranges in asked.items():
                seen.setdefault((width, curve), []).append(errors(case.people, releases, ranges))
            setting.run.step(place * len(curves) + step + 1, len(cases) * len(curves))
    return [
        {"range": width} | {curve: mean(seen[width, curve]) for curve in curves} for width in widths
    ]


def mean(parts: Sequence[NDArray[np.float64]]) -> float | None:
    """The mean over all runs; none if no query selected anybody."""
    whole = np.concatenate(parts)
    return float(whole.mean()) if len(whole) else None
