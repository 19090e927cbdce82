"""What redrawing so many columns would let be inferred, before anything is published."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.attacks.base import Shown
from sfumato.attacks.original_values import Links, OriginalValues
from sfumato.core.answers import ResultTable, result_table
from sfumato.core.errors import BadJob, Refused
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.methods.tables.ra import RA
from sfumato.methods.tables.ra_bins import binned
from sfumato.methods.tables.ra_draw import redrawn
from sfumato.pipeline.job import Job
from sfumato.pipeline.table_kind import read
from sfumato.releases.redraw_risk import Adversary
from sfumato.study.trial import Trial, trial

LOOKED_AT = 25  # records whose amplification is computed


def risk_by_redraw(job: Job, run: Run, most: float = 0.5) -> ResultTable:
    """Of a job whose method is ra: a row for every number of columns that may be redrawn.

    Every row is about a redraw of its own, and exact for it. Nothing is written.
    """
    return risk_table(_people(job, run), method_of(job), run, most)


def method_of(job: Job) -> RA:
    """The method of the job, which must be ra."""
    if not isinstance(job.method, RA):
        raise BadJob(f"method.name is '{job.method.name}'", "risk is told of ra")
    return job.method


def _people(job: Job, run: Run) -> People:
    """The people of a job, numbers in bins."""
    method = method_of(job)
    people = read(job, run.workers)
    return People(binned(people, method.bins), people.schema)


def risk_table(people: People, method: RA, run: Run, most: float) -> ResultTable:
    """The same for people at hand."""
    quasi = [people.table[name] for name in people.schema.quasi]
    before = [column.codes for column in quasi]
    rows: list[dict[str, Any]] = []
    tried = range(1, len(quasi) + 1) if method.choose == "uniform" else [1]
    for redraw in tried:
        law = method.law(quasi, redraw)
        try:
            adversary = Adversary(law, before, redrawn(before, law, run), run.workers)
        except Refused as refused:
            rows.append({"redrawn": redraw, "largest belief": refused.what})
            continue
        rows.append({"redrawn": redraw} | _row(adversary, most))
        run.step(redraw, len(quasi))
    enough = [row["redrawn"] for row in rows if _within(row["largest belief"], most)]
    told = f"no record is inferred with more than {most:g}"
    notes = [
        f"{told} from {min(enough)} columns on" if enough else f"{told} by no number of columns",
        "for somebody who knows everybody's quasi-identifiers, who is in the data, and the law; "
        "exact for one redraw each, so another one differs a little",
        "amplification: by what factor a published record speaks for its own values against any "
        "others that may have become it, or the other way round (gamma), the largest of "
        f"{LOOKED_AT} records",
        "this table is the owner's: it was computed from the original",
    ]
    return result_table("what can be inferred, by columns redrawn", rows, notes)


def _within(belief: Any, most: float) -> bool:
    return isinstance(belief, float) and belief <= most


def _row(adversary: Adversary, most: float) -> dict[str, Any]:
    found, own = adversary.inference, adversary.own
    return {
        "largest belief": float(found.best.max(initial=0.0)),
        f"records above {most:g}, %": 100 * float((found.best > most).mean()),
        "mean belief": float(found.best.mean()),
        "person guessed right, %": 100 * float(found.person.mean()),
        "owner above 1/2, %": 100 * float((own > 0.5).mean()),
        "amplification": _amplification(adversary),
        "perplexity": adversary.law.perplexity,
    }


def _amplification(adversary: Adversary) -> float:
    """The largest gamma of some records."""
    some = np.linspace(0, adversary.seen - 1, min(adversary.seen, LOOKED_AT)).astype(int)
    return max((adversary.amplification(record) for record in np.unique(some)), default=1.0)


def attack_people(people: People, method: RA, attack: OriginalValues, runs: int, run: Run) -> Trial:
    """Redraw, and guess the original values of some records; repeatedly."""

    def publish(data: People, own: Run) -> Shown:
        made = method.publish(data, [], own).sealed()
        content = made.release.redrawn
        names = content.law.names
        after = np.stack([content.records[name].codes.astype(np.int64) for name in names], axis=1)
        return Shown(content, Links(made.ledger.rows, after))

    with run.phase("attack"):
        return trial(attack, publish, people, runs, run)


def attack_job(job: Job, attack: OriginalValues, runs: int, run: Run) -> Trial:
    """The same for the people of a job."""
    method = method_of(job)
    plain = method.model_copy(update={"bins": {}, "most": None})
    if method.redraw == "fewest":
        raise BadJob('method.redraw is "fewest"', "attack a number of columns, such as redraw = 3")
    return attack_people(_people(job, run), plain, attack, runs, run)
