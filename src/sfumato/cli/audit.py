"""`sfumato audit`."""

from __future__ import annotations

import argparse

EXAMPLES = """  sfumato audit release
  sfumato audit release --ledger release-ledger
  sfumato audit release --ledger release-ledger --against people.csv"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("release", help="the folder of a release")
    parser.add_argument("--ledger", help="the owner's half: checks what only the owner can")
    parser.add_argument("--against", help="the original; default: where the job found it")


def run(options: argparse.Namespace) -> int:
    """Judge a release; exit code 1 if anything is violated."""
    from sfumato.audit.audit import failed
    from sfumato.cli.show import show_verdicts
    from sfumato.pipeline.judge import audit_release

    verdicts = audit_release(options.release, options.ledger, options.against)
    show_verdicts(verdicts, options.json)
    return 1 if failed(verdicts) else 0
