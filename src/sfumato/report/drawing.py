"""Parts that all charts share: the SVG frame, texts, axes and the key."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sfumato.report.markup import Markup, element, join, shorten, text_width
from sfumato.report.scales import Scale

WIDTH = 460.0  # narrow, so that text stays legible on a telephone and two charts fit side by side
SMALL = 11.5
LINE = 18.0
NO_VALUES, LOG_SCALE = "no values", "log scale"
NAMESPACE = "http://www.w3.org/2000/svg"


def svg(title: str, desc: str, height: float, *children: Markup) -> Markup:
    """The frame of a chart, with its name and a description for those who do not see it."""
    return element(
        "svg",
        element("title", title),
        element("desc", desc),
        *children,
        xmlns=NAMESPACE,
        class_="chart",
        role="img",
        viewBox=f"0 0 {WIDTH:.0f} {height:.0f}",
    )


def write(
    x: float, y: float, text: str, room: float = WIDTH, anchor: str = "start", style: str = ""
) -> Markup:
    """A text around the height `y`, cut to `room`; if cut, the whole of it shows on hovering."""
    if not text:
        return Markup("")
    size = SMALL if "small" in style else 13.0
    short = shorten(text, room, size)
    whole = [element("title", text)] if short.endswith("…") else []
    place = {"x": x, "y": y + size * 0.35, "text_anchor": None if anchor == "start" else anchor}
    return element("text", *whole, short, class_=style or None, **place)


def line(x1: float, y1: float, x2: float, y2: float, style: str) -> Markup:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=style)


def box(x1: float, x2: float, y: float, height: float, style: str, says: str = "") -> Markup:
    """A rectangle between two places, with a text on hovering."""
    whole = [element("title", says)] if says else []
    left, width = min(x1, x2), abs(x2 - x1)
    return element("rect", *whole, x=left, y=y, width=width, height=height, class_=style)


def columns_grid(scale: Scale, top: float, bottom: float, style: str = "grid") -> Markup:
    """Upright lines with their texts below: a grid behind rows, or the ticks of an axis."""
    parts = []
    for place, text in _spaced(scale):
        parts.append(line(place, top, place, bottom, style))
        half = text_width(text, SMALL) / 2
        middle = max(half, min(WIDTH - half, place))
        parts.append(write(middle, bottom + 12, text, anchor="middle", style="small"))
    return join(parts)


def rows_grid(scale: Scale, left: float, right: float) -> Markup:
    """Level grid lines with their texts at the left, for charts made of columns."""
    parts = []
    for place, text in scale.marks():
        parts.append(line(left, place, right, place, "grid"))
        parts.append(write(left - 6, place, text, anchor="end", style="small"))
    return join(parts)


def gutter(scale: Scale) -> float:
    """Room that the texts of an upright axis need."""
    return 12 + max((text_width(text, SMALL) for _, text in scale.marks()), default=0.0)


def _spaced(scale: Scale) -> list[tuple[float, str]]:
    """Ticks thinned until their texts stand apart."""
    marks = scale.marks()
    widest = max((text_width(text, SMALL) for _, text in marks), default=0.0) + 10
    step = min((abs(b[0] - a[0]) for a, b in pairwise(marks)), default=widest)
    return marks[:: max(1, -int(-widest // max(step, 1.0)))]


def key(entries: Sequence[tuple[Markup, str]]) -> tuple[Markup, float]:
    """A key above a chart, wrapped to its width, and the height it takes.

    Each sample is drawn in a place 22 wide and around the height 0.
    """
    parts, x, y = [], 0.0, 9.0
    for sample, text in entries:
        text = shorten(text, WIDTH - 40)
        width = 28 + text_width(text) + 14
        if x and x + width > WIDTH:
            x, y = 0.0, y + LINE
        move = f"translate({x:.1f} {y:.1f})"
        parts.append(element("g", sample, write(28, 0, text), transform=move))
        x += width
    return join(parts), (y + 20 if parts else 0.0)
