"""A histogram, alone or against what was before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sfumato.core.answers import ResultTable
from sfumato.report.bars import paired_key
from sfumato.report.drawing import (
    LINE,
    LOG_SCALE,
    NO_VALUES,
    SMALL,
    WIDTH,
    box,
    columns_grid,
    gutter,
    line,
    rows_grid,
    svg,
    write,
)
from sfumato.report.markup import Markup, element, join, text_width
from sfumato.report.numbers import number, tick_texts
from sfumato.report.scales import FARTHEST, Scale, Value, known, linear, scale

DEPTH, MOST = 170.0, 120


@dataclass(frozen=True)
class Histogram:
    """Counts between edges; `before` is drawn as an outline over them.

    Bins of unequal or endless width are drawn equally wide, with their edges below them, and the
    chart says so. More than 120 bins are merged with their neighbours.

    >>> Histogram("Class sizes", [5, 6, 7, 8], [40, 12, 3]).svg().count('class="bar"')
    3
    """

    title: str
    edges: Sequence[float]
    counts: Sequence[Value]
    before: Sequence[Value] | None = None
    unit: str = ""
    note: str = ""
    log: bool = False
    names: tuple[str, str] = ("before", "after")
    owner_only: bool | None = None  # None: for the owner if there is a before

    def __post_init__(self) -> None:
        both = [self.counts, *([] if self.before is None else [self.before])]
        if any(len(counts) + 1 != len(self.edges) for counts in both if counts):
            raise ValueError("a histogram needs one edge more than counts")
        if self.owner_only is None:
            object.__setattr__(self, "owner_only", self.before is not None)

    def svg(self) -> Markup:
        """The chart as one SVG element."""
        bins = _merge(self)
        legend, top = paired_key(self.names, "band") if bins.before else (Markup(""), 8.0)
        unit = write(0, top + 1, self.unit, style="small")
        top += LINE if self.unit else 0
        upright = scale([*bins.counts, *bins.before], top + DEPTH, top, self.log)
        upright = upright.in_unit(self.unit)
        across = bins.across(gutter(upright), WIDTH - 8)
        base = line(across[0], top + DEPTH, across[-1], top + DEPTH, "axis")
        parts = [
            legend,
            unit,
            rows_grid(upright, across[0], across[-1]),
            _columns(bins, across, upright),
        ]
        parts += [base, _outline(bins, across, upright), _edge_texts(bins, across, top + DEPTH)]
        remarks = bins.remarks(upright.log)
        parts.append(write(0, top + DEPTH + 31, remarks, style="small"))
        height = top + DEPTH + (42 if remarks else 24)
        return svg(self.title, self._describe(bins), height, *parts)

    def _describe(self, bins: _Bins) -> str:
        if not bins.counts:
            return "No values."
        first, last = number(self.edges[0]), number(self.edges[-1])
        text = f"{len(bins.counts):,} bins from {first} to {last}. Fullest: {bins.fullest()}."
        return f"{text} {bins.remarks(self.log)}".strip()

    def table(self) -> ResultTable:
        """The numbers behind the chart."""
        before = [] if self.before is None else [self.before]
        names = self.names if before else ("count",)
        spans = pairwise(self.edges)
        found = tuple(zip(*zip(*spans), *before, self.counts)) if self.counts else ()
        return ResultTable(self.title, ("from", "to", *names), found)


@dataclass(frozen=True)
class _Bins:
    """Bins as they are drawn."""

    edges: list[float]
    counts: list[Value]
    before: list[Value]
    even: bool  # before merging: the last of merged bins may be narrower
    merged: int

    def remarks(self, log: bool) -> str:
        """What a reader must know of how it is drawn."""
        told = [LOG_SCALE] if log else []
        told += [] if self.even else ["bins of unequal width drawn equally wide"]
        told += [f"each bar is {self.merged:,} bins"] if self.merged > 1 else []
        return ", ".join(told)

    def across(self, left: float, right: float) -> list[float]:
        """The places of the edges."""
        if self.even and len(self.edges) > 1:
            axis = Scale(self.edges[0], self.edges[-1], left, right, ())
            return [axis.place(edge) for edge in self.edges]
        step = (right - left) / max(1, len(self.edges) - 1)
        return [left + step * index for index in range(max(2, len(self.edges)))]

    def fullest(self) -> str:
        """The bin with most in it, in words."""
        counts = [c if c is not None and known(c) else -math.inf for c in self.counts]
        best = counts.index(max(counts))
        return f"{self.says(best)}, {number(self.counts[best])}"

    def says(self, index: int) -> str:
        """A bin in words."""
        return f"{number(self.edges[index])} to {number(self.edges[index + 1])}"


def _merge(chart: Histogram) -> _Bins:
    """The bins of a chart, neighbours added up until they can be told apart."""
    size = -(-len(chart.counts) // MOST) or 1
    edges = list(chart.edges[:-1:size]) + list(chart.edges[-1:])
    before = [] if chart.before is None else _add(chart.before, size)
    places = [float(edge) for edge in edges]
    return _Bins(places, _add(chart.counts, size), before, _is_even(chart.edges), size)


def _is_even(edges: Sequence[float]) -> bool:
    """Whether all bins have one width."""
    widths = [high - low for low, high in pairwise(edges)]
    if not all(math.isfinite(width) and width > 0 for width in widths):
        return False
    if widths and max(map(abs, edges)) > FARTHEST:
        return False
    return not widths or max(widths) - min(widths) <= 0.01 * max(widths)


def _add(counts: Sequence[Value], size: int) -> list[Value]:
    if size == 1:
        return list(counts)
    kept = [count if count is not None and known(count) else 0 for count in counts]
    return [sum(kept[start : start + size]) for start in range(0, len(kept), size)]


def _columns(bins: _Bins, across: list[float], upright: Scale) -> Markup:
    parts = []
    gap = 1.0 if len(bins.counts) <= 40 else 0.0
    style = "band" if bins.before else "bar"  # the outline must show on what it crosses
    for index, count in enumerate(bins.counts):
        if count is not None and known(count):
            top = upright.place(count)
            says = f"{bins.says(index)}: {number(count)}"
            left, right = across[index] + gap, across[index + 1] - gap
            parts.append(box(left, right, top, max(0.0, upright.start - top), style, says))
    return join(parts)


def _outline(bins: _Bins, across: list[float], upright: Scale) -> Markup:
    """The outline of what was before, from the base up, along, and down again."""
    if not bins.before:
        return Markup("")
    places = [(across[0], upright.start)]
    for index, count in enumerate(bins.before):
        y = upright.place(count) if count is not None and known(count) else upright.start
        places += [(across[index], y), (across[index + 1], y)]
    places.append((across[len(bins.before)], upright.start))
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return element("polyline", points=points, class_="outline")


def _from_first(axis: Scale, room: float) -> Scale:
    """The axis with its low end as the first tick, if that is a whole number."""
    if axis.low != round(axis.low):
        return axis
    later = (tick for tick in axis.ticks if axis.place(tick) >= axis.start + room)
    return replace(axis, ticks=(axis.low, *later))


def _edge_texts(bins: _Bins, across: list[float], bottom: float) -> Markup:
    """What stands below the columns: every edge, or round numbers if edges have no room."""
    if not bins.counts:
        middle = (across[0] + across[-1]) / 2
        return write(middle, bottom - DEPTH / 2, NO_VALUES, anchor="middle", style="over")
    shown = tick_texts(bins.edges) if bins.even else [number(edge) for edge in bins.edges]
    widest = max(text_width(text, SMALL) for text in shown) + 8
    every = math.ceil(widest / (across[1] - across[0]))
    if every > 1 and bins.even:
        axis = linear(bins.edges, across[0], across[-1], zero=False, snug=True)
        return columns_grid(_from_first(axis, widest), bottom, bottom + 4, "axis")
    parts = []
    for x, text in list(zip(across, shown, strict=True))[::every]:
        middle = min(x, WIDTH - text_width(text, SMALL) / 2)
        parts.append(line(x, bottom, x, bottom + 4, "axis"))
        parts.append(write(middle, bottom + 12, text, anchor="middle", style="small"))
    return join(parts)
