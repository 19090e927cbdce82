"""Which records make a bucket: the owner's groups, and subgroups of equal or similar people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import BadJob, CannotBeMet
from sfumato.core.run import Run
from sfumato.data.expressions import classes
from sfumato.data.people import People
from sfumato.kernels.stretches import best_stretches, stretch_costs

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
MOST_PLACES = 128  # of the column by which people are similar; finer ones are joined evenly
QUERIES = 1_600
WIDTHS = (0.03, 0.08, 0.16, 0.32, 0.48, 0.64, 0.8, 0.95)  # of the column's places


def groups_of(people: People, groups: str | list[str]) -> Codes:
    """The group of every record; one for all if none is stated."""
    texts = [groups] if isinstance(groups, str) else groups
    parts = [classes(text, people.table, people.schema.quasi) for text in texts if text]
    return combined(parts, people.table.rows)


def combined(parts: list[Codes], rows: int) -> Codes:
    """Classes that agree in every part."""
    which: NDArray[Any] = np.zeros(rows, np.int64)
    for part in parts:
        key = which.astype(np.int64) * (int(part.max(initial=0)) + 1) + part
        which = np.unique(key, return_inverse=True)[1]
    return which.astype(np.int32)


def equals(people: People, group: Codes) -> Codes:
    """Buckets of people of one group with equal quasi-identifiers."""
    columns = [people.table[name].codes.astype(np.int32) for name in people.schema.quasi]
    return combined([group, *columns], people.table.rows)


def order_column(people: People, name: str | None) -> str:
    """The column by which people are similar: the one named, or the first number or date."""
    quasi = people.schema.quasi
    if name is not None:
        if name not in quasi:
            raise BadJob(f"method.order is '{name}', no quasi column", f"quasi: {', '.join(quasi)}")
        return name
    ordered = [q for q in quasi if people.table[q].kind != "category"]
    return (ordered or list(quasi))[0]


def places_of(codes: NDArray[Any]) -> Codes:
    """Every code's place in its column; columns of many values are joined into even stretches."""
    used, place = np.unique(codes, return_inverse=True)
    if len(used) <= MOST_PLACES:
        return place.astype(np.int32)
    upto = np.cumsum(np.bincount(place))
    return ((upto - 1) * MOST_PLACES // len(codes))[place].astype(np.int32)


@dataclass(frozen=True, eq=False)
class Stretches:
    """Every stretch of neighbouring places of one group."""

    ends: Ints  # (stretches, 2) first and last place
    rows: Ints  # rows of the group in the order of places
    upto: Ints  # (places + 1,) rows before each place

    @property
    def places(self) -> int:
        """Places of the group."""
        return len(self.upto) - 1


def stretches_of(place: Codes) -> Stretches:
    """All stretches over the places that occur in a group."""
    used, dense = np.unique(place, return_inverse=True)
    many = len(used)
    first, last = np.triu_indices(many)
    upto = np.concatenate([[0], np.cumsum(np.bincount(dense, minlength=many))])
    return Stretches(
        np.column_stack([first, last]).astype(np.int64),
        np.argsort(dense, kind="stable"),
        upto.astype(np.int64),
    )


def workload(stretches: Stretches, value: NDArray[np.float64], run: Run, part: int) -> Any:
    """Random ranges of places, narrow to wide, and how much each counts: one over the sum it asks
    for. `value` holds the sensitive value of every row of the group, in the order of places."""
    rng, many = run.rng("workload", part), stretches.places
    width = np.maximum(1, np.rint(rng.choice(WIDTHS, QUERIES) * many)).astype(np.int64)
    width = np.minimum(width, many)
    first = (rng.random(QUERIES) * (many - width + 1)).astype(np.int64)
    total = np.concatenate([[0.0], np.cumsum(np.abs(value))])[stretches.upto]
    asked = total[first + width] - total[first]
    weight = np.where(asked > 0, 1.0 / (QUERIES * np.where(asked > 0, asked, 1.0)), 0.0)
    return np.column_stack([first, first + width - 1]), weight


def choose_stretches(
    stretches: Stretches,
    entries: tuple[Ints, Codes, Ints],
    ends: tuple[NDArray[np.float64], NDArray[np.float64]],
    asked: Any,
    allowed: NDArray[np.bool_],
) -> Codes:
    """The bucket of every row of the group: the partition into stretches that answers best."""
    cost = stretch_costs(stretches.ends, entries, *ends, stretches.upto, *asked)
    heads = best_stretches(stretches.ends, np.where(allowed, cost, np.inf), stretches.places)
    if len(heads) == 0:
        raise too_telling()
    label = np.searchsorted(heads, np.arange(stretches.places), side="right") - 1
    bucket = np.empty(len(stretches.rows), np.int32)
    bucket[stretches.rows] = np.repeat(label, np.diff(stretches.upto))
    return bucket


def too_telling() -> CannotBeMet:
    """A group whose own distribution is too far from its target, whatever its subgroups."""
    return CannotBeMet(
        "method.leak cannot be met, because a whole group is farther than that from its target",
        "raise it, make larger groups, or let the target be nearer to the group's own",
    )
