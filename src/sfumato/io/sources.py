"""Sources of tables: CSV and Parquet files, and frames that speak Arrow."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from sfumato.core.errors import BadInput
from sfumato.data.schema import Kind, Schema
from sfumato.data.table import Table, table_from_arrow
from sfumato.io.quotes import check_quotes
from sfumato.io.typing import typed

DELIMITERS = ",;\t|"
CsvOptions = tuple[pacsv.ParseOptions, pacsv.ConvertOptions, list[str]]


def load_table(
    source: Any, schema: Schema, workers: int = 1, delimiter: str | None = None
) -> Table:
    """Read the published columns of a source and encode them as the schema says."""
    source = at_hand(source)
    schema.cover(column_names(source, delimiter))
    kinds = {name: schema.kind(name) for name in schema.published}
    return load_columns(source, schema.published, kinds, workers, delimiter)


def load_columns(
    source: Any,
    names: Sequence[str],
    kinds: dict[str, Kind | None],
    workers: int = 1,
    delimiter: str | None = None,
) -> Table:
    """Read and encode some columns of a source; kinds are those the owner fixed, if any."""
    source = at_hand(source)
    lacking = sorted(set(names) - set(column_names(source, delimiter)))
    if lacking:
        raise BadInput(
            f"{source_name(source)} has no column '{lacking[0]}'", "is it the right file?"
        )
    data = read(source, names, delimiter)
    if data.num_rows == 0:
        raise BadInput(f"{source_name(source)} has no rows", "give a file with at least one")
    if is_text(source):
        data = typed_table(data, kinds)
    return table_from_arrow(data, kinds, workers)


def typed_table(data: pa.Table, kinds: dict[str, Kind | None], *, strict: bool = True) -> pa.Table:
    """Text columns as numbers, dates or true/false where every value reads as one."""
    columns = [typed(n, data.column(n), kinds.get(n), strict=strict) for n in data.column_names]
    return pa.table(dict(zip(data.column_names, columns, strict=True)))


def at_hand(source: Any) -> Any:
    """A path as it is, a frame as an Arrow table: a stream can be read only once."""
    return source if isinstance(source, str | Path) else frame_of(source)


def read(
    source: Any, columns: Sequence[str] | None = None, delimiter: str | None = None
) -> pa.Table:
    """A source as an Arrow table; text files come as text."""
    if not isinstance(source, str | Path):
        frame = frame_of(source)
        return frame.select(list(columns)) if columns is not None else frame
    path = Path(source)
    _check_file(path)
    if is_parquet(path):
        return _read_parquet(path, columns)
    return _read_csv(path, columns, delimiter)


def column_names(source: Any, delimiter: str | None = None) -> list[str]:
    """The columns of a source, without reading it whole; each name once."""
    if not isinstance(source, str | Path):
        names = frame_of(source).column_names
    else:
        path = Path(source)
        _check_file(path)
        names = _parquet_names(path) if is_parquet(path) else _header(path, delimiter)[0]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise BadInput(
            f"{source_name(source)} has more than one column named '{repeated[0]}'",
            "rename one of them",
        )
    return list(names)


def is_parquet(path: Path) -> bool:
    """Whether a file begins as Parquet files do; one that is only named so is refused."""
    with path.open("rb") as file:
        begins = file.read(4) == b"PAR1"
    if path.suffix == ".parquet" and not begins:
        raise BadInput(f"{path.name} is not a whole Parquet file", "write it again")
    return begins


def is_text(source: Any) -> bool:
    """Whether a source is a text file, whose columns have no types yet."""
    return isinstance(source, str | Path) and not is_parquet(Path(source))


def source_name(source: Any) -> str:
    """What a source is called in messages."""
    return Path(source).name if isinstance(source, str | Path) else "the frame"


def _check_file(path: Path) -> None:
    if not path.exists():
        raise BadInput(f"no file {path}", "check its name and folder")
    if path.is_dir():
        raise BadInput(f"{path} is a folder", "name a CSV or Parquet file")
    if path.stat().st_size == 0:
        raise BadInput(f"{path.name} is empty", "give a file with a header and rows")


def frame_of(source: Any) -> pa.Table:
    """An Arrow table from Arrow, Polars, pandas or DuckDB, without importing any of them."""
    if isinstance(source, pa.Table):
        return source
    if isinstance(source, dict):
        return _table_of(source)
    try:
        if hasattr(source, "iloc") and hasattr(source, "columns"):
            # pandas first, because its stream would add the index as a column
            return pa.Table.from_pandas(source, preserve_index=False)
        if hasattr(source, "__arrow_c_stream__"):
            return pa.table(source)
        if hasattr(source, "to_arrow_table"):
            return source.to_arrow_table()
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise _explain_frame(source, error) from None
    raise BadInput(
        f"a {type(source).__name__} is not a source",
        "give a path, or an Arrow, Polars or pandas frame, or a DuckDB relation",
    )


def _table_of(columns: dict[str, Any]) -> pa.Table:
    """A table from columns by name."""
    try:
        return pa.table(columns)
    except (pa.ArrowException, ValueError, TypeError):
        raise BadInput(
            "the columns mix types or differ in length", "give lists of values"
        ) from None


def _explain_frame(source: Any, error: Exception) -> BadInput:
    """Name the column that can't be read; the library's own text may hold a cell value."""
    names = [str(name) for name in getattr(source, "columns", ())]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        return BadInput(
            f"the frame has more than one column named '{repeated[0]}'", "rename one of them"
        )
    bad = [name for name in names if f"column {name} with type" in " ".join(map(str, error.args))]
    where = f"column '{max(bad, key=len)}'" if bad else "a column"
    return BadInput(
        f"{where} of the frame mixes types or holds what no column can", "convert it to one type"
    )


def _parquet_names(path: Path) -> list[str]:
    try:
        return list(pq.read_schema(path).names)
    except (pa.ArrowInvalid, OSError):
        raise BadInput(f"{path.name} is not a whole Parquet file", "write it again") from None


def _read_parquet(path: Path, columns: Sequence[str] | None) -> pa.Table:
    _parquet_names(path)
    schema = pq.read_schema(path)
    texts = [
        f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)
    ]
    try:
        wanted = list(columns) if columns is not None else None
        return pq.read_table(path, columns=wanted, read_dictionary=texts, partitioning=None)
    except (pa.ArrowInvalid, OSError):
        raise BadInput(f"{path.name} is damaged", "write it again") from None


def _header(path: Path, delimiter: str | None) -> tuple[list[str], str]:
    """Column names and delimiter of a text file."""
    with path.open("rb") as file:
        line = file.readline()
    try:
        text = line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise _not_utf8(path, error.start) from None
    bare = re.sub(r'"[^"]*"', "", text)  # a delimiter inside quotes separates nothing
    likely = max(DELIMITERS, key=bare.count)
    chosen = likely if delimiter is None else _one_character(delimiter)
    if bare.count(chosen) == 0 and bare.count(likely) > 0:
        raise BadInput(
            f"the header of {path.name} has no {chosen!r}",
            f"it looks separated by {likely!r}: give that as the delimiter",
        )
    row = next(csv.reader([text], delimiter=chosen), [""])
    if text.count('"') % 2:
        raise BadInput(f"the header of {path.name} has an open quote", "close it on the line")
    if not row:
        raise BadInput(f"the first line of {path.name} is blank", "it must name the columns")
    if "" in row:
        place = row.index("") + 1
        raise BadInput(f"column {place} of {path.name} has no name", "name it in the header")
    return row, chosen


def _one_character(delimiter: str) -> str:
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n':
        raise BadInput(
            f"the delimiter {delimiter!r} is not one plain character",
            "give one such as ; or leave it out",
        )
    return delimiter


def _read_csv(path: Path, columns: Sequence[str] | None, delimiter: str | None) -> pa.Table:
    parse, convert, names = csv_options(path, columns, delimiter)
    try:
        data = pacsv.read_csv(path, parse_options=parse, convert_options=convert)
    except pa.ArrowInvalid:
        raise explain_csv(path, parse, convert, len(names)) from None
    if parse.newlines_in_values:
        check_quotes(path, parse.delimiter, names, data.num_rows)
    return data


def csv_options(path: Path, columns: Sequence[str] | None, delimiter: str | None) -> CsvOptions:
    """How to read some columns of a text file as text, and what columns it has."""
    names, chosen = _header(path, delimiter)
    convert = pacsv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        include_columns=list(names if columns is None else columns),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    parse = pacsv.ParseOptions(
        delimiter=chosen,
        newlines_in_values=_has_quotes(path),
        ignore_empty_lines=len(names) > 1,  # of a single column, an empty line is a missing value
    )
    return parse, convert, names


def _serially(path: Path, parse: Any, convert: Any) -> str:
    """What is wrong with a text file, read in one thread: only so are its rows counted."""
    try:
        pacsv.read_csv(path, pacsv.ReadOptions(use_threads=False), parse, convert)
    except pa.ArrowInvalid as error:
        return str(error)
    return ""


def _has_quotes(path: Path) -> bool:
    """Whether a line break may stand inside a cell; without quotes it can't."""
    with path.open("rb") as file:
        return any(b'"' in block for block in iter(lambda: file.read(1 << 22), b""))


def explain_csv(path: Path, parse: Any, convert: Any, width: int) -> BadInput:
    """Say where a text file breaks, without the text that breaks it."""
    message = _serially(path, parse, convert)
    offset = _first_bad_byte(path)
    if offset is not None:
        return _not_utf8(path, offset)
    found = re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)", message)
    if found:
        return BadInput(
            f"line {found[1]} of {path.name} has {found[3]} fields, the header has {found[2]}",
            "check the delimiter and the quotes",
        )
    return BadInput(
        f"{path.name} can't be read as text with {width} columns", "check delimiter and quotes"
    )


def _first_bad_byte(path: Path) -> int | None:
    data = path.read_bytes()
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return None


def _not_utf8(path: Path, offset: int) -> BadInput:
    return BadInput(f"byte {offset} of {path.name} is not UTF-8", "save the file as UTF-8")
