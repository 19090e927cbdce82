"""Edge lists as plain text: two words a line, without a header, after lines of comment."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv

from sfumato.core.errors import BadInput

COMMENT = (b"#", b"%")
DELIMITERS = ("\t", " ", ",", ";")


def read_plain(path: Path) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """The two words of every line."""
    if not path.is_file():
        raise BadInput(f"no file {path}", "check its name and folder")
    skipped, line = _first_line(path)
    if not line:
        raise BadInput(f"{path.name} has no edges", "give a file with two names a line")
    delimiter = next((d for d in DELIMITERS if d.encode() in line), "\t")
    options = (
        pacsv.ReadOptions(column_names=["u", "v"], skip_rows=skipped),
        pacsv.ParseOptions(delimiter=delimiter, ignore_empty_lines=True, quote_char=False),
        pacsv.ConvertOptions(null_values=[""], strings_can_be_null=True),
    )
    try:
        data = pacsv.read_csv(path, *options)
    except (pa.ArrowInvalid, UnicodeDecodeError):
        raise BadInput(
            f"{path.name} is not two names a line, parted by one {_called(delimiter)}",
            "give the file a header and name its columns: source.source, source.target",
        ) from None
    return data.column("u"), data.column("v")


def _called(delimiter: str) -> str:
    return {"\t": "tab", " ": "space"}.get(delimiter, f"'{delimiter}'")


def _first_line(path: Path) -> tuple[int, bytes]:
    """Lines of comment at the beginning, and the line after them."""
    with path.open("rb") as file:
        for number, line in enumerate(file):
            if not line.startswith(COMMENT) and line.strip():
                return number, line.strip()
    return 0, b""
