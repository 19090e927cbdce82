"""Iterative clustering of sets: break up the groups that lose most, place their records anew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from sfumato.core.run import Run
from sfumato.data.sets import Holders, Sets
from sfumato.kernels.sets_iterate import iterate
from sfumato.methods.base import Cost, Shape
from sfumato.methods.demand import demand
from sfumato.methods.sets.candidates import Clustering
from sfumato.methods.sets.recode import SOURCE, grouped, in_groups
from sfumato.models.base import Model
from sfumato.releases.release import Publication


class IterativeCluster(Clustering):
    """Break up the groups that lose most and place their records anew, as long as that helps.

    Slower than `cluster`. Everybody publishes what all of their group have in common.

    >>> import sfumato
    >>> people = sfumato.read_sets(
    ...     sfumato.sample("segments", rows=300), items="items", roles={"drop": ["person"]})
    >>> method = sfumato.method("iterative-cluster", kind="sets", k=5)
    >>> release = sfumato.publish(people, method=method, seed=1).release
    >>> release.content.sizes.min() >= 5
    np.True_
    """

    kind = "sets"
    name = "iterative-cluster"
    form = "recoded"
    summary = "break up the groups that lose most and place their records anew; slow"
    source = SOURCE

    shares: int = Field(
        4, ge=2, le=20, description="a first pass breaks up 1 - 1 / shares of the groups"
    )

    def publish(self, data: Holders, require: Sequence[Model], run: Run) -> Publication:
        wanted, where = demand(data, self.k, require), self.where(data)
        word, smallest = int(run.word("cluster")), wanted.smallest

        def group(sets: Sets) -> NDArray[np.int32]:
            return iterate(sets.held, sets.utility, smallest, where, word, self.shares, run.step)

        with run.phase("cluster"):
            found = grouped(data.sets, run, group)
        return in_groups(data, found, wanted, run)

    def cost(self, shape: Shape) -> Cost:
        """Measured for hashed candidates; about seven passes."""
        each = shape.rows / self.k if self.candidates == "all" else 300 * self.c / 50
        seconds = 0.5 + self.shares * shape.items * each * 4e-9
        return Cost(seconds, 250 + shape.items * 1.2e-5 + shape.rows * 2e-4)
