"""CAHD: groups of similar records with different labels, published as possible worlds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from sfumato.core.run import Run
from sfumato.data.sets import Holders
from sfumato.kernels.cahd import Rule, cahd_groups
from sfumato.methods.base import Cost, Method, Shape
from sfumato.methods.sets.assignments import dealt
from sfumato.methods.sets.ordering import Ordering
from sfumato.methods.sets.worlds import Asked, published
from sfumato.models.base import Model
from sfumato.releases.release import Publication

SOURCE = "Ghinita, Kalnis, Tao, Anonymous publication of sensitive transactional data, TKDE 2011"


class Cahd(Method):
    """Put similar records with different labels in groups, and publish the majority of each group.

    The classic that `nonreciprocal` is measured against, in the same form of release: every member
    of a group may be behind every record of it. With `show = "common"`, what members do not share
    is suppressed instead.

    >>> import sfumato
    >>> people = sfumato.read_sets(
    ...     sfumato.sample("segments", rows=300), items="items", roles={"drop": ["person"]})
    >>> method = sfumato.method("cahd", kind="sets", k=5)
    >>> release = sfumato.publish(people, method=method, seed=1).release
    >>> release.content.rows
    300
    """

    kind = "sets"
    name = "cahd"
    form = "uncertain"
    summary = "groups of similar records with different labels, as possible worlds"
    source = SOURCE

    k: int = Field(ge=1, description="fewest members of a group")
    alpha: int = Field(
        3, ge=1, le=100, description="records looked at on each side, for every member of a group"
    )
    order: Literal["gray", "gray-tour", "linked"] = Field(
        "gray", description="the order in which records are near, as of nonreciprocal"
    )
    show: Literal["majority", "common"] = Field(
        "majority",
        description="the majority of the group and how far members differ from it, or only what "
        "all of them share",
    )

    def publish(self, data: Holders, require: Sequence[Model], run: Run) -> Publication:
        asked = Asked(data, self.k, require)
        secret = np.argsort(run.words(data.rows, "rows"), kind="stable").astype(np.int64)
        ordering = Ordering(data.sets.take(secret), self.order, 300, 350, 1, run)
        with run.phase("order"):
            order = ordering.found()
        label = np.zeros(data.rows, np.int32)
        if asked.column is not None:
            label = data.table[asked.column].codes.astype(np.int32)[secret]
        with run.phase("group"):
            rule = Rule(asked.degree, asked.share, self.alpha * asked.degree)
            members, ends = cahd_groups(ordering.bits, order, label, rule)
            matches = dealt(members, ends, run).named(secret)
        notes = {"ring": ordering.sums, "groups": len(ends) - 1}
        return published(data, matches, asked, run, notes, self.show == "common")

    def cost(self, shape: Shape) -> Cost:
        """Measured: an order, and a look at the neighbours of every group."""
        words = min(shape.domain, 4096) / 64
        seconds = 0.5 + shape.rows * 3e-6 * (1 + self.alpha * words / 30)
        seconds += shape.items * self.k * 3e-9
        return Cost(seconds, 250 + shape.items * 2e-5 + shape.rows * (self.k * 1.2e-5 + 2e-3))
