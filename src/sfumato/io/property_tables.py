"""Properties as two tables: one row a property, and one row for every term."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.core.errors import BadRelease
from sfumato.releases.properties import KINDS, RELATIONS, Properties

PROPERTIES, TERMS = "properties", "terms"
TYPES: dict[str, dict[str, pa.DataType]] = {
    PROPERTIES: {
        "property": pa.int32(),
        "kind": pa.string(),
        "relation": pa.string(),
        "constant": pa.int64(),
    },
    TERMS: {
        "property": pa.int32(),
        "column": pa.string(),
        "record": pa.int32(),
        "coefficient": pa.int64(),
    },
}


def property_tables(properties: Properties) -> dict[str, pa.Table]:
    """Both tables."""
    number = np.arange(len(properties), dtype=np.int32)
    return {
        PROPERTIES: pa.table(
            {
                "property": number,
                "kind": _named(properties.kind, KINDS),
                "relation": _named(properties.relation, RELATIONS),
                "constant": properties.constant,
            }
        ),
        TERMS: pa.table(
            {
                "property": properties.of_term.astype(np.int32),
                "column": _named(properties.column, properties.columns),
                "record": properties.record.astype(np.int32),
                "coefficient": properties.coefficient,
            }
        ),
    }


def _named(codes: NDArray[Any], names: tuple[str, ...]) -> pa.Array:
    """Codes as words; only words that occur are written."""
    used = np.unique(codes)
    place = np.zeros(len(names), np.int32)
    place[used] = np.arange(len(used))
    words = pa.array([names[code] for code in used.tolist()], pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(place[codes]), words)


def read_properties(
    properties: pa.Table, terms: pa.Table, columns: tuple[str, ...], records: int, where: str
) -> Properties:
    """The properties that such tables hold, about these columns and so many records."""
    of = _ints(terms, "property", where)
    number = _ints(properties, "property", where)
    _require(np.array_equal(number, np.arange(len(number))), where, "not numbered from 0 on")
    _require(
        (np.diff(of) >= 0).all() and (np.unique(of) == number).all(), where, "terms do not fit"
    )
    record = _ints(terms, "record", where)
    _require(((record >= 0) & (record < records)).all(), where, "a record does not exist")
    ends = np.searchsorted(of, np.arange(len(number) + 1)).astype(np.int64)
    return Properties(
        columns,
        _codes(properties, "kind", KINDS, where).astype(np.int8),
        _codes(properties, "relation", RELATIONS, where).astype(np.int8),
        _ints(properties, "constant", where),
        ends,
        _codes(terms, "column", columns, where).astype(np.int16),
        record,
        _ints(terms, "coefficient", where),
    )


def _require(fits: Any, where: str, what: str) -> None:
    if not fits:
        raise BadRelease(f"{where} is damaged: {what}", "get it again")


def _ints(table: pa.Table, name: str, where: str) -> NDArray[np.int64]:
    column = table.column(name)
    _require(column.null_count == 0, where, f"a {name} is not given")
    return np.asarray(column.to_numpy()).astype(np.int64)


def _codes(table: pa.Table, name: str, words: tuple[str, ...], where: str) -> NDArray[np.int64]:
    column = table.column(name)
    _require(column.null_count == 0, where, f"a {name} is not given")
    texts = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
    place = pc.index_in(texts, value_set=pa.array(words, pa.string()))
    _require(place.null_count == 0, where, f"a {name} is unknown")
    return np.asarray(place.to_numpy()).astype(np.int64)
