"""Mondrian for sets: cut people into those who have an item and those who have not, top down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationInfo, field_validator

from sfumato.core.run import Run
from sfumato.data.sets import Holders, Sets
from sfumato.kernels.sets_mondrian import BITS, ENTROPY, EVEN, UTILITY, Cutting, mondrian_sets
from sfumato.kernels.sets_portfolio import best_of_portfolio
from sfumato.methods.base import Cost, Method, Shape
from sfumato.methods.demand import demand
from sfumato.methods.sets.recode import SOURCE, grouped, in_groups
from sfumato.models.base import Model
from sfumato.releases.release import Publication

CHOICES = {"even": EVEN, "entropy": ENTROPY, "utility": UTILITY, "gain": BITS}


class SetsMondrian(Method):
    """Cut people by an item, again and again, while both sides keep k; publish what a group shares.

    The fastest method for sets: with effort = 0 about linear in what people have, for twenty
    million of them as well. More effort keeps more.

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
    effort: int = Field(
        1,
        ge=0,
        le=3,
        description="0 cuts once; above, blocks of records try several ways to group them and "
        "improve the best: slower, keeps more",
    )
    cut: Literal["gain", "utility", "even", "entropy"] | None = Field(
        None,
        description="effort = 0: which item cuts: the largest utility kept per information given "
        "up (default), the largest utility, the most frequent item, or the one whose sides are "
        "most alike",
    )

    @field_validator("cut")
    @classmethod
    def _cut_is_used(cls, cut: str | None, info: ValidationInfo) -> str | None:
        if cut is not None and info.data.get("effort", 0) > 0:
            raise ValueError("it is for effort = 0; with more effort several ways are tried")
        return cut

    def publish(self, data: Holders, require: Sequence[Model], run: Run) -> Publication:
        wanted = demand(data, self.k, require)
        with run.phase("cut"):
            group = self._groups(data.sets, wanted.smallest, run)
        return in_groups(data, group, wanted, run)

    def _groups(self, sets: Sets, k: int, run: Run) -> NDArray[np.int32]:
        """One pass of cuts leaves equal records together, wherever they stand."""
        if self.effort:
            return grouped(sets, run, lambda mixed: self._best(mixed, k, run))
        cutting = Cutting(CHOICES[self.cut or "gain"])
        return mondrian_sets(sets.held, sets.utility, k, cutting, run.workers, run.step)

    def _best(self, sets: Sets, k: int, run: Run) -> NDArray[np.int32]:
        return best_of_portfolio(sets.held, sets.utility, k, self.effort, run.workers, run.step)

    def cost(self, shape: Shape) -> Cost:
        """Measured: a few passes over what people have, and as many again for each way tried."""
        depth = max(1.0, math.log2(max(2.0, shape.rows / self.k)))
        ways = (1, 25, 80, 250)[self.effort]
        seconds = 0.5 + shape.items * 3e-9 * depth * ways
        return Cost(seconds, 250 + shape.items * 6e-6 + shape.rows * 5e-5)
