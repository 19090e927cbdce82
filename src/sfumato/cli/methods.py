"""`sfumato methods`."""

from __future__ import annotations

import argparse

EXAMPLES = """  sfumato methods
  sfumato methods regroup
  sfumato methods t-closeness
  sfumato methods transitivity
  sfumato methods --job-schema > job.schema.json    # for editors that complete TOML"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument(
        "name",
        nargs="?",
        help="explain one: a method, a privacy model, a metric, an attack or a statistic",
    )
    parser.add_argument(
        "--job-schema", action="store_true", help="print the JSON Schema of a job file"
    )


def run(options: argparse.Namespace) -> int:
    """List what there is, or explain one entry."""
    import json

    from sfumato.cli.show import show_tables
    from sfumato.pipeline.overview import explain_one, overview

    if options.job_schema:
        from sfumato.pipeline.job import job_schema

        print(json.dumps(job_schema(), indent=2))
        return 0
    tables = explain_one(options.name) if options.name else overview()
    show_tables(tables, options.json)
    return 0
