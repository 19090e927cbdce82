"""The one place where whole releases are compared, and the best is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sfumato.core.answers import ResultTable, result_table
from sfumato.core.errors import SfumatoError
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.sets import Holders
from sfumato.query import exact, prepare
from sfumato.releases.release import Publication
from sfumato.study.owner_queries import owner_queries

QUERIES = 400
Make = Callable[[], Publication]


@dataclass(frozen=True, eq=False)
class Scoring:
    """A number for a release, lower is better; what it means; whether it reads sensitive values."""

    score: Callable[[Publication], float]
    meaning: str
    steers: bool


@dataclass(frozen=True, eq=False)
class Choice:
    """The publication that was chosen, and a line on every candidate; the table is the owner's."""

    publication: Publication
    table: ResultTable


def choose(candidates: Sequence[tuple[str, Make]], scoring: Scoring, run: Run) -> Choice:
    """Make every candidate, and keep the one of lowest score, the first of equals.

    A candidate that cannot be made is listed with the reason; if none can, the first reason is
    raised. Where sensitive values decide, every claim of the chosen one says so.
    """
    best: Publication | None = None
    lowest, lines, first_error = np.inf, [], None
    for place, (name, make) in enumerate(candidates):
        line: dict[str, object] = {"candidate": name, "score": None, "note": ""}
        try:
            made = make()
            line["score"] = found = scoring.score(made)
            if best is None or found < lowest:
                best, lowest = made, found
                chosen = place
        except SfumatoError as error:
            first_error, line["note"] = first_error or error, error.what
        lines.append(line)
        run.step(place + 1, len(candidates))
    if best is None:
        raise first_error or SfumatoError("there is nothing to choose from", "name candidates")
    lines[chosen]["note"] = "chosen: the lowest score"
    chosen_one = _steered(best) if scoring.steers else best
    return Choice(chosen_one, result_table("choice", lines, [f"score: {scoring.meaning}"]))


def _steered(publication: Publication) -> Publication:
    """The same, saying that it was chosen by what its sensitive values say."""
    release = publication.release
    claims = tuple(replace(claim, steered=True) for claim in release.claims)
    return replace(publication, release=replace(release, claims=claims))


def by_width(people: People, run: Run) -> Scoring:
    """A score: how wide the bounds of answers are, on the same random queries for every release.

    The mean over queries of (upper - lower) / |truth|; counts below 1 and averages of 0 are left
    out, and queries that select nobody.
    """
    drawn = owner_queries(people, QUERIES, run.rng("choose"))
    truths = [exact(people.table, sql)[0][1][0].value for sql in drawn]
    asked = [(sql, abs(truth)) for sql, truth in zip(drawn, truths, strict=True) if truth]

    def score(publication: Publication) -> float:
        engine = prepare(publication.release)
        widths = [_width(engine.answer(sql)[0][1][0].bounds) / truth for sql, truth in asked]
        return float(np.mean(widths)) if widths else 0.0

    meaning = f"mean width of the bounds, relative to the truth, of {QUERIES} random queries"
    return Scoring(score, meaning, steers=True)


def by_utility(holders: Holders) -> Scoring:
    """A score: the share of all utility that is not published."""
    total = holders.sets.total

    def score(publication: Publication) -> float:
        content = publication.release.sets
        kept = content.worth @ content.sizes
        return 1.0 - float(kept) / total if total else 0.0

    return Scoring(score, "share of the utility that is not published", steers=False)


def _width(bounds: tuple[float | None, float | None] | None) -> float:
    low, high = bounds or (None, None)
    return 0.0 if low is None or high is None else high - low
