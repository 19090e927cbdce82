"""Mondrian: cut the table into boxes, top down (LeFevre, DeWitt, Ramakrishnan, ICDE 2006)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from sfumato.core.errors import BadJob
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.kernels.mondrian import Cutting, mondrian
from sfumato.kernels.mondrian_node import BEST, GAIN, RELAXED, STRICT, WEIGHT, WIDTH
from sfumato.methods.base import Cost, Method, Shape
from sfumato.methods.demand import demand
from sfumato.methods.tables.recode import Weights, publication, quasi_grid, shuffled
from sfumato.models.base import Model
from sfumato.releases.release import Publication


class Mondrian(Method):
    """Cut the records into ever smaller boxes while every box keeps k records and obeys the models.

    Claims the models asked for. Fast and deterministic. Where a model is about a sensitive column,
    sensitive values decide which cuts are allowed, and the claim says so: prefer `regroup` there.

    >>> import sfumato
    >>> people = sfumato.sample("people", rows=500, seed=1)
    >>> schema = sfumato.Schema.of(
    ...     quasi=["age", "sex"], sensitive=["diagnosis"], drop=[
    ...         n for n in people.column_names if n not in ("age", "sex", "diagnosis")])
    >>> release = sfumato.publish(people, schema, sfumato.method("mondrian", k=5)).release
    >>> release.content.sizes.min() >= 5
    np.True_
    """

    kind = "table"
    name = "mondrian"
    form = "recoded"
    summary = "cut the table into boxes from the top down; fastest"
    source = "LeFevre, DeWitt, Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006"

    k: int = Field(ge=1, description="fewest records a group may have")
    cut: Literal["best", "median"] = Field(
        "best", description="where to cut: the cut that saves most loss, or the median"
    )
    strict: bool = Field(
        True, description="median only: equal values stay on one side; false splits them"
    )
    dimension: Literal["width", "gain", "weights"] = Field(
        "width",
        description="median only: cut the widest column, the one that tells most about `target`, "
        "or the heaviest",
    )
    target: str | None = Field(None, description='sensitive column for dimension = "gain"')
    weights: Weights = Field(default_factory=dict)

    def publish(self, data: People, require: Sequence[Model], run: Run) -> Publication:
        wanted = demand(data, self.k, require, self._also(data))
        grid = quasi_grid(data, self.weights)
        with run.phase("cut"):
            mixed, order = (grid, slice(None)) if self._is_strict else shuffled(grid, run)
            rows, bounds = mondrian(
                mixed,
                wanted.smallest,
                self._cutting(wanted.names),
                wanted.rules,
                wanted.codes[order],
                run.workers,
                run.step,
            )
        group = np.empty(len(rows), np.int32)
        labels = np.repeat(np.arange(len(bounds) - 1, dtype=np.int32), np.diff(bounds))
        group[np.arange(len(rows))[order][rows]] = labels
        return publication(data, group, wanted, run, steered=wanted.steers or bool(self.target))

    @property
    def _is_strict(self) -> bool:
        """Equal rows always share a group, so their order in the source can't matter."""
        return self.strict or self.cut == "best"

    def _also(self, data: People) -> tuple[str, ...]:
        """The sensitive column that information gain is about."""
        if self.dimension != "gain":
            return ()
        if self.target not in data.schema.sensitive:
            raise BadJob(
                'method.dimension = "gain" needs method.target to be a sensitive column',
                f"sensitive: {', '.join(data.schema.sensitive) or 'none'}",
            )
        return (self.target,)

    def _cutting(self, names: Sequence[str]) -> Cutting:
        choose = {"width": WIDTH, "gain": GAIN, "weights": WEIGHT}[self.dimension]
        target = names.index(self.target) if self.target in names else 0
        cut = BEST if self.cut == "best" else STRICT if self.strict else RELAXED
        return Cutting(cut, choose, target)

    def cost(self, shape: Shape) -> Cost:
        """Measured: a best cut prices every column for every column, a median one looks at each."""
        depth = max(1.0, math.log2(max(2.0, shape.rows / self.k)))
        each = 2.0e-9 * shape.quasi if self.cut == "best" else 1.1e-9
        seconds = 0.5 + shape.rows * shape.quasi * each * depth
        return Cost(seconds, 250 + shape.rows * (8 * shape.quasi + 18) / 1e6)
