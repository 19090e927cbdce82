"""One self-contained page: claims on top, then sections of text, tables and charts.

The page needs no network, no script and no fonts of its own, follows the reader's light or dark
setting, and prints on A4. It carries no date: a public page must not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from sfumato.core.answers import ResultTable, Status, Verdict
from sfumato.core.errors import Refused
from sfumato.report.charts import Chart
from sfumato.report.markup import Markup, element, join
from sfumato.report.numbers import cell
from sfumato.report.tables import table_html

Audience = Literal["owner", "public", "study"]

MARKING = {
    "owner": ("Owner only. Do not publish.", "It was made with the original data or the ledger."),
    "public": ("Public:", "everything here follows from the published files."),
    "study": ("Study:", "measured on public or generated tables; no release is described here."),
}
STYLES = ("colours.css", "style.css", "charts.css", "paper.css")
MEANING = {
    Status.VERIFIED: "checked by computation, and found to hold",
    Status.VIOLATED: "checked by computation, and found not to hold",
    Status.ARGUED: "rests on what is known of the method; files alone cannot show it",
    Status.NEEDS_OWNER: "can be checked only with the original data or the ledger",
}
ICONS = {
    Status.VERIFIED: "M3 8.5l3.5 3.5L13 4.5",
    Status.VIOLATED: "M4 4l8 8M12 4l-8 8",
    Status.ARGUED: "M2.5 9.5c2-4 4-3.5 5.5-1.5s3.5 2.5 5.5-1.5",
    Status.NEEDS_OWNER: "M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.8-1.1 1.8M8 12.4v.6",
}
# Nothing may be fetched and no script may run, whatever a text in the page contains.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
META = join(
    [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
    ]
)
HEAD = f'<!DOCTYPE html>\n<html lang="en"><head>{META}'
BEHIND = 200


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it; an empty line in the text begins a paragraph.

    Charts know whether they show the original data. Texts and tables do not: say `owner_only`
    for a section that holds errors, risks or anything else found with the original data.
    """

    title: str
    text: str = ""
    tables: Sequence[ResultTable] = ()
    charts: Sequence[Chart] = ()
    owner_only: bool = False


@dataclass(frozen=True)
class Page:
    """A report; `facts` are names and values shown below the title.

    A public page refuses sections and charts that are for the owner only.

    >>> page = Page("Adult", "Mondrian, k = 5", facts=[("Rows", 30162)])
    >>> "30,162" in render(page)
    True
    """

    title: str
    subtitle: str = ""
    facts: Sequence[tuple[str, Any]] = ()
    verdicts: Sequence[Verdict] = ()
    sections: Sequence[Section] = ()
    audience: Audience = "owner"
    footer: str = ""

    def __post_init__(self) -> None:
        if self.audience not in MARKING:
            raise ValueError("the audience of a page is owner, public or study")
        private = [name for section in self.sections for name in _private(section)]
        if self.audience == "public" and private:
            raise Refused(
                f"a public page cannot show what comes from the original data: {private[0]!r}",
                "leave it out, or make the page for the owner",
            )


def _private(section: Section) -> list[str]:
    """What a section holds that only the owner may see, by title."""
    charts = [chart.title for chart in section.charts if chart.owner_only]
    return [section.title, *charts] if section.owner_only else charts


def render(page: Page) -> str:
    """The page as one HTML file, which is well-formed XML as well."""
    head = element(
        "head",
        META,
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", page.title),
        element("style", style(*STYLES)),
    )
    body = element("body", _marking(page), *_main(page), class_=page.audience)
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def style(*names: str) -> Markup:
    """Style sheets of this room, one after the other."""
    folder = files("sfumato.report")
    return Markup("".join((folder / name).read_text(encoding="utf-8") for name in names))


def is_report(path: Path) -> bool:
    """Whether a file begins as every page does."""
    with path.open("rb") as file:
        return file.read(len(HEAD)) == HEAD.encode()


def _marking(page: Page) -> Markup:
    """Who may read this: a band on top, and on paper a line along the edge of every sheet."""
    name, meaning = MARKING[page.audience]
    band = element("p", element("strong", name), f" {meaning}", class_="marking", role="note")
    if page.audience != "owner":
        return band
    return join([band, element("div", name, class_="ribbon", aria_hidden="true")])


