"""Ranges: hard bounds as a bar, an estimate as a dot, the truth as a tick."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.core.answers import ResultTable
from sfumato.report.drawing import box, key, line, svg
from sfumato.report.markup import Markup, element, join
from sfumato.report.numbers import with_unit
from sfumato.report.rows import Frame, Rows, frame, rows
from sfumato.report.scales import Value, known

TIP = 7.0
NAMES = ("lower", "estimate", "upper", "truth")


@dataclass(frozen=True)
class Ranges:
    """One range for each label, as for the answers to queries.

    A bound that is None or infinite is open: the bar ends in an arrow. With the truth the chart
    is for the owner, because an error gives the truth away.

    >>> Ranges("Answers", ["q1"], [10], [14], [20], truth=[13]).owner_only
    True
    """

    title: str
    labels: Sequence[str]
    lower: Sequence[Value]
    estimate: Sequence[Value]
    upper: Sequence[Value]
    truth: Sequence[Value] | None = None
    unit: str = ""
    note: str = ""
    log: bool = False
    most: int = 40

    def __post_init__(self) -> None:
        self._rows()

    @property
    def owner_only(self) -> bool:
        """Whether the chart shows what only the owner may know."""
        return self.truth is not None

    def _rows(self) -> Rows:
        truth = [None] * len(self.labels) if self.truth is None else self.truth
        return rows(self.labels, self.lower, self.estimate, self.upper, truth)

    def svg(self) -> Markup:
        """The chart as one SVG element."""
        data = self._rows().cut(self.most)
        legend, top = key(self._samples())
        texts = [with_unit(value, self.unit) for value in data.series[1]]
        place = frame(data, texts, self.log, top, pitch=24, zero=self._touches_zero())
        place = place.in_unit(self.unit)
        marks = join([_draw_range(place, row, data) for row in range(len(data.labels))])
        return svg(self.title, self._describe(), place.height, legend, place.draw(), marks)

    def _touches_zero(self) -> bool:
        """Counts are shown from zero; far from it, ranges would shrink to points."""
        shown = [v for series in self._rows().series for v in series if v is not None and known(v)]
        return not shown or min(shown) < 0.5 * max(shown)

    def _samples(self) -> list[tuple[Markup, str]]:
        samples = [(box(1, 21, -4, 8, "band"), "bounds"), (_dot(11, 0), "estimate")]
        if not all(_is_bound(bound) for bound in (*self.lower, *self.upper)):
            samples.append((_arrow(8, 0, TIP), "open bound"))
        if self.truth is not None:
            samples.append((_tick(11, 0, "truth"), "truth"))
        if self._misses():
            samples.append((_tick(11, 0, "miss"), "truth outside the bounds"))
        return samples

    def _misses(self) -> int:
        return sum(
            _is_outside(low, high, truth) for low, _, high, truth in zip(*self._rows().series)
        )

    def _describe(self) -> str:
        text = f"{len(self.labels):,} ranges with an estimate each."
        if self.truth is None:
            return text
        return f"{text} The truth lies outside the bounds in {self._misses():,} of them."

    def table(self) -> ResultTable:
        """The numbers behind the chart."""
        shown = 3 if self.truth is None else 4
        series = self._rows().series[:shown]
        return ResultTable(
            self.title, ("", *NAMES[:shown]), tuple(zip(self.labels, *series, strict=True))
        )


def _is_outside(lower: Value, upper: Value, truth: Value) -> bool:
    """Whether bounds fail to hold the truth; a gap in either says nothing."""
    if truth is None:
        return False
    below = lower is not None and truth < lower
    return below or (upper is not None and truth > upper)


def _draw_range(place: Frame, row: int, data: Rows) -> Markup:
    lower, estimate, upper, truth = (series[row] for series in data.series)
    y, scale = place.middle(row), place.scale
    parts = [_draw_bounds(place, row, data)]
    if truth is not None and known(truth):
        style = "miss" if _is_outside(lower, upper, truth) else "truth"
        parts.append(_tick(scale.place(truth), y, style))
    if estimate is not None and known(estimate):
        parts.append(_dot(scale.place(estimate), y))
    return join(parts)


def _draw_bounds(place: Frame, row: int, data: Rows) -> Markup:
    """The bar between the bounds; an open side runs to the edge and ends in an arrow."""
    lower, _, upper, _ = (series[row] for series in data.series)
    y, scale, tips = place.middle(row), place.scale, []
    if not _is_bound(lower) and not _is_bound(upper):
        return Markup("")
    left, right = scale.start + TIP, scale.end - TIP
    if lower is not None and _is_bound(lower):
        left = scale.place(lower)
    else:
        tips.append(_arrow(left, y, -TIP))
    if upper is not None and _is_bound(upper):
        right = scale.place(upper)
    else:
        tips.append(_arrow(right, y, TIP))
    return join([box(left, max(right, left + 1), y - 5, 10, "band", _says(row, data)), *tips])


def _is_bound(value: Value) -> bool:
    return value is not None and math.isfinite(value)


def _arrow(x: float, y: float, tip: float) -> Markup:
    corners = f"{x:.1f},{y - 6:.1f} {x + tip:.1f},{y:.1f} {x:.1f},{y + 6:.1f}"
    return element("polygon", points=corners, class_="open")


def _says(row: int, data: Rows) -> str:
    named = zip(NAMES, data.series, strict=True)
    told = [f"{name} {with_unit(s[row], '')}" for name, s in named if s[row] is not None]
    return f"{data.labels[row]}: {', '.join(told)}"


def _dot(x: float, y: float) -> Markup:
    return element("circle", cx=x, cy=y, r=3.4, class_="dot")


def _tick(x: float, y: float, style: str) -> Markup:
    """The truth: a tall tick, and a cross if it lies outside the bounds."""
    if style != "miss":
        return line(x, y - 9, x, y + 9, style)
    strokes = [(x - 5, y - 5, x + 5, y + 5), (x - 5, y + 5, x + 5, y - 5)]
    return join([line(*stroke, style) for stroke in strokes])
