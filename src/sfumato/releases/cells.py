"""Published cells of one column, one per group: an interval, a set of values, or a tree node.

A cell is the set of values its members may have. It is *tight* if every listed value, and both
ends of an interval, really occur among the members.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.data.hierarchy import Hierarchy, fit
from sfumato.data.plain import from_numbers
from sfumato.data.schema import Kind
from sfumato.data.table import Column
from sfumato.kernels.cells import hash_runs, masks, same_runs, spans

MISSING = "missing"
OR = " or "


@dataclass(frozen=True, eq=False)
class Intervals:
    """[lower, upper] per group, null where every member is missing; `missing` says some are."""

    lower: pa.Array
    upper: pa.Array
    missing: NDArray[np.bool_]
    tight: bool

    def __len__(self) -> int:
        return len(self.lower)

    def take(self, order: NDArray[Any]) -> Intervals:
        """The cells of other groups, in another order."""
        at = pa.array(order)
        return Intervals(self.lower.take(at), self.upper.take(at), self.missing[order], self.tight)

    def rank(self) -> NDArray[np.int64]:
        """Equal cells, equal rank; ordered by lower end, then upper end, then missing."""
        low, high = _dense(self.lower), _dense(self.upper)
        return _dense_numbers((low * (high.max(initial=0) + 1) + high) * 2 + self.missing)

    def labels(self) -> pa.DictionaryArray:
        """What a person reads: "34", "[20, 30]", "[20, 30] or missing", "missing"."""
        rank = self.rank()
        _, first = np.unique(rank, return_index=True)
        at = pa.array(first)
        low = self.lower.take(at).cast(pa.string())
        high = self.upper.take(at).cast(pa.string())
        wide = pc.binary_join_element_wise("[", low, ", ", high, "]", "")
        text = pc.if_else(pc.equal(low, high), low, wide)
        either = pc.binary_join_element_wise(text, " or ", MISSING, "")
        text = pc.if_else(pa.array(self.missing[first]), either, text)
        return _dictionary(rank, text.fill_null(MISSING))


def _quoted(text: str) -> str:
    """A value in quotes where it could be taken for several."""
    return f'"{text}"' if OR in text else text


def _free(word: str, taken: set[str]) -> str:
    """A word for what has none, in brackets where a value is spelled like it."""
    while word in taken:
        word = f"({word})"
    return word


@dataclass(frozen=True, eq=False)
class ValueSets:
    """A set of values per group: group g publishes the codes of set `which[g]`.

    Code c stands for `values[c]`, or with `has_missing` for `values[c - 1]` and 0 for missing.
    """

    which: NDArray[np.int32]
    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    values: pa.Array
    has_missing: bool
    tight: bool

    def __len__(self) -> int:
        return len(self.which)

    def take(self, order: NDArray[Any]) -> ValueSets:
        """The cells of other groups, in another order."""
        return ValueSets(
            self.which[order], self.offsets, self.codes, self.values, self.has_missing, self.tight
        )

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Values per distinct set."""
        return np.diff(self.offsets)

    def rank(self) -> NDArray[np.int64]:
        """Equal sets, equal rank; ordered by first value, then second, and so on."""
        return self._order()[self.which]

    def _order(self) -> NDArray[np.int64]:
        return run_ranks(self.offsets[:-1], self.offsets[1:], self.codes)

    def texts(self) -> list[str]:
        """Every code as text; no two codes, and no two sets of codes, read the same."""
        words = [_quoted(text) for text in self.values.cast(pa.string()).to_pylist()]
        taken = set(words)
        texts = [word or _free('""', taken) for word in words]
        return [_free(MISSING, taken), *texts] if self.has_missing else texts

    def labels(self) -> pa.DictionaryArray:
        """What a person reads: "Male", "HS-grad or Some-college"."""
        texts = np.array(self.texts(), dtype=object)
        words = [OR.join(texts[run]) for run in np.split(self.codes, self.offsets[1:-1])]
        place = self._order()
        first = np.unique(place, return_index=True)[1]
        return _dictionary(place[self.which], pa.array(words, pa.string()).take(pa.array(first)))

    def lists(self) -> pa.ListArray:
        """The sets as lists of values, missing as null."""
        index = pa.array(self.codes - self.has_missing, mask=self.codes < self.has_missing)
        distinct = pa.ListArray.from_arrays(self.offsets.astype(np.int32), self.values.take(index))
        return distinct.take(pa.array(self.which))


@dataclass(frozen=True, eq=False)
class Nodes:
    """A node of a hierarchy per group: the members' values are among the leaves below it.

    `kind` is that of the values which the leaves spell.
    """

    node: NDArray[np.int32]
    hierarchy: Hierarchy
    has_missing: bool
    tight: bool = False
    kind: Kind = Kind.CATEGORY

    def __len__(self) -> int:
        return len(self.node)

    def take(self, order: NDArray[Any]) -> Nodes:
        """The cells of other groups, in another order."""
        return Nodes(self.node[order], self.hierarchy, self.has_missing, self.tight, self.kind)

    def rank(self) -> NDArray[np.int64]:
        """Equal nodes, equal rank; in the order of the leaves below, then of height."""
        tree = self.hierarchy
        first, last = tree.spans[self.node].T
        below = first * (tree.leaves + 1) + last
        return _dense_numbers(below * tree.levels + tree.height[self.node])

    def labels(self) -> pa.DictionaryArray:
        """The node's own label."""
        return _dictionary(self.node, pa.array(self.hierarchy.labels, pa.string()))


