"""`sfumato study`."""

from __future__ import annotations

import argparse
from pathlib import Path

from sfumato.cli.options import whole

EXAMPLES = """  sfumato study                                    # which studies there are
  sfumato study distribution -o results --quick    # a first look, on smaller tables
  sfumato study distribution -o results --data FOLDER"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("name", nargs="?", help="which study; default: list them")
    parser.add_argument("-o", "--output", type=Path, help="folder for the page and its tables")
    parser.add_argument("--data", help="folder of real data sets; default: where SFUMATO_DATA says")
    parser.add_argument("--quick", action="store_true", help="smaller tables, fewer queries")
    parser.add_argument("--seed", type=whole(0), default=1, help="of everything random (default 1)")
    parser.add_argument(
        "--docs", type=Path, metavar="FOLDER", help="also write Markdown and SVG figures there"
    )


def run(options: argparse.Namespace) -> int:
    """List the studies, or run one and say where its page is."""
    from sfumato.cli.show import progress, say, show_tables
    from sfumato.pipeline.study import check_output, run_study, studies, write_docs, write_study

    if options.name is None:
        show_tables([studies()], options.json)
        return 0
    output = options.output or Path(options.name)
    check_output(options.name, output)
    with progress() as tell:
        studied = run_study(
            options.name, options.data, quick=options.quick, seed=options.seed, progress=tell
        )
    for outcome in studied.outcomes:
        if outcome.left_out:
            say(f"left out: {outcome.title}: {outcome.left_out}", options.json)
    for path in write_study(studied, output):
        say(f"{path}", options.json)
    if options.docs:
        say(f"{write_docs(studied, options.docs)[0]}, and its figures", options.json)
    if options.json:
        show_tables(studied.tables, options.json)
    return 0
