"""Studies: the experiments of papers, run here, as a page, as tables, and as figures for docs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.core import catalogue
from sfumato.core.answers import ResultTable, result_table
from sfumato.core.errors import BadInput, OutputExists
from sfumato.core.run import Progress, Run
from sfumato.pipeline.evidence import Place
from sfumato.report import Lines, Page, Section, is_report, json_text, render
from sfumato.report.charts import Chart
from sfumato.report.figures import standalone
from sfumato.report.markdown import markdown
from sfumato.study.findings import Finding, Outcome, Setting, Statement, Study, conduct

SETTING = "SFUMATO_DATA"


def studies() -> ResultTable:
    """The studies there are."""
    found = ((name, catalogue.load(place)) for name, place in catalogue.STUDIES.items())
    rows = [{"study": name, "about": study.title, "source": study.source} for name, study in found]
    return result_table("studies", rows, ["run one: sfumato study NAME -o FOLDER"])


@dataclass(frozen=True, eq=False)
class Studied:
    """A study and what came of it; `command` repeats it."""

    name: str
    study: Study
    outcomes: Sequence[Outcome]
    command: str

    @property
    def tables(self) -> list[ResultTable]:
        """The table of every finding, and what was left out."""
        tables = [found.table for outcome in self.outcomes for found in outcome.findings]
        lacking = [
            {"part": outcome.title, "reason": outcome.left_out}
            for outcome in self.outcomes
            if outcome.left_out
        ]
        return [*tables, statements_of(self.outcomes), *_if_any("left out", lacking)]


def run_study(
    name: str,
    data: Place | None = None,
    *,
    quick: bool = False,
    seed: int = 1,
    progress: Progress | None = None,
) -> Studied:
    """Carry out a study; real data is looked for in `data`, or where SFUMATO_DATA says."""
    study = catalogue.study(name)
    run = Run.seeded(seed) if progress is None else Run.seeded(seed, progress=progress)
    setting = Setting(run, data_folder(data), quick)
    given = f"{' --data FOLDER' if setting.data else ''}{' --quick' if quick else ''}"
    command = f"sfumato study {name} -o FOLDER --seed {seed}{given}"
    return Studied(name, study, tuple(conduct(study, setting)), command)


def data_folder(given: Place | None = None) -> Path | None:
    """Where real data lies: as given, or as the environment says; or nowhere."""
    named = given if given is not None else os.environ.get(SETTING)
    if not named:
        return None
    folder = Path(named)
    if not folder.is_dir():
        which = "--data" if given is not None else SETTING
        raise BadInput(f"{which} is '{named}', which is no folder", "name a folder with data sets")
    return folder


def check_output(name: str, folder: Path) -> None:
    """Refuse, before hours of work, a place that can't be written or holds something else."""
    if not folder.resolve().parent.is_dir():
        raise BadInput(f"the folder {folder.parent} does not exist", "create it")
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file", "name a folder with -o")
    page = folder / f"{name}.html"
    taken = [path for path in (page, folder / f"{name}.json") if path.exists()]
    if taken and not (page.is_file() and is_report(page)):
        raise OutputExists(f"{taken[0]} is not of a study", "name another folder with -o")


def write_study(studied: Studied, folder: Path) -> list[Path]:
    """Write the page, and the tables as JSON; returns both paths."""
    check_output(studied.name, folder)
    folder.mkdir(exist_ok=True)
    page, tables = folder / f"{studied.name}.html", folder / f"{studied.name}.json"
    page.write_text(render(page_of(studied)), encoding="utf-8")
    tables.write_text(json_text(studied.tables) + "\n", encoding="utf-8")
    return [page, tables]


def write_docs(studied: Studied, folder: Path) -> list[Path]:
    """Write the page as Markdown, and its figures as SVG in a folder named as the study."""
    beside = folder / studied.name
    beside.mkdir(parents=True, exist_ok=True)
    paths, places = [folder / f"{studied.name}.md"], {}
    for finding, chart in _drawn(studied.outcomes):
        paths.append(beside / f"{finding.name}.svg")
        paths[-1].write_text(standalone(chart), encoding="utf-8")
        places[chart.title] = f"{studied.name}/{finding.name}.svg"
    for old in set(beside.glob("*.svg")) - set(paths):
        old.unlink()
    paths[0].write_text(markdown(page_of(studied), places), encoding="utf-8")
    return paths


def _drawn(outcomes: Sequence[Outcome]) -> list[tuple[Finding, Chart]]:
    found = [(finding, chart_of(finding)) for one in outcomes for finding in one.findings]
    return [(finding, chart) for finding, chart in found if chart is not None]


def page_of(studied: Studied) -> Page:
    """A study as a page: how it was done, then a section for every part."""
    study, said = studied.study, statements_of(studied.outcomes)
    agree = sum(word == "agrees" for word in said.column("here")) if said.rows else 0
    return Page(
        title=study.title,
        subtitle=study.source,
        facts=[
            ("statements of the paper that were put to the test", len(said)),
            ("agree", agree),
            ("differ", len(said) - agree),
            ("repeated by", studied.command),
        ],
        sections=[
            Section("What is measured, and how", study.about),
            *_differing(said),
            *(_section(outcome) for outcome in studied.outcomes),
        ],
        audience="study",
        footer="made with sfumato",
    )


def _differing(said: ResultTable) -> list[Section]:
    """What a reader looks for first: where the numbers say something else than the paper."""
    rows = tuple((line["the paper"], line["found"]) for line in said if line["here"] == "differs")
    table = ResultTable("", ("the paper", "found"), rows)
    return [Section("Where the numbers differ from the paper", tables=[table])] if rows else []


def _section(outcome: Outcome) -> Section:
    if outcome.left_out:
        return Section(outcome.title, f"Left out: {outcome.left_out}.")
    charts = [chart for _, chart in _drawn([outcome])]
    tables = [found.table for found in outcome.findings if _is_more(found)]
    said = statements_of([outcome])
    return Section(outcome.title, outcome.text, [*tables, *([said] if said.rows else [])], charts)


def _is_more(finding: Finding) -> bool:
    """Whether the table holds more than its chart shows."""
    chart = finding.chart
    return chart is None or set(finding.table.columns) > {chart.x, *chart.y}


def chart_of(finding: Finding) -> Chart | None:
    """The chart that a finding asks for."""
    asked, table = finding.chart, finding.table
    if asked is None:
        return None
    return Lines(
        finding.title,
        table.column(asked.x),
        {name: table.column(name) for name in asked.y},
        x_name=asked.x_name,
        y_name=asked.y_name,
        note=finding.text,
        log=asked.log,
        log_x=asked.log_x,
    )


def statements_of(outcomes: Sequence[Outcome]) -> ResultTable:
    """What the paper says, and whether it was found again."""
    said = [one for outcome in outcomes for found in outcome.findings for one in found.statements]
    rows = tuple((one.paper, _word(one), one.found) for one in said)
    return ResultTable("What the paper says of its curves", ("the paper", "here", "found"), rows)


def _word(statement: Statement) -> str:
    return "agrees" if statement.agrees else "differs"


def _if_any(title: str, rows: list[dict[str, str]]) -> list[ResultTable]:
    return [result_table(title, rows)] if rows else []
