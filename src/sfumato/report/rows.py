"""What charts with one row for each label share: folding of long lists, and the frame of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sfumato.report.drawing import LOG_SCALE, NO_VALUES, SMALL, WIDTH, columns_grid, write
from sfumato.report.markup import Markup, clean, join, text_width
from sfumato.report.numbers import with_unit
from sfumato.report.scales import Scale, Value, finite, known, scale

GAP = 8.0
SIDE = 0.4 * WIDTH  # labels get at most this much beside the rows


@dataclass(frozen=True)
class Rows:
    """Labels and one or more series of values beside them."""

    labels: tuple[str, ...]
    series: tuple[tuple[Value, ...], ...]

    def fold(self, most: int, additive: bool) -> Rows:
        """At most `most` rows: the largest in their order, and one for all others.

        Only what adds up is added up; else the last row says how many are not drawn.
        """
        extra = len(self.labels) - (most - 1)
        if extra <= 1:
            return self
        by_size = sorted(range(len(self.labels)), key=self._weight, reverse=True)
        kept = sorted(by_size[: most - 1])
        rest = by_size[most - 1 :]
        name = f"others ({extra:,})" if additive else f"{extra:,} smaller, not drawn"
        tails = [sum(finite(line[i] for i in rest)) if additive else None for line in self.series]
        return Rows(
            (*(self.labels[i] for i in kept), name),
            tuple(
                (*(line[i] for i in kept), tail)
                for line, tail in zip(self.series, tails, strict=True)
            ),
        )

    def cut(self, most: int) -> Rows:
        """At most `most` rows: the first ones, and one that says how many are not drawn."""
        extra = len(self.labels) - (most - 1)
        if extra <= 1:
            return self
        lines = tuple((*line[: most - 1], None) for line in self.series)
        return replace(
            self,
            labels=(*self.labels[: most - 1], f"{extra:,} more, not drawn"),
            series=lines,
        )

    def _weight(self, row: int) -> float:
        return max(map(abs, finite(line[row] for line in self.series)), default=-1.0)


def rows(labels: Sequence[str], *series: Sequence[Value]) -> Rows:
    """Labels and series, all of one length.

    >>> rows(["a", "b"], [1, 2]).series
    ((1, 2),)
    """
    if any(len(line) != len(labels) for line in series):
        raise ValueError("a chart needs as many values as labels")
    texts = tuple(clean(str(label)) or "(empty)" for label in labels)
    return Rows(texts, tuple(tuple(line) for line in series))


@dataclass(frozen=True)
class Frame:
    """Where rows stand: labels at the left, a scale, and texts of values at the right."""

    labels: tuple[str, ...]
    texts: tuple[str, ...]
    scale: Scale
    top: float
    pitch: float
    lead: float = 0.0  # above each row, for labels too long to stand beside it

    @property
    def bottom(self) -> float:
        """The lower end of the rows."""
        return self.top + self.pitch * len(self.labels)

    @property
    def height(self) -> float:
        """The height of the whole chart."""
        return self.bottom + (40 if self.scale.log else 24)

    def in_unit(self, unit: str) -> Frame:
        """The frame with a scale in a unit."""
        return replace(self, scale=self.scale.in_unit(unit))

    def middle(self, row: int) -> float:
        """The middle of a row."""
        return self.top + self.pitch * row + (self.lead + self.pitch) / 2

    def draw(self) -> Markup:
        """Grid, labels and values."""
        if not self.labels:
            return write(WIDTH / 2, self.top + 10, NO_VALUES, anchor="middle")
        parts = [columns_grid(self.scale, self.top, self.bottom)]
        for row, (label, text) in enumerate(zip(self.labels, self.texts, strict=True)):
            parts.append(self._label(row, label))
            parts.append(write(WIDTH, self.middle(row), text, anchor="end", style="small value"))
        if self.scale.log:
            end = self.scale.end
            parts.append(write(end, self.bottom + 29, LOG_SCALE, anchor="end", style="small"))
        return join(parts)

    def _label(self, row: int, label: str) -> Markup:
        if self.lead:
            return write(0, self.top + self.pitch * row + self.lead / 2 + 2, label, style="over")
        room = self.scale.start - GAP
        return write(room, self.middle(row), label, room, anchor="end")


def frame(
    data: Rows, texts: Sequence[str], log: bool, top: float, pitch: float, zero: bool = True
) -> Frame:
    """The frame for some rows: labels beside them, or above them if many would be cut."""
    widths = [text_width(label) for label in data.labels]
    cut = sum(width > SIDE for width in widths)
    lead = 17.0 if cut and (len(widths) <= 12 or cut > len(widths) / 4) else 0.0
    left = 1.0 if lead else min(SIDE, max(widths, default=0.0)) + GAP
    right = WIDTH - max((text_width(text, SMALL) for text in texts), default=0.0) - GAP
    values = [value for line in data.series for value in line]
    placed = scale(values, left, right, log, zero)
    return Frame(data.labels, tuple(texts), placed, top, pitch + lead, lead)


def summary(data: Rows, names: Sequence[str], unit: str) -> str:
    """A sentence on each series: how many values, the largest and the smallest."""
    lines = zip(names, data.series, strict=True)
    return " ".join(_sentence(data.labels, line, name, unit) for name, line in lines)


def _sentence(labels: Sequence[str], values: Sequence[Value], name: str, unit: str) -> str:
    pairs = [(v, label) for v, label in zip(values, labels, strict=True) if v is not None]
    pairs = [(value, label) for value, label in pairs if known(value)]
    start = f"{name}: " if name else ""
    if not pairs:
        return f"{start}no values."
    (low, least), (high, most) = min(pairs), max(pairs)
    return (
        f"{start}{len(pairs):,} values, largest {with_unit(high, unit)} ({most}), "
        f"smallest {with_unit(low, unit)} ({least})."
    )
