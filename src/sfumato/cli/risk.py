"""`sfumato risk`."""

from __future__ import annotations

import argparse
from pathlib import Path

from sfumato.cli.options import whole

EXAMPLES = """  sfumato risk job.toml
  sfumato risk job.toml --most 0.2
  sfumato risk job.toml --attack 20"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("job", type=Path, help="a job whose method is ra")
    parser.add_argument(
        "--most", type=float, default=0.5, help="how much nobody should be inferred with: 0.5"
    )
    parser.add_argument(
        "--attack",
        type=whole(1),
        metavar="RUNS",
        help="also publish so often in memory and guess original values",
    )
    parser.add_argument("--seed", type=whole(0), help="repeat exactly; default: a new key")
    parser.add_argument("--workers", type=whole(1), help="threads; default: all cores")


def run(options: argparse.Namespace) -> int:
    """Show what each number of redrawn columns lets be inferred; writes nothing."""
    from sfumato.attacks.original_values import OriginalValues
    from sfumato.cli.show import progress, show_tables
    from sfumato.core.errors import BadInput
    from sfumato.core.run import Run
    from sfumato.pipeline.job import read_job
    from sfumato.pipeline.redraw_risk import attack_job, risk_by_redraw

    if not 0 < options.most <= 1:
        raise BadInput(f"--most is {options.most:g}", "a probability above 0, up to 1")
    job = read_job(options.job)
    with progress() as tell:
        seed, workers = options.seed, options.workers
        own = Run.secure(workers, tell) if seed is None else Run.seeded(seed, workers, tell)
        tables = [risk_by_redraw(job, own, options.most)]
        if options.attack:
            tables.append(attack_job(job, OriginalValues(), options.attack, own).table)
    show_tables(tables, options.json)
    return 0
