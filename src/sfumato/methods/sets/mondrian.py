"""Mondrian for sets: cut people into those who have an item and those who have not, top down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from sfumato.core.run import Run
from sfumato.data.sets import Holders
from sfumato.kernels.sets_mondrian import BITS, EVEN, UTILITY, Cutting, mondrian_sets
from sfumato.methods.base import Cost, Method, Shape
from sfumato.methods.demand import demand
from sfumato.methods.sets.recode import SOURCE, in_groups
from sfumato.models.base import Model
from sfumato.releases.release import Publication

CHOICES = {"even": EVEN, "utility": UTILITY, "gain": BITS}


class SetsMondrian(Method):
    """Cut people by an item, again and again, while both sides keep k; publish what a group shares.

    The fastest method for sets: linear in what people have, for twenty million of them as well.

    >>> import sfumato
    >>> people = sfumato.read_sets(
    ...     sfumato.sample("segments", rows=500), items="items", roles={"drop": ["person"]})
    >>> method = sfumato.method("mondrian", kind="sets", k=5)
    >>> release = sfumato.publish(people, method=method).release
    >>> release.content.sizes.min() >= 5
    np.True_
    """

    kind = "sets"
    name = "mondrian"
    form = "recoded"
    summary = "cut people by who has an item, from the top down; fastest"
    source = SOURCE

    k: int = Field(ge=1, description="fewest records that publish the same set")
    cut: Literal["gain", "utility", "even"] = Field(
        "gain",
        description="which item cuts: the largest utility kept per information given up, the "
        "largest utility, or the most frequent item",
    )

    def publish(self, data: Holders, require: Sequence[Model], run: Run) -> Publication:
        wanted = demand(data, self.k, require)
        sets, cutting = data.sets, Cutting(CHOICES[self.cut])
        with run.phase("cut"):
            group = mondrian_sets(
                sets.held, sets.utility, wanted.smallest, cutting, run.workers, run.step
            )
        return in_groups(data, group, wanted, run)

    def cost(self, shape: Shape) -> Cost:
        """Measured: a few passes over what people have."""
        depth = max(1.0, math.log2(max(2.0, shape.rows / self.k)))
        return Cost(0.5 + shape.items * 4e-9 * depth, 250 + shape.items * 5e-6 + shape.rows * 5e-5)
