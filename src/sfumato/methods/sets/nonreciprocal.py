"""Nonreciprocal publication of sets: hide every record among k without forming groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationInfo, field_validator

from sfumato.core.errors import CannotBeMet, ClaimFails
from sfumato.core.run import Run
from sfumato.data.sets import Holders
from sfumato.kernels.spaced import chunk_ends, spaced_ring
from sfumato.methods.base import Cost, Method, Shape
from sfumato.methods.sets.assignments import Matches, in_chunks, of_graph, on_ring
from sfumato.methods.sets.near_links import near_offsets
from sfumato.methods.sets.ordering import Ordering
from sfumato.methods.sets.worlds import SOURCE, Asked, most_alike, published
from sfumato.models.base import Model
from sfumato.releases.release import Publication

Ints = NDArray[np.int64]


class Nonreciprocal(Method):
    """Link every record to k published ones on a ring of similar records, and publish majorities.

    What is published of a record is the majority of the k that are linked to it, with the items in
    which they differ and by how many at most. Who is who is drawn among k disjoint assignments.
    With distinct-l-diversity required, records of equal labels are kept apart on the ring.

    >>> import sfumato
    >>> people = sfumato.read_sets(
    ...     sfumato.sample("segments", rows=300), items="items", roles={"drop": ["person"]})
    >>> method = sfumato.method("nonreciprocal", kind="sets", k=5)
    >>> release = sfumato.publish(people, method=method, seed=1).release
    >>> [claim.model for claim in release.claims], release.content.rows
    (['k-candidates'], 300)
    """

    kind = "sets"
    name = "nonreciprocal"
    form = "uncertain"
    summary = "hide every record among k of its neighbours on a ring, without groups"
    source = SOURCE

    k: int = Field(ge=1, description="fewest published records that may stand for a person")
    order: Literal["linked", "gray-tour", "gray"] = Field(
        "linked",
        description="the ring: near records linked, then short tours inside segments; the thesis's "
        "Gray order with tours; or Gray order alone",
    )
    least: int = Field(300, ge=2, le=4096, description="fewest records of a segment")
    most: int = Field(350, ge=2, le=4096, description="most records of a segment")
    shakes: int = Field(1, ge=0, le=100, description="tries per record to shorten a tour")
    links: Literal["ring", "near"] = Field(
        "ring",
        description="records linked to those that follow on the ring, or to the nearest of a few "
        "thousand around them, as short in total as exchanges make it: fewer wrong bits, but bases "
        "that are nearly the sets of people; not where labels must differ",
    )
    walk: Literal["free", "closed", "backtracking"] = Field(
        "free",
        description="how assignments are found: by walks that end at any free place, or by the "
        "thesis's closed walks, or by the backtracking ones that those replaced",
    )

    @field_validator("most")
    @classmethod
    def _most_is_not_less(cls, most: int, info: ValidationInfo) -> int:
        if most < info.data.get("least", 2):
            raise ValueError("it is smaller than least")
        return most

    def publish(self, data: Holders, require: Sequence[Model], run: Run) -> Publication:
        asked = Asked(data, self.k, require)
        if self.links == "near" and asked.share > 1:
            raise CannotBeMet(
                f"different values of '{asked.column}' cannot be met, because links is near",
                'use links = "ring", on which equal values are kept apart',
            )
        secret = np.argsort(run.words(data.rows, "rows"), kind="stable").astype(np.int64)
        mixed = data.sets.take(secret)  # equal records must not stand as they stood in the source
        ordering = Ordering(mixed, self.order, self.least, self.most, self.shakes, run)
        with run.phase("order"):
            order = ordering.found()
        label = _labels(data, asked)
        with run.phase("assign"):
            there = None if label is None else label[secret]
            found = self._matches(ordering, order, there, asked, run).named(secret)
        if label is not None and most_alike(found, label) * asked.share > asked.degree:
            raise ClaimFails(
                "labels are not as different as they must be", "nothing was published; report this"
            )
        notes: dict[str, Any] = {"ring": ordering.sums, "degree": asked.degree}
        return published(data, found, asked, run, notes)

    def _matches(
        self,
        ordering: Ordering,
        order: Ints,
        label: NDArray[np.int32] | None,
        asked: Asked,
        run: Run,
    ) -> Matches:
        """Walks on the ring where labels, if they matter, are far enough apart; else shifts.

        Of the places linked to a record, and of the records that these may be, all stand within
        2 degree - 1 places of the ring. With equal labels `apart` places apart or more, whichever
        assignment is drawn, a label is on 1 / share of them at most (errata S1).
        """
        if self.links == "near":
            return of_graph(near_offsets(ordering, order, asked.degree, run), run, self.walk).named(
                order
            )
        if label is None or asked.share == 1:
            return on_ring(len(order), asked.degree, run, self.walk).named(order)
        apart = 2 * asked.share - (asked.degree == asked.share)
        spaced = spaced_ring(ordering.bits, order, label, apart)
        if len(spaced):
            order = ordering.told("spaced", spaced)
            return on_ring(len(order), asked.degree, run, self.walk).named(order)
        ends = chunk_ends(label[order], asked.share, asked.degree)
        return in_chunks(ends, label[order], asked.share, asked.degree, run).named(order)

    def cost(self, shape: Shape) -> Cost:
        """Measured: orders, walks and votes, all about linear in the records."""
        links = shape.rows * self.k
        words = min(shape.domain, 4096) / 64
        seconds = 0.5 + shape.rows * 3e-5 * (1 + words / 30) + links * 6e-8
        seconds += shape.items * self.k * 3e-9
        return Cost(seconds, 250 + shape.items * 2e-5 + links * 1.2e-5 + shape.rows * 2e-3)


def _labels(data: Holders, asked: Asked) -> NDArray[np.int32] | None:
    """The labels that must differ."""
    return None if asked.column is None else data.table[asked.column].codes.astype(np.int32)
