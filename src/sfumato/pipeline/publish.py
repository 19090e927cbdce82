"""From a job, or from a frame and a schema, to a release in its folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sfumato.audit.audit import audit, failed
from sfumato.core.answers import ResultTable, Status, Verdict
from sfumato.core.errors import BadInput, BadJob, ClaimFails, OutputExists
from sfumato.core.run import Run
from sfumato.data.hierarchy import Hierarchy, fit, from_breaks, from_ordered, spell
from sfumato.data.level_file import read_levels
from sfumato.data.people import People
from sfumato.data.schema import PUBLISHED, Schema
from sfumato.data.table import Column, Table
from sfumato.io.opening import open_ledger
from sfumato.io.sources import load_table
from sfumato.io.store import Output, write
from sfumato.kernels.compiled import FIRST_RUN, compiled_before
from sfumato.methods.base import Cost, Method, Shape
from sfumato.models.base import Model
from sfumato.pipeline.job import Job, Steps, read_job
from sfumato.pipeline.size import rows_of
from sfumato.releases.release import Publication
from sfumato.study.choose import by_width, choose

Trees = Mapping[str, Hierarchy]


@dataclass(frozen=True)
class Outcome:
    """What a job did: the id and places of the release, and the verdicts it was published with."""

    release_id: str
    release: Path
    ledger: Path
    verdicts: tuple[Verdict, ...]
    publication: Publication
    choice: ResultTable | None = None


def publish(
    source: Any,
    schema: Schema,
    method: Method | Sequence[Method],
    require: Sequence[Model] = (),
    *,
    hierarchies: Trees | None = None,
    seed: int | None = None,
) -> Publication:
    """Make a publication of a file or frame in memory; `save` writes it.

    Claims the models of `require` and the method's own k. Of several methods the one whose release
    answers queries most narrowly is taken, and its claims say that sensitive values chose it. A
    seed makes the run repeatable; keep it as secret as the original.
    """
    run = Run.secure() if seed is None else Run.seeded(seed)
    people = People(load_table(source, schema, run.workers), schema, dict(hierarchies or {}))
    methods = [method] if isinstance(method, Method) else method
    return _best(people, [(str(one), one) for one in methods], require, run)[0]


def save(
    publication: Publication,
    path: Path | str,
    ledger: Path | str,
    *,
    replace: bool = False,
    format: str = "parquet",
) -> list[Verdict]:
    """Write both halves, audited before they are put in place; returns the verdicts."""
    try:
        output = Output(Path(path), Path(ledger), replace, format)
        return _write(publication, output, None, Run.secure())[1]
    except (BadInput, OutputExists) as error:
        raise type(error)(_in_python(error.what), _in_python(error.hint)) from None


def _in_python(text: str) -> str:
    """A message for a job in the words of a call."""
    words = {"output.path": "path", "output.ledger": "ledger", "--replace": "replace=True"}
    for word, called in words.items():
        text = text.replace(word, called)
    return text


def run_job(
    job: Job | Path | str, run: Run | None = None, *, replace_output: bool = False
) -> Outcome:
    """Run a job from its source to its output folders; without a run, with a secret key."""
    job = job if isinstance(job, Job) else read_job(job)
    run = run or Run.secure()
    output = job.file.output
    target = Output(job.path(output.path), job.path(output.ledger), replace_output, output.format)
    target.check()
    with run.phase("read"):
        people = read_people(job, run.workers)
    publication, choice = _best(people, job.candidates, job.require, run)
    facts = job.as_json() | {"folder": str(job.folder)}
    publication = replace(publication, ledger=replace(publication.ledger, job=facts))
    with run.phase("write"):
        release_id, verdicts = _write(publication, target, people.table, run)
    places = (target.release, target.ledger)
    return Outcome(release_id, *places, tuple(verdicts), publication, choice)


def _best(
    people: People, candidates: Sequence[tuple[str, Method]], require: Sequence[Model], run: Run
) -> tuple[Publication, ResultTable | None]:
    """The publication of the only candidate, or of the best of several and how it was chosen."""
    if len(candidates) == 1:
        return _publish(people, candidates[0][1], require, run), None
    made = [(name, partial(_publish, people, one, require, run)) for name, one in candidates]
    with run.phase("choose"):
        found = choose(made, by_width(people, run), run)
    ledger = found.publication.ledger
    ledger = replace(ledger, notes=ledger.notes | {"choice": found.table.as_json()})
    return replace(found.publication, ledger=ledger), found.table


def _publish(people: People, method: Method, require: Sequence[Model], run: Run) -> Publication:
    if not people.schema.quasi:
        raise BadJob("schema.quasi is empty", "list the columns somebody may know of a person")
    return method.publish(people, require, run).sealed()


def _write(
    publication: Publication, output: Output, original: Table | None, run: Run
) -> tuple[str, list[Verdict]]:
    verdicts: list[Verdict] = []

    def check(staged: Path, kept: Path) -> None:
        with run.phase("audit"):
            ledger = open_ledger(kept) if original is not None else None
            verdicts.extend(audit(staged, ledger, original))
        if failed(verdicts):
            worst = next(v for v in verdicts if v.status is Status.VIOLATED)
            raise ClaimFails(
                f"the release does not keep its claim: {worst.claim}: {worst.found}",
                "nothing was published; please report this",
            )

    return write(publication, output, check), verdicts


def read_people(job: Job, workers: int = 1) -> People:
    """The data of a job with its hierarchies, all checked before anything runs."""
    delimiter = job.file.source.delimiter
    table = load_table(job.source, job.schema, workers, delimiter)
    trees = {}
    for name, stated in job.file.columns.hierarchies.items():
        if name not in job.schema.with_role(*PUBLISHED):
            raise BadJob(
                f"schema.hierarchies.{name} is for a column that is not published",
                "remove it, or give the column a role",
            )
        trees[name] = _tree(job, table[name], stated)
        fit(trees[name], table[name])
    return People(table, job.schema, trees)


def _tree(job: Job, column: Column, stated: str | Steps) -> Hierarchy:
    if isinstance(stated, str):
        return read_levels(column.name, job.path(stated), spell(column.values.to_pylist()))
    if stated.breaks is not None:
        return from_breaks(column, stated.breaks)
    if stated.ordered is not None:
        return from_ordered(column.name, stated.ordered, stated.fanout)
    raise BadJob(
        f"schema.hierarchies.{column.name} states nothing", "give a file, breaks or ordered"
    )


def expected_cost(job: Job) -> Cost:
    """What the whole job is expected to take: reading, writing, and compiling on the first run.

    Kinds of columns that no run has met before are compiled anew; that can't be known beforehand.
    """
    schema = job.schema
    rows = rows_of(job.source)
    columns = len(schema.published)
    shape = Shape(rows, len(schema.quasi), columns)
    costs = [method.cost(shape) for _, method in job.candidates]
    compiled = all(compiled_before(method.loop) for _, method in job.candidates)
    seconds = sum(cost.seconds for cost in costs) + rows * columns * 8e-8
    most = max(cost.megabytes for cost in costs)
    return Cost(seconds + (0.0 if compiled else FIRST_RUN), most + rows * columns * 8e-6)
