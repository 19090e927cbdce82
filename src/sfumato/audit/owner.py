"""What only the owner can check: that published cells cover the records they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.audit.files import Files
from sfumato.core.answers import Status, Verdict
from sfumato.data.graph import Network
from sfumato.data.hierarchy import spell
from sfumato.data.sets import Holders
from sfumato.data.table import Column, Table
from sfumato.releases.release import Ledger

CLAIM = "cells cover their records"
MOST_CELLS = 500_000_000  # of a table of groups by values; beyond, look-ups are by sorting


def check_owner(files: Files, ledger: Ledger | None, original: Table | None) -> Iterator[Verdict]:
    """Every published record against the original row it came from."""
    if ledger is None or original is None:
        yield Verdict(CLAIM, Status.NEEDS_OWNER, note="give --ledger (and --against)")
        return
    if ledger.release_id != files.manifest["release_id"]:
        yield Verdict(CLAIM, Status.VIOLATED, "the ledger belongs to another release")
        return
    yield check_links(files, len(files.group), ledger, original)
    yield _cover(files, ledger.rows, original)
    if "merge_leak" in ledger.notes:
        yield joining_leak(ledger.notes["merge_leak"])


def check_links(
    files: Files, published: int, ledger: Ledger, original: Table | Holders | Network
) -> Verdict:
    """Every published record is some row of the original, and no row is two records."""
    rows = ledger.rows
    once = (
        inside(rows, original) and int(_marked(rows, original.rows).sum()) == len(rows) == published
    )
    counted = original.rows - published == files.manifest["dropped"]
    status = Status.VERIFIED if once and counted else Status.VIOLATED
    return Verdict(
        "one record per original row", status, f"{published:,} of {original.rows:,} rows"
    )


def inside(rows: NDArray[np.int64], original: Table | Holders | Network) -> bool:
    """Whether all links lead to rows of the original."""
    return len(rows) == 0 or bool(rows.min() >= 0 and rows.max() < original.rows)


def _cover(files: Files, rows: NDArray[np.int64], original: Table) -> Verdict:
    outside, loose, other = 0, 0, 0
    if len(rows) != len(files.group) or not inside(rows, original):
        return Verdict(CLAIM, Status.VIOLATED, "the ledger's links do not fit")
    for column in files.columns:
        source = original[column["name"]].take(rows)
        if column["cells"] == "exact":
            other += differing(files.records.column(column["name"]), source)
        else:
            bad, lax = COVERS[column["cells"]](files, column, source)
            outside, loose = outside + bad, loose + lax * bool(column["tight"])
    problems = [
        f"{count:,} {what}"
        for count, what in (
            (outside, "values outside their cells"),
            (loose, "cells looser than claimed"),
            (other, "exact values that differ"),
        )
        if count
    ]
    if problems:
        return Verdict(CLAIM, Status.VIOLATED, "; ".join(problems))
    return Verdict(CLAIM, Status.VERIFIED, f"{len(rows):,} records, {len(files.columns)} columns")


def differing(published: pa.ChunkedArray, source: Column) -> int:
    """How many published values are not those of the original."""
    plain = published.type
    if pa.types.is_dictionary(plain):
        published = published.cast(plain.value_type)
    ours = source.to_arrow().cast(source.values.type).cast(published.type)
    same = pc.equal(published.combine_chunks(), ours)
    both = pc.and_(pc.is_null(published.combine_chunks()), pc.is_null(ours))
    return int(len(ours) - pc.sum(pc.or_(same.fill_null(False), both)).as_py())


def _intervals(files: Files, column: dict[str, Any], source: Column) -> tuple[int, int]:
    name, groups = column["name"], files.groups
    low = _floats(groups.column(f"{name}_lower"))
    high = _floats(groups.column(f"{name}_upper"))
    value = np.concatenate([[np.nan] * source.has_missing, source.numbers])[source.codes]
    missing = np.isnan(value)
    flag = np.zeros(len(low), bool)
    if f"{name}_missing" in groups.column_names:
        flag = np.asarray(groups.column(f"{name}_missing").combine_chunks())
    at = files.group
    inside = np.where(missing, flag[at], (low[at] <= value) & (value <= high[at]))
    ends = np.full((2, len(low)), np.nan)
    np.fmin.at(ends[0], at, value)
    np.fmax.at(ends[1], at, value)
    some = np.zeros(len(low), bool)
    some[at[missing]] = True
    tight = _same(ends[0], low) & _same(ends[1], high) & (some == flag)
    return int((~inside).sum()), int((~tight).sum())


def _same(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray((one == other) | (np.isnan(one) & np.isnan(other)))


def _floats(values: pa.ChunkedArray) -> NDArray[np.float64]:
    values = values.combine_chunks()
    if pa.types.is_temporal(values.type):
        narrow = pa.types.is_date32(values.type) or pa.types.is_time32(values.type)
        values = values.cast(pa.int32() if narrow else pa.int64())
    return np.asarray(values.cast(pa.float64(), safe=False).fill_null(float("nan")))


def _sets(files: Files, column: dict[str, Any], source: Column) -> tuple[int, int]:
    lists = files.groups.column(f"{column['name']}_values").combine_chunks()
    members, width = lists.flatten(), source.size + 1  # the last code: not in the original at all
    place = pc.index_in(members, value_set=source.values.cast(members.type))
    codes = np.asarray(place.cast(pa.int64()).fill_null(width)) + source.has_missing
    missing = np.asarray(pc.is_null(members)) if source.has_missing else False
    codes = np.where(missing, 0, np.minimum(codes, source.size))
    group = np.repeat(np.arange(len(lists)), np.asarray(pc.list_value_length(lists)))
    listed, used = group * width + codes, files.group * width + source.codes
    if len(lists) * width > MOST_CELLS:
        return int((~np.isin(used, listed)).sum()), int((~np.isin(listed, used)).sum())
    allowed, actual = (_marked(keys, len(lists) * width) for keys in (listed, used))
    return int((~allowed[used]).sum()), int((allowed & ~actual).sum())


def _marked(keys: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
    marks = np.zeros(size, bool)
    marks[keys] = True
    return marks


def _nodes(files: Files, column: dict[str, Any], source: Column) -> tuple[int, int]:
    name = column["name"]
    tree = files.trees[name].with_missing() if column["missing"] else files.trees[name]
    labels = files.groups.column(name).cast(pa.string()).to_pylist()
    levels = files.groups.column(f"{name}_level").to_pylist()
    node = np.array([tree.node_of[pair] for pair in zip(levels, labels, strict=True)])
    leaf = np.array([tree.leaf_of.get(text, -1) for text in spell(source.values.to_pylist())])
    if source.has_missing:
        leaf = np.append(0 if column["missing"] else -1, leaf)
    of = leaf[source.codes]
    span = tree.spans[node[files.group]]
    return int(((of < span[:, 0]) | (of > span[:, 1])).sum()), 0


COVERS = {"interval": _intervals, "set": _sets, "node": _nodes}


def joining_leak(leak: dict[str, Any]) -> Verdict:
    """What joining groups for a model's sake gave away, as it was measured."""
    found = (
        f"{leak['records_in_joined_groups']:.1%} of records are in joined groups; of the groups "
        f"before joining {leak['broken_before']:.1%} did not keep the models, of those seen joined "
        f"{leak['broken_if_seen_joined']:.1%}"
    )
    note = (
        "somebody who also knew the groups before joining and the order of the joins would raise "
        f"the belief in a true value by {leak['mean_belief_gain']:.3f} on average, by more than "
        f"0.1 for {leak['share_with_large_gain']:.1%} of the records, by "
        f"{leak['largest_belief_gain']:.2f} at most, in the "
        f"{leak['joined_groups_simulated']} of {leak['joined_groups']} joined groups that could "
        "be simulated"
    )
    return Verdict("leak of joining groups", Status.ARGUED, found, note=note)
