"""`sfumato query`."""

from __future__ import annotations

import argparse

EXAMPLES = """  sfumato query release "SELECT COUNT(*) FROM release WHERE age BETWEEN 30 AND 39"
  sfumato query release "SELECT AVG(cost) FROM release WHERE sex = 'female' GROUP BY diagnosis"
  sfumato query release "SELECT MAX(cost) FROM release" --against people.csv
  sfumato query release transitivity "modularity(community)"   # a graph: see sfumato methods
  sfumato query release edges --ledger release-ledger"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("release", help="the folder of a release")
    parser.add_argument(
        "query",
        nargs="+",
        help="SELECT COUNT|SUM|AVG|MIN|MAX ... FROM release ...; of a graph: a statistic",
    )
    parser.add_argument("--against", help="the original: shows the truth and the error")
    parser.add_argument(
        "--as-published",
        action="store_true",
        help="a redrawn table: count records as they stand, without undoing the redraw",
    )
    parser.add_argument(
        "--ledger", help="the owner's half: knows where the original lies, and how to read it"
    )


def run(options: argparse.Namespace) -> int:
    """Answer each query with an estimate and hard bounds, or with its standard error."""
    from sfumato.cli.show import show_tables
    from sfumato.pipeline.ask import query_release

    asked = {
        "against": options.against,
        "ledger": options.ledger,
        "as_published": options.as_published,
    }
    tables = query_release(options.release, *options.query, **asked)
    show_tables(tables, options.json)
    return 0
