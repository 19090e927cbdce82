"""`sfumato inspect`."""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLES = """  sfumato inspect people.csv
  sfumato inspect people.csv --quasi age,zip,sex --sensitive diagnosis
  sfumato inspect patients.parquet --quasi age,sex --population 500000
  sfumato inspect segments.parquet               # lists in a column: sets of items
  sfumato inspect visits.csv --person who --item page --label illness
  sfumato inspect friends.csv --edges person,friend     # a graph"""
ROLES = {
    "identifier": "columns that name one person, with commas; never published",
    "quasi": "columns that others may know of a person; published coarser",
    "sensitive": "columns that nobody should learn of a person",
    "keep": "columns to publish as they are",
    "drop": "columns not to publish",
}
WAYS = {
    "items": "a column of lists, a row per person",
    "person": "with --item: a row per person and item",
    "item": "with --person",
    "label": "a sensitive column of the people",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("source", help="a CSV, Parquet or FIMI file")
    for role, text in ROLES.items():
        parser.add_argument(f"--{role}", metavar="COLUMNS", help=text, default="")
    parser.add_argument(
        "--population", help="a file of the whole population, or its number of people"
    )
    parser.add_argument(
        "--delimiter", help=r"of a CSV file, \t for a tab; default: found from the header"
    )
    for way, text in WAYS.items():
        parser.add_argument(f"--{way}", metavar="COLUMN", help=f"of sets: {text}")
    parser.add_argument("--format", help="of sets: fimi, one-hot or columns")
    parser.add_argument(
        "--edges", metavar="COLUMNS", help="of a graph: the two columns with the ends of an edge"
    )
    parser.add_argument("--job", type=Path, default=Path("job.toml"), help="job file to write")
    parser.add_argument("--replace", action="store_true", help="overwrite the job file")


def run(options: argparse.Namespace) -> int:
    """Show what was found and write a starter job."""
    from sfumato.cli.show import say, show_tables
    from sfumato.core.errors import BadInput
    from sfumato.data.schema import Role
    from sfumato.pipeline.look import check_folder, inspect_table, starter_job
    from sfumato.pipeline.look_graph import inspect_graph
    from sfumato.pipeline.look_sets import inspect_sets, way_of

    check_folder(options.job)
    delimiter = "\t" if options.delimiter == r"\t" else options.delimiter
    given = {Role(role): _names(getattr(options, role)) for role in ROLES}
    told = {way: getattr(options, way) for way in (*WAYS, "format")}
    how = None
    if options.edges is None:
        how = way_of(options.source, told | {"delimiter": delimiter})
    if options.edges is not None:
        found = inspect_graph(options.source, _names(options.edges), delimiter)
    elif how is None:
        found = inspect_table(options.source, given, options.population, delimiter)
    elif options.population is not None:
        raise BadInput("--population is for tables", "leave it out")
    else:
        found = inspect_sets(options.source, how, given)
    show_tables(found.tables, options.json)
    if options.job.exists() and not options.replace:
        say(f"\n{options.job} exists and was left as it is; --replace overwrites it", options.json)
        return 0
    relative = _relative(Path(options.source), options.job)
    text = starter_job(found, relative, options.job.name)
    options.job.write_text(text, encoding="utf-8")
    undecided = [name for name, role in found.roles.items() if role is None]
    asked = f"; decide the role of {', '.join(undecided)} in it" if undecided else ""
    say(f"\nwrote {options.job}{asked}, then: sfumato publish {options.job}", options.json)
    return 0


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _relative(source: Path, job: Path) -> str:
    """The source as the job file should name it."""
    here = job.resolve().parent
    full = source.resolve()
    return str(full.relative_to(here)) if full.is_relative_to(here) else str(full)
