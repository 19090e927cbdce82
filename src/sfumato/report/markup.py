"""A small writer of HTML and SVG in which text is escaped unless it is markup already."""

from __future__ import annotations

import html
import re

VOID = frozenset({"meta", "br", "hr"})
# Not allowed in XML, or able to reorder and repaint what a reader sees.
UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef"
    "\ufff9-\ufffb\ufffe\uffff]"
)
SPACES = re.compile(r"[\t\n\r\x0b\x0c\x85\u2028\u2029]+")


class Markup(str):
    """Text that is markup already; a plain `str` is escaped on its way in."""

    __slots__ = ()


def clean(text: str) -> str:
    """One line without control characters, so that no cell can break a page or a terminal.

    >>> clean("two\\nlines\\x1b[2J")
    'two lines�[2J'
    """
    return UNSAFE.sub("\ufffd", SPACES.sub(" ", text))


def escape(text: str) -> Markup:
    """Text made safe inside an element or an attribute; markup passes as it is."""
    return text if isinstance(text, Markup) else Markup(html.escape(clean(text)))


def join(parts: list[Markup]) -> Markup:
    """Pieces of markup one after the other."""
    return Markup("".join(parts))


def element(name: str, /, *children: str, **attributes: str | float | None) -> Markup:
    """One element; an attribute that is None is left out, `_` in its name is written `-`.

    >>> element("td", "a < b", class_="n")
    '<td class="n">a &lt; b</td>'
    """
    opening = name + "".join(_attribute(key, value) for key, value in attributes.items())
    if name in VOID:
        return Markup(f"<{opening}/>")
    return Markup(f"<{opening}>{''.join(escape(child) for child in children)}</{name}>")


def _attribute(key: str, value: str | float | None) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else coordinate(value)
    return f' {key.rstrip("_").replace("_", "-")}="{escape(text)}"'


def coordinate(value: float) -> str:
    """A length for an attribute: two decimals, no trailing zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def text_width(text: str, size: float = 13.0) -> float:
    """About how wide a text is drawn; errs to the wide side, because fonts are the reader's."""
    return size * sum(_advance(mark) for mark in text)


def _advance(mark: str) -> float:
    if mark in " .,:;'|!ijlIft()[]":
        return 0.38
    if mark in "mwMW@%&":
        return 0.95
    if ord(mark) > 0x2E80:
        return 1.05
    return 0.7 if mark.isupper() else 0.61


def shorten(text: str, room: float, size: float = 13.0) -> str:
    """The text if it fits into `room`, else its beginning and an ellipsis.

    >>> shorten("Some-college, no degree", 90)
    'Some-colle…'
    """
    text = clean(text)
    if text_width(text[:500], size) <= room:
        return text
    kept, used = 0, text_width("…", size)
    while used + size * _advance(text[kept]) <= room:
        used += size * _advance(text[kept])
        kept += 1
    return text[:kept].rstrip() + "…"
