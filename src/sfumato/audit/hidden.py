"""What a Parquet file holds that no reader of its table would see."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

MAKER = re.compile(r"parquet-cpp-arrow version [0-9.]+(-SNAPSHOT)?")
FRAME = 12  # PAR1 at both ends, and the length of the footer


def hidden_in(path: Path, table: pa.Table) -> str:
    """What is in the file besides this table, empty if nothing that can be found."""
    file = pq.ParquetFile(path)
    about = file.metadata
    if set(about.metadata or {}) - {b"ARROW:schema"} or _notes(file.schema_arrow):
        return "metadata of its own"
    if not MAKER.fullmatch(about.created_by):
        return "the name of another writer"
    if path.stat().st_size != FRAME + about.serialized_size + _pages(about):
        return "bytes that belong to no column"
    named = [name for name in table.column_names if _loose(path, table, name)]
    return f"values of '{named[0]}' that no row has" if named else ""


def _notes(schema: pa.Schema) -> bool:
    return bool(schema.metadata) or any(field.metadata for field in schema)


def _pages(about: pq.FileMetaData) -> int:
    """Bytes of all columns."""
    parts = (about.row_group(number) for number in range(about.num_row_groups))
    return sum(
        part.column(place).total_compressed_size
        for part in parts
        for place in range(about.num_columns)
    )


def _loose(path: Path, table: pa.Table, name: str) -> bool:
    """Whether a dictionary of texts has entries that are not used, or twice."""
    column = table.column(name)
    if pa.types.is_dictionary(column.type):
        return _unused(list(column.iterchunks()))
    if pa.types.is_string(column.type):
        return _unused(_coded(path, name, name))
    if pa.types.is_list(column.type) and pa.types.is_string(column.type.value_type):
        return _unused([lists.flatten() for lists in _coded(path, name, f"{name}.list.element")])
    return False


def _coded(path: Path, name: str, leaf: str) -> list[pa.Array]:
    """A column with the dictionaries that lie in the file, also where its type is plain.

    Row group by row group, because lists can't be read with more than one dictionary.
    """
    file = pq.ParquetFile(path, read_dictionary=[leaf])
    parts = (file.read_row_group(i, columns=[leaf]) for i in range(file.num_row_groups))
    return [chunk for part in parts for chunk in part.column(name).iterchunks()]


def _unused(chunks: list[pa.Array]) -> bool:
    """Row groups repeat one dictionary, so what counts is whether any of them uses an entry."""
    listed = [chunk.dictionary for chunk in chunks]
    used = [chunk.dictionary.take(pc.unique(chunk.indices.drop_null())) for chunk in chunks]
    if any(len(pc.unique(entries)) < len(entries) or entries.null_count for entries in listed):
        return True
    return len(_together(used)) < len(_together(listed))


def _together(parts: list[pa.Array]) -> pa.Array:
    return pc.unique(pa.chunked_array(parts)) if parts else pa.nulls(0)
