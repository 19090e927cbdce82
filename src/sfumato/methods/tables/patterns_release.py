"""What was drawn as a publication: checked once more, measured, and with notes for the owner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.core.errors import CannotBeMet, SfumatoError
from sfumato.core.run import Run
from sfumato.core.words import several
from sfumato.data.decimals import published
from sfumato.data.people import People
from sfumato.data.table import Column, Table, encode
from sfumato.methods.tables.patterns_draw import Result, unmixed
from sfumato.methods.tables.patterns_find import Kept
from sfumato.methods.tables.patterns_kept import Keeper
from sfumato.releases.claims import FREEDOM, KEPT, KNOWS_PROPERTIES, Claim
from sfumato.releases.patterned import FULL, NONE, Patterned, Replaced
from sfumato.releases.properties import holds
from sfumato.releases.release import Ledger, Publication, Release

Ints = NDArray[np.int64]
NAMED = 5  # properties of a thin polytope that a note names


class Asked(Protocol):
    """The parameters that say what to publish, and what is too little change."""

    @property
    def walk(self) -> str: ...
    @property
    def steps(self) -> int | None: ...
    @property
    def effective(self) -> int: ...
    @property
    def disclose(self) -> str: ...
    @property
    def freedom(self) -> float: ...
    @property
    def least_shift(self) -> float: ...


def drawn_units(keeper: Keeper, results: Sequence[Result]) -> list[Ints]:
    """The new values of every column in units, record by record; 0 where there is none."""
    variables = keeper.variables
    x = np.zeros(len(variables.unit), np.int64)
    for result in results:
        x[result.piece.member] = np.rint(result.x).astype(np.int64)
    lower = np.array([scale.lower for scale in keeper.scales], np.int64)
    unit = np.append(lower[variables.column] + x, 0)
    return [unit[of] for of in variables.of]


def checked(keeper: Keeper, results: Sequence[Result], asked: Asked) -> None:
    """Refuse a draw that did not mix, or that moved too little to hide anything."""
    short = unmixed(results, asked.effective) if asked.steps is None else []
    if short and asked.walk == "mixed":
        worst = min(short, key=lambda result: result.effective)
        raise CannotBeMet(
            f"cannot be met, because {several(len(short), 'walk')} did not mix: one is worth "
            f"{worst.effective:.0f} effective draws after {worst.sweeps:,} sweeps",
            "keep fewer localities, use smaller parts, or allow more method.sweeps",
        )
    for scale, moved in zip(keeper.scales, shifts(keeper, results), strict=True):
        if moved < asked.least_shift:
            raise CannotBeMet(
                f"cannot be met, because column '{scale.name}' would move by {100 * moved:.2g} % "
                "of its range on average: the properties pin its values",
                "keep fewer properties, deal parts at random, or lower method.least_shift",
            )


def shifts(keeper: Keeper, results: Sequence[Result]) -> list[float]:
    """How far every column moved on average, as a share of the range of its values.

    1 where a column has one value, or none: there is nothing to compare with.
    """
    found = []
    for scale, units in zip(keeper.scales, drawn_units(keeper, results), strict=True):
        there = scale.decimals.present
        before = scale.decimals.by_row[there]
        wide = float(np.ptp(before)) if len(before) else 0.0
        found.append(float(np.abs(units[there] - before).mean() / wide) if wide else 1.0)
    return found


@dataclass(frozen=True, eq=False)
class Draw:
    """Everything that was found and drawn; `order` is where every record came from, `room` what was
    measured of the room that values have."""

    keeper: Keeper
    kept: Kept
    results: Sequence[Result]
    order: Ints
    room: dict[str, Any]


def publication_of(data: People, draw: Draw, asked: Asked, run: Run) -> Publication:
    """The release and the owner's half."""
    keeper, kept = draw.keeper, draw.kept
    units = drawn_units(keeper, draw.results)
    if not holds(kept.properties, units, keeper.digits).all():
        raise SfumatoError("a drawn value violates a property", "please report this")
    full = asked.disclose == FULL
    content = Patterned(
        _records(keeper, units),
        {s.name: _replaced(s, kept, asked.disclose) for s in keeper.scales},
        asked.disclose,
        kept.properties if full else None,
    )
    schema = data.schema.with_kinds({n: c.kind for n, c in data.table.columns.items()})
    release = Release("table", "patterned", schema, content, _claims(data, asked))
    notes = {"patterned": _notes(keeper, kept, draw.results) | _known(draw)}
    hidden = None if full else kept.properties
    return Publication(release, Ledger(draw.order, run.key.hex(), notes=notes, kept=hidden))


def _records(keeper: Keeper, units: Sequence[Ints]) -> Table:
    table = keeper.table
    columns: dict[str, Column] = dict(table.columns)
    for scale, drawn in zip(keeper.scales, units, strict=True):
        columns[scale.name] = _column(columns[scale.name], drawn, scale.digits)
    return Table(columns, table.rows)


def _column(column: Column, units: Ints, digits: int) -> Column:
    """The same column with other values; what is missing stays so."""
    values = published(units, digits, column.values.type)
    missing = column.codes < column.has_missing
    if missing.any():
        nothing = pa.scalar(None, values.type)
        values = pc.if_else(pa.array(missing), nothing, values)
    return encode(column.name, pa.chunked_array([values]), column.kind)


def _replaced(scale: Any, kept: Kept, disclosed: str) -> Replaced:
    if disclosed == NONE:
        return Replaced(scale.digits)
    lower, upper = (scale.lower, scale.upper) if disclosed == FULL else (None, None)
    return Replaced(scale.digits, lower, upper, kept.sorts[scale.name])


def _claims(data: People, asked: Asked) -> tuple[Claim, ...]:
    quasi = data.schema.quasi
    stated = Claim(
        KEPT, {"disclosed": asked.disclose}, quasi, adversary=KNOWS_PROPERTIES, steered=False
    )
    if not asked.freedom:
        return (stated,)
    least = {"least": repr(asked.freedom)}
    return (stated, Claim(FREEDOM, least, quasi, adversary=KNOWS_PROPERTIES))


def _known(draw: Draw) -> dict[str, Any]:
    """What somebody who knows every property knows of values."""
    known = [result.known for result in draw.results if result.known is not None]
    found: dict[str, Any] = {}
    if known:
        found["central 95 % of what a value may be, share of the range"] = float(
            np.median([one.central for one in known])
        )
        found["error of guessing the mean of it, share of the range"] = float(
            np.mean([one.guess for one in known])
        )
    if draw.room:
        ends = "room by properties and known ends, share of the range"
        found |= {f"{ends}: {name}": value for name, value in draw.room.items()}
    return found


def _notes(keeper: Keeper, kept: Kept, results: Sequence[Result]) -> dict[str, Any]:
    """How well it mixed, how far it moved, and where it could not move."""
    moved = dict(zip(keeper.names, shifts(keeper, results), strict=True))
    worth = [r.effective for r in results if np.isfinite(r.effective)]
    still = sum(len(result.still) for result in results)
    tight = np.unique(np.concatenate([r.tight for r in results])) if results else np.empty(0, int)
    named = [kept.properties.text(int(place)) for place in tight[:NAMED]]
    return {
        "walks": len(results),
        "least effective draws": min(worth) if worth else None,
        "median effective draws": float(np.median(worth)) if worth else None,
        "sweeps": int(sum(result.sweeps for result in results)),
        "begun in the middle": sum(result.centred for result in results),
        "properties": len(kept.properties),
        "moved on average, share of the range": moved,
        "values that could not move": still,
        "held by": named,
        "properties that hold them": len(tight),
    }
