"""Sources of sets: lists in a column, lines of numbers, person and item side by side, columns.

All are read in batches, so that a file may be larger than memory while its items are not. What is
missing (a null list, a null item) is no item: of people without items nothing is known.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core.errors import BadInput, BadJob
from sfumato.core.words import several
from sfumato.data.schema import Field, Kind, Role, Schema
from sfumato.data.sets import Holders
from sfumato.data.table import Table, table_from_arrow
from sfumato.io.batches import batches
from sfumato.io.collect import Collector, encoded, without_nan
from sfumato.io.item_files import ancestors_of, utilities
from sfumato.io.set_columns import check_buckets, valued
from sfumato.io.sources import at_hand, column_names, is_text, source_name, typed_table
from sfumato.kernels.fimi import NEWLINE, parsed_lines
from sfumato.kernels.rows import rows_of_pairs
from sfumato.releases.recoded_sets import ITEMS

PERSON = "\0person"  # beside the columns of people; no column's name can begin so
BLOCK = 1 << 24  # bytes of text read at once
FORMATS = ("fimi", "one-hot", "columns")


@dataclass(frozen=True)
class SetsFrom:
    """How a source says who has which items: exactly one of the ways below.

    `items`: a column of lists, a row per person. `person` and `item`: two columns, a row per item
    that somebody has. `format` "fimi": lines of whole numbers, a line per person; "one-hot": a
    column per item, true or 1 where the person has it; "columns": every value of a column is an
    item, numbers of a column in `buckets` by ranges of that width.
    """

    items: str | None = None
    person: str | None = None
    item: str | None = None
    format: str | None = None
    utility: Path | None = None
    label: str | None = None
    hierarchy: Path | None = None
    delimiter: str | None = None
    buckets: Mapping[str, float] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse none or several ways at once."""
        pair = (self.person is not None, self.item is not None)
        if pair[0] != pair[1]:
            raise BadJob("source.person and source.item go together", "name both columns")
        ways = [self.items is not None, all(pair), self.format is not None]
        if sum(ways) != 1:
            raise BadJob(
                "source says in no way, or in several, who has which items",
                f"give items, or person and item, or format = {' or '.join(FORMATS)}",
            )
        if self.person is not None and self.person == self.item:
            raise BadJob("source.person and source.item are one column", "name two")
        if self.label is not None and self.label in (self.items, self.person, self.item):
            raise BadJob("source.label is a column that says who has what", "name another")
        if self.format is not None and self.format not in FORMATS:
            raise BadJob(f"source.format is '{self.format}'", f"formats: {', '.join(FORMATS)}")
        if self.format == "fimi" and self.label is not None:
            raise BadJob(
                "source.label with format = fimi", "lines of numbers have no other columns"
            )
        if self.buckets and self.format != "columns":
            raise BadJob("source.buckets without format = columns", "leave it out")


def load_sets(source: Any, how: SetsFrom, schema: Schema, workers: int = 1) -> Holders:
    """Read who has which items, and the columns of people that the schema publishes.

    The label of the source is sensitive; other columns need a role in the schema.
    """
    how.check()
    source = at_hand(source)
    schema = with_label(schema, how.label)
    collector = Collector(workers)
    if how.format == "fimi":
        records = _fimi(source, collector)
    elif how.person is not None:
        records = _pairs(source, how, schema, collector)
    else:
        records = _rows(source, how, schema, collector)
    sets = collector.finish(ancestors_of(how.hierarchy) if how.hierarchy else None)
    if sets.rows == 0:
        raise BadInput(f"{source_name(source)} has no rows", "give a file with at least one")
    if how.utility is not None:
        sets = utilities(how.utility, sets)
    kinds = {name: column.kind for name, column in records.columns.items()}
    fields = (Field(ITEMS, Role.QUASI, Kind.CATEGORY), *schema.with_kinds(kinds).fields)
    return Holders(sets, Schema(fields), records)


def with_label(schema: Schema, label: str | None) -> Schema:
    """The schema with the label among its sensitive columns."""
    if schema.quasi:
        raise BadJob("schema.quasi is for tables", "of sets, the items are what people know")
    roles = {role.value: schema.with_role(role) for role in Role}
    if label is not None and label not in roles["sensitive"]:
        roles["sensitive"] = (label, *roles["sensitive"])
    kinds = {field.name: field.kind for field in schema.fields if field.kind is not None}
    found = Schema.of(kinds=dict(kinds), **roles)
    if ITEMS in found.published:
        raise BadJob(f"schema: a release has a column '{ITEMS}' of its own", "rename yours")
    return found


def _cover(source: Any, how: SetsFrom, schema: Schema, own: Sequence[str]) -> list[str]:
    """The published columns, once every column is known to have a role; `own` tell of items."""
    there = column_names(source, how.delimiter)
    if lacking := [name for name in own if name not in there]:
        raise BadInput(
            f"{source_name(source)} has no column '{lacking[0]}'", f"columns: {', '.join(there)}"
        )
    schema.cover([name for name in there if name not in own])
    return list(schema.published)


