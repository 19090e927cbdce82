"""Pages, charts and terminal tables made of finished results; nothing is computed here."""

from sfumato.report.charts import Bars, Chart, Histogram, Lines, PairedBars, Ranges
from sfumato.report.page import Page, Section, is_report, render
from sfumato.report.terminal import json_text, print_table, print_verdicts

__all__ = [
    "Bars",
    "Chart",
    "Histogram",
    "Lines",
    "Page",
    "PairedBars",
    "Ranges",
    "Section",
    "is_report",
    "json_text",
    "print_table",
    "print_verdicts",
    "render",
]
