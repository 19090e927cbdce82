"""Permutation within groups (Xiao, Tao, Anatomy, VLDB 2006): exact records, values by bucket."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from sfumato.core.errors import BadJob, CannotBeMet
from sfumato.core.run import Run
from sfumato.core.words import several
from sfumato.data.people import People
from sfumato.data.table import Column
from sfumato.kernels.edge_weights import edge_weights
from sfumato.methods.base import Cost, Method, Shape
from sfumato.methods.tables.distribution import Distribution
from sfumato.methods.tables.distribution_entries import entries_of, runs_of, tree_of
from sfumato.methods.tables.distribution_models import claims_of, held, wanted_models
from sfumato.methods.tables.distribution_release import content_of, publication_of
from sfumato.methods.tables.distribution_scale import Grown, grown
from sfumato.models.base import Model, Whole, parse_model
from sfumato.releases.bucketed import Targets
from sfumato.releases.release import Publication

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]


class Permutation(Method):
    """Keep records exact, and take the sensitive values of each bucket apart from them.

    Records are dealt to buckets by their sensitive values, so that every bucket is as diverse as
    asked; which value of a bucket is whose is not published. No value is generalized.

    >>> Permutation(l=5).diversity
    'distinct'
    """

    kind = "table"
    name = "permutation"
    form = "bucketed"
    summary = "records exact; sensitive values apart from them, in diverse buckets"
    source = "Xiao, Tao, Anatomy: simple and effective privacy preservation, VLDB 2006"

    l: float = Field(ge=1, description="how diverse every bucket is")  # noqa: E741
    diversity: Literal["distinct", "entropy"] = Field(
        "distinct",
        description="distinct: every value at most once among each l of a bucket, which needs "
        "l * (most frequent value) <= records; entropy: as uncertain as l equally frequent values",
    )

    def publish(self, data: People, require: Sequence[Model], run: Run) -> Publication:
        column = _sensitive(data)
        if data.table.rows < self.l:
            raise CannotBeMet(
                f"method.l = {self.l:g} cannot be met, because the data has "
                f"{several(data.table.rows, 'record')}",
                "bring more records, or ask for less",
            )
        models = self._models(column, require)
        with run.phase("buckets"):
            made = grown(data, column.name, Distribution(hierarchy=max(2, column.size)))
            order = _shuffled(made.leaf, run)
            number = self._number(np.bincount(made.leaf), models[0], made)
            bucket = np.empty(len(order), np.int32)
            bucket[order] = np.arange(len(order)) % number
        with run.phase("entries"):
            runs = runs_of(bucket, made.leaf, number, made.leaves)
            found = edge_weights(tree_of(made.scale), runs, 0)
            targets = Targets(found.start, found.node, found.weight)
            of = np.arange(number, dtype=np.int32)
            entries = entries_of(made.scale, runs, targets, of)
        if len(models) > 1:
            held(models[1:], made, targets)
        content = content_of(data, made, bucket, targets, of, entries)
        claims = claims_of({}, models, data, column.name, True)
        return publication_of(data, content, claims, run, None)

    def _models(self, column: Column, require: Sequence[Model]) -> tuple[Model, ...]:
        """The diversity of the method first, then what was required besides."""
        wanted: Any = self.l
        if self.diversity == "distinct":
            if self.l != int(self.l):
                raise BadJob(f"method.l is {self.l:g}, and values are counted", "a whole number")
            wanted = int(self.l)
        own = parse_model(
            f"{self.diversity}-l-diversity", {"column": column.name, "l": wanted}, "method"
        )
        required = wanted_models(require, column.name, False)
        return own, *(model for model in required if model != own)

    def _number(self, counts: Ints, model: Model, made: Grown) -> int:
        """The most buckets that are all diverse enough."""
        rows, largest = int(counts.sum()), int(counts.max())
        most = int(rows // self.l)
        if self.diversity == "distinct":
            if most < largest or most == 0:
                raise CannotBeMet(
                    f"method.l = {self.l:g} cannot be met, because the most frequent of "
                    f"{rows:,} values occurs {largest:,} times",
                    f'at most l = {rows / largest:.4g}, or use diversity = "entropy"',
                )
            return most
        return _most_uncertain(counts, most, model, made)

    def cost(self, shape: Shape) -> Cost:
        """Measured on made-up tables: counting values and sorting records."""
        return Cost(0.5 + shape.rows * 6e-7, 250 + shape.rows * (4 * shape.quasi + 90) / 1e6)


def _shuffled(leaf: Codes, run: Run) -> Ints:
    """Records by their sensitive value, those with the same value in a secret random order."""
    words = run.words(len(leaf), "permutation")
    order = np.argsort(words)
    return order[np.argsort(leaf[order], kind="stable")]


def _most_uncertain(counts: Ints, most: int, model: Model, made: Grown) -> int:
    """The most buckets of enough entropy: found by halving, then stepping down until all hold."""
    low, high = 1, max(1, most)
    if not _holds(counts, 1, model, made):
        raise CannotBeMet(
            f"{model.name} cannot be met, because the whole table reaches "
            f"{model.number(tuple(counts.tolist()), _whole(counts, model, made)):.4g}",
            f"ask for less than {model.limit().removeprefix('at least ')}",
        )
    while low < high:
        middle = (low + high + 1) // 2
        if _holds(counts, middle, model, made):
            low = middle
        else:
            high = middle - 1
    return low


def _holds(counts: Ints, number: int, model: Model, made: Grown) -> bool:
    """Whether every bucket is diverse if records are dealt to so many in turn."""
    ends = np.cumsum(counts)
    dealt = (ends[:, None] - 1 - np.arange(number)) // number
    held = np.diff(dealt, axis=0, prepend=(-1 - np.arange(number))[None] // number)
    some = np.unique(held.T, axis=0)
    whole = _whole(counts, model, made)
    return all(model.holds(tuple(one.tolist()), whole) for one in some)


def _whole(counts: Ints, model: Model, made: Grown) -> Whole:
    texts = tuple(made.scale.labels[node] for node in np.flatnonzero(made.scale.is_leaf))
    return Whole(str(model.about), texts, tuple(counts.tolist()), False)


def _sensitive(data: People) -> Column:
    names = data.schema.sensitive
    if len(names) != 1:
        raise BadJob(
            f"permutation publishes exactly one sensitive column, and the schema has {len(names)}",
            "list the others as drop, or publish them apart",
        )
    if data.table.rows == 0:
        raise BadJob("there are no records", "bring some")
    return data.table[names[0]]
