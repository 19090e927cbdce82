"""Regroup: order the records, cut the order optimally, then improve; the lowest loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.kernels.grid import Grid
from sfumato.kernels.merge import WINDOW, covers, join_until_ruled
from sfumato.kernels.regroup import regroup
from sfumato.methods.base import Cost, Method, Shape
from sfumato.methods.demand import Demand, demand
from sfumato.methods.merge_leak import Joining, merge_leak
from sfumato.methods.tables.recode import Weights, publication, quasi_grid, shuffled
from sfumato.models.base import Model
from sfumato.releases.release import Publication


class Regroup(Method):
    """Group near records so that the published cells lose as little as possible.

    The records are put in an order, the order is cut optimally into groups of k to 2k - 1, and
    rounds of local search improve near groups, always by the loss that is released. Only
    quasi-identifiers steer the groups; a model on a sensitive column is met afterwards by joining
    groups, and what that joining shows is measured and kept in the ledger.

    >>> Regroup(k=10, effort=16).effort
    16
    """

    kind = "table"
    name = "regroup"
    form = "recoded"
    summary = "order, cut optimally, improve by local search; lowest loss"
    source = "this project; dynamic programming after Hansen, Mukherjee 2003"

    k: int = Field(ge=1, description="fewest records a group may have")
    effort: int = Field(4, ge=0, le=10_000, description="rounds of local search; more lose less")
    weights: Weights = Field(default_factory=dict)

    def publish(self, data: People, require: Sequence[Model], run: Run) -> Publication:
        wanted = demand(data, self.k, require)
        grid = quasi_grid(data, self.weights)
        with run.phase("group"):
            mixed, order = shuffled(grid, run)
            seed = int(run.word("regroup"))
            group = np.empty(len(order), np.int32)
            group[order] = regroup(mixed, wanted.smallest, self.effort, seed, run.workers, run.step)
        notes: dict[str, Any] = {}
        if wanted.steers:
            with run.phase("merge"):
                group, notes = _merged(grid, group, wanted, run)
        return publication(data, group, wanted, run, steered=wanted.steers, notes=notes)

    def cost(self, shape: Shape) -> Cost:
        """Measured on Adult: a part for the first groups, and one per round that grows with k."""
        rounds = 1.2e-6 + self.effort * (0.6e-6 + 0.18e-6 * self.k)
        seconds = 0.5 + shape.rows * rounds * shape.quasi / 8
        return Cost(seconds, 250 + shape.rows * (4 * shape.quasi + 30) / 1e6)


def _merged(
    grid: Grid, group: NDArray[np.int32], wanted: Demand, run: Run
) -> tuple[NDArray[np.int32], dict[str, Any]]:
    """Join groups until the models hold; also what the joining gives away."""
    made = covers(grid, group, int(group.max()) + 1)
    label, broken, joins = join_until_ruled(grid, made, wanted.rules, wanted.codes, WINDOW)
    if not broken.any():
        return group, {}
    history = Joining(group, label, broken, joins)
    return label, {"merge_leak": merge_leak(history, wanted, run.rng("leak"))}
