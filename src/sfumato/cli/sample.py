"""`sfumato sample`."""

from __future__ import annotations

import argparse
from pathlib import Path

from sfumato.cli.options import whole

EXAMPLES = """  sfumato sample people -o people.csv
  sfumato sample people --rows 1000000 --seed 7 -o people.parquet --hierarchies trees
  sfumato sample segments -o segments.parquet --utility utilities.csv
  sfumato sample segments --rows 1000000 --profile "long tail" -o segments.parquet"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("name", help="which sample: people (a table), segments (sets of items)")
    parser.add_argument("-n", "--rows", type=int, default=10_000, help="rows (default 10000)")
    parser.add_argument("--seed", type=whole(0), default=1, help="the same seed, the same people")
    parser.add_argument("-o", "--output", type=Path, help="file to write, .csv or .parquet")
    parser.add_argument(
        "--hierarchies", type=Path, help="people: folder for matching hierarchy files"
    )
    parser.add_argument(
        "--profile",
        default="thesis",
        help='segments: "thesis" (1,000 items) or "long tail" (1,987)',
    )
    parser.add_argument(
        "--utility", type=Path, help="segments: file for what each item is worth, .csv"
    )


def run(options: argparse.Namespace) -> int:
    """Generate and write a sample."""
    from sfumato.cli.show import progress, say, show_json
    from sfumato.pipeline.sample import SETS, write_hierarchies, write_sample, write_segments

    output = options.output or Path(f"{options.name}.csv")
    rows, trees = options.rows, []
    if options.name == SETS:
        with progress() as tell:
            places = {"profile": options.profile, "utility": options.utility}
            write_segments(rows, options.seed, output, **places, progress=tell)
    else:
        rows = write_sample(options.name, rows, options.seed, output)
    say(f"{output}: {rows:,} generated people, none of them real", options.json)
    if options.hierarchies:
        trees = write_hierarchies(options.name, options.hierarchies)
    beside = [options.utility] if options.name == SETS and options.utility else trees
    for path in beside:
        say(f"{path}", options.json)
    paths = [str(path) for path in beside]
    show_json("sample", {"file": str(output), "rows": rows, "beside": paths}, options.json)
    return 0
