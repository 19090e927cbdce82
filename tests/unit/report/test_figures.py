"""Charts as files of their own, and pages as Markdown."""

from __future__ import annotations

from xml.etree import ElementTree

from sfumato.core.answers import ResultTable
from sfumato.report import Bars, Lines, Page, Section
from sfumato.report.figures import MARGIN, standalone
from sfumato.report.markdown import markdown

CHART = Lines("Error", [1, 2], {"a < b": [0.5, None]}, note="a note")


def test_a_figure_is_well_formed_and_carries_its_colours() -> None:
    for chart in (CHART, Bars("Ages", ["one"], [1])):
        text = standalone(chart)
        tree = ElementTree.fromstring(text)
        x, y, wide, high = map(float, tree.attrib["viewBox"].split())
        ground = next(node for node in tree.iter() if node.get("class") == "ground")
        assert (x, y) == (-MARGIN, -MARGIN)
        assert (float(ground.attrib["width"]), float(ground.attrib["height"])) == (wide, high)
        assert "prefers-color-scheme: dark" in text and ".ground" in text
        assert "<script" not in text and "url(" not in text


def test_the_figure_draws_what_the_page_draws() -> None:
    inner = CHART.svg().split(">", 1)[1]
    assert inner in standalone(CHART)


def test_markdown_shows_text_figures_tables_and_notes() -> None:
    table = ResultTable("Numbers", ("name", "share_of"), (("a|b", 0.5), ("c\nd", None)), ("see",))
    section = Section("Part", "First.\n\nSecond.", [table], [CHART])
    page = Page("Title", "source", [("runs", 5)], sections=[section], audience="study")
    text = markdown(page, {"Error": "folder/error.svg"})
    for line in (
        *("# Title", "source", "**runs:** 5", "## Part", "First.", "Second.", "### Error"),
        *("a note", "![Error](folder/error.svg)", "| name | share of |", "| --- | ---: |"),
        *("| a\\|b | 0.5 |", "| c d | – |", "see"),
    ):
        assert line in text.splitlines(), line
    assert "\n\n\n" not in text
