"""Data files of a release as Arrow tables, with exactly the columns and rows announced."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from sfumato.core.errors import BadRelease
from sfumato.io.folder import MISFITS, regular
from sfumato.io.forms import format_of
from sfumato.io.layouts import layout_of

Columns = Sequence[dict[str, Any]]


def read_data(folder: Path, manifest: dict[str, Any], part: str, columns: Columns) -> pa.Table:
    """One data file; rows and columns are compared before the data is read, where they can be."""
    name = f"data/{part}.{format_of(manifest)}"
    path, rows = regular(folder, name), manifest["files"][name]["rows"]
    types = layout_of(manifest).types(part, columns)
    try:
        if path.suffix == ".csv":
            table = _read_csv(path, types)
        else:
            file = pq.ParquetFile(path)
            _check(file.schema_arrow, file.metadata.num_rows, types, rows, name)
            table = file.read()
    except (OSError, *MISFITS):
        raise BadRelease(f"{folder.name}/{name} is damaged", "get it again") from None
    _check(table.schema, table.num_rows, types, rows, name)
    return table


def _check(
    schema: pa.Schema, found: int, types: dict[str, pa.DataType], rows: int, name: str
) -> None:
    if sorted(schema.names) != sorted(types):
        raise BadRelease(f"{name} has other columns than schema.json says", "get it again")
    if any(_plain(schema.field(column).type) != kind for column, kind in types.items()):
        raise BadRelease(f"{name} has columns of other types than schema.json says", "get it again")
    if found != rows:
        raise BadRelease(f"{name} has other rows than the manifest says", "get it again")


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _read_csv(path: Path, types: dict[str, pa.DataType]) -> pa.Table:
    lists = {name: kind for name, kind in types.items() if pa.types.is_list(kind)}
    convert = pacsv.ConvertOptions(
        column_types=types | dict.fromkeys(lists, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    parse = pacsv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)
    data = pacsv.read_csv(path, parse_options=parse, convert_options=convert)
    for name, kind in lists.items():
        if name in data.column_names:
            data = data.set_column(data.column_names.index(name), name, _lists(data[name], kind))
    return data


def _lists(texts: pa.ChunkedArray, kind: pa.DataType) -> pa.Array:
    """CSV has no lists: they stand there as JSON texts."""
    lists = [json.loads(text) for text in texts.to_pylist()]
    return pa.array(lists, pa.list_(pa.string())).cast(kind)
