"""`sfumato report`."""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLES = """  sfumato report release                          # public facts only, in report.html
  sfumato report release --ledger release-ledger  # the owner's, kept in the ledger
  sfumato report release --ledger release-ledger --against people.csv -o owner.html"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("release", help="the folder of a release")
    parser.add_argument("--ledger", help="the owner's half: the full report, for the owner only")
    parser.add_argument("--against", help="the original; default: where the job found it")
    parser.add_argument(
        "-o", "--output", type=Path, help="file to write; default report.html, or in the ledger"
    )


def run(options: argparse.Namespace) -> int:
    """Write the page and say where."""
    from sfumato.cli.show import say, show_json
    from sfumato.pipeline.report import report_release

    path = report_release(options.release, options.ledger, options.against, options.output)
    kind = "owner's report, not for publication" if options.ledger else "public report"
    say(f"{path}  ({kind}; open it in a browser)", options.json)
    audience = "owner" if options.ledger else "public"
    show_json("report", {"file": str(path), "audience": audience}, options.json)
    return 0
