"""Attacks on several settings of a method, beside what each costs: a view to choose by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sfumato.core import catalogue
from sfumato.core.answers import ResultTable, result_table
from sfumato.core.errors import BadInput, BadJob, OutputExists
from sfumato.core.parameters import build, known
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.methods.base import Method
from sfumato.pipeline.attack import attacked, law_of, publisher
from sfumato.pipeline.attack_plan import AttackPlan
from sfumato.query.statistic import Published, Statistic
from sfumato.releases.edge_law import EdgeLaw
from sfumato.report import Lines, Page, Section, is_report, render

ERRORS = ("transitivity",)  # of statistics whose standard error is shown, besides the edges


@dataclass(frozen=True)
class Settings:
    """One parameter of the method, and a plan for each of its values."""

    name: str
    plans: Sequence[tuple[float, AttackPlan]] = ()

    def __bool__(self) -> bool:
        return bool(self.plans)

    def carry_out(self, graph: Graph, run: Run) -> Compared:
        """Attack every setting; each is planted and published by the same draws."""
        rows, trials = [], []
        for place, (value, plan) in enumerate(self.plans):
            found = attacked(graph, plan, run)
            trials.append(found)
            rows.append({self.name: value} | found.as_row() | _costs(graph, plan, run))
            run.step(place + 1, len(self.plans))
        notes = [
            f"success: with its {found.level:.0%} interval, low to high; no setting is beyond "
            "every attack: a low number says that this attack with this budget fails",
            "errors: the standard error over the true value; edges published: per original edge; "
            "true edges: the share of published edges that were there",
        ]
        return Compared(self.name, result_table(f"attacks against {self.name}", rows, notes))


@dataclass(frozen=True)
class Compared:
    """The settings side by side, a row each."""

    name: str
    table: ResultTable


def against(plan: AttackPlan, asked: Sequence[str] | None) -> Settings:
    """Settings from the words of the command: a parameter's name, then values.

    >>> from sfumato.pipeline.attack_plan import make_plan
    >>> plan = make_plan({"method": {"name": "edge-perturbation", "mu": 0.1}}, Path())
    >>> [value for value, _ in against(plan, ["mu", "1e-4", "0.001"]).plans]
    [0.0001, 0.001]
    """
    if not asked:
        return Settings("")
    name, *words = asked
    if name not in type(plan.method).model_fields:
        raise BadJob(f"--against names '{name}'", known(type(plan.method)))
    if not words:
        raise BadJob(f"--against {name} has no values", "give some, such as: mu 1e-4 1e-3")
    values = sorted({_number(name, word) for word in words})
    return Settings(name, [(value, _with(plan, name, value)) for value in values])


def _number(name: str, word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadJob(f"--against {name} has '{word}', which is no number", "such as: 1e-3")
    return number


def _with(plan: AttackPlan, name: str, value: float) -> AttackPlan:
    stated = plan.method.model_dump(exclude_unset=True) | {name: value}
    made: Method = build(type(plan.method), stated, "method")
    return replace(plan, method=made)


def _costs(graph: Graph, plan: AttackPlan, run: Run) -> dict[str, Any]:
    """What one publication of the graph itself costs its analysts."""
    law = law_of(plan, graph)
    expected = law.expected(graph.edges, graph.pairs)
    shown: Published = publisher(plan.method)(graph, run).seen
    costs = {"error of edges": _edge_error(graph, law)}
    for name in (name for name in ERRORS if name in catalogue.STATISTICS):
        costs[f"error of {name}"] = _relative(catalogue.statistic(name), graph, shown, run)
    return costs | {
        "edges published": expected / graph.edges if graph.edges else None,
        "true edges": graph.edges * (1.0 - law.delete) / expected if expected else None,
    }


def _edge_error(graph: Graph, law: EdgeLaw) -> float | None:
    noise = graph.edges * law.edge_noise + (graph.pairs - graph.edges) * law.gap_noise
    return math.sqrt(noise) / graph.edges if graph.edges else None


def _relative(statistic: Statistic, graph: Graph, shown: Published, run: Run) -> float | None:
    """The estimate's own standard error over the true value."""
    error = statistic.estimate(shown, run)[0].error
    plain = Published(graph, EdgeLaw(0.0, 0.0))
    truth = statistic.exact(plain, run)[0]
    return error / abs(truth) if error is not None and truth else None


def page(compared: Compared) -> Page:
    """Attack, errors and density against the parameter, on one chart; then what is small."""
    name, table = compared.name, compared.table
    errors = [column for column in table.columns if column.startswith("error of")]
    shares = ["success", "low", "high", "false claims", "true edges", errors[-1]]
    small = [*errors, "edges published"]
    x = [float(value) for value in table.column(name)]
    log_x = len(x) > 1 and x[0] > 0 and x[-1] >= 10 * x[0]

    def lines(title: str, columns: Sequence[str], log: bool, note: str) -> Lines:
        series = {column: table.column(column) for column in columns}
        return Lines(
            title, x, series, x_name=name, note=note, log=log, log_x=log_x, owner_only=True
        )

    charts = [
        lines("What is found, and what is left", shares, False, "Shares; low and high: interval."),
        lines("Errors and edges", small, True, "Per true value; edges per original edge."),
    ]
    return Page(
        title=f"Attacks against {name}",
        subtitle=str(table.column("attack")[0]),
        facts=[("attempts at each setting", table.column("attempts")[0])],
        sections=[
            Section("Attack, error and density", NEVER, charts=charts, owner_only=True),
            Section("Numbers", tables=[table], owner_only=True),
        ],
        audience="owner",
        footer="made with sfumato",
    )


NEVER = (
    "Where the attack fails, this attack with this budget fails: others may not. Where it succeeds "
    "no more often than its control claims falsely, nothing can be concluded."
)


def check_page(path: Path | None, settings: Settings) -> None:
    """Refuse, before minutes of work, a place that can't be written or holds something else."""
    if path is None:
        return
    if not settings:
        raise BadJob("--output goes with --against", "without it there is nothing to draw")
    if not path.resolve().parent.is_dir():
        raise BadInput(f"the folder {path.parent} does not exist", "create it")
    if path.is_dir():
        raise BadInput(f"{path} is a folder", "name a file with -o")
    if path.exists() and not is_report(path):
        raise OutputExists(f"{path} is not a report of sfumato", "name another file with -o")


def write_page(compared: Compared, path: Path) -> None:
    """Write the page, readable by the user alone."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(render(page(compared)), encoding="utf-8")
