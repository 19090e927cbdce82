"""`sfumato sample`."""

from __future__ import annotations

import argparse
from pathlib import Path

from sfumato.cli.options import whole

EXAMPLES = """  sfumato sample people -o people.csv
  sfumato sample people --rows 1000000 --seed 7 -o people.parquet --hierarchies trees
  sfumato sample segments -o segments.parquet --utility utilities.csv
  sfumato sample segments --rows 1000000 --profile "long tail" -o segments.parquet
  sfumato sample friends --rows 20000 -o friends.parquet --nodes people.csv"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument(
        "name", help="which sample: people (a table), segments (sets of items), friends (a graph)"
    )
    parser.add_argument("-n", "--rows", type=int, default=10_000, help="people (default 10000)")
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
    parser.add_argument(
        "--nodes",
        type=Path,
        help="friends: file for everybody with their community, .csv or .parquet",
    )
    parser.add_argument(
        "--isolated",
        type=float,
        default=0.0,
        help="friends: share of people without any (default 0)",
    )


def run(options: argparse.Namespace) -> int:
    """Generate and write a sample."""
    from sfumato.cli.show import say, show_json

    output = options.output or Path(f"{options.name}.csv")
    beside = _write(options, output)
    rows = options.rows
    say(f"{output}: {rows:,} generated people, none of them real", options.json)
    for path in beside:
        say(f"{path}", options.json)
    paths = [str(path) for path in beside]
    show_json("sample", {"file": str(output), "rows": rows, "beside": paths}, options.json)
    return 0


def _write(options: argparse.Namespace, output: Path) -> list[Path]:
    """Write the sample; what was written beside it."""
    from sfumato.cli.show import progress
    from sfumato.pipeline.sample import (
        GRAPH,
        SETS,
        write_friends,
        write_hierarchies,
        write_sample,
        write_segments,
    )

    if options.name == SETS:
        with progress() as tell:
            places = {"profile": options.profile, "utility": options.utility}
            write_segments(options.rows, options.seed, output, **places, progress=tell)
    elif options.name == GRAPH:
        more = {"nodes": options.nodes, "isolated": options.isolated}
        write_friends(options.rows, options.seed, output, **more)
    else:
        write_sample(options.name, options.rows, options.seed, output)
    trees = write_hierarchies(options.name, options.hierarchies) if options.hierarchies else []
    of_name = {SETS: options.utility, GRAPH: options.nodes}.get(options.name)
    return [*trees, *([of_name] if of_name else [])]
