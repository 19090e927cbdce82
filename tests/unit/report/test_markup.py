"""Markup: everything is escaped, and texts are cut to their room."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.report.markup import Markup, clean, element, join, shorten, text_width


@given(st.text())
def test_any_text_makes_one_element_with_one_attribute(text: str) -> None:
    made = ElementTree.fromstring(element("a", text, title=text).encode())
    assert len(made) == 0
    assert (made.text or "") == clean(text)
    assert list(made.attrib) == ["title"] and made.get("title") == clean(text)


def test_markup_is_not_escaped_twice() -> None:
    inner = element("b", "1 < 2")
    assert element("p", inner, " & ") == "<p><b>1 &lt; 2</b> &amp; </p>"
    assert isinstance(join([inner, inner]), Markup)


def test_attributes() -> None:
    assert (
        element("x", class_="a", stroke_width=1.5, href=None)
        == '<x class="a" stroke-width="1.5"></x>'
    )
    assert element("meta", name="viewport", x=-0.001) == '<meta name="viewport" x="0"/>'


@pytest.mark.parametrize("bad", ["\x00", "\x1b", "\u202e", "\ud800", "\ufffe", "\u2066"])
def test_clean_replaces_what_could_repaint_or_break(bad: str) -> None:
    assert clean(f"a{bad}b") == "a\ufffdb"
    clean(bad).encode()


@given(st.text(max_size=80), st.floats(20, 300))
def test_shorten_fits(text: str, room: float) -> None:
    short = shorten(text, room)
    assert text_width(short) <= room
    assert short == clean(text) or short.endswith("…")


def test_shorten_of_a_very_long_text() -> None:
    assert len(shorten("x" * 10**6, 100)) < 20
