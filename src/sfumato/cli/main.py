"""`sfumato`: find the verb, run it, turn errors into one line and an exit code."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from typing import NoReturn

VERBS = {
    "sample": "generate a sample population to try things on",
    "inspect": "look at a table, sets or a graph: what singles out; write a job to start from",
    "publish": "run a job: from a source to a release and its ledger",
    "risk": "say what redrawing so many columns would let be inferred, before publishing",
    "audit": "derive every claim of a release again from its files",
    "query": "answer SQL on a release, with hard bounds; of a graph, statistics by name",
    "measure": "say what a release lost against its original",
    "attack": "plant nodes in a graph, publish it, and try to find them and their victims",
    "report": "write one self-contained page about a release",
    "study": "repeat the experiments of a paper, as a page with plots",
    "methods": "list methods, privacy models, metrics, attacks and statistics, or explain one",
}
DESCRIPTION = "Publish data about people without publishing people."
EPILOG = """start with:
  sfumato sample people -o people.csv
  sfumato inspect people.csv
  sfumato publish job.toml

Every verb explains itself: sfumato VERB --help
exit codes: 0 fine, 1 a claim or check failed, 2 bad usage or bad input"""


class Parser(argparse.ArgumentParser):
    """Complaints in one line, exit code 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{_clean(f'{self.prog}: {message}; see {self.prog} --help')}\n")


def _clean(text: str) -> str:
    """One line that can't repaint a terminal, whatever names stand in it."""
    from sfumato.report.markup import clean

    return clean(text)


def parser() -> Parser:
    """All verbs and their options; nothing heavy is imported for it."""
    main_parser = Parser(
        prog="sfumato",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    main_parser.add_argument("--version", action="version", version=_version())
    verbs = main_parser.add_subparsers(
        title="verbs", metavar="VERB", dest="verb", required=True, parser_class=Parser
    )
    for name, summary in VERBS.items():
        verb = import_module(f"sfumato.cli.{name}")
        part = verbs.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            epilog=f"examples:\n{verb.EXAMPLES}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        verb.configure(part)
        part.add_argument("--json", action="store_true", help="print JSON instead of tables")
        part.set_defaults(run=verb.run)
    return main_parser


def _version() -> str:
    from sfumato.version import VERSION

    return f"sfumato {VERSION}"


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    options = parser().parse_args(arguments)
    from sfumato.core.errors import SfumatoError

    try:
        return int(options.run(options))
    except SfumatoError as error:
        print(_clean(f"sfumato {options.verb}: {error}"), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"sfumato {options.verb}: stopped; nothing was published", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        print(f"sfumato {options.verb}: not enough memory; nothing was published", file=sys.stderr)
        return 2
    except Exception as error:
        if os.environ.get("SFUMATO_DEBUG"):
            raise
        print(
            f"sfumato {options.verb}: internal error ({type(error).__name__}); "
            "SFUMATO_DEBUG=1 shows where, and may show cell values",
            file=sys.stderr,
        )
        return 2
