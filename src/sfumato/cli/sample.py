"""`sfumato sample`."""

from __future__ import annotations

import argparse
from pathlib import Path

from sfumato.cli.options import whole

EXAMPLES = """  sfumato sample people -o people.csv
  sfumato sample people --rows 1000000 --seed 7 -o people.parquet --hierarchies trees"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("name", help="which sample: people")
    parser.add_argument("-n", "--rows", type=int, default=10_000, help="rows (default 10000)")
    parser.add_argument("--seed", type=whole(0), default=1, help="the same seed, the same people")
    parser.add_argument("-o", "--output", type=Path, help="file to write, .csv or .parquet")
    parser.add_argument("--hierarchies", type=Path, help="folder for matching hierarchy files")


def run(options: argparse.Namespace) -> int:
    """Generate and write a sample."""
    from sfumato.cli.show import say, show_json
    from sfumato.pipeline.sample import write_hierarchies, write_sample

    output = options.output or Path(f"{options.name}.csv")
    rows = write_sample(options.name, options.rows, options.seed, output)
    say(f"{output}: {rows:,} generated people, none of them real", options.json)
    trees = write_hierarchies(options.name, options.hierarchies) if options.hierarchies else []
    for path in trees:
        say(f"{path}", options.json)
    paths = [str(path) for path in trees]
    show_json("sample", {"file": str(output), "rows": rows, "hierarchies": paths}, options.json)
    return 0
