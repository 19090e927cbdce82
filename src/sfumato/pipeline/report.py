"""One page about a release: public facts only, or everything for the owner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.audit.audit import audit
from sfumato.core import catalogue
from sfumato.core.answers import ResultTable, Status, Verdict
from sfumato.core.errors import BadInput, OutputExists
from sfumato.core.run import Run
from sfumato.core.words import several
from sfumato.data.schema import Kind, Role
from sfumato.data.table import Column, Table, smallest_unsigned
from sfumato.metrics.loss import ncp_columns
from sfumato.pipeline import report_worlds
from sfumato.pipeline.evidence import Place, gather
from sfumato.pipeline.measure import answered, metrics_of
from sfumato.pipeline.report_buckets import NOT_COVERED as NOT_OF_BUCKETS
from sfumato.pipeline.report_buckets import belief_section, entries_section
from sfumato.pipeline.report_graph import NOT_COVERED as NOT_OF_GRAPHS
from sfumato.pipeline.report_graph import degrees_section, law_section, statistics_section
from sfumato.pipeline.report_patterns import NOT_COVERED as NOT_OF_PATTERNS
from sfumato.pipeline.report_patterns import disclosure_section, kept_section, walk_section
from sfumato.pipeline.report_redrawn import NOT_COVERED as NOT_OF_REDRAWS
from sfumato.pipeline.report_redrawn import inferred_section, redraw_section
from sfumato.pipeline.report_sets import not_covered, risk_chart, risk_section, shown_section
from sfumato.pipeline.report_worlds import worlds_section
from sfumato.releases.bucketed import Bucketed
from sfumato.releases.claims import promised_k
from sfumato.releases.patterned import Patterned
from sfumato.releases.release import Evidence, Release
from sfumato.releases.uncertain import Uncertain
from sfumato.report import Bars, Histogram, Page, PairedBars, Ranges, Section, is_report, render
from sfumato.report.charts import Chart
from sfumato.study.profile import Profile, profile, profile_of
from sfumato.study.profile_buckets import bucket_profile
from sfumato.study.risk import risk
from sfumato.study.set_workload import AUDIENCE, draw_set_queries
from sfumato.study.workload import ask_all, draw_queries, query_error

Parts = tuple[str, tuple[Callable[[Evidence], Section], ...], Callable[[Release], str]]
QUERIES = 120
SHOWN = 8
SIZE_BINS = 30
NOT_COVERED = """k-anonymity hides who a record belongs to; it does not hide what all members of a \
group share. Read the claims together with the section on risk.

Bounds are hard: the truth lies inside whatever happened inside the groups. Estimates assume that \
values are spread evenly inside a cell and that columns are independent inside a group.

Publish once: two releases of the same people made with different keys can be intersected."""


def report_release(
    release: Place,
    ledger: Place | None = None,
    against: Place | None = None,
    output: Path | str | None = None,
) -> Path:
    """Write the report of a release and return its path.

    Without a ledger, everything in it follows from the public half. With it, the report is the
    owner's and lies in the ledger unless another place is named.
    """
    if against is not None and ledger is None:
        raise BadInput(
            "--against without --ledger would put the original's numbers into a public report",
            "give the ledger too",
        )
    default = Path(ledger) / "report.html" if ledger is not None else Path("report.html")
    path = Path(output) if output is not None else default
    _check_place(path, Path(release))
    page = page_of(Path(release), gather(release, ledger, against))
    _write(render(page), path, private=ledger is not None)
    return path


def _check_place(path: Path, release: Path) -> None:
    """Refuse a place that is not there, holds something else, or is published."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise BadInput(f"the folder {path.parent} does not exist", "create it")
    if release.resolve() in (folder, *folder.parents):
        raise BadInput(
            "the report would lie in the release, which holds the files it lists and no others",
            "name another place with -o",
        )
    if path.is_dir():
        raise BadInput(f"{path} is a folder", "name a file with -o")
    if path.exists() and not is_report(path):
        raise OutputExists(f"{path} is not a report of sfumato", "name another file with -o")


