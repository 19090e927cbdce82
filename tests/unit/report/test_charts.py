"""Charts: well-formed SVG with a name and a description, for all kinds of odd data."""

from __future__ import annotations

import math
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.report.charts import Bars, Chart, Histogram, Lines, PairedBars, Ranges

SVG = "{http://www.w3.org/2000/svg}"
NASTY = '</title><script>alert("1")</script>&\x00\n\u202e\'' + "x" * 500
ODD: list[list[float | None]] = [
    [],
    [0],
    [7],
    [None],
    [math.nan, math.inf, -math.inf],
    [1e300, -1e308, 1.7e308],
    [1e-300, 5e-324, 0],
    [-5, 3, None, 1e9],
    [1e16, 1e16 + 2],
    list(range(500)),
]


def all_charts(values: list[Any], name: str, log: bool) -> list[Chart]:
    """One chart of each kind over the values."""
    labels = [f"{name}{index}" for index in range(len(values))]
    back = values[::-1]
    edges = list(range(len(values) + 1))
    return [
        Bars(name, labels, values, unit=name, log=log),
        Bars(name, labels, values, log=log, additive=False),
        PairedBars(name, labels, values, back, log=log, names=(name, name)),
        Histogram(name, edges, values, unit=name, log=log),
        Histogram(name, edges, values, before=back, log=log),
        Ranges(name, labels, values, back, values, log=log),
        Ranges(name, labels, values, back, values, truth=back, unit=name, log=log),
        Lines(name, values, {name: back, "two": values}, name, name, log=log, log_x=log),
        Lines(name, values, {}),
    ]


def read(chart: Chart) -> ElementTree.Element:
    """The chart as a tree, checked for what every chart must have."""
    tree = ElementTree.fromstring(chart.svg().encode())
    assert tree[0].tag == f"{SVG}title" and tree[1].tag == f"{SVG}desc"
    assert tree.get("role") == "img" and tree[1].text
    for node in tree.iter():
        for key in set(node.attrib) - {"class", "role", "text-anchor"}:
            assert not re.search("nan|inf", node.attrib[key].lower())
    return tree


def texts(chart: Chart) -> str:
    """Everything a chart says, including what shows on hovering."""
    return " | ".join(node.text or "" for node in read(chart).iter())


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("values", ODD, ids=lambda values: str(values)[:20])
def test_odd_data(values: list[float | None], log: bool) -> None:
    for chart in all_charts(values, "name", log):
        tree = read(chart)
        width, height = map(float, (tree.get("viewBox") or "").split()[2:])
        for box in tree.iter(f"{SVG}rect"):
            assert float(box.get("width") or -1) >= 0 and float(box.get("height") or -1) >= 0
        for text in tree.iter(f"{SVG}text"):
            assert 0 <= float(text.get("x") or -1) <= width
            assert 0 <= float(text.get("y") or -1) <= height


@settings(max_examples=40, deadline=None)
@given(st.lists(st.none() | st.floats(), max_size=5), st.booleans())
def test_any_data(values: list[float | None], log: bool) -> None:
    for chart in all_charts(values, "x", log):
        read(chart)


def test_nothing_can_be_injected() -> None:
    for chart in all_charts([1, 2, 3], NASTY, False):
        tags = {node.tag.removeprefix(SVG) for node in read(chart).iter()}
        assert "script" not in tags
        assert "<script" not in chart.svg()


def test_tables_hold_every_number() -> None:
    for chart in all_charts([3, None, 5], "n", False):
        assert len(chart.table()) == 3


@pytest.mark.parametrize(
    "make",
    [
        lambda: Bars("b", ["a"], []),
        lambda: PairedBars("b", ["a"], [1], [1, 2]),
        lambda: Histogram("b", [1, 2], [1, 2]),
        lambda: Ranges("b", ["a"], [1], [1], [1], truth=[]),
        lambda: Lines("b", [1], {"a": [1, 2]}),
    ],
)
def test_lengths_must_agree(make: Any) -> None:
    with pytest.raises(ValueError, match="needs"):
        make()


def test_counts_are_folded_into_others_and_rates_are_not() -> None:
    labels, values = [f"label {i}" for i in range(30)], [float(i) for i in range(30)]
    counts = texts(Bars("b", labels, values, most=5))
    assert "others (26)" in counts and "325" in counts
    assert "label 29" in counts and "label 3 " not in counts
    rates = texts(Bars("b", labels, values, most=5, additive=False))
    assert "26 smaller, not drawn" in rates and "325" not in rates
    first = texts(Ranges("r", labels, values, values, values, most=5))
    assert "label 3" in first and "26 more, not drawn" in first


def test_long_labels_stand_above_and_very_long_ones_are_cut() -> None:
    name = "count where " + "x" * 300
    tree = read(Bars("b", ["a" * 40, name], [1, 2]))
    shown = [node for node in tree.iter(f"{SVG}text") if "over" in (node.get("class") or "")]
    assert len(shown) == 2
    assert shown[1][0].text == name and (shown[1][0].tail or "").endswith("…")


def test_bins_are_merged_and_none_is_lost() -> None:
    chart = Histogram("h", list(range(1001)), [1] * 1000)
    bars = list(read(chart).iter(f"{SVG}rect"))
    assert len(bars) <= 120
    assert sum(int(bar[0].text.rpartition(" ")[2]) for bar in bars if bar[0].text) == 1000


def test_uneven_bins_are_told() -> None:
    assert "unequal" in texts(Histogram("h", [2, 4, 8, math.inf], [3, 2, 1]))
    assert "unequal" not in texts(Histogram("h", [2, 4, 6, 8], [3, 2, 1]))


def test_an_open_bound_is_told_and_drawn() -> None:
    svg = Ranges("r", ["a", "b"], [None, 2], [2, 2], [3, math.inf]).svg()
    assert svg.count('class="open"') == 3 and "open bound" in svg
    assert "open" not in Ranges("r", ["a"], [1], [2], [3]).svg()


def test_a_truth_outside_its_bounds_is_told() -> None:
    chart = Ranges("r", ["a", "b"], [1, None], [2, 2], [3, 3], truth=[4, -9])
    assert "truth outside the bounds" in texts(chart) and "in 1 of them" in texts(chart)
    assert "outside" not in texts(Ranges("r", ["a"], [1], [2], [3]))


def test_what_shows_the_original_is_for_the_owner() -> None:
    assert Ranges("r", ["a"], [1], [2], [3], truth=[2]).owner_only
    assert PairedBars("p", ["a"], [1], [2]).owner_only
    assert Histogram("h", [1, 2], [1], before=[1]).owner_only
    assert not Histogram("h", [1, 2], [1]).owner_only
    assert not Histogram("h", [1, 2], [1], before=[1], owner_only=False).owner_only


def test_a_gap_breaks_a_line() -> None:
    svg = Lines("l", [1, 2, 3, 4], {"a": [1, math.nan, 3, 4]}).svg()
    assert svg.count("<polyline") == 3  # the key and two runs


def test_log_scales_are_named() -> None:
    assert "log scale" in texts(Bars("b", ["a"], [10], log=True))
    assert "log scale" in texts(Histogram("h", [1, 2], [10], log=True))