def _rows(source: Any, how: SetsFrom, schema: Schema, collector: Collector) -> Table:
    """A row per person: lists in a column, or a column per item."""
    listed = {field.name for field in schema.fields}
    if how.items is not None:
        own = [how.items]
    else:
        own = [name for name in column_names(source, how.delimiter) if name not in listed]
        if not own:
            raise BadInput(f"{source_name(source)} has no column of items", "all have other roles")
    check_buckets(how.buckets, own)
    exact = _cover(source, how, schema, own)
    rest = []
    for batch in batches(source, [*own, *exact], how.delimiter, how.items):
        if how.items is not None:
            collector.add_lists(batch.column(how.items), how.items)
        elif how.format == "columns":
            collector.add_values(valued(batch.select(own), how.buckets))
        else:
            collector.add_flags(batch.select(own))
        rest.append(batch.select(exact))
    return _records(rest, schema, sum(part.num_rows for part in rest), is_text(source))


def _records(parts: Sequence[pa.Table], schema: Schema, rows: int, text: bool) -> Table:
    """The exact columns of all batches as a table of codes; of text, typed by their values."""
    if not parts or not parts[0].column_names:
        return Table({}, rows)
    whole = pa.concat_tables(parts, promote_options="permissive")
    kinds = {name: schema.kind(name) for name in whole.column_names}
    return table_from_arrow(typed_table(whole, kinds) if text else whole, kinds)


def _fimi(source: Any, collector: Collector) -> Table:
    """Lines of numbers, from a plain or gzipped file."""
    if not isinstance(source, str | Path):
        raise BadInput("format = fimi is for files", "a frame has a column of lists")
    line, path = 0, Path(source)
    if not path.is_file():
        what = f"{path} is a folder" if path.is_dir() else f"no file {path}"
        raise BadInput(what, "check its name and folder")
    for text in _blocks(path):
        length, numbers, bad = parsed_lines(text)
        if bad >= 0:
            raise BadInput(
                f"line {line + bad + 1} of {path.name} is not whole numbers apart by blanks",
                "numbers have at most 9 digits; other items need a column of lists",
            )
        collector.add_numbers(length, numbers)
        line += len(length)
    return Table({}, line)


def _blocks(path: Path) -> Iterator[np.ndarray[Any, np.dtype[np.uint8]]]:
    """The bytes of a text file in pieces that end with a line break."""
    rest = b""
    for block in _read(path):
        whole, found, after = (rest + block).rpartition(b"\n")
        rest = after
        if found:
            yield np.frombuffer(whole + found, np.uint8)
    if rest.strip():
        yield np.frombuffer(rest + bytes([NEWLINE]), np.uint8)


def _read(path: Path) -> Iterator[bytes]:
    """The bytes of a file, unpacked."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            while block := file.read(BLOCK):
                yield block
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise BadInput(f"{path.name} is not a whole gzip file", "pack it again") from None


def _pairs(source: Any, how: SetsFrom, schema: Schema, collector: Collector) -> Table:
    """A row per person and item; other columns must say the same in all rows of a person."""
    assert how.person is not None and how.item is not None
    exact = _cover(source, how, schema, [how.person, how.item])
    number: dict[Any, int] = {}
    people, items, rest = [], [], []
    for batch in batches(source, [how.person, how.item, *exact], how.delimiter, None):
        person = _numbered(batch.column(how.person), number, how.person)
        held = without_nan(batch.column(how.item))
        present = np.asarray(pc.is_valid(held))
        people.append(person[present])
        items.append(collector.codes(held.filter(pa.array(present))))
        known = _decoded(batch.select(exact)).append_column(PERSON, pa.array(person))
        rest.append(known.group_by(known.column_names).aggregate([]))
    rows = np.concatenate([np.empty(0, np.int32), *people])
    held = np.concatenate([np.empty(0, np.uint32), *items])
    into = np.empty(len(rows), collector.width)
    collector.take(rows_of_pairs(rows, held, into, len(number)), into)
    return _records([_one_each(rest, len(number))], schema, len(number), is_text(source))


def _numbered(column: pa.ChunkedArray, number: dict[Any, int], name: str) -> Any:
    """People as numbers in the order in which they first occur."""
    column = without_nan(column)
    if column.null_count:
        raise BadInput(
            f"column '{name}' has {several(column.null_count, 'row')} without a value",
            "every row needs a person",
        )
    coded = encoded(column)
    place = [number.setdefault(one, len(number)) for one in coded.dictionary.to_pylist()]
    return np.array(place, np.int32)[np.asarray(coded.indices)]


def _decoded(table: pa.Table) -> pa.Table:
    """The same without dictionaries, which differ from batch to batch."""
    kinds = {f.name: f.type.value_type for f in table.schema if pa.types.is_dictionary(f.type)}
    for one in table.schema:
        if pa.types.is_nested(one.type):
            raise BadInput(f"column '{one.name}' is not a plain column", "list it under drop")
    for place, name in enumerate(table.column_names):
        if name in kinds:
            table = table.set_column(place, name, table.column(name).cast(kinds[name]))
    return table


def _one_each(parts: Sequence[pa.Table], people: int) -> pa.Table:
    """What is known of every person besides items, in the order of their numbers."""
    if not parts:
        return pa.table({})
    whole = pa.concat_tables(parts, promote_options="permissive")
    whole = whole.group_by(whole.column_names).aggregate([]).sort_by(PERSON)
    if whole.num_rows > people:
        told = several(whole.num_rows - people, "time")
        raise BadInput(
            f"columns of people differ between the rows of one person, {told}",
            "keep one value for each person, or drop the column",
        )
    return whole.drop_columns([PERSON])
