"""Privacy models on what a bucketed release lets everybody believe, and its claims.

Of everybody in a bucket one believes the distribution that its entries imply. A model about the
sensitive column holds if it holds for that distribution, whatever values the members have.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import BadJob, CannotBeMet
from sfumato.data.people import People
from sfumato.data.scale import Scale
from sfumato.kernels.tree import Runs
from sfumato.methods.tables.distribution_entries import Entries, entries_of, implied
from sfumato.methods.tables.distribution_scale import Grown
from sfumato.methods.tables.distribution_targets import whole_table
from sfumato.models.base import Model, Whole
from sfumato.releases.bucketed import Targets
from sfumato.releases.claims import Claim

P_PRIVACY = "p-privacy"
LEAK = "minimality-leak"
RELATIVE = ("t-closeness", "belief-change")


def wanted_models(require: Sequence[Model], column: str, strata: bool) -> tuple[Model, ...]:
    """The required models, refused where a bucketed release can't claim them."""
    for model in require:
        if model.about is None or model.smallest_group > 1:
            raise BadJob(
                f"require: {model.name} with k is about quasi-identifiers, which distribution "
                "publishes exactly",
                "require models about the sensitive column, or use mondrian or regroup",
            )
        if model.about != column:
            raise BadJob(f"require: {model.name} is about '{model.about}'", f"use '{column}'")
        if model.name in RELATIVE:
            raise BadJob(
                f"require: {model.name} compares with the table, whose distribution is not claimed",
                'use target = "table" with a tolerance: that is t-closeness with equal distance',
            )
        if strata:
            raise BadJob(
                f"require: {model.name} is about values, and strata are intervals",
                'use hierarchy = "binary"',
            )
    return tuple(require)


def held(models: Sequence[Model], made: Grown, targets: Targets) -> None:
    """Refuse targets that do not satisfy a required model."""
    whole = _whole(made)
    for model in models:
        for target in range(len(targets)):
            weights = _weights(made.scale, targets.dense(target, len(made.scale)))
            if not model.holds(weights, whole):
                raise CannotBeMet(
                    f"{model.name} cannot be met, because the target of a group reaches "
                    f"{model.number(weights, whole):.4g} where {model.limit()} is asked",
                    'use target = { nearest = { model = "..." } }, or ask for less',
                )


def _whole(made: Grown) -> Whole:
    return whole_table(made.domain, np.bincount(made.leaf, minlength=made.domain.places))


def _weights(scale: Scale, weight: NDArray[np.int64]) -> tuple[int, ...]:
    """Leaf probabilities of weights on edges, as whole numbers without a common denominator."""
    mass = [Fraction(0)] * len(scale)
    mass[0] = Fraction(1)
    for node in np.flatnonzero(scale.children).tolist():
        first = int(scale.first_child[node])
        own = [int(w) for w in weight[first : first + int(scale.children[node])]]
        for place, part in enumerate(own):
            mass[first + place] = mass[node] * Fraction(part, sum(own)) if sum(own) else Fraction(0)
    leaf = np.flatnonzero(scale.is_leaf)
    order = leaf[np.argsort(scale.leaf_spans[0][leaf])]
    shares = [mass[node] for node in order.tolist()]
    common = lcm(*(share.denominator for share in shares))
    return tuple(int(share * common) for share in shares)


def satisfied(
    models: Sequence[Model], made: Grown, targets: Targets, of: NDArray[np.int32], entries: Entries
) -> NDArray[np.bool_]:
    """Which buckets imply a distribution that satisfies all models, exactly."""
    scale, whole = made.scale, _whole(made)
    below = implied(scale, entries)
    fine = np.ones(len(of), np.bool_)
    for bucket, held_ in enumerate(below):
        weight = targets.dense(int(of[bucket]), len(scale))
        for node in np.flatnonzero(scale.children).tolist():
            first = int(scale.first_child[node])
            run = slice(first, first + int(scale.children[node]))
            if held_[run].any():
                weight[run] = held_[run]
        weights = _weights(scale, weight)
        fine[bucket] = all(model.holds(weights, whole) for model in models)
    return fine


def kept_to(
    models: Sequence[Model],
    made: Grown,
    runs: Runs,
    targets: Targets,
    of: NDArray[np.int32],
    entries: Entries,
) -> Entries:
    """Entries within the tolerance where what they imply satisfies the models, exact elsewhere."""
    fine = satisfied(models, made, targets, of, entries)
    if fine.all():
        return entries
    exact = entries_of(made.scale, runs, targets, of)
    lines = [
        ((entries if good else exact), slice(*(entries if good else exact).start[b : b + 2]))
        for b, good in enumerate(fine.tolist())
    ]
    sizes = [part.stop - part.start for _, part in lines]
    return Entries(
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.concatenate([some.node[part] for some, part in lines]),
        np.concatenate([some.count[part] for some, part in lines]),
        entries.fakes,
    )


Promises = dict[str, dict[str, Any]]


def promised(tolerance: float, distance: str, leak: float | None) -> Promises:
    """P-privacy with its tolerance, and the largest leak where there is a limit; in decimals."""
    stated: Promises = {P_PRIVACY: {"tolerance": decimal(tolerance)}}
    if tolerance:
        stated[P_PRIVACY]["distance"] = distance
    if leak is not None:
        stated[LEAK] = {"most": decimal(leak)}
    return stated


def decimal(number: float) -> str:
    """A number without an exponent, exactly as it was written.

    >>> decimal(1e-05), decimal(1.0), decimal(0.0)
    ('0.00001', '1', '0')
    """
    return f"{Decimal(repr(number)).normalize():f}"


def claims_of(
    promises: Promises, models: Sequence[Model], data: People, column: str, steered: bool
) -> tuple[Claim, ...]:
    """What the method promises, and the models that were required."""
    stated = promises | {model.name: model.parameters for model in models}
    return tuple(
        Claim(name, parameters, data.schema.quasi, column, steered=steered)
        for name, parameters in stated.items()
    )