Cells = Intervals | ValueSets | Nodes


def cells_of(
    column: Column, group: NDArray[np.int32], groups: int, hierarchy: Hierarchy | None = None
) -> Cells:
    """The cells that cover each group's members in one column."""
    if hierarchy is not None:
        return _tree_cells(column, group, groups, hierarchy)
    if column.kind is Kind.CATEGORY:
        return _set_cells(column, group, groups)
    return _interval_cells(column, group, groups)


def _interval_cells(column: Column, group: NDArray[np.int32], groups: int) -> Intervals:
    if not column.has_missing:
        low, high = spans(column.codes, group, groups)
        nobody = np.zeros(groups, bool)
        return Intervals(column.values.take(low), column.values.take(high), nobody, True)
    present = column.codes != 0
    some = np.zeros(groups, bool)
    some[group[~present]] = True
    low, high = spans(column.codes[present], group[present], groups)
    none = high < 0
    low_at = pa.array(np.where(none, 0, low - 1), mask=none)
    high_at = pa.array(np.where(none, 0, high - 1), mask=none)
    return Intervals(column.values.take(low_at), column.values.take(high_at), some, True)


def _set_cells(column: Column, group: NDArray[np.int32], groups: int) -> ValueSets:
    which: NDArray[Any]
    if column.size <= 64:
        words, which = np.unique(masks(column.codes, group, groups), return_inverse=True)
        bits = (words[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
        codes = np.nonzero(bits)[1].astype(np.int32)
        offsets = np.concatenate([[0], np.cumsum(bits.sum(axis=1))]).astype(np.int64)
    else:
        pairs = np.unique(group.astype(np.int64) * column.size + column.codes)
        sizes = np.bincount(pairs // column.size, minlength=groups)
        each = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        which, offsets, codes = distinct_sets(each, (pairs % column.size).astype(np.int32))
    return ValueSets(
        which.astype(np.int32), offsets, codes, column.values, column.has_missing, True
    )


def run_ranks(
    starts: NDArray[np.int64], ends: NDArray[np.int64], items: NDArray[Any]
) -> NDArray[np.int64]:
    """Rank of every run items[start:end], by its first item, then its second, and so on."""
    content = items.astype(">u4").tobytes()  # such bytes compare as the numbers do
    runs = [content[4 * a : 4 * b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    place = {run: number for number, run in enumerate(sorted(set(runs)))}
    return np.array([place[run] for run in runs], np.int64)


def distinct_sets(
    offsets: NDArray[np.int64], codes: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    """Store each different run once: which run every group has, and the runs."""
    for salt in range(1, 100):
        hashes = hash_runs(offsets, codes, np.uint64(salt))
        _, first, which = np.unique(hashes, return_index=True, return_inverse=True)
        if same_runs(offsets, codes, first[which].astype(np.int64)):
            break
    sizes = np.diff(offsets)[first]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    within = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
    return which.astype(np.int32), starts, codes[np.repeat(offsets[first], sizes) + within]


def _tree_cells(
    column: Column, group: NDArray[np.int32], groups: int, hierarchy: Hierarchy
) -> Nodes | Intervals:
    tree, leaf = fit(hierarchy, column)
    low, high = spans(leaf.astype(np.int32)[column.codes], group, groups)
    node = tree.lowest(low, high)
    single = node < tree.leaves
    node[single] = tree.finest[node[single]]
    if tree.breaks is None:
        return Nodes(node, tree, column.has_missing, kind=column.kind)
    some = np.zeros(groups, bool)
    some[group[column.codes == 0]] = column.has_missing
    return _break_intervals(column, tree, node, some)


def _break_intervals(
    column: Column, tree: Hierarchy, node: NDArray[np.int32], some: NDArray[np.bool_]
) -> Intervals:
    """Nodes of an interval tree are published as intervals: the exact values stay unpublished."""
    ends = np.array(tree.breaks)
    low, high = ends[node, 0], ends[node, 1]
    none = np.isnan(low)
    kind = column.values.type
    return Intervals(
        from_numbers(np.where(none, 0, low), none, kind),
        from_numbers(np.where(none, 0, high), none, kind),
        some,
        False,
    )


def _dense(values: pa.Array) -> NDArray[np.int64]:
    """Dense rank of an Arrow array, null first."""
    distinct = pc.unique(values.drop_null())
    ordered = distinct.take(pc.sort_indices(distinct))
    index = pc.index_in(values, value_set=ordered)
    return np.asarray(index.cast(pa.int64()).fill_null(-1)) + 1


def _dense_numbers(values: NDArray[Any]) -> NDArray[np.int64]:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _dictionary(which: NDArray[Any], texts: pa.Array) -> pa.DictionaryArray:
    used, which = np.unique(which, return_inverse=True)
    texts = texts.take(pa.array(used))
    return pa.DictionaryArray.from_arrays(pa.array(which.astype(np.int32)), texts)
