"""From a table and parameters to the properties that a release keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import BadJob
from sfumato.core.run import Run
from sfumato.data.expressions import classes, labels
from sfumato.data.people import People
from sfumato.data.table import Table
from sfumato.methods.tables import patterns_kept as kept
from sfumato.methods.tables.patterns_columns import (
    in_secret_order,
    parts_of,
    scales_of,
    variables_of,
)
from sfumato.methods.tables.patterns_kept import Keeper
from sfumato.releases.properties import Properties, joined

Ints = NDArray[np.int64]


class Asked(Protocol):
    """The parameters that say what to keep."""

    @property
    def order(self) -> str: ...
    @property
    def across(self) -> bool: ...
    @property
    def ties(self) -> str: ...
    @property
    def localities(self) -> float: ...
    @property
    def gaps(self) -> dict[str, list[float]]: ...
    @property
    def ratios(self) -> dict[str, list[float]]: ...
    @property
    def thresholds(self) -> dict[str, list[float]]: ...
    @property
    def sums(self) -> dict[str, float]: ...
    @property
    def averages(self) -> dict[str, float]: ...
    @property
    def by(self) -> str: ...
    @property
    def properties(self) -> list[str]: ...
    @property
    def rows(self) -> dict[str, int]: ...
    @property
    def groups(self) -> dict[str, str]: ...
    @property
    def bounds(self) -> dict[str, list[Any]]: ...
    @property
    def ends(self) -> str: ...
    @property
    def digits(self) -> dict[str, int]: ...
    @property
    def partition(self) -> Any: ...
    @property
    def size(self) -> int: ...
    @property
    def parts_by(self) -> str: ...


@dataclass(frozen=True, eq=False)
class Kept:
    """All properties, and per column which sorts there are and of what share."""

    properties: Properties
    sorts: dict[str, tuple[tuple[str, float], ...]]


def scaled(data: People, names: tuple[str, ...], asked: Asked, run: Run) -> tuple[Keeper, Ints]:
    """The records in a secret order with scales and variables, and where each record came from."""
    table, order = in_secret_order(data.table, run)
    scales = scales_of(table, names, asked.bounds, asked.digits)
    by = classes(asked.parts_by, table, data.schema.published) if asked.parts_by else None
    parts = [parts_of(table, scale, asked.partition, asked.size, by) for scale in scales]
    variables = variables_of(scales, parts, asked.ties == "kept")
    return Keeper(table, scales, variables, names, run), order


def named_rows(
    data: People, keeper: Keeper, order: Ints, asked: Asked
) -> Callable[[str], NDArray[np.int64]]:
    """What a name in a property stands for."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))

    def rows_of(name: str) -> Ints:
        if not name:
            return np.arange(len(order))
        if name in asked.rows:
            number = asked.rows[name]
            if not 1 <= number <= len(order):
                raise BadJob(f"method.rows.{name} is {number}", f"rows are 1 to {len(order)}")
            return place[[number - 1]]
        if name in asked.groups:
            return _members(keeper.table, asked.groups[name], data)
        known = ", ".join([*asked.rows, *asked.groups]) or "none yet"
        raise BadJob(
            f"a property names '{name}', which is neither a row nor a group",
            f"list it under method.rows or method.groups; known: {known}",
        )

    return rows_of


def _members(table: Table, text: str, data: People) -> Ints:
    number = classes(text, table, data.schema.published)
    found = labels(text, table, data.schema.published, number)
    return np.flatnonzero(number == found.get("true", -1))


def found_properties(keeper: Keeper, asked: Asked, rows_of: Callable[[str], Ints]) -> Kept:
    """Everything asked for, all of it true of the data."""
    _check_names(keeper, asked)
    groups = _groups(keeper, asked.by)
    parts: list[Properties] = []
    sorts: dict[str, tuple[tuple[str, float], ...]] = {}
    for name in keeper.names:
        own = {
            "tie": kept.ties(keeper, name),
            "order": kept.orders(keeper, name, asked.order, asked.across),
            "locality": kept.localities(keeper, name, asked.localities),
            "gap": kept.gaps(keeper, name, asked.gaps.get(name, [])),
            "ratio": kept.ratios(keeper, name, asked.ratios.get(name, [])),
            "threshold": kept.thresholds(keeper, name, asked.thresholds.get(name, [])),
        }
        if asked.ends == "part":
            own["scale"] = kept.part_ends(keeper, name)
        for kind, bands in (("sum", asked.sums), ("average", asked.averages)):
            if name in bands:
                own[kind] = kept.averages(keeper, name, kind, bands[name], groups)
        parts += own.values()
        shares = {"locality": asked.localities}
        on = {"tie": asked.ties == "kept", "order": asked.order != "none"}
        on |= {"locality": asked.localities > 0, "gap": name in asked.gaps}
        on |= {"ratio": name in asked.ratios, "threshold": name in asked.thresholds}
        on |= {"scale": asked.ends == "part"}
        on |= {"sum": name in asked.sums, "average": name in asked.averages}
        sorts[name] = tuple((kind, shares.get(kind, 1.0)) for kind, there in on.items() if there)
    parts.append(kept.stated(keeper, asked.properties, rows_of))
    return Kept(joined(parts), _with_own(keeper, sorts, parts[-1]))


def _with_own(keeper: Keeper, sorts: dict[str, Any], own: Properties) -> dict[str, Any]:
    about = {keeper.names[number] for number in np.unique(own.column)}
    return {n: (*sort, ("own", 1.0)) if n in about else sort for n, sort in sorts.items()}


def _check_names(keeper: Keeper, asked: Asked) -> None:
    for key in ("gaps", "ratios", "thresholds", "sums", "averages"):
        for name, stated in getattr(asked, key).items():
            if name not in keeper.names:
                raise BadJob(
                    f"method.{key} names '{name}', which is not replaced",
                    f"replaced: {', '.join(keeper.names)}",
                )
            if isinstance(stated, float) and stated < 0:
                raise BadJob(f"method.{key}.{name} is {stated}", "a band is 0 or wider")


def _groups(keeper: Keeper, by: str) -> dict[str, Ints]:
    if not by:
        return {"": np.arange(keeper.table.rows)}
    number = classes(by, keeper.table, keeper.table.names)
    found = labels(by, keeper.table, keeper.table.names, number)
    return {label: np.flatnonzero(number == place) for label, place in found.items()}
