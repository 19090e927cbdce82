"""The charts a page can hold, and what they have in common."""

from __future__ import annotations

from typing import Protocol

from sfumato.core.answers import ResultTable
from sfumato.report.bars import Bars, PairedBars
from sfumato.report.histogram import Histogram
from sfumato.report.lines import Lines
from sfumato.report.markup import Markup
from sfumato.report.ranges import Ranges

__all__ = ["Bars", "Chart", "Histogram", "Lines", "PairedBars", "Ranges"]


class Chart(Protocol):
    """What a page asks of a chart."""

    @property
    def title(self) -> str:
        """The name, written above the chart."""

    @property
    def note(self) -> str:
        """A sentence below the name, or nothing."""

    @property
    def owner_only(self) -> bool | None:
        """Whether it shows what only the owner of the data may know."""

    def svg(self) -> Markup:
        """The chart as one SVG element, coloured by the page."""

    def table(self) -> ResultTable:
        """The numbers behind it."""