def _main(page: Page) -> list[Markup]:
    parts = [_title(page), _claims(page.verdicts), _contents(page.sections)]
    parts += [_section(index, section) for index, section in enumerate(page.sections, 1)]
    footer = element("footer", *_paragraphs(page.footer)) if page.footer else Markup("")
    return [element("main", *parts), footer]


def _title(page: Page) -> Markup:
    subtitle = element("p", page.subtitle, class_="subtitle") if page.subtitle else Markup("")
    pairs = [_fact(name, cell(value)) for name, value in page.facts]
    facts = element("dl", *pairs, class_="facts") if pairs else Markup("")
    return element("header", element("h1", page.title), subtitle, facts)


def _fact(name: str, value: str) -> Markup:
    wide = "wide" if len(value) > 24 else None
    return element("div", element("dt", name), element("dd", value), class_=wide)


def _claims(verdicts: Sequence[Verdict]) -> Markup:
    if not verdicts:
        return Markup("")
    counts = Counter(Status(verdict.status) for verdict in verdicts)
    return element(
        "section",
        element("h2", "Claims", id="claims"),
        _verdict_line(counts),
        element("ul", *map(_card, verdicts), class_="cards"),
        element("dl", *_meanings(counts), class_="meanings"),
        aria_labelledby="claims",
    )


def _verdict_line(counts: Counter[Status]) -> Markup:
    total = "1 check" if counts.total() == 1 else f"{counts.total():,} checks"
    told = ", ".join(f"{counts[status]:,} {status.value}" for status in Status if counts[status])
    if not counts[Status.VIOLATED]:
        return element("p", f"{total}: {told}.", class_="lead")
    warning = element("strong", "A claim does not hold: this must not be published.")
    return element("p", warning, f" {total}: {told}.", class_="lead violated")


def _card(verdict: Verdict) -> Markup:
    status = Status(verdict.status)
    rows = [("Found", verdict.found), ("Worst", verdict.worst)]
    told = [element("div", element("dt", name), element("dd", text)) for name, text in rows if text]
    return element(
        "li",
        element("p", _icon(status), status.value, class_="status"),
        element("h3", verdict.claim),
        element("dl", *told) if told else Markup(""),
        element("p", verdict.note, class_="note") if verdict.note else Markup(""),
        class_=f"card {_slug(status)}",
    )


def _slug(status: Status) -> str:
    return status.value.replace(" ", "-")


def _icon(status: Status) -> Markup:
    path = element("path", d=ICONS[status])
    return element("svg", path, class_="icon", viewBox="0 0 16 16", aria_hidden="true")


def _meanings(counts: Counter[Status]) -> list[Markup]:
    return [
        element("div", element("dt", status.value), element("dd", MEANING[status]))
        for status in Status
        if counts[status]
    ]


def _contents(sections: Sequence[Section]) -> Markup:
    """Links to the sections, once there are enough of them to get lost in."""
    if len(sections) < 4:
        return Markup("")
    links = [
        element("li", element("a", section.title, href=f"#section-{index}"))
        for index, section in enumerate(sections, 1)
    ]
    return element("nav", element("ul", *links), aria_label="Contents")


def _section(index: int, section: Section) -> Markup:
    name = f"section-{index}"
    charts = [_figure(chart) for chart in section.charts]
    return element(
        "section",
        element("h2", section.title, id=name),
        *_paragraphs(section.text),
        element("div", *charts, class_="charts") if charts else Markup(""),
        *[table_html(table) for table in section.tables],
        aria_labelledby=name,
    )


def _figure(chart: Chart) -> Markup:
    note = element("p", chart.note, class_="note") if chart.note else Markup("")
    behind = element(
        "details",
        element("summary", "Numbers", element("span", f" behind {chart.title}", class_="hidden")),
        table_html(chart.table(), most=BEHIND, captioned=False),
    )
    caption = element("figcaption", element("h3", chart.title), note)
    return element("figure", caption, chart.svg(), behind)


def _paragraphs(text: str) -> list[Markup]:
    pieces = text.replace("\r\n", "\n").split("\n\n")
    return [element("p", piece.strip()) for piece in pieces if piece.strip()]
