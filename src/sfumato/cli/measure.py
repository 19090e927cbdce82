"""`sfumato measure`."""

from __future__ import annotations

import argparse

EXAMPLES = """  sfumato measure release
  sfumato measure release --against people.csv --ledger release-ledger
  sfumato measure release --against people.csv --queries 1000 --seed 7"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("release", help="the folder of a release")
    parser.add_argument("--against", help="the original; default: where the job found it")
    parser.add_argument("--ledger", help="the owner's half: links records to original rows")
    parser.add_argument("--queries", type=int, default=200, help="random queries (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="of the workload (default 1)")


def run(options: argparse.Namespace) -> int:
    """Compute every metric the evidence allows."""
    from sfumato.cli.show import show_tables
    from sfumato.pipeline.measure import measure_release

    tables = measure_release(
        options.release,
        options.ledger,
        options.against,
        queries=options.queries,
        seed=options.seed,
    )
    show_tables(tables, options.json)
    return 0
