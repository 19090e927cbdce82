"""Pattern-preserving publication: values drawn anew among all that keep the properties you name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from sfumato.core.errors import BadJob, CannotBeMet
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Kind
from sfumato.methods.base import Cost, Method, Shape
from sfumato.methods.tables.patterns_draw import How, draw_all
from sfumato.methods.tables.patterns_find import found_properties, named_rows, scaled
from sfumato.methods.tables.patterns_freedom import freed, measured
from sfumato.methods.tables.patterns_release import Draw, checked, publication_of
from sfumato.methods.tables.patterns_system import pieces_of
from sfumato.models.base import Model
from sfumato.releases.release import Publication

Numbers = dict[str, list[float]]


class Patterns(Method):
    """Replace numbers by others that look as exact, and keep the properties that you name.

    Properties are linear inequalities between values: their order, which of two is nearer to a
    third (localities), gaps, ratios, sides of constants, sums and averages in a band, and your own.
    What is published is a random point among all that keep them, each equally likely. What hides a
    person is what was not kept: the method measures that, and can enforce it.

    >>> Patterns(localities=0.01, bounds={"age": [0, 120]}).order
    'kept'
    """

    kind = "table"
    name = "patterns"
    form = "patterned"
    summary = "numbers drawn anew; order, distances and stated inequalities are kept exactly"
    source = "Xue, Karras, Raissi, Pung, Utility-driven anonymization in data publishing, CIKM 2011"

    columns: list[str] = Field([], description="columns to replace; default: all quasi columns")
    order: Literal["none", "kept", "strict"] = Field(
        "kept", description="of values in a part; kept: may become equal; strict: stay different"
    )
    across: bool = Field(False, description="keep the order across parts too")
    ties: Literal["kept", "broken"] = Field("kept", description="equal values of a part")
    localities: float = Field(
        0.002, ge=0, le=1, description="share of the complete set of localities that is kept"
    )
    gaps: Numbers = Field(
        default_factory=dict, description="per column: whether neighbours are so far apart"
    )
    ratios: Numbers = Field(
        default_factory=dict, description="per column: whether the next is so many times as large"
    )
    thresholds: Numbers = Field(
        default_factory=dict, description="per column: constants whose side every value keeps"
    )
    sums: dict[str, float] = Field(
        default_factory=dict, description="per column: how far its sum may move, 0 for not at all"
    )
    averages: dict[str, float] = Field(
        default_factory=dict, description="per column: how far its average may move"
    )
    by: str = Field("", description="sums and averages of each group under an expression")
    properties: list[str] = Field(
        default_factory=list, description='your own, such as "pay[a] + pay[b] <= pay[c]"'
    )
    rows: dict[str, int] = Field(
        default_factory=dict, description="names of rows for properties: 1 is the first of the data"
    )
    groups: dict[str, str] = Field(
        default_factory=dict, description="names of groups for properties: a condition each"
    )
    bounds: dict[str, list[Any]] = Field(
        default_factory=dict, description="per column: least and largest value of its scale"
    )
    ends: Literal["scale", "part"] = Field(
        "scale", description="part: values stay between the least and largest of their part"
    )
    digits: dict[str, int] = Field(
        default_factory=dict, description="per column: digits after the point; default: as written"
    )
    partition: Literal["rows", "sorted"] = Field(
        "rows", description="parts of rows dealt at random, or cut from each column's own order"
    )
    size: int = Field(100, ge=0, description="most values of a part; 0 for no limit")
    parts_by: str = Field("", description="no part reaches across classes of this expression")
    disclose: Literal["full", "kind", "none"] = Field(
        "kind", description="what is published of the properties: each, their kinds, or nothing"
    )
    walk: Literal["mixed", "one-sided", "chord"] = Field(
        "mixed", description="mixed: uniform; one-sided: the paper's steps; chord: these on chords"
    )
    start: Literal["centre", "data"] = Field(
        "centre", description="where the walk begins; the centre follows from properties alone"
    )
    effective: int = Field(20, ge=1, description="effective draws that each walk must be worth")
    sweeps: int = Field(
        200_000, ge=1, description="most sweeps of a walk over 100 values; fewer over more"
    )
    steps: int | None = Field(None, ge=1, description="exactly so many steps or sweeps instead")
    freedom: float = Field(
        0.0,
        ge=0,
        lt=1,
        description="share of the range that must stay open for every value to somebody who knows "
        "all properties and the ends; properties are dropped for it",
    )
    least_shift: float = Field(
        0.01,
        ge=0,
        le=1,
        description="refuse if a column moves less on average, as a share of its range",
    )

    def publish(self, data: People, require: Sequence[Model], run: Run) -> Publication:
        if require:
            raise CannotBeMet(
                f"'{require[0].name}' cannot be met, because exact-looking values make no groups",
                "remove the requirement, or use a method that makes groups",
            )
        names = self._names(data)
        with run.phase("properties"):
            keeper, order = scaled(data, names, self, run)
            kept = found_properties(keeper, self, named_rows(data, keeper, order, self))
            if self.freedom:
                kept = freed(keeper, kept, self.freedom, run)
        with run.phase("walk"):
            how = How(self.walk, self.start, self.effective, self.sweeps, self.steps)
            pieces = pieces_of(kept.properties, keeper.variables, keeper.scales)
            results = draw_all(pieces, how, run)
        checked(keeper, results, self)
        room = measured(keeper, kept, run) if self.start == "centre" else {}
        return publication_of(data, Draw(keeper, kept, results, order, room), self, run)

    def _names(self, data: People) -> tuple[str, ...]:
        schema = data.schema
        names = tuple(self.columns) or schema.quasi
        for name in names:
            if name not in schema.published:
                raise BadJob(
                    f"method.columns names '{name}', which is not published",
                    f"columns: {', '.join(schema.published)}",
                )
        exact = [q for q in schema.quasi if q not in names]
        if exact:
            raise BadJob(
                f"'{exact[0]}' is a quasi-identifier and would be published as it is",
                "replace it too, or list it as keep if it may be known",
            )
        wrong = [name for name in names if data.table[name].kind is Kind.CATEGORY]
        if wrong:
            raise BadJob(
                f"column '{wrong[0]}' is a category, and only numbers and dates can be replaced",
                "list it as keep, sensitive or drop",
            )
        return names

    def cost(self, shape: Shape) -> Cost:
        """Measured on one core: a walk per part and column, longer with more localities."""
        each = 4e-4 * (1 + 100 * self.localities)
        values = shape.rows * shape.quasi
        return Cost(0.5 + values * each, 300 + values * (300 + 6e4 * self.localities) / 1e6)
