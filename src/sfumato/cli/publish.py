"""`sfumato publish`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.cli.options import whole

if TYPE_CHECKING:
    from sfumato.core.answers import ResultTable
    from sfumato.pipeline.publish import Outcome

EXAMPLES = """  sfumato publish job.toml
  sfumato publish job.toml --replace
  sfumato publish job.toml --seed 7      # repeatable; keep the seed as secret as the data"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("job", type=Path, help="a job file; see: sfumato inspect")
    parser.add_argument("--seed", type=whole(0), help="repeat a run exactly; default: a secret key")
    parser.add_argument("--replace", action="store_true", help="replace an existing output")
    parser.add_argument("--workers", type=whole(1), help="threads; default: all cores")
    parser.add_argument("--plan", action="store_true", help="only say what it would take")


def run(options: argparse.Namespace) -> int:
    """Run a job and show the verdicts it was published with."""
    import time

    from sfumato.cli.show import progress, say, show_json, show_tables, show_verdicts
    from sfumato.core.answers import verdict_table
    from sfumato.core.run import Run
    from sfumato.core.words import several
    from sfumato.pipeline.job import read_job
    from sfumato.pipeline.publish import expected_cost, run_job

    job = read_job(options.job)
    cost = expected_cost(job)
    say(_expected(cost.seconds, cost.megabytes), options.json)
    if options.plan:
        show_json("expected", {"seconds": cost.seconds, "megabytes": cost.megabytes}, options.json)
        return 0
    start = time.perf_counter()
    with progress() as tell:
        workers = options.workers
        if options.seed is None:
            surroundings = Run.secure(workers, tell)
        else:
            surroundings = Run.seeded(options.seed, workers, tell)
        outcome = run_job(job, surroundings, replace_output=options.replace)
    taken = time.perf_counter() - start
    chosen = [] if outcome.choice is None else [outcome.choice]
    if options.json:
        verdicts = verdict_table("audit", outcome.verdicts)
        show_tables([*chosen, verdicts, _published(outcome, taken)], options.json)
    else:
        show_tables(chosen, options.json)
        show_verdicts(outcome.verdicts, options.json)
    advice = outcome.publication.ledger.notes.get("advice")
    if advice:
        say(f"\nadvice: {advice}", options.json)
    size = ", ".join(several(n, thing) for thing, n in outcome.publication.release.sizes.items())
    say(
        f"\n{size}: published in {taken:.1f} s\n"
        f"public half:    {_shown(outcome.release)}\n"
        f"owner's ledger: {_shown(outcome.ledger)}  (never publish this)",
        options.json,
    )
    return 0


def _published(outcome: Outcome, seconds: float) -> ResultTable:
    """For machines, what people are told in the last lines."""
    from sfumato.core.answers import result_table

    places = {"release": str(outcome.release), "ledger": str(outcome.ledger)}
    sizes = {f"{thing}s": n for thing, n in outcome.publication.release.sizes.items()}
    return result_table("published", [places | sizes | {"seconds": seconds}])


def _expected(seconds: float, megabytes: float) -> str:
    """What it will take; which kinds of columns are compiled already can't be known."""
    from sfumato.kernels.compiled import FIRST_RUN

    expected = f"expected: about {_time(seconds)}, {_memory(megabytes)}"
    return f"{expected} (first runs on a machine also compile: up to {FIRST_RUN:.0f} s more)"


def _shown(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _memory(megabytes: float) -> str:
    return f"{megabytes:.0f} MB" if megabytes < 1000 else f"{megabytes / 1000:.1f} GB"
