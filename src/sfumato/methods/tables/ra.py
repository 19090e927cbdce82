"""Random anonymization (Yang, Qiao, Expert Systems with Applications 37, 2010), corrected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Literal

import numpy as np
from pydantic import Field, field_validator

from sfumato.core.errors import BadJob, CannotBeMet
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.table import Column, Table
from sfumato.methods.base import Cost, Method, Shape
from sfumato.methods.tables.ra_bins import binned
from sfumato.methods.tables.ra_draw import redrawn
from sfumato.methods.tables.ra_notes import advice, risk_notes
from sfumato.models.base import Model
from sfumato.releases.claims import INFERENCE, KNOWS_LAW, KNOWS_QUASI, REPLACEMENT, Claim
from sfumato.releases.redraw_law import MOST_COLUMNS, RedrawLaw, optimal_weights
from sfumato.releases.redraw_risk import Adversary, affordable
from sfumato.releases.redrawn_table import RedrawnTable
from sfumato.releases.release import Ledger, Publication, Release

CLOSE = 1e-9


class RA(Method):
    """Break the links between quasi-identifiers: redraw some of them, at random, in every record.

    New values come from the column's own distribution, so columns keep theirs, and links between
    few columns survive in a known proportion. The law is published: whoever counts can undo the
    randomization on average, and is told the error that remains. Sensitive columns stay exact.

    >>> RA(redraw=3).choose
    'uniform'
    """

    kind = "table"
    name = "ra"
    form = "perturbed"
    summary = "redraw some quasi-identifiers of every record from their own distribution"
    source = (
        "Yang, Qiao, A novel anonymization algorithm, Expert Systems with Applications 37, 2010"
    )

    redraw: int | Literal["fewest"] = Field(
        1,
        description="lambda, how many quasi-identifiers of each record are redrawn; fewest: as "
        "few as `most` allows",
    )
    choose: Literal["uniform", "optimal"] | dict[str, float] = Field(
        "uniform",
        description="how likely which column is redrawn: uniform, optimal (by the exponential of "
        "its entropy) or a probability per column; the last two for redraw = 1 only",
    )
    bins: dict[str, float] = Field(
        default_factory=dict, description="width of the bins that numbers of a column fall into"
    )
    most: float | None = Field(
        None,
        gt=0,
        le=1,
        description="no original combination may be inferred with a larger probability than this, "
        "by somebody who knows everybody's quasi-identifiers",
    )

    @field_validator("redraw")
    @classmethod
    def _check_redraw(cls, redraw: int | str) -> int | str:
        if isinstance(redraw, int) and redraw < 1:
            raise ValueError("at least 1 column is redrawn")
        return redraw

    @field_validator("choose")
    @classmethod
    def _check_choose(cls, choose: Any) -> Any:
        if isinstance(choose, dict):
            if any(part < 0 for part in choose.values()):
                raise ValueError("probabilities are not negative")
            if abs(math.fsum(choose.values()) - 1) > CLOSE:
                raise ValueError(f"probabilities add up to 1, not to {sum(choose.values()):g}")
        return choose

    @field_validator("bins")
    @classmethod
    def _check_bins(cls, bins: dict[str, float]) -> dict[str, float]:
        if any(width <= 0 for width in bins.values()):
            raise ValueError("the width of a bin is above 0")
        return bins

    def publish(self, data: People, require: Sequence[Model], run: Run) -> Publication:
        self._check(data, require)
        table = binned(data, self.bins)
        quasi = [table[name] for name in data.schema.quasi]
        with run.phase("redraw"):
            law, records, risk = self._drawn(data, table, quasi, run)
        content = RedrawnTable(records, law, dict(self.bins))
        kinds = {name: column.kind for name, column in records.columns.items()}
        schema = data.schema.with_kinds(kinds)
        release = Release("table", self.form, schema, content, self._claims(law))
        notes = {"risk": risk} | advice(quasi, law, risk)
        rows = np.arange(table.rows, dtype=np.int64)
        return Publication(release, Ledger(rows, run.key.hex(), notes=notes))

    def _check(self, data: People, require: Sequence[Model]) -> None:
        quasi = data.schema.quasi
        for model in require:
            raise BadJob(
                f"require: {model.name} cannot be met, because ra makes no groups",
                "use mondrian or regroup, or limit what can be inferred with method.most",
            )
        if len(quasi) > MOST_COLUMNS:
            raise BadJob(f"ra redraws up to {MOST_COLUMNS} columns", f"quasi has {len(quasi)}")
        if isinstance(self.redraw, int) and self.redraw > len(quasi):
            raise BadJob(
                f"method.redraw is {self.redraw}, but there are {len(quasi)} quasi-identifiers",
                f"at most {len(quasi)}",
            )
        if self.redraw == "fewest" and self.most is None:
            raise BadJob('method.redraw is "fewest" of what keeps to method.most', "set most too")
        if self.choose != "uniform" and self.redraw != 1:
            raise BadJob(
                f"method.choose is for redraw = 1, and redraw is {self.redraw}", 'use "uniform"'
            )
        if isinstance(self.choose, dict):
            _check_named(self.choose, quasi)

    def _drawn(
        self, data: People, table: Table, quasi: list[Column], run: Run
    ) -> tuple[RedrawLaw, Table, dict[str, Any]]:
        """The law, the records, and what can be inferred from them; of several numbers of columns
        the first that keeps to the limit."""
        tried = range(1, len(quasi) + 1) if self.redraw == "fewest" else [self.redraw]
        risk: dict[str, Any] = {}
        for redraw in tried:
            law = self.law(quasi, int(redraw))
            codes = redrawn([column.codes for column in quasi], law, run)
            if self.most is not None or affordable(law, 2 * table.rows):
                adversary = Adversary(law, [c.codes for c in quasi], codes, run.workers)
                risk = risk_notes(adversary, self.most)
            if self.most is None or risk["largest_belief"] <= self.most:
                return law, _with_codes(table, quasi, codes, data), risk
        raise CannotBeMet(
            f"method.most = {self.most:g} cannot be met, because with redraw = {law.redraw} a "
            f"combination is inferred with {risk['largest_belief']:.4g}",
            'redraw more columns, put numbers into bins, or use redraw = "fewest"',
        )

    def law(self, quasi: list[Column], redraw: int) -> RedrawLaw:
        """The law for some columns."""
        names = tuple(column.name for column in quasi)
        counts = tuple(column.counts() for column in quasi)
        weights = tuple([1 / len(quasi)] * len(quasi))
        if self.choose == "optimal":
            weights = optimal_weights(counts)
        elif isinstance(self.choose, dict):
            weights = tuple(float(self.choose[name]) for name in names)
        return RedrawLaw(names, weights, redraw, counts)

    def _claims(self, law: RedrawLaw) -> tuple[Claim, ...]:
        stated = {"redraw": law.redraw, "perplexity": decimal(law.perplexity)}
        claims = [Claim(REPLACEMENT, stated, law.names, adversary=KNOWS_LAW)]
        if self.most is not None:
            limit = {"most": f"{Decimal(repr(self.most)).normalize():f}"}
            claims.append(Claim(INFERENCE, limit, law.names, adversary=KNOWS_QUASI))
        return tuple(claims)

    def cost(self, shape: Shape) -> Cost:
        """Measured on nine columns: drawing and sorting, and the risk where it is looked at."""
        redraw = self.redraw if isinstance(self.redraw, int) else shape.quasi
        seconds = 0.5 + shape.rows * (2e-7 + 1.5e-8 * redraw)
        if shape.rows <= 1_000_000 or self.most is not None:
            seconds += shape.rows * 4e-7 * shape.quasi * redraw
        return Cost(seconds, 250 + shape.rows * (2 * shape.quasi + 120) / 1e6)


def decimal(number: float) -> str:
    """Six digits after the point are enough to compare.

    >>> decimal(11.298571779540023)
    '11.298572'
    """
    return f"{number:.6f}"


def _check_named(choose: dict[str, float], quasi: Sequence[str]) -> None:
    """Refuse probabilities of other columns than the quasi-identifiers, or not of all."""
    for names, what in (
        (set(choose) - set(quasi), "names '{}', no quasi-identifier"),
        (set(quasi) - set(choose), "lacks '{}'"),
    ):
        for name in sorted(names):
            told = f"method.choose {what.format(name)}"
            raise BadJob(told, f"give a probability to each of: {', '.join(quasi)}")


def _with_codes(table: Table, quasi: list[Column], codes: list[Any], data: People) -> Table:
    """The published columns, those that were redrawn with their new codes."""
    found = {name: table[name] for name in data.schema.published}
    for column, fresh in zip(quasi, codes, strict=True):
        kept = (column.name, column.kind, fresh, column.values, column.has_missing, column.found)
        found[column.name] = Column(*kept)
    return Table(found, table.rows)
