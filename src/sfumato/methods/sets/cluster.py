"""Greedy clustering of sets: a record far from the last group, and those that cost it least."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.data.sets import Holders, Sets
from sfumato.kernels.sets_cluster import cluster
from sfumato.methods.base import Cost, Shape
from sfumato.methods.demand import demand
from sfumato.methods.sets.candidates import Clustering
from sfumato.methods.sets.recode import SOURCE, grouped, in_groups
from sfumato.models.base import Model
from sfumato.releases.release import Publication


class Cluster(Clustering):
    """Grow groups one by one: a record far from the last group, then those that cost it least.

    Good for small k and for dense data. Everybody publishes what all of their group have in common.

    >>> import sfumato
    >>> people = sfumato.read_sets(
    ...     sfumato.sample("segments", rows=300), items="items", roles={"drop": ["person"]})
    >>> method = sfumato.method("cluster", kind="sets", k=5)
    >>> release = sfumato.publish(people, method=method, seed=1).release
    >>> release.content.sizes.min() >= 5
    np.True_
    """

    kind = "sets"
    name = "cluster"
    form = "recoded"
    summary = "grow groups one by one from records that share most; for small k, dense data"
    source = SOURCE

    def publish(self, data: Holders, require: Sequence[Model], run: Run) -> Publication:
        wanted, where = demand(data, self.k, require), self.where(data)
        word, smallest = int(run.word("cluster")), wanted.smallest

        def group(sets: Sets) -> NDArray[np.int32]:
            return cluster(sets.held, sets.utility, smallest, where, word, run.step)

        with run.phase("cluster"):
            found = grouped(data.sets, run, group)
        return in_groups(data, found, wanted, run)

    def cost(self, shape: Shape) -> Cost:
        """Measured for hashed candidates; all pairs cost their number."""
        each = shape.rows if self.candidates == "all" else 60 * self.c / 50
        seconds = 0.5 + shape.items * each * 4e-9
        return Cost(seconds, 250 + shape.items * 1.2e-5 + shape.rows * 2e-4)
