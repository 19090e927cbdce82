"""The files fit together: sizes, cells, the flat view, and an order that says nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.audit.clear import in_order, unclear
from sfumato.audit.files import Files
from sfumato.core.answers import Status, Verdict
from sfumato.data.schema import GROUP, SIZE
from sfumato.releases.recoded import Recoded, group_order


def check_structure(files: Files) -> Iterator[Verdict]:
    """Rows, sizes, cells and views agree with one another."""
    found_by = (list(check(files)) for check in CHECKS)
    problems = next((problems for problems in found_by if problems), [])
    status = Status.VIOLATED if problems else Status.VERIFIED
    rows, groups = len(files.group), files.groups.num_rows
    found = problems[0] if problems else f"{rows:,} records in {groups:,} groups"
    yield Verdict("structure", status, found)


def _sizes(files: Files) -> Iterator[str]:
    group = files.group
    if len(group) and (group.min() < 0 or group.max() >= files.groups.num_rows):
        yield "records name groups that do not exist"
    elif not np.array_equal(np.asarray(files.groups.column(SIZE)), files.sizes):
        yield "group_size differs from the records counted"
    elif not np.array_equal(np.asarray(files.groups.column(GROUP)), np.arange(len(files.sizes))):
        yield "groups are not numbered from 0 on"


def _cells(files: Files) -> Iterator[str]:
    for column in files.columns:
        bad = _bad_cells(files, column)
        if bad:
            yield f"{bad} cells of '{column['name']}' are not well-formed"


def _bad_cells(files: Files, column: dict[str, Any]) -> int:
    name, groups = column["name"], files.groups
    if column["cells"] == "interval":
        low, high = groups.column(f"{name}_lower"), groups.column(f"{name}_upper")
        missing = _flag(groups, f"{name}_missing")
        bad = pc.or_(
            pc.greater(low, high).fill_null(False), pc.and_(pc.is_null(low), pc.invert(missing))
        )
        return int(pc.sum(pc.or_(bad, pc.xor(pc.is_null(low), pc.is_null(high)))).as_py() or 0)
    if column["cells"] == "set":
        sizes = pc.list_value_length(groups.column(f"{name}_values"))
        return int(pc.sum(pc.less(sizes, 1)).as_py() or 0)
    if column["cells"] == "node":
        return _unknown_nodes(files, column)
    return 0


def _flag(groups: pa.Table, name: str) -> Any:
    if name in groups.column_names:
        return groups.column(name)
    return pa.array(np.zeros(groups.num_rows, bool))


def _unknown_nodes(files: Files, column: dict[str, Any]) -> int:
    name = column["name"]
    tree = files.trees[name].with_missing() if column["missing"] else files.trees[name]
    labels = files.groups.column(name).cast(pa.string()).to_pylist()
    levels = files.groups.column(f"{name}_level").to_pylist()
    pairs = set(zip(levels, labels, strict=True))
    return len(pairs - set(tree.node_of))


def _numbers(files: Files) -> Iterator[str]:
    yield from unclear((files.groups, files.records))


def _flat(files: Files) -> Iterator[str]:
    for column in files.columns:
        name = column["name"]
        if name not in files.flat.column_names:
            yield f"the flat view lacks '{name}'"
            continue
        exact = column["cells"] == "exact"
        source = (files.records if exact else files.groups).column(name)
        rows = slice(None) if exact else files.group
        if not _equal(files.flat.column(name), source, rows):
            yield f"the flat view of '{name}' differs from groups and records"


def _equal(column: pa.ChunkedArray, other: pa.ChunkedArray, rows: Any = slice(None)) -> bool:
    """Whether a column has the values that the other has at some rows."""
    shown, words = _coded(column)
    codes, values = _coded(other)
    place = np.asarray(pc.index_in(words, value_set=values).fill_null(-2))
    return np.array_equal(np.append(place, -1)[shown], codes[rows])


def _coded(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], pa.Array]:
    """A column as codes over its distinct values, -1 for null."""
    if not pa.types.is_dictionary(column.type):
        column = pc.dictionary_encode(column)
    whole = column.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # no rows
        return np.empty(0, np.int32), pa.array([], column.type.value_type)
    return np.asarray(whole.indices.cast(pa.int32()).fill_null(-1)), whole.dictionary


def _order(files: Files) -> Iterator[str]:
    """Records stand in the order of their published content, so the order carries nothing."""
    exact = files.named("sensitive", "keep")
    if not in_order([files.group, *(files.values(name)[0] for name in exact)]):
        yield "records do not stand in the order of their published values"


def _groups(files: Files) -> Iterator[str]:
    """Labels say what the cells beside them say, and groups stand in the order of both."""
    content = files.content
    assert isinstance(content, Recoded)
    for name, cells in content.cells.items():
        if not _equal(files.groups.column(name), pa.chunked_array([cells.labels()])):
            yield f"labels of '{name}' differ from the cells beside them"
    order = group_order(content, np.arange(content.rows))
    if not np.array_equal(order, np.arange(content.groups)):
        yield "groups do not stand in the order of their published values"


# each takes for granted what those before it have found to hold
CHECKS = (_sizes, _cells, _numbers, _flat, _order, _groups)
