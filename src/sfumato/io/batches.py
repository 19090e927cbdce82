"""Any source in batches of rows, so that a file may be larger than memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from sfumato.core.errors import BadInput
from sfumato.io.quotes import check_quotes
from sfumato.io.sources import (
    csv_options,
    explain_csv,
    frame_of,
    is_parquet,
)

ROWS = 1 << 18


def batches(
    source: Any, columns: Sequence[str], delimiter: str | None, lists: str | None
) -> Iterator[pa.Table]:
    """Some columns of a source, batch by batch; `lists` names one of lists of texts."""
    if not isinstance(source, str | Path):
        frame = frame_of(source).select(list(columns))
        for start in range(0, frame.num_rows, ROWS):
            yield frame.slice(start, ROWS)
    elif is_parquet(Path(source)):
        yield from _parquet(Path(source), columns, lists)
    else:
        yield from _csv(Path(source), columns, delimiter)


def _parquet(path: Path, columns: Sequence[str], lists: str | None) -> Iterator[pa.Table]:
    """Row group by row group; texts in lists keep the dictionaries of the file."""
    try:
        file = pq.ParquetFile(path, read_dictionary=_texts_in(path, lists))
        for group in range(file.num_row_groups):
            whole = file.read_row_group(group, columns=list(columns))
            for start in range(0, whole.num_rows, ROWS):
                yield whole.slice(start, ROWS)
    except (pa.ArrowInvalid, OSError):
        raise BadInput(f"{path.name} is damaged", "write it again") from None


def _csv(path: Path, columns: Sequence[str], delimiter: str | None) -> Iterator[pa.Table]:
    parse, convert, names = csv_options(path, columns, delimiter)
    rows = 0
    try:
        with pacsv.open_csv(path, parse_options=parse, convert_options=convert) as reader:
            for batch in reader:
                rows += batch.num_rows
                yield pa.Table.from_batches([batch])
    except pa.ArrowInvalid:
        raise explain_csv(path, parse, convert, len(names)) from None
    if parse.newlines_in_values:
        check_quotes(path, parse.delimiter, names, rows)


def _texts_in(path: Path, lists: str | None) -> list[str]:
    """The texts inside a column of lists, by the name that the file gives them."""
    leaves = pq.ParquetFile(path).schema
    parts = [leaves.column(place) for place in range(len(leaves.names))]
    texts = [part.path for part in parts if part.physical_type == "BYTE_ARRAY"]
    return [name for name in texts if lists is not None and name.startswith(f"{lists}.")]
