"""A look at a source of sets before it is read: how it says who has what, and how large it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sfumato.io.batches import batches
from sfumato.io.set_sources import SetsFrom
from sfumato.io.sources import column_names, is_parquet

PEEK = 1 << 20
ROWS = 20_000


@dataclass(frozen=True)
class Way:
    """A guess at how a source is to be read, and the columns that have no part in it."""

    how: SetsFrom
    rest: tuple[str, ...]


@dataclass(frozen=True)
class SourceSize:
    """People, items of all of them together, and different ones; estimates from a sample."""

    rows: int
    items: int
    domain: int


def guess_way(source: Any, columns: Sequence[str] = ()) -> Way | None:
    """How a source seems to say who has which items, None if it does not show.

    A text file of whole numbers apart by blanks; a single column of lists; columns called person
    and item. `columns` are those of people.
    """
    if isinstance(source, str | Path) and _is_fimi(Path(source)):
        return Way(SetsFrom(format="fimi"), ())
    names = column_names(source, None)
    lists = _lists(source, names)
    if len(lists) == 1:
        own, how = lists, SetsFrom(items=lists[0])
    elif {"person", "item"} <= set(names):
        own, how = ["person", "item"], SetsFrom(person="person", item="item")
    else:
        return None
    return Way(how, tuple(name for name in names if name not in (*own, *columns)))


def _is_fimi(path: Path) -> bool:
    if not path.is_file():
        return False
    if path.suffix == ".gz":
        return True
    with path.open("rb") as file:
        head = file.read(PEEK)
    return len(head) > 0 and not head.translate(None, b"0123456789 \t\r\n")


def _lists(source: Any, names: Sequence[str]) -> list[str]:
    if isinstance(source, str | Path) and not is_parquet(Path(source)):
        return []
    if isinstance(source, str | Path):
        schema = pq.read_schema(Path(source))
    else:
        schema = next(iter(batches(source, names, None, None))).schema
    return [f.name for f in schema if pa.types.is_list(f.type) or pa.types.is_large_list(f.type)]


def measure_source(path: Path, how: SetsFrom) -> SourceSize:
    """How large a source is, from its metadata or its first rows.

    Nothing is known of one that is not as it is said to be; reading it says why.
    """
    try:
        return _measured(path, how)
    except (pa.ArrowException, KeyError):
        return SourceSize(0, 0, 0)


def _measured(path: Path, how: SetsFrom) -> SourceSize:
    if how.format == "fimi":
        return _of_lines(path)
    columns = [name for name in (how.items, how.person, how.item) if name is not None]
    names = columns or column_names(path, how.delimiter)
    first = next(iter(batches(path, names, how.delimiter, how.items)), None)
    if first is None or first.num_rows == 0:
        return SourceSize(0, 0, 0)
    sample = first.slice(0, ROWS)
    rows = _rows(path, first)
    if how.items is not None:
        items = pc.list_flatten(sample.column(how.items))
        return SourceSize(rows, round(rows * len(items) / sample.num_rows), len(pc.unique(items)))
    if how.person is not None:
        people = len(pc.unique(sample.column(how.person)))
        domain = len(pc.unique(sample.column(how.item)))
        return SourceSize(round(rows * people / sample.num_rows), rows, domain)
    return SourceSize(rows, rows * len(names) // 2, len(names))


def _of_lines(path: Path) -> SourceSize:
    """From the first lines; of a packed file its size says little more than an order."""
    if path.suffix == ".gz":
        bytes_ = path.stat().st_size * 4
        return SourceSize(bytes_ // 40, bytes_ // 4, 1_000)
    with path.open("rb") as file:
        head = file.read(PEEK)
    times = path.stat().st_size / max(1, len(head))
    words = np.array(head.split()[:100_000])
    lines, found = head.count(b"\n"), len(head.split())
    return SourceSize(round(lines * times), round(found * times), len(np.unique(words)))


def _rows(path: Path, first: pa.Table) -> int:
    if is_parquet(path):
        return int(pq.ParquetFile(path).metadata.num_rows)
    each = max(1, int(first.nbytes)) / first.num_rows
    return int(max(first.num_rows, round(path.stat().st_size / each)))