def _write(text: str, path: Path, private: bool) -> None:
    """Write a page; a private one is the user's alone from its first byte on."""
    if private:
        path.touch(mode=0o600)
        path.chmod(0o600)
    path.write_text(text, encoding="utf-8")


def page_of(folder: Path, evidence: Evidence) -> Page:
    """The page, from the release's files and whatever the owner added."""
    release, owner = evidence.release, evidence.ledger is not None
    verdicts = audit(folder, evidence.ledger, evidence.original)
    word, makers, warning = FORMS[release.form, release.kind]
    made = [make(evidence) for make in makers]
    sections = [section for section in made if section.charts or section.tables]
    return Page(
        title="What this release shows and hides",
        subtitle=", ".join(several(n, thing) for thing, n in _counted(release, word)),
        facts=_facts(evidence),
        verdicts=verdicts if owner else [_for_readers(verdict) for verdict in verdicts],
        sections=[*sections, Section("What the claims do not cover", warning(release))],
        audience="owner" if owner else "public",
        footer=f"release {release.release_id[:12]}, made with sfumato",
    )


def _counted(release: Release, word: str) -> list[tuple[str, int]]:
    """What is published, by number; a group by its word."""
    return [(word if thing == "group" else thing, n) for thing, n in release.sizes.items()]


def _for_readers(verdict: Verdict) -> Verdict:
    """Without advice to the owner, who alone can follow it."""
    return replace(verdict, note="") if verdict.status is Status.NEEDS_OWNER else verdict


def _facts(evidence: Evidence) -> list[tuple[str, object]]:
    release, schema = evidence.release, evidence.release.schema
    names = {
        role.value: ", ".join(schema.with_role(role))
        for role in (Role.QUASI, Role.SENSITIVE, Role.KEEP)
        if schema.with_role(role)
    }
    return [
        *((f"{thing}s", n) for thing, n in _counted(release, FORMS[release.form, release.kind][0])),
        ("left out", release.dropped),
        *names.items(),
    ]


def _groups(evidence: Evidence) -> Section:
    shown = evidence if evidence.ledger is not None else Evidence(evidence.release)
    numbers, _ = metrics_of(shown)
    return Section(
        "Groups",
        "Everybody in a group publishes the same of what others may know.",
        tables=[_explained(answered(numbers), evidence.release.kind)],
        charts=[_sizes(evidence.release.content.sizes, promised_k(evidence.release.claims))],
        owner_only=shown.original is not None,
    )


def _numbers(evidence: Evidence) -> Section:
    """What can be measured of records that are published one by one."""
    shown = evidence if evidence.ledger is not None else Evidence(evidence.release)
    numbers, tables = metrics_of(shown)
    return Section(
        "In numbers",
        "Records are published one by one, each as several possible ones.",
        tables=[_explained(answered(numbers), evidence.release.kind), *tables],
        owner_only=shown.original is not None,
    )


def _buckets(evidence: Evidence) -> Section:
    return Section(
        "Buckets",
        "Records are published as they are, but for the sensitive column, which is known bucket by "
        "bucket.",
        charts=[_sizes(evidence.release.content.sizes, 0, "bucket")],
    )


def _explained(numbers: ResultTable, kind: str) -> ResultTable:
    """Metrics with what each says, for readers who don't know their names."""
    says = {metric.name: metric.meaning for metric in catalogue.metrics(kind)}
    place = numbers.columns.index("metric")
    rows = tuple((*row, says[row[place]]) for row in numbers.rows)
    return replace(numbers, columns=(*numbers.columns, "what it says"), rows=rows)


