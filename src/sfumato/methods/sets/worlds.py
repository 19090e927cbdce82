"""Possible worlds out of matches: what methods of form Uncertain share."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.errors import CannotBeMet
from sfumato.core.run import Run
from sfumato.core.words import several
from sfumato.data.sets import Holders, Sets
from sfumato.kernels.rows import Rows
from sfumato.kernels.rows_distinct import joined_rows
from sfumato.kernels.votes import Votes, votes
from sfumato.methods.sets.assignments import Matches
from sfumato.models.base import Model
from sfumato.models.k_anonymity import KAnonymity
from sfumato.models.l_diversity import DistinctLDiversity
from sfumato.releases.claims import CANDIDATES, DIVERSE, KNOWS_ITEMS, Claim
from sfumato.releases.release import Ledger, Publication, Release
from sfumato.releases.uncertain import ITEMS, Uncertain

SOURCE = (
    "Xue, Privacy protection via anonymization for publishing multi-type data, thesis, National "
    "University of Singapore 2012, chapter 3"
)


class Asked:
    """What is asked of the candidates of a record: how many, and of which label how different.

    `degree` is a multiple of `share`, so that no label need be on more than 1 / share of them.
    """

    def __init__(self, data: Holders, k: int, require: Iterable[Model]) -> None:
        diverse: dict[str, int] = {}
        for model in require:
            if isinstance(model, KAnonymity):
                k = max(k, model.k)
            elif isinstance(model, DistinctLDiversity):
                diverse[model.column] = max(model.l, diverse.get(model.column, 1))
            else:
                raise CannotBeMet(
                    f"{model.name} cannot be met, because records are not put in groups",
                    "ask for distinct-l-diversity, or use mondrian or another method for sets",
                )
        self.k, self.diverse = k, diverse
        if len(diverse) > 1:
            raise CannotBeMet(
                f"diversity of {several(len(diverse), 'column')} cannot be met, because candidates "
                "are made different in one",
                "ask it of one sensitive column",
            )
        self.column = next(iter(diverse), None)
        self.share = diverse.get(self.column, 1) if self.column is not None else 1
        self.degree = -(-k // self.share) * self.share
        self._check(data)

    def _check(self, data: Holders) -> None:
        """Refuse what no assignments can meet."""
        if data.rows < self.degree:
            have, extra = several(data.rows, "record"), ""
            if self.degree > self.k:
                extra = f", the next multiple of {self.share} from {self.k} up"
            raise CannotBeMet(
                f"{CANDIDATES} cannot be met, because the data has {have}, not "
                f"{self.degree:,}{extra}",
                "ask for less or bring more records",
            )
        if self.column is None:
            return
        if self.column not in data.schema.sensitive:
            raise CannotBeMet(
                f"a requirement is about '{self.column}', which is not a sensitive column",
                f"sensitive: {', '.join(data.schema.sensitive) or 'none'}",
            )
        most = int(data.table[self.column].counts().max(initial=0))
        if most * self.share > data.rows:
            raise CannotBeMet(
                f"{self.share} different values of '{self.column}' for everybody cannot be met, "
                f"because one value is on {most:,} of {data.rows:,} records, more than 1 in "
                f"{self.share}",
                "ask for a smaller l",
            )

    def claims(self) -> tuple[Claim, ...]:
        """What a release with such candidates promises."""
        first = Claim(CANDIDATES, {"k": self.k}, (ITEMS,), adversary=KNOWS_ITEMS)
        if self.column is None:
            return (first,)
        stated: dict[str, Any] = {"l": self.share}
        second = Claim(DIVERSE, stated, (ITEMS,), self.column, KNOWS_ITEMS, steered=True)
        return (first, second)


def published(
    data: Holders,
    matches: Matches,
    asked: Asked,
    run: Run,
    notes: dict[str, Any],
    suppress: bool = False,
) -> Publication:
    """A release of the worlds that matches make, labels following the true one, and its ledger."""
    with run.phase("vote"):
        found = voted(data.sets, matches, run.workers, suppress)
    sets = data.sets
    content = Uncertain(
        Sets(*found.base, sets.names, sets.utility),
        found.open,
        found.threshold,
        data.table.take(matches.true),
    )
    release = Release("sets", "uncertain", data.schema, content, asked.claims())
    lists = pa.ListArray.from_arrays(pa.array(matches.start), pa.array(matches.original))
    table = pa.table({"candidates": lists, "own": matches.own})
    return Publication(release, Ledger(matches.true, run.key.hex(), notes=notes, matches=table))


def voted(sets: Sets, matches: Matches, workers: int, suppress: bool = False) -> Votes:
    """The votes of all candidates, by all workers."""
    rows = len(matches.start) - 1
    edges = np.unique(np.linspace(0, rows, min(4 * workers, rows) + 1).astype(np.int64))

    def part(ends: tuple[int, int]) -> Votes:
        start = matches.start[ends[0] : ends[1] + 1]
        return votes(sets.held, start, matches.original, sets.domain, suppress)

    with ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(part, pairwise(edges.tolist())))
    like = Rows(sets.indptr, sets.items)
    base = joined_rows([one.base for one in found], like)
    opened = joined_rows([one.open for one in found], like)
    nothing = np.empty(0, np.int32)
    return Votes(base, opened, np.concatenate([nothing, *(one.threshold for one in found)]))


def most_alike(matches: Matches, label: NDArray[np.int32]) -> int:
    """Of the places linked to one record, most that show the same label as published."""
    place = np.repeat(np.arange(len(matches.own)), np.diff(matches.start))
    shown = label[matches.true][place].astype(np.int64)
    key = matches.original.astype(np.int64) * (int(label.max(initial=0)) + 1) + shown
    return int(np.unique(key, return_counts=True)[1].max(initial=0))
