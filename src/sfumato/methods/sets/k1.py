"""(k,1)-anonymity of sets: what is published of a record, at least k records have."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationInfo, field_validator

from sfumato.core.errors import CannotBeMet
from sfumato.core.run import Run
from sfumato.core.words import several
from sfumato.data.sets import Holders, Sets
from sfumato.kernels.k1_lists import item_bits
from sfumato.kernels.k1_share import best_shared
from sfumato.kernels.rows import Rows, row_sums
from sfumato.kernels.rows_distinct import distinct_rows, joined_rows
from sfumato.kernels.sets_portfolio import best_of_portfolio
from sfumato.methods.base import Cost, Method, Shape
from sfumato.methods.sets.admissible import Choice, admissible, belief, drawn
from sfumato.methods.sets.bottom_up import Growth, bottom_up
from sfumato.methods.sets.recode import SOURCE, as_sets, published, shared
from sfumato.methods.sets.top_down import Search, top_down
from sfumato.models.base import Model
from sfumato.releases.claims import HIDDEN_OWNER, K1, KNOWS_ONE, SEES_ONE, Claim
from sfumato.releases.recoded_sets import ITEMS, RecodedSets
from sfumato.releases.release import Publication

BEAMS = ((0, 1, 1), (512, 8, 4), (4096, 8, 4))  # supporters, width, branches; by effort
MOST_BITMAPS = 1 << 29  # bytes
LARGE = 2_000_000  # records above which the search leaves supporters out
MOST_LISTED = 1_000_000  # records for which lists of admissible sets are made within minutes
Found = tuple[NDArray[np.int32], Rows]


class KOne(Method):
    """Publish of every record a set of its items that at least k records have.

    Keeps far more than k-anonymity, against a weaker adversary: read the page before you use it.
    Somebody who knows everybody's items and this method names the owner of a published set with
    probability 1 / `candidates` at most, if they see one set; with candidates = 1, nearly always.

    >>> import sfumato
    >>> people = sfumato.read_sets(
    ...     sfumato.sample("segments", rows=300), items="items", roles={"drop": ["person"]})
    >>> method = sfumato.method("k1", kind="sets", k=5)
    >>> release = sfumato.publish(people, method=method, seed=1).release
    >>> [claim.model for claim in release.claims]
    ['(k,1)-anonymity', 'hidden-owner']
    """

    kind = "sets"
    name = "k1"
    form = "recoded"
    summary = "publish sets that k records have, without groups; a weaker promise, keeps more"
    source = SOURCE

    k: int = Field(ge=1, description="fewest records that have what is published of one")
    candidates: int | None = Field(
        None,
        ge=1,
        description="fewest records that would have published a set as likely as its owner; "
        "default: k; 1: always the best set, no draw",
    )
    places: int = Field(4, ge=1, le=64, description="sets among which a record draws one")
    search: Literal["top-down", "hashed", "all"] = Field(
        "top-down",
        description="how sets are found where nothing is drawn; hashed and all are the thesis's",
    )
    effort: int = Field(
        1,
        ge=0,
        le=2,
        description="0: no beam; 1: a beam for the last steps; 2: a longer beam, and where nothing "
        "is drawn also neighbours and groups, and of every record the best that was found "
        "for anybody",
    )

    @field_validator("search")
    @classmethod
    def _search_is_used(cls, search: str, info: ValidationInfo) -> str:
        if search != "top-down" and info.data.get("candidates") != 1:
            raise ValueError("it needs candidates = 1; a draw is made among sets found top down")
        return search

    @property
    def owners(self) -> int:
        """Records that would have published a set as likely as its owner."""
        return self.k if self.candidates is None else self.candidates

    def publish(self, data: Holders, require: Sequence[Model], run: Run) -> Publication:
        self._check(data, require)
        notes: dict[str, Any] = {}
        with run.phase("search"):
            if self.owners > 1:
                which, rows, notes = self._drawn(data.sets, run)
            else:
                which, rows = self._found(data.sets, run)
        content = RecodedSets(as_sets(rows, data.sets), which, False, data.table)
        return published(data, content, self._claims(), run, notes=notes)

    def _claims(self) -> list[Claim]:
        claims = [Claim(K1, {"k": self.k}, (ITEMS,), adversary=KNOWS_ONE)]
        if self.owners > 1:
            stated = {"candidates": self.owners}
            claims.append(Claim(HIDDEN_OWNER, stated, (ITEMS,), adversary=SEES_ONE))
        return claims

    def _check(self, data: Holders, require: Sequence[Model]) -> None:
        if require:
            raise CannotBeMet(
                f"{require[0].name} cannot be met, because (k,1)-anonymity makes no groups",
                "use mondrian or another method for sets",
            )
        least = max(self.k, self.owners)
        if data.rows < least:
            have = several(data.rows, "record")
            raise CannotBeMet(
                f"(k,1)-anonymity cannot be met, because the data has {have}, not {least}",
                "ask for less or bring more records",
            )
        if self.owners > 1 and data.rows > MOST_LISTED:
            raise CannotBeMet(
                f"a draw among admissible sets is not made for {data.rows:,} records",
                f"use candidates = 1, or at most {MOST_LISTED:,} records",
            )

    def _drawn(self, sets: Sets, run: Run) -> tuple[NDArray[np.int32], Rows, dict[str, Any]]:
        """One of the admissible sets of every record; how sure an owner can be named."""
        lists = admissible(self._search(sets), Choice(self.places, self.owners), run)
        which = drawn(lists, run)
        sure = belief(lists, which)
        told = {"mean": float(sure.mean()), "most": float(sure.max())}
        return which, lists.sets, {"owner_belief": told}

    def _found(self, sets: Sets, run: Run) -> Found:
        """The best set of every record that was found."""
        if self.search != "top-down":
            return self._bottom_up(sets, run, self.search == "hashed")
        found = top_down(self._search(sets), run)
        if self.effort < 2:
            return found
        group = best_of_portfolio(sets.held, sets.utility, self.k, 1, run.workers)
        common = shared(sets, group, run.workers)
        found = better(sets, found, (group, common))
        found = better(sets, found, self._bottom_up(sets, run, True))
        return borrowed(sets, found, run.workers)

    def _bottom_up(self, sets: Sets, run: Run, hashed: bool) -> Found:
        return bottom_up(sets.held, sets.utility, self.k, Growth(hashed), run)

    def _search(self, sets: Sets) -> Search:
        search = Search(sets.held, sets.utility, self.k)
        if sets.rows > LARGE:
            return replace(search, size=16384, looking=2048, fewest=64, beam=BEAMS[0])
        return replace(search, beam=BEAMS[self.effort])

    def cost(self, shape: Shape) -> Cost:
        """Measured: 30 microseconds a record without a beam, ten times that with it.

        Among many records each has more supporters: 150 microseconds for a million of them.
        """
        crowd = max(1.0, shape.rows / 200_000)
        each = 3e-5 * max(crowd, (1, 6, 12)[self.effort] * (20 if self.owners > 1 else 1))
        each = 3e-5 if shape.rows > LARGE else each
        bits = shape.domain * shape.rows / 8e6 if self.owners > 1 else 0.0
        return Cost(0.5 + shape.rows * each, 250 + shape.items * 8e-6 + shape.rows * 1e-3 + bits)


def borrowed(sets: Sets, found: Found, workers: int) -> Found:
    """Of every record the best set that was found for anybody, if the bitmaps of all items fit."""
    words = (sets.rows + 63) // 64
    if words * sets.domain * 8 > MOST_BITMAPS:
        return found
    bits, rows = item_bits(sets.held, sets.domain), found[1]
    order = np.argsort(-row_sums(rows, sets.utility), kind="stable")
    edges = np.linspace(0, words, min(workers, words) + 1).astype(int).tolist()
    with ThreadPoolExecutor(workers) as pool:
        parts = pool.map(lambda w: best_shared(bits, rows, order, sets.rows, w), pairwise(edges))
        return np.concatenate(list(parts)), rows


def better(sets: Sets, one: Found, other: Found) -> Found:
    """Of every record the set of more utility."""
    worth = [row_sums(rows, sets.utility)[which] for which, rows in (one, other)]
    offset = len(one[1].start) - 1
    which = np.where(worth[1] > worth[0], other[0] + offset, one[0]).astype(np.int32)
    number, rows = distinct_rows(joined_rows([one[1], other[1]], sets.held))
    return number[which], rows
