"""`sfumato publish`."""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLES = """  sfumato publish job.toml
  sfumato publish job.toml --replace
  sfumato publish job.toml --seed 7      # repeatable; keep the seed as secret as the data"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("job", type=Path, help="a job file; see: sfumato inspect")
    parser.add_argument("--seed", type=int, help="repeat a run exactly; default: a secret key")
    parser.add_argument("--replace", action="store_true", help="replace an existing output")
    parser.add_argument("--workers", type=int, help="threads; default: all cores")
    parser.add_argument("--plan", action="store_true", help="only say what it would take")


def run(options: argparse.Namespace) -> int:
    """Run a job and show the verdicts it was published with."""
    import time

    from sfumato.cli.show import progress, say, show_verdicts
    from sfumato.core.run import Run
    from sfumato.pipeline.job import read_job
    from sfumato.pipeline.publish import expected_cost, run_job

    job = read_job(options.job)
    cost = expected_cost(job)
    say(f"expected: about {_time(cost.seconds)}, {_memory(cost.megabytes)}", options.json)
    if options.plan:
        return 0
    start = time.perf_counter()
    with progress() as tell:
        workers = options.workers
        if options.seed is None:
            surroundings = Run.secure(workers, tell)
        else:
            surroundings = Run.seeded(options.seed, workers, tell)
        outcome = run_job(job, surroundings, replace_output=options.replace)
    show_verdicts(outcome.verdicts, options.json)
    taken = time.perf_counter() - start
    content = outcome.publication.release.content
    say(
        f"\n{content.rows:,} records in {content.groups:,} groups, published in {taken:.1f} s\n"
        f"public half:    {_shown(outcome.release)}\n"
        f"owner's ledger: {_shown(outcome.ledger)}  (never publish this)",
        options.json,
    )
    return 0


def _shown(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _memory(megabytes: float) -> str:
    return f"{megabytes:.0f} MB" if megabytes < 1000 else f"{megabytes / 1000:.1f} GB"
