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
from sfumato.data.graph import Network
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.sets import Holders
from sfumato.data.table import Table
from sfumato.io.opening import open_ledger
from sfumato.io.sources import load_table
from sfumato.io.store import Output, write
from sfumato.methods.base import Cost, Method
from sfumato.models.base import Model
from sfumato.pipeline.job import Job, read_job
from sfumato.pipeline.kinds import kind_of
from sfumato.releases.release import Publication
from sfumato.study.choose import choose

Trees = Mapping[str, Hierarchy]
Data = People | Holders | Network
KIND_OF: dict[type, str] = {People: "table", Holders: "sets", Network: "graph"}


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
    schema: Schema | None = None,
    method: Method | Sequence[Method] = (),
    require: Sequence[Model] = (),
    *,
    hierarchies: Trees | None = None,
    seed: int | None = None,
) -> Publication:
    """Make a publication of a file, a frame, or sets or a graph that were read; `save` writes it.

    Claims the models of `require` and the method's own k. Of several methods the one whose release
    answers queries most narrowly is taken, and its claims say that sensitive values chose it. A
    seed makes the run repeatable; keep it as secret as the original.
    """
    run = Run.secure() if seed is None else Run.seeded(seed)
    methods = [method] if isinstance(method, Method) else method
    if not isinstance(source, Holders | Network):
        if schema is None:
            raise BadJob(
                "publish needs a schema for a table",
                "make one with Schema.of(quasi=...); sets and graphs: read_sets, read_graph first",
            )
        table = load_table(source, schema, run.workers)
        source = People(table, schema, dict(hierarchies or {}))
    if not methods:
        raise BadJob("publish needs a method", "see: sfumato methods")
    return _best(source, [(str(one), one) for one in methods], require, run)[0]


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
        data = kind_of(job.file.source.kind).read(job, run.workers)
    publication, choice = _best(data, job.candidates, job.require, run)
    facts = job.as_json() | {"folder": str(job.folder)}
    publication = replace(publication, ledger=replace(publication.ledger, job=facts))
    original = kind_of(publication.release.kind).owned(data)
    with run.phase("write"):
        release_id, verdicts = _write(publication, target, original, run)
    places = (target.release, target.ledger)
    return Outcome(release_id, *places, tuple(verdicts), publication, choice)


def _best(
    data: Data, candidates: Sequence[tuple[str, Method]], require: Sequence[Model], run: Run
) -> tuple[Publication, ResultTable | None]:
    """The publication of the only candidate, or of the best of several and how it was chosen."""
    if len(candidates) == 1:
        return _publish(data, candidates[0][1], require, run), None
    made = [(name, partial(_publish, data, one, require, run)) for name, one in candidates]
    with run.phase("choose"):
        found = choose(made, kind_of(candidates[0][1].kind).scoring(data, run), run)
    ledger = found.publication.ledger
    ledger = replace(ledger, notes=ledger.notes | {"choice": found.table.as_json()})
    return replace(found.publication, ledger=ledger), found.table


def _publish(data: Data, method: Method, require: Sequence[Model], run: Run) -> Publication:
    kind = KIND_OF[type(data)]
    if method.kind != kind:
        raise BadJob(f"'{method.name}' is a method for {method.kind}", f"the data is {kind}")
    kind_of(kind).check(data)
    return method.publish(data, require, run).sealed()


def _write(
    publication: Publication, output: Output, original: Table | Holders | Network | None, run: Run
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


def expected_cost(job: Job) -> Cost:
    """What the whole job is expected to take, reading and writing included.

    Without compiling: kinds of columns that no run has met before are compiled anew, and which
    these are can't be known beforehand.
    """
    return kind_of(job.file.source.kind).cost(job)
