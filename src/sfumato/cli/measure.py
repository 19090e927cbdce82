"""`sfumato measure`."""

from __future__ import annotations

import argparse

from sfumato.cli.options import whole

EXAMPLES = """  sfumato measure release
  sfumato measure release --against people.csv --ledger release-ledger
  sfumato measure release --against people.csv --queries 1000 --seed 7"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("release", help="the folder of a release")
    parser.add_argument("--against", help="the original; default: where the job found it")
    parser.add_argument("--ledger", help="the owner's half: links records to original rows")
    parser.add_argument("--queries", type=int, default=200, help="random queries (default 200)")
    parser.add_argument("--seed", type=whole(0), default=1, help="of the workload (default 1)")


def run(options: argparse.Namespace) -> int:
    """Compute every metric the evidence allows."""
    from sfumato.cli.show import progress, say, show_tables
    from sfumato.pipeline.measure import answered, measure_release

    with progress() as tell:
        tables = measure_release(
            options.release,
            options.ledger,
            options.against,
            queries=options.queries,
            seed=options.seed,
            progress=tell,
        )
    show_tables(tables if options.json else [answered(table) for table in tables], options.json)
    say("\nwhat a metric says, and where it comes from: sfumato methods NAME", options.json)
    return 0
