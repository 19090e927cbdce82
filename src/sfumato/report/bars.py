"""Bars: one value, or a value before and after, for each label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.core.answers import ResultTable
from sfumato.report.drawing import box, key, line, svg
from sfumato.report.markup import Markup, join
from sfumato.report.numbers import with_unit
from sfumato.report.rows import Frame, Rows, frame, rows, summary
from sfumato.report.scales import Value, known

THICK, THIN = 14.0, 8.0


@dataclass(frozen=True)
class Bars:
    """One bar for each label.

    Beyond `most` labels only the largest are drawn; the others are added up to one bar if the
    values are `additive` (counts), else the chart says how many were left out (rates, errors).

    >>> Bars("Rows", ["a", "b"], [1200, 3], unit="rows").svg().count("<rect")
    2
    """

    title: str
    labels: Sequence[str]
    values: Sequence[Value]
    unit: str = ""
    note: str = ""
    log: bool = False
    additive: bool = True
    most: int = 15
    owner_only: bool = False

    def __post_init__(self) -> None:
        rows(self.labels, self.values)

    def svg(self) -> Markup:
        """The chart as one SVG element."""
        data = rows(self.labels, self.values).fold(self.most, self.additive)
        texts = [with_unit(value, self.unit) for value in data.series[0]]
        place = frame(data, texts, self.log, top=4, pitch=22).in_unit(self.unit)
        bars = _draw_bars(place, data, 0, (THICK, -THICK / 2), "bar", self.unit)
        desc = summary(rows(self.labels, self.values), [""], self.unit)
        return svg(self.title, desc, place.height, place.draw(), bars)

    def table(self) -> ResultTable:
        """The numbers behind the chart."""
        found = tuple(zip(self.labels, self.values, strict=True))
        return ResultTable(self.title, ("", self.unit or "value"), found)


@dataclass(frozen=True)
class PairedBars:
    """Two bars for each label: before (hollow) and after (filled).

    What was before usually comes from the original data, so the chart is for the owner unless
    it says otherwise.

    >>> PairedBars("Risk", ["highest", "mean"], [1, 0.4], [0.2, 0.05]).svg().count("hollow")
    3
    """

    title: str
    labels: Sequence[str]
    before: Sequence[Value]
    after: Sequence[Value]
    unit: str = ""
    note: str = ""
    log: bool = False
    additive: bool = True
    most: int = 15
    names: tuple[str, str] = ("before", "after")
    owner_only: bool = True

    def __post_init__(self) -> None:
        rows(self.labels, self.before, self.after)

    def svg(self) -> Markup:
        """The chart as one SVG element."""
        whole = rows(self.labels, self.before, self.after)
        data = whole.fold(self.most, self.additive)
        legend, top = paired_key(self.names)
        texts = [_pair_text(a, b, self.unit) for a, b in zip(*data.series, strict=True)]
        place = frame(data, texts, self.log, top, pitch=28).in_unit(self.unit)
        first = _draw_bars(place, data, 0, (THIN, -THIN - 0.5), "hollow", self.unit)
        second = _draw_bars(place, data, 1, (THIN, 0.5), "bar", self.unit)
        desc = summary(whole, self.names, self.unit)
        return svg(self.title, desc, place.height, legend, place.draw(), first, second)

    def table(self) -> ResultTable:
        """The numbers behind the chart."""
        found = tuple(zip(self.labels, self.before, self.after, strict=True))
        return ResultTable(self.title, ("", *self.names), found)


def paired_key(names: tuple[str, str], after: str = "bar") -> tuple[Markup, float]:
    """The key of a before and an after."""
    styles = zip(("hollow", after), names, strict=True)
    return key([(box(1, 21, -5, 10, style), name) for style, name in styles])


def _pair_text(before: Value, after: Value, unit: str) -> str:
    return f"{with_unit(before, unit)} → {with_unit(after, unit)}"


def _draw_bars(
    place: Frame, data: Rows, series: int, band: tuple[float, float], style: str, unit: str
) -> Markup:
    """The bars of one series; `band` is their thickness and where they stand in the row."""
    thick, offset = band
    start = place.scale.place(0)
    parts = []
    if place.scale.start < start < place.scale.end:
        parts.append(line(start, place.top, start, place.bottom, "axis"))
    for row, value in enumerate(data.series[series]):
        if value is not None and known(value):
            says = f"{data.labels[row]}: {with_unit(value, unit)}"
            y = place.middle(row) + offset
            parts.append(box(start, place.scale.place(value), y, thick, style, says))
    return join(parts)
