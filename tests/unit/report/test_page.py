"""The page: well-formed, self-contained, marked for its reader, legible in both lights."""

from __future__ import annotations

import re
from itertools import product
from xml.etree import ElementTree

import pytest

from sfumato.core.answers import ResultTable, Status, Verdict, result_table
from sfumato.core.errors import Refused
from sfumato.report import Bars, Chart, Lines, Page, PairedBars, Ranges, Section, render
from sfumato.report.page import STYLES, style

NASTY = '</style></p><script>alert("&")</script>\x1b[2J\n' + "long" * 300
SPACES = re.compile(r"https?://www\.w3\.org/[\w/]+")


def page(text: str = "text", audience: str = "owner") -> Page:
    """A page in which every place that takes a text has this one."""
    charts: list[Chart] = [Bars(text, [text], [1], note=text), Lines(text, [1], {text: [1]})]
    if audience == "owner":
        charts += [
            Ranges(text, [text], [1], [2], [3], truth=[2]),
            PairedBars(text, [text], [1], [2]),
        ]
    table = ResultTable(text, (text, "n"), ((text, 1.5), (text, None)), (text,))
    verdicts = [Verdict(text, status, text, text, text) for status in Status]
    sections = [Section(text, f"{text}\n\n{text}", [table], charts)] * 4
    return Page(text, text, [(text, text), ("n", 1234)], verdicts, sections, audience, text)  # type: ignore[arg-type]


def read(text: str) -> ElementTree.Element:
    """The page as a tree."""
    assert text.startswith("<!DOCTYPE html>\n<html")
    return ElementTree.fromstring(text.encode())


@pytest.mark.parametrize("audience", ["owner", "public", "study"])
def test_well_formed_and_self_contained(audience: str) -> None:
    text = render(page(audience=audience))
    tree = read(text)
    assert "://" not in SPACES.sub("", text)
    assert "@import" not in text and "url(" not in text
    assert {node.tag for node in tree.iter()}.isdisjoint({"script", "link", "img", "iframe"})
    ids = [node.get("id") for node in tree.iter() if node.get("id")]
    assert len(ids) == len(set(ids))
    links = [(node.get("href") or "")[1:] for node in tree.iter("a")]
    assert links and set(links) <= set(ids)


def test_nothing_can_be_injected() -> None:
    text = render(page(NASTY))
    plain, nasty = read(render(page())), read(text)
    assert "<script" not in text and "\x1b" not in text
    assert text.count("</style>") == 1
    kept = {"head", "style", "title", "p", "td", "th", "section", "table", "li"}
    for tag in kept:
        assert len(list(plain.iter(tag))) == len(list(nasty.iter(tag)))


def test_the_reader_is_told_who_may_read() -> None:
    owner, public = render(page()), render(page(audience="public"))
    assert owner.count(">Owner only. Do not publish.<") == 2  # on top, and on every sheet
    assert '<body class="owner">' in owner and '<body class="public">' in public
    assert "Owner only. Do not publish.<" not in public
    assert "everything here follows from the published files." in public


def test_a_public_page_refuses_what_shows_the_original() -> None:
    chart = PairedBars("Age", ["a"], [1], [2])
    with pytest.raises(Refused, match="Age"):
        Page("t", sections=[Section("s", charts=[chart])], audience="public")
    with pytest.raises(Refused, match="Errors"):
        Page("t", sections=[Section("Errors", owner_only=True)], audience="public")
    with pytest.raises(ValueError, match="owner, public or study"):
        Page("t", audience="everyone")  # type: ignore[arg-type]


def test_claims_come_first_with_sign_and_word() -> None:
    text = render(page())
    assert text.index(">Claims<") < text.index('id="section-1"')
    cards = [node for node in read(text).iter("li") if "card" in (node.get("class") or "")]
    assert len(cards) == len(Status)
    for card, status in zip(cards, Status, strict=True):
        status_line = card[0]
        assert status_line[0].tag == "svg" and status_line[0].tail == status.value
    assert "this must not be published" in text


def test_a_page_where_all_holds_gives_no_warning() -> None:
    text = render(Page("t", verdicts=[Verdict("5-anonymity", Status.VERIFIED)]))
    assert "must not be published" not in text and "1 check: 1 verified." in text


def test_tables_have_captions_heads_and_notes() -> None:
    table = result_table("Errors", [{"query": "q1", "mean_error": 0.25}, {"query": "q2"}], ["why"])
    tree = read(render(Page("t", sections=[Section("s", tables=[table])])))
    found = next(tree.iter("table"))
    assert [node.text for node in found.iter("caption")] == ["Errors"]
    assert [node.text for node in found.iter("th")] == ["query", "mean error", "q1", "q2"]
    assert [node.text for node in found.iter("td")] == ["0.25", "–"]
    assert "why" in [node.text for node in tree.iter("p")]


def test_a_long_table_is_cut_and_says_so() -> None:
    table = result_table("Long", [{"row": index} for index in range(1200)])
    text = render(Page("t", sections=[Section("s", tables=[table])]))
    assert text.count("<tr>") == 1001
    assert "The first 1,000 of 1,200 rows." in text


def test_an_empty_page() -> None:
    table = ResultTable("nothing", (), ())
    assert read(render(Page("", sections=[Section("", tables=[table])]))) is not None


def test_the_same_page_twice_is_the_same_text() -> None:
    assert render(page()) == render(page())


STYLE = style(*STYLES)


def test_style_knows_dark_paper_and_small_screens() -> None:
    assert "@media screen and (prefers-color-scheme: dark)" in STYLE
    assert "@media print" in STYLE and "size: A4" in STYLE
    assert "<" not in STYLE and "&" not in STYLE  # it stands in the page as it is


def contrast(one: str, two: str) -> float:
    """The contrast of two colours by the web's accessibility guidelines."""

    def light(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted([light(one), light(two)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("which", [0, 1], ids=["light", "dark"])
def test_colours_have_enough_contrast(which: int) -> None:
    blocks = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    colours = dict(re.findall(r"--([\w-]+): (#\w{6})", blocks[which]))
    for text, ground in product(["ink", "muted", "accent", "bad"], ["paper", "raised"]):
        assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for tone in ("good", "bad", "plea", "ask"):
        assert contrast(colours[tone], colours[f"{tone}-soft"]) >= 4.5, tone
    for shape in ("accent", "before", "truth", *(f"s{index}" for index in range(6))):
        assert contrast(colours[shape], colours["paper"]) >= 3, shape
    assert contrast(colours["before"], colours["band"]) >= 2.5
