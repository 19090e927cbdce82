"""Samples: generated people to try things on, as frames and as files."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from sfumato.core.errors import BadInput, OutputExists
from sfumato.core.run import Progress, Run
from sfumato.data.sets import Sets
from sfumato.io.sample_graph import friends
from sfumato.io.sample_sets import PROFILES, segments
from sfumato.io.samples import SAMPLES, hierarchies
from sfumato.io.set_files import pieces, write_sets, write_utilities

SETS = "segments"
GRAPH = "friends"


def sample(name: str, rows: int = 10_000, seed: int = 1) -> pa.Table:
    """A generated sample as an Arrow table; the same seed gives the same people.

    >>> sample("people", rows=3).num_rows
    3
    >>> sample("segments", rows=3).column_names
    ['person', 'items']
    >>> sample("friends", rows=30).column_names
    ['person', 'friend']
    """
    _check_name(name, rows)
    if name == GRAPH:
        return friends(rows, Run.seeded(seed)).edges
    if name == SETS:
        return pa.concat_tables(pieces(segments(rows, Run.seeded(seed))))
    made: Any = SAMPLES[name](rows, Run.seeded(seed))
    return made


def _check_name(name: str, rows: int) -> None:
    known = [*SAMPLES, SETS, GRAPH]
    if name not in known:
        raise BadInput(f"no sample is called '{name}'", f"samples: {', '.join(known)}")
    if rows < 1:
        raise BadInput(f"--rows is {rows}", "use 1 or more")


def write_sample(name: str, rows: int, seed: int, path: Path) -> int:
    """Write a sample as CSV or Parquet, by the ending of the path."""
    _check_name(name, rows)
    check_place(path, (".csv", ".parquet"))
    if name == SETS:
        write_sets(segments(rows, Run.seeded(seed)), path)
        return rows
    _write_table(sample(name, rows, seed), path)
    return rows


def _write_table(table: pa.Table, path: Path) -> None:
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        pacsv.write_csv(table, path, pacsv.WriteOptions(quoting_style="needed"))


def write_friends(
    rows: int, seed: int, path: Path, *, nodes: Path | None = None, isolated: float = 0.0
) -> int:
    """Write who knows whom, and everybody with their community into a file of its own; the edges.

    Without that file, people without friends are nowhere.
    """
    _check_name(GRAPH, rows)
    if not 0 <= isolated <= 1:
        raise BadInput(f"--isolated is {isolated:g}", "use a share of the people, 0 to 1")
    for place in (path, *([nodes] if nodes is not None else [])):
        check_place(place, (".csv", ".parquet"))
    if nodes is not None and nodes.resolve() == path.resolve():
        raise BadInput(f"--nodes and --output are both {path.name}", "name two files")
    made = friends(rows, Run.seeded(seed), isolated)
    _write_table(made.edges, path)
    if nodes is not None:
        _write_table(made.people, nodes)
    return int(made.edges.num_rows)


def write_segments(
    rows: int,
    seed: int,
    path: Path,
    *,
    profile: str = "thesis",
    utility: Path | None = None,
    progress: Progress | None = None,
) -> Sets:
    """Write sets of a profile, and what the items are worth into a file of its own."""
    _check_name(SETS, rows)
    if profile not in PROFILES:
        raise BadInput(f"--profile is '{profile}'", f"profiles: {', '.join(PROFILES)}")
    check_place(path, (".csv", ".parquet"))
    if utility is not None:
        check_place(utility, (".csv",))
    run = Run.seeded(seed) if progress is None else Run.seeded(seed, progress=progress)
    with run.phase("draw"):
        made = segments(rows, run, profile)
    with run.phase("write"):
        write_sets(made, path)
    if utility is not None:
        write_utilities(made, utility)
    return made


def check_place(path: Path, endings: tuple[str, ...]) -> None:
    """Refuse a file that can't be told what to be, or is there."""
    if path.suffix not in endings:
        raise BadInput(f"{path.name} ends in none of {', '.join(endings)}", "name it so")
    if path.exists():
        raise OutputExists(f"{path.name} exists", "choose another name or remove it")
    if not path.resolve().parent.is_dir():
        raise BadInput(f"the folder {path.parent} does not exist", "create it")


def write_hierarchies(name: str, folder: Path) -> list[Path]:
    """Write the hierarchies that fit a sample, one CSV in level form per column."""
    if name != "people":
        raise BadInput(f"the sample '{name}' has no hierarchies", "leave --hierarchies out")
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for column, rows in hierarchies().items():
        paths.append(folder / f"{column}.csv")
        with paths[-1].open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    return paths
