"""Lines: one or more named series over a common x, as from a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sfumato.core.answers import ResultTable
from sfumato.report.drawing import (
    NO_VALUES,
    WIDTH,
    columns_grid,
    gutter,
    key,
    line,
    rows_grid,
    svg,
    write,
)
from sfumato.report.markup import Markup, element, join
from sfumato.report.numbers import number
from sfumato.report.rows import rows, summary
from sfumato.report.scales import Scale, Value, finite, linear, scale, snug_logarithmic

DEPTH, STYLES, CROWDED = 200.0, 6, 30
Point = tuple[float, float]


@dataclass(frozen=True)
class Lines:
    """Series over a common x; a gap in the values is a gap in the line.

    Series differ in colour, dash and marker. Six can be told apart; more are better put in two
    charts.

    >>> Lines("Loss", [2, 5, 10], {"Mondrian": [0.1, 0.2, 0.3]}).svg().count('class="mark')
    4
    """

    title: str
    x: Sequence[Value]
    series: Mapping[str, Sequence[Value]]
    x_name: str = ""
    y_name: str = ""
    note: str = ""
    log: bool = False
    log_x: bool = False
    owner_only: bool = False

    def __post_init__(self) -> None:
        rows([number(x) for x in self.x], *self.series.values())

    def svg(self) -> Markup:
        """The chart as one SVG element."""
        legend, top = key([(_sample(i), name) for i, name in enumerate(self.series)])
        top += 18 if self.y_name else 4
        values = [value for series in self.series.values() for value in series]
        upright = scale(values, top + DEPTH, top, self.log)
        across = self._across(gutter(upright))
        parts = [legend, self._axes(across, upright)]
        parts += [
            _draw_series(i, self._points(values, across, upright))
            for i, values in enumerate(self.series.values())
        ]
        desc = summary(
            rows(list(map(number, self.x)), *self.series.values()), list(self.series), ""
        )
        height = top + DEPTH + (42 if self.x_name else 24)
        return svg(self.title, desc or "No series.", height, *parts)

    def _across(self, left: float) -> Scale:
        if self.log_x and any(x > 0 for x in finite(self.x)):
            return snug_logarithmic(self.x, left + 6, WIDTH - 12)
        return linear(self.x, left + 6, WIDTH - 12, zero=False, snug=True)

    def _axes(self, across: Scale, upright: Scale) -> Markup:
        left, right = across.start - 6, across.end + 6
        bottom, top = upright.start, upright.end
        parts = [rows_grid(upright, left, right), columns_grid(across, bottom, bottom + 4, "axis")]
        parts.append(line(left, bottom, right, bottom, "axis"))
        parts.append(write(right, bottom + 31, self.x_name, WIDTH - 60, "end", "small"))
        if not finite(v for series in self.series.values() for v in series):
            middle = (left + right) / 2
            parts.append(
                write(middle, (top + bottom) / 2, NO_VALUES, anchor="middle", style="over")
            )
        if self.y_name:
            parts.append(write(0, top - 14, self.y_name, WIDTH, style="small"))
        return join(parts)

    def _points(self, values: Sequence[Value], across: Scale, upright: Scale) -> list[list[Point]]:
        """The places of one series, in runs without a gap."""
        runs: list[list[Point]] = [[]]
        for x, y in zip(self.x, values, strict=True):
            both = finite([x, y])
            if len(both) == 2 and _is_on(both[0], across) and _is_on(both[1], upright):
                runs[-1].append((across.place(both[0]), upright.place(both[1])))
            elif runs[-1]:
                runs.append([])
        return [run for run in runs if run]

    def table(self) -> ResultTable:
        """The numbers behind the chart."""
        found = tuple(zip(self.x, *self.series.values(), strict=True))
        return ResultTable(self.title, (self.x_name or "x", *self.series), found)


def _is_on(value: float, axis: Scale) -> bool:
    """A logarithmic axis has no place for zero and below."""
    return value > 0 or not axis.log


def _sample(index: int) -> Markup:
    run = [(1.0, 0.0), (21.0, 0.0)]
    return join([_stroke(index, run), _marker(index, 11, 0)])


def _draw_series(index: int, runs: list[list[Point]]) -> Markup:
    crowded = sum(map(len, runs)) > CROWDED
    parts = [_stroke(index, run) for run in runs]
    marked = (run if not crowded or len(run) == 1 else [] for run in runs)
    return join(parts + [_marker(index, x, y) for run in marked for x, y in run])


def _stroke(index: int, run: list[Point]) -> Markup:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in run)
    return element("polyline", points=points, class_=f"series s{index % STYLES}")


def _marker(index: int, x: float, y: float) -> Markup:
    """Circle, square, diamond, triangle, and hollow circle and square."""
    style = f"mark m{index % STYLES}"
    shape = (0, 1, 2, 3, 0, 1)[index % STYLES]
    if shape == 0:
        return element("circle", cx=x, cy=y, r=3.5, class_=style)
    corners = {
        1: ((-3, -3), (3, -3), (3, 3), (-3, 3)),
        2: ((0, -4.5), (4.5, 0), (0, 4.5), (-4.5, 0)),
        3: ((0, -4.5), (4.2, 3.2), (-4.2, 3.2)),
    }[shape]
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return element("polygon", points=points, class_=style)