def _sizes(sizes: NDArray[np.int64], k: int, word: str = "group") -> Histogram:
    """Sizes in bins of one whole width; the few largest are counted in the last bin."""
    low = int(sizes.min())
    high = max(low, min(int(sizes.max()), int(2 * np.quantile(sizes, 0.99))))
    width = -(-(high - low + 1) // SIZE_BINS)
    edges = np.arange(low, high + width + 1, width)
    counts = np.histogram(np.minimum(sizes, high), edges)[0]
    beyond = int((sizes > high).sum())
    notes = [f"claimed: k = {k}, no group is smaller"] if k else []
    notes += [f"counted in the last bin: {several(beyond, f'larger {word}')}"] if beyond else []
    note = "; ".join(notes)
    title = f"{word.capitalize()} sizes, in records"
    return Histogram(title, edges.tolist(), counts.tolist(), unit=f"{word}s", note=note)


def _loss(evidence: Evidence) -> Section:
    table = ncp_columns.compute(Evidence(evidence.release))
    assert isinstance(table, ResultTable)
    lost = [100 * value for value in table.column("ncp")]
    chart = Bars(
        "Share of its detail that each column lost",
        table.column("column"),
        lost,
        unit="%",
        additive=False,
    )
    text = "0 % is the original value, 100 % says nothing: the whole domain."
    return Section("What each column lost", text, charts=[chart])


def _distributions(evidence: Evidence) -> Section:
    charts = [_distribution(evidence, name) for name in evidence.release.schema.published]
    coarse = (
        "Columns made coarser are drawn as an analyst would read them: every value of a cell "
        "equally likely for each of its members."
    )
    apart = (
        "The sensitive column is drawn as its entries and targets say; what is not taken apart is "
        "exact."
    )
    text = apart if isinstance(evidence.release.content, Bucketed) else coarse
    if isinstance(evidence.release.content, Patterned):
        text = "As published; some columns were drawn anew."
    return Section("Distributions", text, charts=charts)


def _distribution(evidence: Evidence, name: str) -> Chart:
    content = evidence.release.content
    if isinstance(content, Bucketed):
        after = bucket_profile(content, name)
        if name != content.sensitive:
            return _chart(after, None)
    elif isinstance(content, Patterned):
        after = profile_of(content.records[name])
    else:
        after = profile(evidence.release.recoded, name)
    rows = evidence.published_original() if evidence.ledger is not None else None
    before = profile_of(rows[name], after) if rows is not None else None
    return _chart(after, before)


def _chart(after: Profile, before: Profile | None) -> Chart:
    note = f"{after.missing:,.0f} missing" if after.missing else ""
    if after.edges is not None:
        then = before.counts.tolist() if before is not None else None
        return Histogram(
            after.name,
            after.edges.tolist(),
            after.counts.tolist(),
            unit="records",
            note=note,
            before=then,
        )
    labels = list(after.labels)
    if before is None:
        return Bars(after.name, labels, after.counts.tolist(), unit="records", note=note)
    return PairedBars(
        after.name, labels, before.counts.tolist(), after.counts.tolist(), unit="records", note=note
    )


def _risk(evidence: Evidence) -> Section:
    after = risk(_groups_as_table(evidence), ["group"])
    tables = [ResultTable("in the release", after.columns, after.rows, after.notes)]
    rows = evidence.published_original() if evidence.ledger is not None else None
    charts: list[Chart] = []
    if rows is not None:
        before = risk(rows, evidence.release.schema.quasi)
        tables.insert(0, ResultTable("in the original", before.columns, before.rows, before.notes))
        charts.append(risk_chart(before, after))
    text = (
        "The chance that somebody who knows the quasi-identifiers of a person finds that person's "
        "record. It says nothing of what members of a group share."
    )
    return Section("Risk of being found", text, tables=tables, charts=charts)


def _groups_as_table(evidence: Evidence) -> Table:
    """The groups as a column: what somebody sees who knows all quasi-identifiers."""
    content = evidence.release.recoded
    numbers = pa.array(range(content.groups))
    codes = content.group.astype(smallest_unsigned(content.groups))
    return Table({"group": Column("group", Kind.NUMBER, codes, numbers, False)}, content.rows)


def _exact_columns(evidence: Evidence) -> Section:
    """Columns of people, published as they are."""
    content = evidence.release.content
    records = content.records if isinstance(content, Uncertain) else evidence.release.sets.records
    charts = [_chart(profile_of(records[name]), None) for name in records.names]
    return Section("Columns of people", "Published as they are.", charts=charts)


def _as_published(evidence: Evidence) -> Section:
    """Columns of a redrawn table; every one keeps its distribution, up to chance."""
    records = evidence.release.redrawn.records
    charts = [_chart(profile_of(records[name]), None) for name in records.names]
    text = "As published. Redrawn columns have the distribution of the original, up to chance."
    return Section("Distributions", text, charts=charts)


def _links(evidence: Evidence) -> Section:
    """What a single edge is worth."""
    numbers, _ = metrics_of(Evidence(evidence.release))
    table = _explained(answered(numbers), evidence.release.kind)
    return Section("Edges one by one", "What the law leaves of them.", tables=[table])


def _node_columns(evidence: Evidence) -> Section:
    """Columns of nodes, published as they are."""
    table = evidence.release.network.table
    charts = [_chart(profile_of(table[name]), None) for name in table.names]
    return Section("Columns of nodes", "Published as they are.", charts=charts)


def _queries(evidence: Evidence) -> Section:
    queries = draw_queries(evidence.release, QUERIES, Run.seeded(1).rng("workload"))
    text = "Counting queries drawn at random from the published domains, with a fixed seed."
    return _asked(evidence, queries, text)


def _audiences(evidence: Evidence) -> Section:
    queries = draw_set_queries(evidence.release, QUERIES, Run.seeded(1).rng("workload"))
    text = "Audience counts on items that are shown, drawn at random with a fixed seed."
    return _asked(evidence, queries, text, AUDIENCE)


def _asked(
    evidence: Evidence, queries: Sequence[tuple[int | str, str]], text: str, by: str = "conditions"
) -> Section:
    """Questions with their answers and bounds; for the owner, the truth."""
    release, owner = evidence.release, evidence.ledger is not None
    asked = ask_all(release, queries, evidence.published_original() if owner else None)
    if not asked:
        return Section("Answers to queries", "Nothing is shown that could be asked for.")
    some = asked[:SHOWN]
    truth = [one.truth for one in some] if owner and some[0].truth is not None else None
    chart = Ranges(
        "Some of them",
        [one.sql.split(" WHERE ")[1] for one in some],
        [one.lower for one in some],
        [one.estimate for one in some],
        [one.upper for one in some],
        truth=truth,
        unit="records",
    )
    table = query_error(asked, release.content.rows, by)
    return Section("Answers to queries", text, tables=[table], charts=[chart], owner_only=owner)


# of every form and kind: the word for a group (none: records stand alone), the sections, and what
# its claims leave aside
FORMS: dict[tuple[str, str], Parts] = {
    ("recoded", "table"): (
        "group",
        (_groups, _loss, _distributions, _risk, _queries),
        lambda _: NOT_COVERED,
    ),
    ("bucketed", "table"): (
        "bucket",
        (_buckets, entries_section, belief_section, _distributions, _queries),
        lambda _: NOT_OF_BUCKETS,
    ),
    ("perturbed", "table"): (
        "record",
        (redraw_section, _as_published, inferred_section, _queries),
        lambda _: NOT_OF_REDRAWS,
    ),
    ("recoded", "sets"): (
        "group",
        (_groups, shown_section, _exact_columns, risk_section, _audiences),
        not_covered,
    ),
    ("uncertain", "sets"): (
        "",
        (_numbers, worlds_section, _exact_columns, _audiences),
        report_worlds.not_covered,
    ),
    ("patterned", "table"): (
        "record",
        (kept_section, disclosure_section, walk_section, _distributions, _queries),
        lambda _: NOT_OF_PATTERNS,
    ),
    ("perturbed", "graph"): (
        "node",
        (law_section, _links, statistics_section, degrees_section, _node_columns),
        lambda _: NOT_OF_GRAPHS,
    ),
}
