"""Distribution-based publication (Koudas, Srivastava, Yu, Zhang, VLDB 2009), and what it lacked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from sfumato.core.errors import BadJob
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Kind
from sfumato.kernels.edge_weights import edge_weights
from sfumato.methods.base import Cost, Method, Shape
from sfumato.methods.tables import distribution_buckets as buckets
from sfumato.methods.tables.distribution_asked import labelled, masses_of
from sfumato.methods.tables.distribution_entries import (
    Entries,
    Tolerance,
    entries_of,
    entries_with_fakes,
    runs_of,
    tree_of,
)
from sfumato.methods.tables.distribution_fakes import fakes_table, most_of, share_of
from sfumato.methods.tables.distribution_leak import HAIR, apart, joined
from sfumato.methods.tables.distribution_models import (
    claims_of,
    held,
    kept_to,
    promised,
    wanted_models,
)
from sfumato.methods.tables.distribution_release import content_of, publication_of
from sfumato.methods.tables.distribution_runs import dealt, runs_of_stretches
from sfumato.methods.tables.distribution_scale import Grown, grown
from sfumato.methods.tables.distribution_targets import Target, needs_rounding
from sfumato.models.base import Model
from sfumato.releases.bucketed import Targets
from sfumato.releases.release import Publication

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
ROUNDING = 12  # of densities that are no whole numbers, where nothing else is asked for


class Distribution(Method):
    """Keep quasi-identifiers exact; let the sensitive column follow the distribution you ask for.

    In each group sensitive values are generalized to nodes of a hierarchy, as few and as little as
    the target allows, and taken apart from their records: of everybody in a bucket one learns that
    their value follows the target. Aggregates are answered with hard bounds.

    >>> Distribution(groups="LEFT(zip, 2)", target="table", tolerance=0.05).subgroups
    'none'
    """

    kind = "table"
    name = "distribution"
    form = "bucketed"
    summary = "quasi-identifiers exact; sensitive values follow a target distribution"
    source = "Koudas, Srivastava, Yu, Zhang, Distribution-based microdata anonymization, VLDB 2009"

    groups: str | list[str] = Field(
        "", description="a quasi column, a list of them, or an expression such as LEFT(zip, 3)"
    )
    target: Target = Field("table", description="the distribution that every group follows")
    targets: dict[str, Target] = Field(
        default_factory=dict, description="other targets for single groups, by the group's value"
    )
    hierarchy: (
        Literal["binary", "ternary", "strata"] | int | list[list[float]] | str | dict[str, Any]
    ) = Field(
        "binary",
        description="over the sensitive values: binary, ternary, an arity, breakpoints (finest "
        "level first), a CSV in level form, a tree of weights w and children c, or strata of "
        "equal mass",
    )
    strata: int = Field(7, ge=1, le=16, description="levels of hierarchy = strata")
    domain: list[float] | None = Field(
        None, min_length=2, max_length=3, description="low, high, step; default: values that occur"
    )
    subgroups: Literal["none", "exact", "similar"] = Field(
        "none",
        description="buckets inside groups: none, people with equal or similar quasi columns",
    )
    order: str | None = Field(None, description="similar only: by which quasi column")
    fakes: int | str = Field(
        0, description='most fake values in a bucket: a number, or a share such as "5%"'
    )
    tolerance: float = Field(
        0.0, ge=0, le=1, description="distance allowed between achieved and asked"
    )
    distance: Literal["equal", "ordered"] = Field(
        "equal",
        description="how the tolerance is measured: equal is the total variation, ordered the "
        "earth mover's distance along the values, as in t-closeness",
    )
    rounding: int = Field(
        0,
        ge=0,
        le=1000,
        description="largest sum of the weights of siblings; 0 keeps exact ratios",
    )
    leak: float | None = Field(
        None,
        ge=0,
        le=1,
        description="largest minimality leak: total variation between what the members of a bucket "
        "have and their target; buckets are joined for it",
    )

    @field_validator("fakes")
    @classmethod
    def _check_fakes(cls, fakes: int | str) -> int | str:
        share_of(fakes)
        return fakes

    @field_validator("hierarchy")
    @classmethod
    def _check_arity(cls, hierarchy: Any) -> Any:
        if isinstance(hierarchy, int) and hierarchy < 2:
            raise ValueError("an arity is 2 or more")
        return hierarchy

    def publish(self, data: People, require: Sequence[Model], run: Run) -> Publication:
        column = _sensitive(data)
        self._check_together()
        if self.distance == "ordered" and data.table[column].kind is Kind.CATEGORY:
            raise BadJob(
                f"method.distance = 'ordered' needs numbers or dates, and '{column}' is neither",
                'use "equal"',
            )
        models = wanted_models(require, column, self.hierarchy == "strata")
        with run.phase("targets"):
            made = grown(data, column, self)
            group = buckets.groups_of(data, self.groups)
            targets, steered = self._targets(data, made, group)
            held(models, made, targets)
        with run.phase("buckets"):
            bucket = self._buckets(data, made, group, targets, run)
        with run.phase("entries"):
            of = target_of(bucket, group, len(targets))
            entries = self._entries(made, bucket, targets, of, models)
        steered |= self.subgroups == "similar" or self.leak is not None
        content = content_of(data, made, bucket, targets, of, entries)
        promises = promised(self.tolerance, self.distance, self.leak)
        claims = claims_of(promises, models, data, column, steered)
        return publication_of(data, content, claims, run, fakes_table(made, entries))

    @property
    def _allowed(self) -> Tolerance:
        return Tolerance(self.tolerance, self.distance == "ordered")

    def _check_together(self) -> None:
        if self.distance != "equal" and not self.tolerance:
            raise BadJob(
                f'method.distance = "{self.distance}" measures the tolerance, and there is none',
                "set method.tolerance too",
            )
        if share_of(self.fakes) != (0, 0) and self.tolerance:
            raise BadJob(
                "method.fakes and method.tolerance can't be used together",
                "fakes are chosen for an exact target; set one of them to 0",
            )
        if self.hierarchy == "strata" and (self.target != "table" or self.targets or self.rounding):
            raise BadJob(
                'method.hierarchy = "strata" is made for the table\'s own distribution',
                'use target = "table", without targets and rounding',
            )

    def _targets(self, data: People, made: Grown, group: Codes) -> tuple[Targets, bool]:
        """The target of every group, and whether sensitive values of groups took part."""
        number = int(group.max(initial=-1)) + 1
        if isinstance(self.hierarchy, dict) and self.target == "hierarchy":
            return made.annotated(number), False
        if self.target == "hierarchy":
            raise BadJob(
                'method.target = "hierarchy" needs a hierarchy with weights',
                "state it as a tree: w = weights, c = children",
            )
        runs = runs_of(group, made.leaf, number, made.leaves)
        table = np.bincount(made.leaf, minlength=made.leaves)
        asked: list[Target] = [self.target] * number
        for label, place in labelled(data, group, self.groups, self.targets).items():
            asked[place] = self.targets[label]
        shared = {"uniform": np.ones(made.leaves, np.int64), "table": table}
        if self.hierarchy == "strata":
            shared["table"] = np.ones(made.leaves, np.int64)
        wanted = masses_of(asked, made, runs, table, shared)
        most = self.rounding or (ROUNDING if any(map(needs_rounding, asked)) else 0)
        found = edge_weights(tree_of(made.scale), wanted, most)
        steered = any(part not in ("uniform", "table") for part in asked)
        return Targets(found.start, found.node, found.weight), steered

    def _buckets(
        self, data: People, made: Grown, group: Codes, targets: Targets, run: Run
    ) -> Codes:
        """The bucket of every record; buckets lie inside groups."""
        if self.subgroups == "similar":
            return self._similar(data, made, group, targets, run)
        bucket = group if self.subgroups == "none" else buckets.equals(data, group)
        if self.leak is None:
            return bucket
        order = data.table[buckets.order_column(data, self.order)].codes
        return joined(made, bucket, group, order, targets, float(self.leak))

    def _similar(
        self, data: People, made: Grown, group: Codes, targets: Targets, run: Run
    ) -> Codes:
        """Stretches of the column by which people are similar, the best partition of each group."""
        column = data.table[buckets.order_column(data, self.order)]
        place = buckets.places_of(column.codes)
        bucket = np.zeros(len(group), np.int32)
        first = 0
        number = int(group.max(initial=-1)) + 1
        for part in range(number):
            rows = np.flatnonzero(group == part) if number > 1 else np.arange(len(group))
            own = self._stretched(made, rows, place[rows], part, targets, run)
            bucket[rows] = own + first
            first += int(own.max()) + 1
            run.step(part + 1, number)
        return bucket

    def _stretched(
        self, made: Grown, rows: Ints, place: Codes, part: int, targets: Targets, run: Run
    ) -> Codes:
        stretches = buckets.stretches_of(place)
        ordered = rows[stretches.rows]
        runs = runs_of_stretches(made, ordered, stretches)
        of = np.full(len(stretches.ends), part, np.int32)
        entries = entries_of(made.scale, runs, targets, of, self._allowed)
        allowed = np.ones(len(of), np.bool_)
        if self.leak is not None:
            allowed = apart(made, runs, targets, part) <= self.leak * HAIR
        asked = buckets.workload(stretches, made.worth[ordered], run, part)
        ends = made.ends
        lines = (entries.start, entries.node, entries.count)
        return buckets.choose_stretches(stretches, lines, ends, asked, allowed)

    def _entries(
        self, made: Grown, bucket: Codes, targets: Targets, of: Codes, models: Sequence[Model]
    ) -> Entries:
        leaf = made.leaf
        if self.hierarchy == "strata":
            leaf = dealt(made, bucket, len(of))
        runs = runs_of(bucket, leaf, len(of), made.leaves)
        if share_of(self.fakes) != (0, 0):
            most = most_of(self.fakes, np.bincount(bucket, minlength=len(of)))
            return entries_with_fakes(made.scale, runs, targets, of, most)
        entries = entries_of(made.scale, runs, targets, of, self._allowed)
        if models and self.tolerance:
            return kept_to(models, made, runs, targets, of, entries)
        return entries

    def cost(self, shape: Shape) -> Cost:
        """Measured on made-up tables: counting values dominates, then the entries of buckets.

        With a tolerance every stretch of similar people is solved, which takes seconds at any size.
        """
        each = {"none": 2.5e-7, "exact": 9e-7, "similar": 2.5e-6}[self.subgroups]
        base = 5.0 if self.subgroups == "similar" and self.tolerance else 0.5
        return Cost(base + shape.rows * each, 250 + shape.rows * (4 * shape.quasi + 60) / 1e6)


def _sensitive(data: People) -> str:
    names = data.schema.sensitive
    if len(names) != 1:
        raise BadJob(
            f"distribution publishes exactly one sensitive column, and the schema has {len(names)}",
            "list the others as drop, or publish them apart",
        )
    return names[0]


def target_of(bucket: Codes, group: Codes, targets: int) -> Codes:
    """The target of every bucket: that of its group."""
    of = np.zeros(int(bucket.max(initial=-1)) + 1, np.int32)
    if targets > 1:
        of[bucket] = group
    return of
