"""Charts as files of their own, legible on light and dark pages that know nothing of us."""

from __future__ import annotations

import re

from sfumato.report.charts import Chart
from sfumato.report.markup import Markup, element
from sfumato.report.page import style

MARGIN = 14.0
VIEW = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


def standalone(chart: Chart) -> str:
    """A chart as an SVG file with its colours in it, on a ground of its own.

    The ground follows the reader's setting, light or dark, and so do the lines: whatever page the
    figure is put into, it has its contrast.
    """
    drawn = chart.svg()
    width, height = (float(length) for length in VIEW.findall(drawn)[0])
    wide, high = width + 2 * MARGIN, height + 2 * MARGIN
    opening, inner = drawn.split(">", 1)
    opening = VIEW.sub(f'viewBox="{-MARGIN:g} {-MARGIN:g} {wide:g} {high:g}"', opening)
    ground = element("rect", x=-MARGIN, y=-MARGIN, width=wide, height=high, rx=6, class_="ground")
    rules = element("style", style("colours.css", "charts.css"), Markup(GROUND))
    size = f' width="{1.5 * wide:.0f}" height="{1.5 * high:.0f}">'
    return f"{opening}{size}{rules}{ground}{inner}\n"


GROUND = ".ground { fill: var(--paper); }\n"
